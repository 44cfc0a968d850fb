"""Masks and traced bounds among other indices, read and written: NumPy's rules hold."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from tests.tracing.programs.row import ROWS, Selecting
from tests.tracing.programs.selections import counts, masks


def mask_and_a_position_per_row(tf, x, m):
    best = jnp.argmax(x, axis=1)
    return x[m, best[m]], x[m, jnp.array([2])]


def mask_and_the_positions_of_nonzero(tf, x, m):
    labels = jnp.abs(jnp.round(x[:, 0])).astype(jnp.int32) % 5
    (rows,) = jnp.nonzero(m)
    return x[rows, labels[rows]], jax.nn.log_softmax(x)[m, labels[m]].mean()


def two_masks_in_one_index(tf, x, m):
    square = jnp.concatenate([x, x[:, :1]], axis=1)
    return square[m, m[::-1]], x[m][:, x[0] > 0]


def mask_after_an_integer_and_a_slice(tf, x, m):
    stacked = jnp.stack([x.T, 2 * x.T])
    return stacked[0, :, m], stacked[:, 0, m], stacked[1][..., m]


def mask_among_new_axes(tf, x, m):
    return x[None, m], x[m, None], x[m, ..., ::-1], x[:, None][m]


def mask_of_two_axes_and_a_slice(tf, x, m):
    stacked = jnp.stack([x, -x], axis=-1)
    return stacked[(x > 0) & m[:, None]], stacked[(x > 0) & m[:, None], 1]


def mask_as_list_of_positions(tf, x, m):
    return x[jnp.where(m)], x[~m], x[m & (x[:, 0] > 0)]


def mask_of_a_masked_mask(tf, x, m):
    inner = x[m, 0] > 0
    return x[m][inner], x[m][inner].shape[0] + 2 * x[m].shape[0]


def write_by_mask(tf, x, m):
    return x.at[m, 1].set(0.5), x.at[m].multiply(2.0), x.at[x > 0].add(1.0), x.at[m].max(0.1)


def write_selected_values(tf, x, m):
    return x.at[m].set(x[m] * 3 + 1), x.at[~m].add(-x[~m])


def write_a_prefix(tf, x, k):
    return x.at[:k].set(0.0), x.at[k:, 2].add(5.0), x.at[1:k].multiply(2.0)


def negative_bounds(tf, x, k):
    return x[-k - 1 :], x[:-k], x[k - 2 : k + 1]


def bounds_of_inner_axes(tf, x, k):
    return x[:, :k], x[1, k:], x[..., :k].sum(-1), x[:k, k:]


def bounds_past_the_end(tf, x, k):
    return x[k + 100 :], x[: k + 100], x[k : k - 1]


def read_at_traced_positions(tf, x, k):
    i = jnp.minimum(k, 5)
    return x[i], x[-1 - i % 3, 2], x[i, :2], jnp.take(x, jnp.array([0, 1]) + i, axis=0, mode="clip")


def prefix_of_a_selection(tf, x, k):
    y = x[x[:, 0] > -0.5]
    return y[:k], y[k:].sum(0), y[: y.shape[0] - 1]


def selection_of_a_prefix(tf, x, k):
    head = x[:k]
    return head[head[:, 0] > 0], head[::-1].cumsum(0)


def blocks_side_by_side(tf, x, k):
    return jnp.concatenate([x[k:], x[:k]]), jnp.concatenate([x[:k], jnp.zeros((2, 5)), x[k:]])


def cuts_and_steps_of_a_selection(tf, x, m):
    y = x[m]
    return y[1:, ::2], y[:-1, ::-1], y[None, -2:, ..., 1::2], y[1:, None, ::3].sum(0)


def booleans_selected(tf, x, m):
    flags = (x > 0)[m]
    return flags, flags.any(0), flags.sum(), jnp.where(flags, 1.0, -1.0).mean(1)


def integers_selected(tf, x, m):
    whole = jnp.round(x * 3).astype(jnp.int32)[m]
    return whole, whole.sum(0), whole // 2, whole.max(0, initial=-99), jnp.sort(whole, 0)


def half_precision_selected(tf, x, m):
    return x.astype(jnp.float16)[m] * 2, x.astype(jnp.bfloat16)[m].astype(jnp.float32).max(1)


def scalar_rows(rng):
    x = np.where(rng.normal(size=(ROWS, 5)) > 0, 1, -1).astype(np.float32)
    return {str(n): (x * n,) for n in (1, 2, -1)}


def constant_values(tf, x):
    return x[x > 0], x[x < 0].sum(), x[x > 1], jnp.unique(jax.lax.stop_gradient(x))


PROGRAMS = (
    Selecting(mask_and_a_position_per_row, masks),
    Selecting(mask_and_the_positions_of_nonzero, masks),
    Selecting(two_masks_in_one_index, masks),
    Selecting(mask_after_an_integer_and_a_slice, masks),
    Selecting(mask_among_new_axes, masks),
    Selecting(mask_of_two_axes_and_a_slice, masks),
    Selecting(mask_as_list_of_positions, masks),
    Selecting(mask_of_a_masked_mask, masks),
    Selecting(write_by_mask, masks),
    Selecting(write_selected_values, masks),
    Selecting(write_a_prefix, counts),
    Selecting(negative_bounds, counts),
    Selecting(bounds_of_inner_axes, counts),
    Selecting(bounds_past_the_end, counts),
    Selecting(read_at_traced_positions, counts),
    Selecting(prefix_of_a_selection, counts),
    Selecting(selection_of_a_prefix, counts),
    Selecting(blocks_side_by_side, counts),
    Selecting(cuts_and_steps_of_a_selection, masks),
    Selecting(booleans_selected, masks),
    Selecting(integers_selected, masks),
    Selecting(half_precision_selected, masks, tolerance=1e-2),
    Selecting(constant_values, scalar_rows),
)
