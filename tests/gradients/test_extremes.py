"""The slope of a maximum goes to the elements that equal it, however the program is compiled."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from benchmarks.locate.ports import edited, original, port_text, written

# With this window XLA rounded the level differently where its maximum was taken and where it was
# compared with it, in a program of unknown sizes.
WINDOW = ("0.5 - 0.5 * jnp.cos(2.0 * np.pi * n / SIZE)", "jnp.sin(np.pi * n / SIZE) ** 2")


@pytest.fixture(scope="module")
def loudest_change(tmp_path_factory):
    """A function whose slope was another one inside of a function, and its arguments."""
    text = edited(port_text("audio"), [WINDOW])
    run = written(text, tmp_path_factory.mktemp("port"), "audio_of_another_window")
    _, cases = original("audio")
    arguments = [jnp.asarray(array) for array in list(cases())[1]]
    return lambda *arrays: jnp.sum(run(*arrays)["change"]), arguments


def of_unknown_sizes(function, arguments):
    spec = [shims.TensorSpec([None] * a.ndim, a.dtype) for a in arguments[:1]]
    spec += [shims.TensorSpec(a.shape, a.dtype) for a in arguments[1:]]
    return shims.function(function, input_signature=spec, autograph=False)


@pytest.mark.long  # where XLA optimizes: only then does it round twice
def test_a_maximum_is_compared_with_what_it_was_taken_of(loudest_change):
    function, arguments = loudest_change
    slopes = jax.grad(function, (0, 1, 2, 3))
    want = slopes(*arguments)
    compiled = of_unknown_sizes(lambda *arrays: slopes(*arrays), arguments)
    with pytest.warns(shims.errors.SpecializationWarning):
        compiled(*arguments)
    for _ in range(20):  # in the end it is compiled for these sizes
        for ours, true in zip(compiled(*arguments), want, strict=True):
            np.testing.assert_allclose(ours, true, rtol=1e-4, atol=1e-5)


def positive(x):
    return jnp.sin(shims.boolean_mask(x, x[:, 0] > 0)) * 3


def largest(x):
    return jnp.sum(jnp.max(positive(x), axis=0))


def smallest(x):
    return jnp.sum(shims.reduce_min(positive(x), axis=0))


def of_segments(x):
    rows = positive(x)
    return jnp.sum(shims.math.segment_max(rows, jnp.zeros(shims.shape(rows)[0], jnp.int32)))


def of_places(x):
    rows = positive(x)
    written = shims.tensor_scatter_nd_max(rows[:, 0], [[0], [0]], [0.5, 9.0])
    return jnp.sum(shims.tensor_scatter_nd_min(written, [[0], [1]], rows[:2, 1]))


@pytest.mark.parametrize("function", [largest, smallest, of_segments, of_places])
def test_there_is_one_array_to_take_it_of_and_to_compare_with(function):
    x = jnp.asarray(np.random.default_rng(0).normal(size=(7, 3)).astype(np.float32))
    slope = shims.dynamic(jax.grad(function))
    np.testing.assert_allclose(jax.jit(slope)(x), jax.grad(function)(x), rtol=1e-5)
    assert "optimization_barrier" in str(jax.make_jaxpr(slope)(x))


def test_arrays_of_different_sizes_are_held_together():
    def f(x, y):
        mask = y[:, 0] > 0
        held = jax.lax.optimization_barrier((x, shims.boolean_mask(y, mask), jnp.sum(y)))
        return held, jax.lax.optimization_barrier((x, y))

    x, y = jnp.asarray([1.0, 2, 3]), jnp.asarray([[1.0, 2], [-1, 3], [4, 5], [6, 7]])
    specs = [shims.TensorSpec([None]), shims.TensorSpec([None, None])]
    found = shims.function(f, input_signature=specs, autograph=False)(x, y)
    for ours, true in zip(jax.tree.leaves(found), jax.tree.leaves(f(x, y)), strict=True):
        np.testing.assert_array_equal(ours, true)
