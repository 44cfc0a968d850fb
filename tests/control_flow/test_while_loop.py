"""`while_loop`: TensorFlow's values and gradients, and no gradient lost where a bound is known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from jax import export

import shims
from shims._src.control_flow.loops import while_loop
from shims._src.types.tensor_shape import TensorShape
from shims._src.variables.variable import Variable
from tests.harness.compare import assert_same_tree
from tests.harness.jax_side import gradient, primitives_of, symbolic_results
from tests.harness.lifting import lifted


def counter(x, loop):
    return loop(lambda t, s: t < x.shape[0], lambda t, s: (t + 1, s * x[t] + 1.0), (0, 1.0))


def counter_by_two_down(x, loop):
    return loop(lambda t, s: t > 0, lambda t, s: (t - 2, s + x[t]), (x.shape[0] - 1, 0.0))


def early_end(x, loop):
    return loop(
        lambda t, s: (t < x.shape[0]) & (s < 3.0), lambda t, s: (t + 1, s + x[t] ** 2), (0, 0.0)
    )


def limited(x, loop):
    return loop(lambda s: s < 100.0, lambda s: (s * 2,), (x[0] * x[1],), maximum_iterations=3)


def nested_structure(x, loop):
    def body(t, state):
        return t + 1, {"a": state["a"] * 2, "b": (state["b"][0] + state["a"], x)}

    return loop(lambda t, state: t < 3, body, (0, {"a": x[0], "b": (x[1], x)}))


def never(x, loop):
    return loop(lambda t, s: t < 0, lambda t, s: (t + 1, s * 0), (0, x))


def one_inside_the_other(x, loop):
    def row(i, s):
        inner = loop(lambda j, r: j <= i, lambda j, r: (j + 1, r + x[j] * x[i]), (0, s))
        return i + 1, inner[1]

    return loop(lambda i, s: i < x.shape[0], row, (0, 0.0))


# TensorFlow's own AutoGraph builds syntax trees in a way that Python 3.13 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")

PROGRAMS = [
    counter,
    counter_by_two_down,
    early_end,
    limited,
    nested_structure,
    never,
    one_inside_the_other,
]
INPUTS = [np.float32(x) for x in ([0.5, -1, 2, 3], [1.0, 7, 0, 2], [3, 1, 1, 1, 1])]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", INPUTS, ids=str)
def test_as_tensorflow(f, x):
    def with_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = f(x, tf.while_loop)
            floats = [r for r in tf.nest.flatten(result) if r.dtype.is_floating]
            total = tf.add_n([tf.reduce_sum(r * 1.5) for r in floats])
        return result, tf.convert_to_tensor(tape.gradient(total, x, unconnected_gradients="zero"))

    theirs, slope = jax.tree.map(lambda t: t.numpy(), tf.function(with_gradient)(tf.constant(x)))
    ours = lambda x: f(x, while_loop)
    assert_same_tree(ours(jnp.asarray(x)), theirs)
    assert_same_tree(jax.jit(ours)(x), theirs)
    assert_same_tree(gradient(ours, x), slope)
    if f is not one_inside_the_other:  # under `jit` nothing bounds the inner loop's limit `i`
        assert_same_tree(gradient(ours, x, jit=True), slope)


@pytest.mark.parametrize("f", [counter, early_end])
def test_symbolic_sizes_make_one_scan(f):
    assert symbolic_results(lambda x: f(x, while_loop), "n") == ["[]", "[]"]
    (n,) = export.symbolic_shape("n")
    names = primitives_of(lambda x: f(x, while_loop), jax.ShapeDtypeStruct((n,), jnp.float32))
    assert "scan" in names
    assert "while" not in names


def test_vmap():
    rows = jnp.asarray(INPUTS[:2])
    found = jax.vmap(lambda x: early_end(x, while_loop))(rows)
    for i in range(2):
        assert_same_tree(jax.tree.map(lambda a, i=i: a[i], found), early_end(rows[i], while_loop))


def test_without_back_prop_a_bounded_loop_can_end_early():
    def f(x, back_prop):
        return while_loop(
            lambda s: s < 3.0, lambda s: (s * 2,), (x,), maximum_iterations=9, back_prop=back_prop
        )

    assert "while" in primitives_of(lambda x: f(x, False), 1.0)
    assert "scan" in primitives_of(lambda x: f(x, True), 1.0)
    for x in (1.0, 5.0):
        assert_same_tree(jax.jit(lambda x: f(x, False))(x), jax.jit(lambda x: f(x, True))(x))


def test_a_limit_may_be_traced():
    f = lambda x, n: while_loop(lambda s: s < 1e9, lambda s: (s * 2,), (x,), maximum_iterations=n)
    for n in (0, 1, 5):
        assert_same_tree(jax.jit(f)(1.0, n), (jnp.float32(2.0**n),))
        assert_same_tree(f(1.0, n), (jnp.float32(2.0**n),))


def test_an_unbounded_loop_differentiates_forwards():
    f = jax.jit(lambda x: while_loop(lambda s: s < 100.0, lambda s: (s * 2,), (x,))[0])
    value, slope = jax.jvp(f, (3.0,), (1.0,))
    assert (float(value), float(slope)) == (192.0, 64.0)


def test_a_loop_that_becomes_traced_is_staged_from_there():
    def f(x):
        return while_loop(lambda s: s < 10.0, lambda s: (s + x,), (np.float32(1),))

    assert_same_tree(jax.jit(f)(2.0), (jnp.float32(11),))


def test_eager_state_may_grow():
    grown = while_loop(
        lambda y: y.shape[0] < 4,
        lambda y: (jnp.concatenate([y, y[:1] * 2]),),
        [jnp.ones(1)],
        shape_invariants=[TensorShape([None])],
    )
    assert_same_tree(grown, [jnp.asarray([1.0, 2.0, 2.0, 2.0])])
    with pytest.raises(ValueError, match="violates its shape invariant"):
        while_loop(
            lambda y: y.shape[0] < 4,
            lambda y: (jnp.concatenate([y, y]),),
            [jnp.ones(1)],
            shape_invariants=[TensorShape([1])],
        )


@pytest.mark.parametrize("module", [shims, tf], ids=["shims", "tensorflow"])
@pytest.mark.parametrize("beside", ["scalar", "pair", "ragged", "array"])
def test_invariants_stand_beside_their_variables(module, beside):
    """Shapes are tuples or `TensorShape`; a composite variable has one invariant, whatever it consists of."""
    others = {
        "scalar": lambda: (module.constant(0), module.constant(0).shape),
        "pair": lambda: (
            (module.zeros([2, 3]),) * 2,
            (module.TensorShape([2, 3]), module.zeros([2, 3]).shape),
        ),
        "ragged": lambda: (
            module.ragged.constant([[1.0], [2.0, 3.0]]),
            module.RaggedTensorSpec([2, None], module.float32),
        ),
        "array": lambda: (
            module.TensorArray(module.float32, 4, clear_after_read=False),
            module.TensorShape(None),
        ),
    }
    value, shape = others[beside]()

    def run(invariant):
        return module.while_loop(
            lambda _, y: module.size(y) < 4,
            lambda kept, y: (kept, module.concat([y, y], 0)),
            [value, module.ones([1])],
            shape_invariants=[shape, invariant],
        )[1]

    assert np.asarray(run(module.TensorShape([None]))).tolist() == [1.0] * 4
    if module is shims:  # TensorFlow checks them in graphs only
        with pytest.raises(ValueError, match="violates its shape invariant"):
            run(module.TensorShape([1]))


def test_python_numbers_have_tensorflows_dtypes():
    f = lambda: while_loop(lambda t, s: t < 3, lambda t, s: (t + 1, s * 2), (0, 0.5))
    for result in (f(), jax.jit(f)()):
        assert [x.dtype for x in result] == [jnp.int32, jnp.float32]


@pytest.mark.parametrize("bounded", [True, False])
def test_variables_are_carried(bounded):
    total = Variable(0.0, name="total")

    def f(x):
        def body(t):
            total.assign_add(x)
            total.assign(total * 1.0)
            return (t + 1,)

        goes_on = (lambda t: t < 5) if bounded else (lambda t: total < 10.0)
        return while_loop(goes_on, body, (0,)), total + 0

    found, pure = lifted(f, jnp.float32(0))
    pure = jax.jit(pure)
    (steps, seen), values = pure(found.values(), 2.0)
    assert (int(steps[0]), float(seen), float(values[0])) == (5, 10.0, 10.0)
    assert float(total) == 0.0
    f(jnp.float32(2))
    assert float(total) == 10.0


def test_the_result_has_the_structure_of_the_loop_variables():
    for template in ((0,), [0]):
        for f in (while_loop, lambda *a: jax.jit(lambda: while_loop(*a))()):
            found = f(lambda t: t < 2, lambda t: [t + 1], template)
            assert type(found) is type(template)
            assert int(found[0]) == 2
