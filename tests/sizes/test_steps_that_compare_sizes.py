"""Steps of JAX that compare sizes, of which it depends on the data whether they are equal or 1, and their errors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import shims

LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}
X = jnp.arange(24.0) + 1
MASKS = {"none": X < 1, "one": X == 3, "three": X < 4, "nine": X < 10, "all": X > 0}


def first_of_few(x, m):
    y = x[m]
    k = min(y.shape[0], 5)
    return jnp.broadcast_to(y[:1], (k,))


def greatest_of_others(x, m):
    some, others = x[m], x[~m]
    return lax.top_k(others, min(3 * some.shape[0], others.shape[0]))[0]


def greatest_of_others_by_if(x, m):
    some, others = x[m], x[~m]
    if 3 * some.shape[0] <= others.shape[0]:
        return others[lax.top_k(others, 3 * some.shape[0])[1]].sum()
    return others.sum()


def chosen_or_first(x, m):
    y = x[m]
    return jnp.where(y > 2, y, y[:1])


def of_two_selections(x, m):
    return x[m][:3] + x[~m][:2]


VALUES = {
    "the first as many times as there are few": first_of_few,
    "the first three times": lambda x, m: jnp.broadcast_to(x[m][:1], (3,)),
    "the first beside few": lambda x, m: x[m][:1] + jnp.zeros(min(x[m].shape[0], 5)),
    "the first in the place of few": chosen_or_first,
    "beginnings of two selections": of_two_selections,
    "greatest of others": greatest_of_others,
    "greatest of others by `if`": greatest_of_others_by_if,
    "a position that is a size": lambda x, m: x[m].at[x[m].shape[0] // 2].set(-1.0),
    "a traced position": lambda x, m: x[m].at[jnp.argmin(x)].mul(2.0),
    "rows and -1": lambda x, m: jnp.stack([x, x], 1)[m].reshape(x[m].shape[0], -1),
}
"""Programs that fail for some sizes, or return what they return for the exact arrays."""


def broadcast(x, m):
    try:
        return jnp.broadcast_to(x[m][:1], (3,))
    except ValueError:
        return x[:3]


def reshaped(x, m):
    try:
        return x[m][:6].reshape(3, 2)
    except TypeError:
        return -x[:6].reshape(3, 2)


def summed(x, m):
    try:
        return x[m] + jnp.arange(3.0)
    except TypeError:
        return x[:3] - 7


def stacked(x, m):
    try:
        return jnp.stack([x[m][:4], jnp.ones(4)])
    except ValueError:
        return jnp.zeros((2, 4))


def stacked_whole(x, m):
    try:
        return jnp.stack([x[m][:3], jnp.ones(3)])
    except ValueError:
        return jnp.zeros((2, 3))


def sorted_by_two(x, m):
    try:
        return jnp.lexsort((x[m], jnp.arange(3)))
    except ValueError:
        return jnp.zeros(3, int)


def of_a_loop(x, m):
    try:
        y = x[m]
        return lax.fori_loop(0, 3, lambda i, c: c + y[i], jnp.float32(0))
    except IndexError:
        return x[0] - 7


def updated(x, m):
    try:
        return x[m].at[x[m].shape[0] // 2].set(-1.0)
    except IndexError:
        return x[:2]


def rows(x, m):
    try:
        return jnp.stack([x, x], 1)[m].reshape(x[m].shape[0], -1)
    except ZeroDivisionError:
        return jnp.ones((1, 2))


HANDLED = (
    *(broadcast, reshaped, summed, stacked, stacked_whole, sorted_by_two, of_a_loop, updated, rows),
)


def _check(program, lane):
    run = LANES[lane](program)
    for mask in MASKS.values():
        try:
            want = np.asarray(program(X, mask))
        except Exception:  # noqa: BLE001 - whatever JAX raises
            want = None
        if want is not None:
            np.testing.assert_allclose(_exact(run(X, mask)), want, rtol=1e-6)
        elif lane == "function":
            with pytest.raises((TypeError, ValueError, IndexError, ZeroDivisionError)):
                run(X, mask)
        else:
            assert _is_lost(run(X, mask))


def _exact(result):
    return np.asarray(result.unpad() if isinstance(result, shims.Padded) else result)


def _is_lost(result) -> bool:
    """Return whether a result stands for an error, as NaN or by a status that raises."""
    if not isinstance(result, shims.Padded):
        return bool(np.isnan(result).all())
    with pytest.raises(shims.errors.OpError):
        result.unpad()
    return True


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_a_size_that_may_be_one_broadcasts(name, lane):
    _check(VALUES[name], lane)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("program", HANDLED)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_the_handler_runs_where_exact_arrays_raise(program, lane):
    _check(program, lane)


def test_a_lost_result_is_recognized():
    assert not _is_lost(X)
    assert _is_lost(X * jnp.nan)
