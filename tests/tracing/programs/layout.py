"""Where the selected rows stand: slices, joins, reshapes, paddings, repetitions."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.tracing.programs.row import ROWS, Masked, Refused


def identity(y):
    return y


def reversal(y):
    return y[::-1], jnp.flip(y, 0) * jnp.arange(5.0)


def strides(y):
    return y[::2], y[1::2].sum(), y[::-2]


def all_but_ends(y):
    return y[1:], y[:-1], y[1:-1].sum(0)


def head_of_three(y):
    return y[:3].sum(0), y[-3:].sum(0)


def differences(y):
    return jnp.diff(y, axis=0)


def second_differences(y):
    return jnp.diff(jnp.diff(y, axis=0), axis=0)


def neighbor_products(y):
    return (y[1:] * y[:-1]).sum()


def first_row(y):
    return y[0]


def last_row(y):
    return y[-1]


def row_at_traced_index(y):
    i = jnp.argmax(jnp.arange(3) == 0) + y.astype(jnp.int32).sum() * 0
    return y[i]


def rows_at_indices(y):
    return y[jnp.array([0, 0])]


def relative_to_the_first(y):
    return y - y[0]


def roll(y):
    return jnp.roll(y, 2, axis=0), jnp.roll(y, -1, axis=1)


def tile(y):
    return jnp.tile(y, (2, 1))


def repeat(y):
    return jnp.repeat(y, 2, axis=0)


def repeat_by_array(y):
    return jnp.repeat(y, np.array([1, 0, 2, 1, 1]), axis=1)


def pad_with_zeros(y):
    return jnp.pad(y, ((1, 2), (0, 1)))


def pad_by_edge(y):
    return jnp.pad(y, ((0, 0), (1, 1)), mode="edge")


def interior_padding(y):
    return lax.pad(y, 0.5, ((1, 0, 1), (0, 0, 0)))


def concatenate_twice(y):
    return jnp.concatenate([y, y])


def stack_and_flatten(y):
    return jnp.stack([y, y], axis=1).reshape(-1, 5)


def two_layouts_of_one_size(y):
    joined = jnp.concatenate([y, y])
    woven = jnp.stack([y, y], axis=1).reshape(-1, 5)
    return joined * woven, joined + 2 * woven


def tiled_against_repeated(y):
    return jnp.tile(y, (2, 1)) - jnp.repeat(y, 2, axis=0)


def concatenate_with_static_parts(y):
    return jnp.concatenate([jnp.ones((2, 5)), y, jnp.full((1, 5), 3.0)])


def concatenate_shifted(y):
    return jnp.concatenate([y[1:], y[:1]])


def concatenate_columns(y):
    return jnp.concatenate([y, y**2], axis=1), jnp.append(y, y[:, :1], axis=1)


def vertical_and_horizontal(y):
    return jnp.vstack([y, jnp.zeros((1, 5))]), jnp.hstack([y, y])


def flatten(y):
    return y.reshape(-1)


def split_the_columns(y):
    return y[:, :4].reshape(y.shape[0], 2, 2), y.reshape(-1, 5, 1)


def merge_and_reduce(y):
    return y.reshape(-1).cumsum(), y.ravel()[::-1]


def transpose(y):
    return y.T, jnp.swapaxes(y[:, :, None], 0, 2)


def expand_and_squeeze(y):
    return y[:, None].squeeze(1), jnp.expand_dims(y, (0, 2))


def broadcast(y):
    return jnp.broadcast_to(y.sum(1)[:, None], (y.shape[0], 4)), y + jnp.ones((3, 1, 5))


def one_hot(y):
    return jax.nn.one_hot(y[:, 0], 4) @ jnp.arange(4.0)


def one_hot_of_positions(y):
    return jax.nn.one_hot(jnp.arange(y.shape[0]), ROWS)


def positions(y):
    return jnp.arange(y.shape[0]), y * jnp.arange(y.shape[0])[:, None], jnp.ones(y.shape[0])


def identity_matrix(y):
    return jnp.eye(y.shape[0]) + jnp.tri(y.shape[0])


def triangle(y):
    return jnp.tril(y @ y.T).sum(1)


def mesh(y):
    a, b = jnp.meshgrid(y[:, 0], y[:, 1])
    return a - b


def column_operations(y):
    left, right = jnp.split(y[:, :4], 2, axis=1)
    return left * right, jnp.delete(y, 2, axis=1), jnp.insert(y, 1, 7.0, axis=1)


def set_columns(y):
    return y.at[:, 1].set(0.5).at[:, 2].add(y[:, 0]).at[:, 3].multiply(2.0)


def set_the_first_row(y):
    return y.at[0].set(9.0), y.at[-1].add(1.0)


def full_like(y):
    return jnp.full_like(y, 2.0) + jnp.zeros_like(y), jnp.ones((y.shape[0], 2))


def rows_of_a_table(y):
    return jnp.arange(20.0).reshape(4, 5)[y[:, 0]], jnp.take(jnp.arange(4.0), y, axis=0)


PROGRAMS = (
    Masked(identity),
    Masked(reversal),
    Masked(strides),
    Masked(all_but_ends),
    Masked(head_of_three),
    Masked(differences),
    Masked(second_differences, assumes=("zero",)),
    Masked(neighbor_products),
    Masked(first_row, empty=Refused),
    Masked(last_row, empty=Refused),
    Masked(row_at_traced_index, empty=Refused),
    Masked(rows_at_indices, empty=Refused),
    Masked(relative_to_the_first, empty=Refused),
    Masked(roll),
    Masked(tile),
    Masked(repeat),
    Masked(repeat_by_array),
    Masked(pad_with_zeros),
    Masked(pad_by_edge, assumes=("zero",)),
    Masked(interior_padding, assumes=("zero",)),
    Masked(concatenate_twice),
    Masked(stack_and_flatten),
    Masked(two_layouts_of_one_size),
    Masked(tiled_against_repeated),
    Masked(concatenate_with_static_parts),
    Masked(concatenate_shifted, assumes=("zero",)),
    Masked(concatenate_columns),
    Masked(vertical_and_horizontal),
    Masked(flatten),
    Masked(split_the_columns),
    Masked(merge_and_reduce),
    Masked(transpose),
    Masked(expand_and_squeeze),
    Masked(broadcast),
    Masked(one_hot, integers=True),
    Masked(one_hot_of_positions),
    Masked(positions),
    Masked(identity_matrix),
    Masked(triangle),
    Masked(mesh),
    Masked(column_operations),
    Masked(set_columns),
    Masked(set_the_first_row, empty=Refused),
    Masked(full_like),
    Masked(rows_of_a_table, integers=True),
)
