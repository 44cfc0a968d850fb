"""Code that decides on unknown sizes: comparisons, truth, divisibility, paddings up to a size."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from tests.tracing.programs.row import PAIR, UNEQUAL, VECTOR, Sized


def decide_greater(x):
    n = x.shape[0]
    if n > 4:
        return x.sum()
    return x.sum() * 10


def decide_equal(x):
    return x * 2 if x.shape[0] == 5 else x - 1


def decide_membership(x):
    return x.sum() if x.shape[0] in (4, 5) else x.cumsum()


def decide_same_shape(x, y):
    return jnp.dot(x, y) if x.shape == y.shape else jnp.outer(x, y).sum()


def decide_shape_tuple(x):
    return x * 3 if x.shape == (5,) else x


def decide_even(x):
    return x[::2] if x.shape[0] % 2 == 0 else x[1::2]


def decide_truth(x):
    n = x.shape[0]
    return x + 1 if n else jnp.zeros(3)


def mean_or_zero(x):
    return x.mean() if x.size else jnp.zeros(())


def decide_length(x):
    return jnp.stack([x[0], x[-1]]) if len(x) > 1 else jnp.zeros(2)


def decide_by_maximum(x):
    return jnp.ones(max(x.shape[0], 3)), x[: min(x.shape[0], 2)]


def decide_not_equal(x):
    return x.sum() if x.shape[0] != 1 else x * 7


def top_three(x):
    return lax.top_k(x, 3)


def top_up_to_three(x):
    return lax.top_k(x, min(3, x.shape[0]))


def pad_to_eight(x):
    return jnp.pad(x, (0, 8 - x.shape[0]))


def pad_up_to_a_multiple(x):
    return jnp.pad(x, (0, -x.shape[0] % 4)).reshape(-1, 4)


def linear_space(x):
    return jnp.linspace(0.0, 1.0, x.shape[0]) * x


def reshape_to_two_rows(x):
    return x.reshape(2, -1).sum(1)


def reshape_to_pairs(x):
    return x.reshape(-1, 2)[::-1]


def split_in_two(x):
    a, b = jnp.split(x, 2)
    return a - b


PROGRAMS = (
    Sized(decide_greater, VECTOR),
    Sized(decide_equal, VECTOR),
    Sized(decide_membership, VECTOR, sizes=(0, 1, 3, 4, 5, 8)),
    Sized(decide_same_shape, PAIR, sizes=UNEQUAL),
    Sized(decide_shape_tuple, VECTOR),
    Sized(decide_even, VECTOR),
    Sized(decide_truth, VECTOR),
    Sized(mean_or_zero, VECTOR),
    Sized(decide_length, VECTOR),
    Sized(decide_by_maximum, VECTOR),
    Sized(decide_not_equal, VECTOR),
    Sized(top_three, VECTOR, sizes=(3, 4, 8, 2)),
    Sized(top_up_to_three, VECTOR),
    Sized(pad_to_eight, VECTOR),
    Sized(pad_up_to_a_multiple, VECTOR),
    Sized(linear_space, VECTOR),
    Sized(reshape_to_two_rows, VECTOR, sizes=(0, 2, 4, 8, 5)),
    Sized(reshape_to_pairs, VECTOR, sizes=(0, 2, 4, 8, 5)),
    Sized(split_in_two, VECTOR, sizes=(0, 2, 4, 8, 5)),
)
