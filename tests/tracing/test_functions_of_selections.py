"""Functions of JAX that take sizes apart: over selections they compute what they compute over exact arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([1.5, -2.0, 0.25, 3.0, -0.5, 2.0, 1.0, -1.0], np.float32)
K = np.array([1, 3, 0, 1, 2, 3, 3, 0], np.int32)
MASKS = {"full": [1] * 8, "some": [0, 1, 0, 1, 1, 0, 0, 1], "one": [0] * 7 + [1], "none": [0] * 8}


def padded_to_eight(y, mode):
    n = y.shape[0]
    return jnp.pad(y, (0, 8 - n), mode=mode) if n > 0 else jnp.zeros(8)


PROGRAMS = {
    "array_split": lambda y, k: jnp.array_split(y, 3),
    "split_rows": lambda y, k: jnp.split(jnp.concatenate([y, y]), 2),
    "split_columns": lambda y, k: jnp.hsplit(jnp.stack([y, y], 1), 2),
    "reshape_to_rows": lambda y, k: jnp.concatenate([y, y]).reshape(2, -1),
    "reshape_to_columns": lambda y, k: y[: y.shape[0] // 3 * 3].reshape(-1, 3),
    "floats_from_one": lambda y, k: jnp.arange(1.0, y.shape[0] + 1) * y,
    "floats_backwards": lambda y, k: jnp.arange(y.shape[0], 0.0, -1),
    "floats_by_a_quarter": lambda y, k: jnp.arange(0.5, y.shape[0], 0.25),
    "setdiff1d": lambda y, k: (jnp.setdiff1d(jnp.asarray(K), k), jnp.setdiff1d(k, jnp.arange(2))),
    "setdiff1d_unique": lambda y, k: jnp.setdiff1d(y, y[:1], assume_unique=True),
    "union1d": lambda y, k: (jnp.union1d(k, jnp.arange(2)), jnp.union1d(y, k)),
    "setxor1d": lambda y, k: jnp.setxor1d(k, jnp.arange(2)),
    "intersect1d": lambda y, k: jnp.intersect1d(k, jnp.arange(2), return_indices=True),
    "isin": lambda y, k: (jnp.isin(jnp.asarray(K), k), jnp.isin(k, jnp.arange(2), invert=True)),
    "pad_edge": lambda y, k: padded_to_eight(y, "edge"),
    "pad_wrap": lambda y, k: padded_to_eight(y, "wrap"),
    "pad_reflect": lambda y, k: padded_to_eight(y, "reflect"),
    "pad_symmetric": lambda y, k: padded_to_eight(y, "symmetric"),
    "pad_by_a_size": lambda y, k: jnp.pad(jnp.asarray(X), (y.shape[0], 1), mode="reflect"),
    "roll_by_a_size": lambda y, k: (jnp.roll(y, y.shape[0] // 2), jnp.roll(X, y.shape[0])),
    "tile_by_a_size": lambda y, k: jnp.tile(jnp.arange(2.0), y.shape[0]),
}
OF_SOME = {
    "take_wrap": lambda y, k: jnp.take(y, jnp.array([0, 3, -1]), mode="wrap"),
    "take_wrap_rows": lambda y, k: jnp.take(jnp.outer(y, y), jnp.arange(3), axis=0, mode="wrap"),
    "pad_wrap_by_one": lambda y, k: jnp.pad(y, 1, mode="wrap"),
    "pad_wrap_columns": lambda y, k: jnp.pad(jnp.outer(y, y), ((0, 0), (2, 9)), mode="wrap"),
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}


def exact(x):
    x = x.unpad() if isinstance(x, shims.Padded) else x
    if jnp.issubdtype(x.dtype, jnp.inexact) and jnp.isnan(x).any():
        raise shims.errors.InvalidArgumentError("an error value")
    return x


def check(body, lane, amounts):
    def program(x, k, mask):
        return body(x[mask], k[mask])

    run = LANES[lane](program)
    for amount in amounts:
        given = jnp.asarray(X), jnp.asarray(K), jnp.asarray(MASKS[amount], bool)
        got = jax.tree.map(exact, run(*given), is_leaf=lambda v: isinstance(v, shims.Padded))
        want = program(*given)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
            assert (a.shape, a.dtype) == (b.shape, b.dtype), amount
            np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_exact_arrays(name, lane):
    check(PROGRAMS[name], lane, MASKS)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", OF_SOME)
def test_as_exact_arrays_of_some_elements(name, lane):
    check(OF_SOME[name], lane, [a for a in MASKS if a != "none"])
    with pytest.raises((shims.errors.OpError, IndexError, ValueError)):
        check(OF_SOME[name], lane, ["none"])


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda y, k: jnp.split(y, 3), "the size is not a multiple of the number of parts"),
        (lambda y, k: y.reshape(3, -1), "values, but the requested shape has a different"),
    ],
    ids=["split", "reshape"],
)
def test_a_size_that_does_not_divide_is_an_error(body, text):
    check(body, "jit", ["none"])
    for lane in LANES:
        with pytest.raises(shims.errors.InvalidArgumentError, match=text):
            check(body, lane, ["some"])
