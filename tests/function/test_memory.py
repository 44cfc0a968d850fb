"""A selection that is only reduced stays where it is: no packed copy is allocated.

The measure is the temporary memory of the same program written by hand with `where`; XLA's own
choices (on CPU it does not fuse a select into a reduction) are in both.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

N = 1_000_000
# Partial sums of the count.
SLACK = N // 4


def temporary_bytes(f) -> int:
    x, m = jax.ShapeDtypeStruct((N,), np.float32), jax.ShapeDtypeStruct((N,), bool)
    return jax.jit(f).lower(x, m).compile().memory_analysis().temp_size_in_bytes


def masked_mean(x, m):
    return tf.boolean_mask(x, m).mean()


def masked_mean_by_hand(x, m):
    return jnp.where(m, x, 0.0).sum() / m.sum()


def standardized_peak(x, m):
    y = tf.boolean_mask(x, m)
    return jnp.sqrt(((y - y.mean()) ** 2).sum()) / jnp.exp(y).max(initial=0.0)


def standardized_peak_by_hand(x, m):
    mean = masked_mean_by_hand(x, m)
    spread = jnp.sqrt(jnp.where(m, (x - mean) ** 2, 0.0).sum())
    return spread / jnp.where(m, jnp.exp(x), 0.0).max(initial=0.0)


def test_a_masked_mean_allocates_no_packed_copy():
    assert temporary_bytes(tf.dynamic(masked_mean)) <= temporary_bytes(masked_mean_by_hand) + SLACK


def test_the_gradient_of_a_masked_mean_allocates_no_packed_copy():
    lazy = temporary_bytes(jax.value_and_grad(tf.dynamic(masked_mean)))
    assert lazy <= temporary_bytes(jax.value_and_grad(masked_mean_by_hand)) + SLACK


def test_elementwise_steps_before_a_reduction_allocate_no_packed_copy():
    lazy = temporary_bytes(tf.dynamic(standardized_peak))
    assert lazy <= temporary_bytes(standardized_peak_by_hand) + SLACK


def distances(x, y):
    a, b = tf.boolean_mask(x, x[:, 0] > 0), tf.boolean_mask(y, y[:, 0] > 0)
    return jnp.sum(jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, -1)))


def distances_by_hand(x, y):
    mask = (x[:, 0] > 0)[:, None] & (y[:, 0] > 0)[None]
    return jnp.sum(jnp.where(mask, jnp.sqrt(jnp.sum((x[:, None] - y[None]) ** 2, -1)), 0))


def centered(x, y):
    a = tf.boolean_mask(x, x[:, 0] > 0)
    return jnp.sum(jnp.sqrt(jnp.sum((a[:, None] - y[None, :64]) ** 2, -1)))


def centered_by_hand(x, y):
    lengths = jnp.sqrt(jnp.sum((x[:, None] - y[None, :64]) ** 2, -1))
    return jnp.sum(jnp.where((x[:, 0] > 0)[:, None], lengths, 0))


@pytest.mark.parametrize(
    ("program", "by_hand"), [(distances, distances_by_hand), (centered, centered_by_hand)]
)
def test_distances_between_selections_are_fused_into_their_sum(program, by_hand):
    points = jax.ShapeDtypeStruct((2000, 3), np.float32)
    lazy, masked = (
        jax.jit(f).lower(points, points).compile().memory_analysis().temp_size_in_bytes
        for f in (tf.dynamic(program), by_hand)
    )
    assert lazy <= 1.5 * masked


def test_the_measure_sees_a_packed_copy():
    packed = temporary_bytes(lambda x, m: x[jnp.nonzero(m, size=N, fill_value=0)[0]].mean())
    assert packed > temporary_bytes(masked_mean_by_hand) + N
