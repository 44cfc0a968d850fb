"""A mask of another length than its axis is refused; masks that fit are never misread."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([3.0, -2.0, 1.0, 5.0], np.float32)
FULL = np.array([3.0, 2.0, 1.0, 5.0], np.float32)

# Each uses a mask over the four entries of `x` on a selection of three, or the reverse.
MISUSES = {
    "x[m]": lambda x: x[x > 0][x > 2],
    "of the original": lambda x: x[x[x > 0] > 2],
    "x.at[m].set": lambda x: x[x > 0].at[x > 2].set(0.0),
    "x.at[m].multiply": lambda x: x[x > 0].at[x > 2].multiply(2.0),
    "x.at[m].get": lambda x: x[x > 0].at[x > 2].get(),
    "rows": lambda x: jnp.outer(x[x > 0], x)[x > 2],
    "columns": lambda x: jnp.outer(x, x[x > 0])[:, x > 2],
    "a constant": lambda x: x[x > 0][np.array([True, False, True, True])],
    "an update at a constant": lambda x: x[x > 0].at[np.array([True, False, True, True])].set(0.0),
    "compress": lambda x: jnp.compress(x > 2, x[x > 0]),
    "boolean_mask": lambda x: shims.boolean_mask(x[x > 0], x > 2),
    "where": lambda x: jnp.where(x > 2, x[x > 0], 0.0),
    "where of shims": lambda x: shims.where(x > 2, x[x > 0], 0.0),
    "values for other positions": lambda x: x.at[jnp.where(x > 0)[0]].set(x[x > 2]),
}


def of(result):
    return result.unpad() if isinstance(result, shims.Padded) else result


@pytest.mark.parametrize("name", MISUSES)
@pytest.mark.parametrize("lane", ["function", "jit"])
def test_a_mask_of_another_length_is_refused(name, lane):
    f = MISUSES[name]
    found = outcome(shims.function(f) if lane == "function" else jax.jit(shims.dynamic(f)))
    if isinstance(found, shims.errors.OpError):
        assert "Do: " in str(found)
    else:  # inside `jit` floats without a status of their own are NaN
        assert lane == "jit"
        assert np.all(np.isnan(found)), found


def outcome(f):
    try:
        return of(f(X))
    except shims.errors.OpError as error:
        return error
    except (TypeError, ValueError) as error:  # JAX's own, for the sizes of this call
        notes = "\n".join(error.__notes__)
        return shims.errors.InvalidArgumentError(notes.replace("At: ", "Do: "))


def test_the_error_is_an_index_error_with_a_remedy():
    with pytest.raises(IndexError, match="build the mask from the array from which it selects"):
        shims.dynamic(MISUSES["x[m]"])(X)


@pytest.mark.parametrize(
    "name", [n for n in MISUSES if n not in ("where", "values for other positions")]
)
def test_lengths_that_are_equal_in_this_call_are_right(name):
    f = MISUSES[name]
    want = f(jnp.asarray(FULL))
    np.testing.assert_array_equal(shims.dynamic(f)(FULL), want)
    np.testing.assert_array_equal(of(jax.jit(shims.dynamic(f))(FULL)), want)


# Positions and values that one mask selects, as often computed as one likes.
POSITIONS = {
    "where": lambda m: jnp.where(m)[0],
    "nonzero": lambda m: jnp.nonzero(m)[0],
    "nonzero as a tuple": lambda m: jnp.nonzero(m),
    "flatnonzero": lambda m: jnp.flatnonzero(m),
    "argwhere": lambda m: jnp.argwhere(m)[:, 0],
    "where of shims": lambda m: shims.where(m)[:, 0],
    "the mask": lambda m: m,
}
VALUES = {
    "x[m]": lambda x, m: x[m],
    "boolean_mask": shims.boolean_mask,
    "compress": lambda x, m: jnp.compress(m, x),
    "take": lambda x, m: jnp.take(x, jnp.flatnonzero(m)),
}


MASKS = {"one mask": lambda x: x > 0, "another": lambda x: jnp.logical_not(x <= 0)}


def check_return(positions, values, mask):
    def f(x):
        at = POSITIONS[positions](x > 0)
        return jnp.zeros_like(x).at[at].set(VALUES[values](x, MASKS[mask](x)))

    for lane in (shims.function(f), jax.jit(shims.dynamic(f))):
        np.testing.assert_array_equal(lane(X), [3, 0, 1, 5])
    np.testing.assert_array_equal(jax.grad(lambda x: shims.dynamic(f)(x).sum())(X), [1, 0, 1, 1])


@pytest.mark.parametrize("positions", POSITIONS)
def test_values_return_to_the_positions_of_their_mask(positions):
    i = list(POSITIONS).index(positions)
    check_return(positions, list(VALUES)[i % len(VALUES)], list(MASKS)[i % 2])


@pytest.mark.long
@pytest.mark.parametrize("positions", POSITIONS)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("mask", MASKS)
def test_values_of_every_kind_return_to_positions_of_every_kind(positions, values, mask):
    check_return(positions, values, mask)


def test_a_padded_value_refuses_a_mask_as_long_as_its_capacity():
    p = shims.Padded.pad(X[:3], 4)
    mask = np.array([True, False, True, True])
    for use in (lambda p, m: p[m], lambda p, m: p.at[m].set(0.0)):
        with pytest.raises(IndexError):
            use(p, mask)
        with pytest.raises(shims.errors.InvalidArgumentError):
            jax.jit(use)(p, mask).unpad()
    np.testing.assert_array_equal(jax.jit(lambda p: p[p > 0])(p).unpad(), [3, 1])


@pytest.mark.parametrize(
    "program",
    [
        lambda x, c: x[c],
        lambda x, c: x[c].sum() + x[c].shape[0],
        lambda x, c: x[x > 0][c][:, :1],
        lambda x, c: x.at[c].set(7.0),
        lambda x, c: x.at[c].add(x[x > 0][0]),
    ],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_one_truth_value_selects_all_or_nothing(program, sign):
    x = sign * jnp.arange(1.0, 4.0) + 1.5

    def f(x):
        return program(x, x.sum() > 0)

    for got in (shims.function(f)(x), jax.jit(shims.dynamic(f))(x)):
        got = got.unpad() if isinstance(got, shims.Padded) else got
        np.testing.assert_array_equal(got, f(x))
        assert got.shape == f(x).shape
