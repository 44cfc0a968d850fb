"""Which loops are known to end, and after how many iterations."""

import jax
import jax.numpy as jnp
import pytest
from jax import export

from shims._src.control_flow import trip_count


def trips(test, body, *initial):
    """The bound that is found for a loop over the given values."""
    avals = [jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)) for x in initial]
    as_list = lambda *c: list(body(*c))
    return trip_count.find_trips(
        jax.make_jaxpr(test)(*avals), jax.make_jaxpr(as_list)(*avals), list(initial)
    )


up = lambda step: lambda t, s: (t + step, s)

FOUND = {
    "less": (lambda t, s: t < 5, up(1), 0, 5, True),
    "less, mirrored": (lambda t, s: jnp.greater(5, t), up(1), 0, 5, True),
    "at most": (lambda t, s: t <= 5, up(1), 0, 6, True),
    "by two, short of it": (lambda t, s: t < 5, up(2), 0, 3, True),
    "by two, on it": (lambda t, s: t < 4, up(2), 0, 2, True),
    "at most, by two": (lambda t, s: t <= 4, up(2), 0, 3, True),
    "down": (lambda t, s: t > 0, up(-1), 5, 5, True),
    "down to": (lambda t, s: t >= 0, up(-2), 5, 3, True),
    "never": (lambda t, s: t < 5, up(1), 9, 0, True),
    "never, down": (lambda t, s: t > 5, up(-1), 0, 0, True),
    "from a negative start": (lambda t, s: t < 5, up(1), -2, 7, True),
    "limit computed": (lambda t, s: t < jnp.int32(2) * 3, up(1), 0, 6, True),
    "limit carried": (lambda t, s: t < s, up(1), 0, 4, True),
    "step by subtraction": (lambda t, s: t < 5, lambda t, s: (t - (-2), s), 0, 3, True),
    "step on the left": (lambda t, s: t < 5, lambda t, s: (1 + t, s), 0, 5, True),
    "more conditions": (lambda t, s: (t < 5) & (s < 100), up(1), 0, 5, False),
    "conditions of numpy": (
        lambda t, s: jnp.logical_and(s < 100, jnp.less(t, 5)),
        up(1),
        0,
        5,
        False,
    ),
    "step inside a jit": (lambda t, s: t < 5, lambda t, s: jax.jit(up(1))(t, s), 0, 5, True),
}

UNKNOWN = {
    "away from the limit": (lambda t, s: t < 5, up(-1), 0),
    "down, away from it": (lambda t, s: t > 5, up(1), 9),
    "no step": (lambda t, s: t < 5, up(0), 0),
    "doubling": (lambda t, s: t < 5, lambda t, s: (t * 2, s), 1),
    "limit changes": (lambda t, s: t < s, lambda t, s: (t + 1, s + 1), 0),
    "step changes": (lambda t, s: t < 9, lambda t, s: (t + s, s), 0),
    "either condition": (lambda t, s: (t < 5) | (s < 100), up(1), 0),
    "unequal": (lambda t, s: t != 5, up(1), 0),
    "a float": (lambda t, s: t < 5.0, lambda t, s: (t + 1, s), 0.0),
    "the counter is another": (lambda t, s: t < 5, lambda t, s: (s + 1, t), 0),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name):
    test, body, start, count, exact = FOUND[name]
    assert trips(test, body, start, 4) == trip_count.Trips(count, exact)
    held, t, s = 0, start, 4
    while test(t, s):
        (t, s), held = body(t, s), held + 1
    assert held == count if exact else held <= count


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown(name):
    test, body, start = UNKNOWN[name]
    assert trips(test, body, start, 4) is None


def flagged(step, stops=True):
    """A body that steps unless its value is 3, when it raises its flag instead."""

    def body(t, flag, s):
        def last():
            return t, jnp.asarray(stops), s

        return jax.lax.cond(s == 3, last, lambda: (t + step, flag, s + 1))

    return body


def test_a_break_ends_the_loop():
    goes_on = lambda t, flag, s: jnp.logical_not(flag) & (t < 5)
    assert trips(goes_on, flagged(1), 0, False, 0) == trip_count.Trips(6, False)
    assert trips(goes_on, flagged(2), 0, False, 0) == trip_count.Trips(4, False)
    # An iteration that neither steps nor raises the flag could go on for ever.
    assert trips(goes_on, flagged(1, stops=False), 0, False, 0) is None
    assert trips(lambda t, flag, s: t < 5, flagged(1), 0, False, 0) is None


def test_a_flag_that_must_hold():
    def body(t, going, s):
        return jax.lax.cond(s > 2, lambda: (t, False, s), lambda: (t + 1, going, s + 1))

    assert trips(lambda t, going, s: (t < 5) & going, body, 0, True, 0) == trip_count.Trips(
        6, False
    )


def test_a_limit_from_outside():
    limit = jnp.int32(7)
    assert trips(lambda t, s: t < limit, up(1), 0, 4) == trip_count.Trips(7, True)

    def staged(n):
        found = trips(lambda t, s: t < n * 2, up(1), 0, 4)
        assert found.exact
        assert isinstance(found.count, jax.core.Tracer)
        return found.count

    assert int(jax.jit(staged)(3)) == 6


def test_a_symbolic_size():
    (n,) = export.symbolic_shape("n")

    def f(x):
        found = trips(lambda t, s: t < x.shape[0], up(1), 1, 4)
        assert str(found.count) == "n - 1"
        assert found.exact
        return found.count * x

    jax.make_jaxpr(f)(jax.ShapeDtypeStruct((n,), jnp.float32))
