"""Segments, scatters, gathers and random numbers over the selected rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from tests.tracing.programs.row import ROWS, Masked

_TABLE = jnp.arange(24.0).reshape(8, 3)


def _labels(y):
    return jnp.clip(jnp.round(y[:, 0]) + 1, 0, 2).astype(jnp.int32)


def segment_sum(y):
    return jax.ops.segment_sum(y, _labels(y), num_segments=3)


def segment_mean(y):
    counts = jax.ops.segment_sum(jnp.ones(y.shape[0]), _labels(y), num_segments=3)
    sums = jax.ops.segment_sum(y, _labels(y), num_segments=3)
    return sums / jnp.maximum(counts, 1.0)[:, None]


def segment_extrema(y):
    high = jax.ops.segment_max(y, _labels(y), num_segments=3)
    low = jax.ops.segment_min(y, _labels(y), num_segments=3)
    return jnp.where(jnp.isfinite(high), high, 0.0), jnp.where(jnp.isfinite(low), low, 0.0)


def segment_softmax(y):
    labels = _labels(y)
    peak = jax.ops.segment_max(y[:, 1], labels, num_segments=3)
    weight = jnp.exp(y[:, 1] - peak[labels])
    return weight / jax.ops.segment_sum(weight, labels, num_segments=3)[labels]


def scatter_add_into_table(y):
    return jnp.zeros((3, 5)).at[_labels(y)].add(y)


def scatter_maximum(y):
    return jnp.zeros((3, 5)).at[_labels(y)].max(y)


def scatter_by_rank(y):
    return jnp.zeros_like(y).at[jnp.argsort(y[:, 0])].set(y)


def scatter_positions(y):
    return jnp.full((ROWS,), -1.0).at[jnp.arange(y.shape[0])].set(y[:, 0])


def scatter_out_of_bounds(y):
    return jnp.zeros(4).at[jnp.arange(y.shape[0]) * 2].add(y[:, 0], mode="drop")


def one_hot_counts(y):
    return jax.nn.one_hot(_labels(y), 3).sum(0), jax.nn.one_hot(_labels(y), 3).T @ y


def confusion_counts(y):
    pair = 3 * _labels(y) + _labels(y[:, ::-1])
    return jnp.zeros(9, jnp.int32).at[pair].add(1).reshape(3, 3)


def embedding_lookup(y):
    return _TABLE[_labels(y)], jnp.take(_TABLE, _labels(y), axis=0).mean(0)


def embedding_gradient(y):
    return jax.grad(lambda table: jnp.sum(jnp.sin(table[_labels(y)]) * y[:, :3]))(_TABLE)


def gather_along_columns(y):
    return jnp.take_along_axis(y, _labels(y)[:, None], axis=1)


def gather_own_rows(y):
    return y[jnp.arange(y.shape[0])[::-1]] + y


def pick_by_label(y):
    log_p = jax.nn.log_softmax(y[:, :3], axis=1)
    return -log_p[jnp.arange(y.shape[0]), _labels(y)].sum() / (1 + y.shape[0])


def cross_entropy(y):
    target = jax.nn.one_hot(_labels(y), 5)
    return -(target * jax.nn.log_softmax(y)).sum(-1)


def dynamic_slice_of_static(y):
    start = jnp.clip(jnp.asarray(y.shape[0]), 0, 4)
    return jax.lax.dynamic_slice(_TABLE, (start, 0), (2, 3)).sum() + y.sum()


def normal_noise(y):
    return y + jax.random.normal(jax.random.key(3), y.shape)


def uniform_dropout(y):
    keep = jax.random.bernoulli(jax.random.key(5), 0.7, y.shape)
    return jnp.where(keep, y / 0.7, 0.0)


def noise_by_row(y):
    return y[:, 0] * jax.random.uniform(jax.random.key(1), (y.shape[0],))


def categorical_choice(y):
    return jax.random.categorical(jax.random.key(2), y, axis=1)


def gumbel_weights(y):
    return jax.nn.softmax(y[:, 0] + jax.random.gumbel(jax.random.key(8), (y.shape[0],)))


def random_keys_per_row(y):
    keys = jax.random.split(jax.random.key(0), 5)
    return y.mean(0) + jax.vmap(lambda k: jax.random.normal(k))(keys)


def clip_and_round(y):
    return jnp.clip(y, -1.0, 1.0), jnp.round(y, 1), jnp.floor(y), jnp.sign(y)


def risky_elementwise(y):
    return jnp.log(y**2 + 0.01), 1.0 / (y + 9.0), jnp.sqrt(jnp.abs(y) + 0.1), jnp.arctan2(y, y + 5)


def powers(y):
    return (y**2 + 1.0) ** 1.5, jnp.power(y, 3), jnp.exp2(y), jnp.cbrt(y + 9.0), jnp.hypot(y, 1.0)


def special_functions(y):
    return (
        jax.scipy.special.gammaln(y**2 + 1),
        jax.scipy.special.erf(y),
        jax.scipy.special.expit(y),
        jax.scipy.stats.norm.logpdf(y).sum(0),
        jax.scipy.special.xlogy(y**2, y**2 + 1.0),
    )


def inverse_trigonometry(y):
    inside = jnp.tanh(y) * 0.9
    return jnp.arcsin(inside), jnp.arccos(inside), jnp.arctanh(inside), jnp.arccosh(1.5 + y**2)


def casts(y):
    return (
        y.astype(jnp.int32),
        y.astype(jnp.bfloat16).astype(jnp.float32).sum(),
        (y > 0).astype(int),
    )


def complex_numbers(y):
    z = y[:, :2] + 1j * y[:, 2:4]
    return jnp.abs(z) ** 2, (z * jnp.conj(z)).real.sum(), jnp.real(jnp.exp(z)).mean(0)


def logic(y):
    return (y > 0) ^ (y < 1), jnp.logical_and(y > 0, y < 1).sum(), ~(y == y), jnp.isnan(y).any()


PROGRAMS = (
    Masked(segment_sum),
    Masked(segment_mean),
    Masked(segment_extrema),
    Masked(segment_softmax),
    Masked(scatter_add_into_table),
    Masked(scatter_maximum),
    Masked(scatter_by_rank),
    Masked(scatter_positions),
    Masked(scatter_out_of_bounds),
    Masked(one_hot_counts),
    Masked(confusion_counts),
    Masked(embedding_lookup),
    Masked(embedding_gradient),
    Masked(gather_along_columns),
    Masked(gather_own_rows),
    Masked(pick_by_label),
    Masked(cross_entropy),
    Masked(dynamic_slice_of_static),
    Masked(normal_noise),
    Masked(uniform_dropout),
    Masked(noise_by_row),
    Masked(categorical_choice),
    Masked(gumbel_weights),
    Masked(random_keys_per_row),
    Masked(clip_and_round),
    Masked(risky_elementwise),
    Masked(powers),
    Masked(special_functions),
    Masked(inverse_trigonometry),
    Masked(casts),
    Masked(complex_numbers),
    Masked(logic),
)
