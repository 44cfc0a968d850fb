"""`Variable`: reads, assigns, computes, prints and refuses as TensorFlow's does."""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from shims._src.errors.errors import FailedPreconditionError
from shims._src.gradients.tape import GradientTape
from shims._src.types.tensor_shape import TensorShape
from shims._src.variables.variable import Variable
from tests.harness.compare import Dtypes, Tolerance, assert_same

# Evaluated once with each module's class as V; `v` is [1, 2] and `u` is 3, made anew each time.
EXPRESSIONS = """
v + 1; 1 + v; v - u2; 2 - v; v * v; v / 2; 3 / v; v // 2; 5 // v; v % 2; 5 % v; v ** 2; 2.0 ** v
-v; abs(-v); v < 2; v <= 2; v > 1; v >= 1; v == v; v != 1.0; ~b; b & b; b | b; b ^ b; v[0]; v[0:1]
v[-1] + v[0]; m @ m; m[0, 1]; v.assign([3.0, 4.0]) + 0; v.assign([1, 2]) + 0; u.assign(7) + 0
v.assign_add([1, 1]) + 0; v.assign_sub([1.0, 1.0]) + 0; u.assign_add(2) + u; u.assign_sub(2) * u
v.read_value(); v.value(); v.numpy(); int(u); float(u); bool(u); list(v)[1]; np.ones(2) + v
v.name; u.name; v.shape; v.get_shape(); m.shape; v.trainable; V(1.0, trainable=False).trainable
V(1.0).name; V(2, name="q").name; v.constraint; V(1.5) + 0; V(5) + 0; V([1, 2], dtype="float32") + 0
V(lambda: np.float32([3, 4])) + 0; V(v) + 0; V(True) + 0 if False else V(True).numpy(); repr(u)
repr(V(1.5)); repr(v); str(V([[1.0]], name="a")); repr(V(True)); v.assign_add([1, 1], read_value=False)
V([1.0], shape=[None]).assign([1.0, 2.0]) + 0; repr(V([1.0], shape=[None])); v.ref() == v.ref()
v.ref() == u.ref(); v.ref().deref() is v; {v.ref(): 1}[v.ref()]
np.asarray(v)
"""

ERRORS = """
hash(v); v.assign([1.0]); v.assign(3.0); u.assign(2.5); V(); V([1], shape=[2]); len(v)
v.__iadd__(1); u.__isub__(1); V([1.5], dtype="int32"); u.assign(np.float32(2) + v[0])
"""


def names(module_variable, constant):
    V = module_variable
    return {
        "V": V,
        "np": np,
        "v": V(np.float32([1, 2]), name="v"),
        "u": V(3, name="u"),
        "u2": V(2.0),
        "b": V(True),
        "m": V(np.float32([[1, 2], [3, 4]])),
        "constant": constant,
    }


def value(x):
    return x.numpy() if hasattr(x, "numpy") else x


def expressions(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split(";")]


@pytest.mark.parametrize("expression", expressions(EXPRESSIONS))
def test_as_tensorflow(expression):
    theirs = value(eval(expression, names(tf.Variable, tf.constant)))
    ours = value(eval(expression, names(Variable, jnp.asarray)))
    if isinstance(theirs, (str, bool, tf.TensorShape)) or theirs is None:
        assert str(ours) == str(theirs)
        return
    assert_same(np.asarray(ours), np.asarray(theirs), Tolerance(relative=1e-6), Dtypes.SAME)


@pytest.mark.parametrize("expression", expressions(ERRORS))
def test_refuses_what_tensorflow_refuses(expression):
    with pytest.raises(Exception) as theirs:  # noqa: PT011, the class is compared below
        eval(expression, names(tf.Variable, tf.constant))
    with pytest.raises(type(theirs.value)):
        eval(expression, names(Variable, jnp.asarray))


def test_jax_functions_take_it():
    v = Variable([1.0, 2.0])
    assert float(jnp.sum(v)) == 3.0
    np.testing.assert_array_equal(jnp.ones(2) + v, [2.0, 3.0])
    np.testing.assert_array_equal(jnp.zeros(v.shape), [0.0, 0.0])
    np.testing.assert_array_equal(jax.jit(lambda x: x * v)(2.0), [2.0, 4.0])
    np.testing.assert_array_equal(range(9)[Variable(3)], 3)


def test_as_a_pytree_it_is_its_value():
    v = Variable(1.0)
    assert [float(x) for x in jax.tree.leaves({"a": v})] == [1.0]
    assert jax.tree.map(lambda x: x, [v])[0] is v
    assert float(jax.tree.map(lambda x: x + 1, v)) == 2.0


def test_functions_that_jax_compiled_read_it_anew():
    # `jnp.square` is jitted: what it sees of a variable must not be what it saw at first.
    v = Variable([1.0, 2.0])
    twice = jax.jit(lambda x: 2 * x)
    for value in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0]):
        v.assign(value)
        np.testing.assert_array_equal(jnp.square(v), np.square(value))
        np.testing.assert_array_equal(jnp.matmul(v, v), np.square(value).sum())
        np.testing.assert_array_equal(twice(v), 2 * np.asarray(value))


def test_a_tape_sees_every_call_of_a_compiled_function():
    v = Variable([1.0, 2.0])
    jnp.square(v)
    for _ in range(2):
        with GradientTape() as tape:
            y = jnp.sum(jnp.square(v))
        np.testing.assert_array_equal(tape.gradient(y, v), 2 * v.numpy())
        v.assign_add([1.0, 1.0])


def test_copies_are_their_own():
    v = Variable([1.0], name="v", trainable=False)
    w = copy.deepcopy(v)
    w.assign([2.0])
    assert float(v[0]) == 1.0
    assert (w.name, w.trainable) == ("v:0", False)


def test_an_unknown_size_may_change():
    v = Variable(jnp.zeros([2, 3]), shape=TensorShape([None, 3]))
    v.assign(jnp.ones([5, 3]))
    assert v.read_value().shape == (5, 3)
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign(jnp.ones([5, 4]))


def test_float64_follows_jax():
    with jax.enable_x64(True):
        assert Variable(np.zeros(2)).dtype == np.float64
        assert Variable(0.5).dtype == np.float32
        assert Variable(3).dtype == np.int32


@pytest.mark.parametrize("transform", [jax.jit, jax.grad, jax.vmap])
def test_a_foreign_trace_cannot_assign(transform):
    v = Variable(1.0)
    argument = jnp.ones(2) if transform is jax.vmap else jnp.float32(2)
    with pytest.raises(FailedPreconditionError, match="cannot store a traced value"):
        transform(lambda x: v.assign(x) + 0)(argument)
    assert float(v) == 1.0


@pytest.mark.parametrize("variable", [tf.Variable([1.0, 2.0]), Variable([1.0, 2.0])])
def test_the_array_of_a_variable_may_be_changed(variable):
    """And the variable keeps its value."""
    array = variable.numpy()
    array[0] = 9.0
    assert array.tolist() == [9.0, 2.0]
    assert variable.numpy().tolist() == [1.0, 2.0]
