"""Branches that the data choose and that end in an error: the error, and what the other branches assign and return."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

DATA = ([1.0, 2.0], [-1.0, -2.0], [4.0, 5.0], [1.0, -3.0], [-3.0, 9.0])


def one(x):
    if x.sum() > 5:
        return x
    else:
        raise ValueError("small")


def guard(x):
    if x.sum() > 5:
        return x
    raise ValueError("small")


def guards(x):
    if x.sum() < 0:
        raise KeyError("negative")
    if x.sum() > 5:
        return x
    if x[0] > 0:
        raise ValueError("small")
    return x * 2


def chain(x):
    if x.sum() > 5:
        k = 1
    elif x.sum() > 0:
        raise ValueError("small")
    else:
        raise KeyError("negative")
    return x * k


def chain_returns(x):
    if x.sum() <= 0:
        raise ValueError("negative")
    elif x.sum() > 5:
        return x
    else:
        raise KeyError("small")


def nested(x):
    if x[0] > 0:
        if x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
    return x * 2


def nested_flags(x):
    if x[0] > 0:
        y = x * 2
    else:
        if x.sum() > 0:
            y = x * 3
        elif x[1] > -5:
            raise ValueError("above")
        else:
            raise KeyError("below")
    return y


def collects(x):
    parts = [x]
    if x.sum() > 5:
        parts.append(x * 2)
    else:
        raise ValueError("small")
    return sum(parts)


def caught(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
    except KeyError:
        return x * 0
    except ValueError:
        return x * 3


def of_a_selection(x):
    y = x[x > 0]
    if y.shape[0] > 1:
        if y.sum() > 5:
            raise ValueError("large")
        else:
            raise KeyError("small")
    return y.sum()


PROGRAMS = (
    *(one, guard, guards, chain, chain_returns, nested, nested_flags, collects, caught),
    of_a_selection,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_for_the_branch_that_the_data_take(program):
    at_top, under_jit = shims.function(program), jax.jit(shims.dynamic(program))
    for data in map(jnp.array, DATA):
        want = outcome(program, data)
        if isinstance(want, str):
            assert outcome(at_top, data).removeprefix("InvalidArgumentError: ").startswith(want)
            assert np.isnan(under_jit(data)).all()  # here the values tell
        else:
            np.testing.assert_array_equal(at_top(data), want)
            np.testing.assert_array_equal(under_jit(data), want)


def outcome(call, data):
    try:
        return call(data)
    except (ValueError, KeyError, shims.errors.InvalidArgumentError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("wrap", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
def test_an_error_for_all_data_names_all(wrap):
    def program(x):
        if x.sum() > 5:
            raise OSError("large")
        elif x.sum() > 0:
            raise ValueError("positive")
        else:
            raise KeyError("negative")
        return x.nothing

    with pytest.raises(shims.errors.InvalidArgumentError, match="in every branch") as raised:
        wrap(program)(jnp.ones(2))
    assert "OSError: large; or ValueError: positive; or KeyError: 'negative'" in str(raised.value)
