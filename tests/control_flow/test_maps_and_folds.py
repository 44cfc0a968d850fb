"""Loops over the leading axis, against TensorFlow's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from shims._src.control_flow import folds
from shims._src.ragged import maps
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable
from tests.harness.compare import assert_same_tree
from tests.harness.jax_side import gradient, symbolic_results
from tests.harness.lifting import lifted

V = np.float32([1, -2, 3])
M = np.float32([[1, 2], [3, -4], [5, 6]])

TF = tf.float32
# Each is written once, as a function of the module, a vector, a matrix and the float dtype.
PROGRAMS = {
    "map_fn": lambda m, v, x, d: m.map_fn(lambda r: r * 2, x),
    "map_fn of a tuple": lambda m, v, x, d: m.map_fn(
        lambda r: (r[0] * r[1], r[0]), (v, x), fn_output_signature=(d, d)
    ),
    "map_fn of a dictionary": lambda m, v, x, d: m.map_fn(
        lambda r: r["a"] + 1, {"a": v}, fn_output_signature=d
    ),
    "map_fn by dtype": lambda m, v, x, d: m.map_fn(lambda r: r[0], x, dtype=d),
    "vectorized_map": lambda m, v, x, d: m.vectorized_map(lambda r: r * 2, x),
    "vectorized_map, shared": lambda m, v, x, d: m.vectorized_map(
        lambda r: (r[0] * r[1], r[0]), (v, x[:1])
    ),
    "vectorized_map, constant": lambda m, v, x, d: m.vectorized_map(lambda r: 1.0, v),
    "scan": lambda m, v, x, d: m.scan(lambda a, r: a * 2 + r, x),
    "scan, started": lambda m, v, x, d: m.scan(lambda a, r: a * 2 + r, v, 10.0),
    "scan, reversed": lambda m, v, x, d: m.scan(lambda a, r: a * 2 + r, v, reverse=True),
    "scan, reversed, started": lambda m, v, x, d: m.scan(
        lambda a, r: a * 2 + r, x, x[0], reverse=True
    ),
    "scan, structured": lambda m, v, x, d: m.scan(lambda a, r: (a[0] + r, a[1] * 2), v, (0.0, 1)),
    "scan, two arrays": lambda m, v, x, d: m.scan(lambda a, r: a + r[0] * r[1][0], (v, x), 0.0),
    "foldl": lambda m, v, x, d: m.foldl(lambda a, r: a * 2 + r, x),
    "foldl, started": lambda m, v, x, d: m.foldl(lambda a, r: a * 2 + r, v, 1.0),
    "foldl, structured": lambda m, v, x, d: m.foldl(lambda a, r: (a[0] + r, a[1] + 1), v, (0.0, 0)),
    "foldr": lambda m, v, x, d: m.foldr(lambda a, r: a * 2 + r, x),
    "foldr, started": lambda m, v, x, d: m.foldr(lambda a, r: a * 2 + r, v, 1.0),
}


class Ours:
    map_fn = staticmethod(maps.map_fn)
    vectorized_map = staticmethod(maps.vectorized_map)
    scan = staticmethod(folds.scan)
    foldl = staticmethod(folds.foldl)
    foldr = staticmethod(folds.foldr)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("size", [3, 1])
def test_as_tensorflow(name, size):
    f = PROGRAMS[name]
    v, x = tf.constant(V[:size]), tf.constant(M[:size])
    with tf.GradientTape() as tape:
        tape.watch(x)
        result = f(tf, v, x, TF)
        floats = [r for r in tf.nest.flatten(result) if r.dtype.is_floating]
        total = tf.add_n([tf.reduce_sum(r * 1.5) for r in floats])
    slope = tape.gradient(total, x, unconnected_gradients="zero")
    theirs = jax.tree.map(lambda t: t.numpy(), result)
    ours = lambda x, v: f(Ours, v, x, jnp.float32)
    args = (jnp.asarray(x.numpy()), jnp.asarray(v.numpy()))
    assert_same_tree(ours(*args), theirs)
    assert_same_tree(jax.jit(ours)(*args), theirs)
    assert_same_tree(gradient(ours, *args), tf.convert_to_tensor(slope).numpy())
    assert_same_tree(gradient(ours, *args, jit=True), tf.convert_to_tensor(slope).numpy())


@pytest.mark.parametrize("name", [n for n in PROGRAMS if "shared" not in n])
def test_symbolic_sizes(name):
    f = PROGRAMS[name]
    ours = lambda x, v: f(Ours, v, x, jnp.float32)
    concrete = jax.eval_shape(ours, jnp.zeros((97, 2)), jnp.zeros(97))
    shapes = [str(list(a.shape)).replace("97", "n") for a in jax.tree.leaves(concrete)]
    assert symbolic_results(ours, "n, 2", "n") == shapes


def test_no_slices():
    empty = jnp.zeros((0, 2))
    assert_same_tree(maps.map_fn(lambda r: r[0] * 2, empty), jnp.zeros(0))
    assert_same_tree(maps.vectorized_map(lambda r: r, empty), empty)
    assert_same_tree(folds.scan(lambda a, r: a + r[0], empty, 1.0), jnp.zeros(0))
    assert_same_tree(folds.foldl(lambda a, r: a + r[0], empty, 1.0), jnp.float32(1))
    assert_same_tree(folds.foldr(lambda a, r: a + r[0], empty, 1.0), jnp.float32(1))


def test_an_accumulator_may_grow_eagerly():
    grown = folds.foldl(lambda a, r: jnp.concatenate([a, r[None]]), jnp.asarray(V), jnp.zeros(0))
    assert_same_tree(grown, jnp.asarray(V))


def test_the_rows_of_a_map_may_have_any_size_inside():
    means = maps.map_fn(lambda r: r[np.asarray(r) > 0].mean(), jnp.asarray(M))
    assert_same_tree(means, jnp.asarray([1.5, 3.0, 5.5]))


def test_a_spec_as_signature():
    f = lambda x: maps.map_fn(lambda r: r.sum(), x, fn_output_signature=TensorSpec([], "float32"))
    assert_same_tree(f(jnp.asarray(M)), jnp.asarray([3.0, -1.0, 11.0]))


@pytest.mark.parametrize("jit", [False, True])
def test_variables_are_assigned_in_order(jit):
    last = Variable(0.0)

    def f(x):
        def body(r):
            last.assign(r * 2 + last)
            return last + 0

        return maps.map_fn(body, x)

    if not jit:
        assert_same_tree(f(jnp.asarray(V)), jnp.asarray([2.0, -2.0, 4.0]))
        assert float(last) == 4.0
        return
    found, pure = lifted(f, V)
    output, values = jax.jit(pure)(found.values(), V)
    assert_same_tree(output, jnp.asarray([2.0, -2.0, 4.0]))
    assert float(values[0]) == 4.0
