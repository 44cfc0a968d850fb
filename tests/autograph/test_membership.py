"""`value in array` in converted code is staged; its result is that of the exact arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = jnp.array([3.0, -1.0, 1.0, jnp.nan, 2.0])
ARRAYS = {
    "input": lambda x: x,
    "selection": lambda x: x[x > 0],
    "empty": lambda x: x[x > 9],
    "integers": lambda x: jnp.arange(x.shape[0])[x > 0],
    "bools": lambda x: x > 0,
    "of NumPy": lambda x: np.array([1.0, 3.0]),
    "matrix of NumPy": lambda x: np.array([[1.0, 3.0], [2.0, 5.0]]),
    "constant": lambda x: jnp.array([1.0, 3.0]),
    "list": lambda x: [x[0], x[1], 7.0],
    "range": lambda x: range(4),
    "range down": lambda x: range(9, -4, -3),
    "no range": lambda x: range(0),
}
VALUES = {
    "number": lambda x: 3.0,
    "another": lambda x: 17.0,
    "not a number": lambda x: float("nan"),
    "item": lambda x: x[0],
    "nan item": lambda x: x[3],
    "size": lambda x: x[x > 0].shape[0],
    "integer": lambda x: 2,
    "scalar of NumPy": lambda x: np.float32(1.0),
    "computed": lambda x: x[2] / 3,
}
LANES = (shims.function, lambda f: jax.jit(shims.function(f)))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("array", ARRAYS)
def test_arrays_and_values(array, value):
    of, item = ARRAYS[array], VALUES[value]

    def f(x):
        return jnp.where(item(x) in of(x), 1, 2) + jnp.where(item(x) not in of(x), 10, 20)

    for lane in LANES:
        assert int(lane(f)(X)) == int(f(X))


def in_if(x, v):
    if v in x[x > 0]:
        return x * 2
    return x


def in_elif(x, v):
    if v in x[x > 9]:
        x = x * 2
    elif v not in x:
        x = x * 3
    return x


def in_while(x, v):
    n = 0
    while v in x[x > 0] and n < 3:
        n = n + 1
    return x + n


def in_a_conditional_expression(x, v):
    return x * 2 if v in x[x > 0] else x


def in_and(x, v):
    return x * 2 if v in x[x > 0] and x[0] > 1 else x


def in_or(x, v):
    return x * 2 if x[0] > 5 or v in x[x > 0] else x


def in_not(x, v):
    return x * 2 if not (v in x[x > 0]) else x  # noqa: E713 - `not` is what is tested


def in_assert(x, v):
    assert v in x[x > 0] or x[0] > 0
    return x


@pytest.mark.parametrize("v", [3.0, 17.0])
@pytest.mark.parametrize(
    "f",
    [
        in_if,
        in_elif,
        in_while,
        in_a_conditional_expression,
        in_and,
        in_or,
        in_not,
        in_assert,
    ],
)
def test_statements(f, v):
    g = lambda x: f(x, v)
    for lane in LANES:
        np.testing.assert_array_equal(np.asarray(lane(g)(X)), np.asarray(g(X)))


def test_a_matrix_is_refused_as_outside():
    def f(x):
        return 3.0 in x.reshape(5, 1)

    with pytest.raises(ValueError, match="must be one-dimensional") as outside:
        f(X)
    with pytest.raises(ValueError, match="must be one-dimensional") as inside:
        shims.function(f)(X)
    assert str(outside.value) in str(inside.value)


def test_without_conversion_the_message_names_what_to_write():
    def f(x):
        return x.sum() if 3.0 in x else -x.sum()

    with pytest.raises(shims.errors.TracedValueError) as caught:
        shims.function(f, autograph=False)(X)
    assert "`jnp.any(jnp.asarray(values) == value)` in place of `value in values`" in str(
        caught.value
    )

    def advised(x):
        found = jnp.any(jnp.asarray(x) == 3.0)
        return shims.cond(found, lambda: x[:3].sum(), lambda: -x[:3].sum())

    assert float(shims.function(advised, autograph=False)(X)) == 3.0
