"""Programs that make their own data-dependent sizes: masks, positions, ranges, prefixes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from tests.tracing.programs.row import MASKS, ROWS, Selecting


def two_selections_added(tf, x, m):
    return tf.boolean_mask(x, m) + tf.boolean_mask(x**2, m)


def masked_pair_loss(tf, x, m):
    prediction, target = tf.boolean_mask(x[:, 0], m), tf.boolean_mask(x[:, 1], m)
    return jnp.mean((prediction - target) ** 2)


def same_condition_twice(tf, x, m):
    return tf.boolean_mask(x, x[:, 0] > 0) * tf.boolean_mask(jnp.cos(x), x[:, 0] > 0)


def mask_of_masked(tf, x, m):
    y = tf.boolean_mask(x, m)
    return tf.boolean_mask(y, y[:, 0] > 0)


def mask_of_masked_mean(tf, x, m):
    y = tf.boolean_mask(x, m)
    return tf.boolean_mask(y, y[:, 0] > 0).sum(0) / (1 + y.shape[0])


def mask_of_sorted(tf, x, m):
    y = jnp.sort(tf.boolean_mask(x, m), axis=0)
    return tf.boolean_mask(y, y[:, 1] < 0.5)


def two_masks_side_by_side(tf, x, m):
    a, b = tf.boolean_mask(x, m), tf.boolean_mask(x, ~m)
    return a.mean(0), b.sum(0), a.shape[0] - b.shape[0], jnp.concatenate([a, b])


def two_masks_outer(tf, x, m):
    a, b = tf.boolean_mask(x, m), tf.boolean_mask(x, x[:, 0] > 0)
    return a @ b.T


def index_by_mask(tf, x, m):
    return x[m], x[m].mean(0)


def index_by_comparison(tf, x, m):
    return x[x > 0], x[x[:, 0] < 0, 1]


def index_by_mask_and_integer(tf, x, m):
    return x[m, 1], x[m][:, ::2]


def mask_along_columns(tf, x, m):
    return tf.boolean_mask(x.T, m, axis=1), x.T[:, m]


def matrix_mask(tf, x, m):
    return tf.boolean_mask(x, (x > 0) & m[:, None])


def set_by_mask(tf, x, m):
    return x.at[m].set(0.5), x.at[m].add(1.0)


def nonzero(tf, x, m):
    (i,) = jnp.nonzero(m)
    return i, x[i], x[i].sum(0)


def where_with_one_argument(tf, x, m):
    i, j = jnp.where((x > 0) & m[:, None])
    return x[i, j], i * 10 + j


def tf_where(tf, x, m):
    i = tf.where(m)[:, 0]
    return jnp.take(x, i, axis=0), i


def arg_where(tf, x, m):
    return jnp.argwhere(m), jnp.flatnonzero(m)


def compress(tf, x, m):
    return jnp.compress(m, x, axis=0), jnp.extract(m[:, None] & (x > 0), x)


def prefix(tf, x, k):
    return x[:k], x[:k].mean(0)


def suffix(tf, x, k):
    return x[k:], x[-k:].sum(0)


def window(tf, x, k):
    return x[k : k + 2], x[: 2 * k]


def prefix_and_rest(tf, x, k):
    return jnp.mean(x[:k] ** 2) + 0.1 * jnp.sum(x[k:])


def split_at_a_count(tf, x, k):
    a, b = jnp.split(x, [k])
    return a, jnp.cumsum(b, 0)


def split_at_counts(tf, x, k):
    a, b, c = jnp.split(x, jnp.stack([k - 1, k]), axis=0)
    return a.sum(0), b * 2, c[::-1]


def prefix_of_masked(tf, x, m, k):
    return tf.boolean_mask(x, m)[:k]


def traced_range(tf, x, k):
    r = tf.range(k)
    return r, (r * 2).sum(), x[:, 0][r]


def range_of_bounded(tf, x, k):
    return tf.range(jnp.minimum(k, x.shape[0])) * 2


def arange_of_traced(tf, x, k):
    return jnp.arange(k), jnp.zeros(k), jnp.ones((k, 2)) * 3


def fill_of_traced(tf, x, k):
    return jnp.full((k,), 2.0), jnp.eye(k).sum()


def repeat_by_counts(tf, x, m):
    return jnp.repeat(x, m.astype(jnp.int32) * 2, axis=0)


def unique_values(tf, x, m):
    return jnp.unique(jnp.round(x[:, 0])), jnp.unique(m)


def unique_with_counts(tf, x, m):
    values, counts = jnp.unique(jnp.round(x), return_counts=True)
    return values, counts, counts.sum()


def unique_of_masked(tf, x, m):
    return tf.unique(jnp.round(tf.boolean_mask(x[:, 0], m)))


def positives_of_masked_pairs(tf, x, m):
    y = tf.boolean_mask(x, m)
    distance = ((y[:, None] - y[None]) ** 2).sum(-1)
    near = tf.boolean_mask(distance, distance < 4.0)
    return near.mean(), near.shape[0] + 0 * jnp.arange(2)


def gather_positions_of_masked(tf, x, m):
    y = tf.boolean_mask(x, m)
    i = tf.where(y[:, 0] > 0)[:, 0]
    return jnp.take(y, i, axis=0), i


def _mean_of_positive(tf, row):
    kept = tf.boolean_mask(row, row > 0)
    return kept.sum() / jnp.maximum(1, kept.shape[0])


def rows_masked_by_themselves(tf, x, m):
    return jax.vmap(lambda row: _mean_of_positive(tf, row))(x)


def _means_of_positive_exactly(x, m):
    return jnp.stack([row[row > 0].sum() / max(1, int((row > 0).sum())) for row in x])


def rows_masked_in_a_map(tf, x, m):
    return jax.lax.map(lambda row: _mean_of_positive(tf, row), x)


def rows_masked_in_a_scan(tf, x, m):
    def step(total, row):
        kept = tf.boolean_mask(row, row > total * 0.1)
        return total + jnp.sin(kept).sum(), kept.shape[0] * jnp.ones(())

    return jax.lax.scan(step, jnp.zeros(()), x)


def _scan_exactly(x, m):
    total, sizes = jnp.zeros(()), []
    for row in x:
        kept = row[row > total * 0.1]
        total = total + jnp.sin(kept).sum()
        sizes.append(jnp.asarray(float(kept.shape[0])))
    return total, jnp.stack(sizes)


def branch_that_selects(tf, x, m):
    def chosen(v):
        kept = tf.boolean_mask(v, m)
        return (kept**3).sum(0) / (1 + kept.shape[0])

    return jax.lax.cond(x.sum() > -100, chosen, lambda v: v.sum(0), x)


def _branch_exactly(x, m):
    return (x[m] ** 3).sum(0) / (1 + x[m].shape[0])


def jit_that_selects(tf, x, m):
    total = jax.jit(lambda v, k: jnp.sum(jnp.exp(tf.boolean_mask(v, k)), 0))
    return total(x, m) - 2.0 * total(x, ~m)


def _jit_exactly(x, m):
    return jnp.exp(x[m]).sum(0) - 2.0 * jnp.exp(x[~m]).sum(0)


def squared_deviation_of_hits(tf, x, m):
    hits = x[(x[:, 0] > -1) & m]
    return ((hits - hits.mean(0)) ** 2).mean(0), hits.shape[0] * jnp.ones(())


def masks(rng):
    x = rng.normal(size=(ROWS, 5)).astype(np.float32)
    return {kind: (x, m) for kind, m in MASKS.items()}


def counts(rng):
    x = rng.normal(size=(ROWS, 5)).astype(np.float32)
    return {str(k): (x, np.int32(k)) for k in (6, 3, 1, 0)}


def masks_and_counts(rng):
    return {
        f"{kind}-{k[1]}": (x, m, k[1])
        for (kind, (x, m)), k in zip(
            masks(rng).items(), [(0, np.int32(c)) for c in (2, 1, 6, 0, 3)], strict=True
        )
    }


PROGRAMS = (
    Selecting(two_selections_added, masks),
    Selecting(masked_pair_loss, masks),
    Selecting(same_condition_twice, masks),
    Selecting(mask_of_masked, masks),
    Selecting(mask_of_masked_mean, masks),
    Selecting(mask_of_sorted, masks),
    Selecting(two_masks_side_by_side, masks),
    Selecting(two_masks_outer, masks),
    Selecting(index_by_mask, masks),
    Selecting(index_by_comparison, masks),
    Selecting(index_by_mask_and_integer, masks),
    Selecting(mask_along_columns, masks),
    Selecting(matrix_mask, masks),
    Selecting(set_by_mask, masks),
    Selecting(nonzero, masks),
    Selecting(where_with_one_argument, masks),
    Selecting(tf_where, masks),
    Selecting(arg_where, masks),
    Selecting(compress, masks),
    Selecting(prefix, counts),
    Selecting(suffix, counts),
    Selecting(window, counts),
    Selecting(prefix_and_rest, counts),
    Selecting(split_at_a_count, counts),
    Selecting(split_at_counts, counts, refused_cases=("0",)),
    Selecting(prefix_of_masked, masks_and_counts),
    Selecting(traced_range, counts, unbounded=True),
    Selecting(range_of_bounded, counts),
    Selecting(arange_of_traced, counts, unbounded=True),
    Selecting(fill_of_traced, counts, unbounded=True),
    Selecting(repeat_by_counts, masks),
    Selecting(unique_values, masks),
    Selecting(unique_with_counts, masks),
    Selecting(unique_of_masked, masks),
    Selecting(positives_of_masked_pairs, masks),
    Selecting(gather_positions_of_masked, masks),
    Selecting(rows_masked_by_themselves, masks, _means_of_positive_exactly),
    Selecting(rows_masked_in_a_map, masks, _means_of_positive_exactly),
    Selecting(rows_masked_in_a_scan, masks, _scan_exactly),
    Selecting(branch_that_selects, masks, _branch_exactly),
    Selecting(jit_that_selects, masks, _jit_exactly),
    Selecting(squared_deviation_of_hits, masks),
)
