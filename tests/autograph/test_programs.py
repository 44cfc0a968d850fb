"""The programs table: TensorFlow's values and gradients, eagerly, under `jit`, with unknown sizes."""

import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from shims._src.autograph import convert
from tests.autograph.programs import OURS_ONLY, PROGRAMS
from tests.harness.compare import Dtypes, assert_same_tree
from tests.harness.jax_side import gradient, symbolic_results

OURS = types.SimpleNamespace(
    abs=jnp.abs,
    concat=jnp.concatenate,
    cast=lambda x, dtype: jnp.asarray(x, dtype),
    name_scope=jax.named_scope,
    range=jnp.arange,
    reduce_sum=jnp.sum,
    size=lambda x: x.shape[0],
)
INPUTS = [
    np.float32(x) for x in ([1.5, -2, 3, 4], [-1, 3, -2, 0.5], [0.5, 1, 6, -1], [-3, -1, 0, 1])
]

# TensorFlow's own AutoGraph builds syntax trees in a way that Python 3.13 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")


@pytest.fixture(scope="module")
def graphs():
    """Each program as one `tf.function` with its gradient."""

    def of(f):
        def run(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                result = f(tf, x)
                floats = [r for r in tf.nest.flatten(result) if r.dtype.is_floating]
                total = tf.add_n([tf.reduce_sum(r * 1.5) for r in floats])
            return result, tape.gradient(total, x, unconnected_gradients="zero")

        return tf.function(run, input_signature=[tf.TensorSpec([None], tf.float32)])

    return {f.__name__: of(f) for f in PROGRAMS}


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_tensorflow(f, graphs):
    converted = convert(lambda x: f(OURS, x))
    jitted = jax.jit(converted)
    slope = jax.jit(lambda x: gradient(converted, x))
    differentiable = f.__name__ not in UNBOUNDED
    for x in INPUTS:
        result, wanted = graphs[f.__name__](tf.constant(x))
        result = jax.tree.map(lambda t: t.numpy(), result)
        wanted = tf.convert_to_tensor(wanted).numpy()
        assert_same_tree(converted(jnp.asarray(x)), result, Dtypes.ANY)
        assert_same_tree(jitted(x), result)
        assert_same_tree(gradient(converted, x), wanted)
        if differentiable:
            assert_same_tree(slope(x), wanted)


# Nothing bounds their loops, so that `jit` can differentiate them forwards only.
UNBOUNDED = ("while_on_value", "while_nested", "walrus", "starts_as_python")


@pytest.mark.parametrize("f", OURS_ONLY, ids=lambda f: f.__name__)
def test_as_python(f):
    plain = lambda x: f(OURS, x)
    converted = convert(plain)
    jitted = jax.jit(converted)
    for x in map(jnp.asarray, INPUTS):
        assert_same_tree(jitted(x), plain(x), Dtypes.ANY)
        assert_same_tree(gradient(converted, x), gradient(plain, x))
        if f.__name__ not in UNBOUNDED:
            assert_same_tree(gradient(converted, x, jit=True), gradient(plain, x))


@pytest.mark.parametrize("f", [*PROGRAMS, *OURS_ONLY], ids=lambda f: f.__name__)
def test_forwards(f):
    converted = convert(lambda x: f(OURS, x))
    x, v = jnp.asarray(INPUTS[0]), jnp.float32([1, 2, 3, 4])
    plain = jax.jvp(lambda x: f(OURS, x), (x,), (v,))[1]
    found = jax.jvp(jax.jit(converted), (x,), (v,))[1]
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(plain), strict=True):
        if a.dtype == jnp.float32:
            np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("f", [*PROGRAMS, *OURS_ONLY], ids=lambda f: f.__name__)
def test_with_unknown_sizes(f):
    converted = convert(lambda x: f(OURS, x[:, 0]))
    concrete = jax.eval_shape(converted, jnp.zeros((97, 1)))
    shapes = [str(list(a.shape)).replace("97", "n") for a in jax.tree.leaves(concrete)]
    assert symbolic_results(converted, "n, 1") == shapes


@pytest.mark.parametrize("f", [*PROGRAMS, *OURS_ONLY], ids=lambda f: f.__name__)
def test_as_ordinary_python_on_concrete_arrays(f):
    for x in map(jnp.asarray, INPUTS):
        assert_same_tree(convert(f)(OURS, x), f(OURS, x))
