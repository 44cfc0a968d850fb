"""Order among the selected rows: sorting, ranks, positions, cumulative operations."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from tests.tracing.programs.row import Masked, Refused


def sort_rows(y):
    return jnp.sort(y, axis=0)


def sort_descending(y):
    return jnp.sort(y, axis=0, descending=True)


def sort_columns(y):
    return jnp.sort(y, axis=1)


def sort_then_weigh(y):
    return jnp.sort(y, axis=0) * jnp.arange(y.shape[0])[:, None]


def argsort_rows(y):
    return jnp.argsort(y, axis=0)


def argsort_descending_stable(y):
    return jnp.argsort(jnp.round(y), axis=0, descending=True, stable=True)


def sort_by_first_column(y):
    return y[jnp.argsort(y[:, 0])]


def take_along_order(y):
    return jnp.take_along_axis(y, jnp.argsort(-y, axis=0), axis=0)


def rank_of_each(y):
    return jnp.argsort(jnp.argsort(y[:, 0])) + 1


def lexicographic_order(y):
    return y[jnp.lexsort((y[:, 1], jnp.round(y[:, 0])))]


def sort_with_payload(y):
    keys, payload = lax.sort((y[:, 0], y[:, 1]), num_keys=1)
    return keys, payload


def argmax_of_rows(y):
    return jnp.argmax(y, axis=0), jnp.argmin(y, axis=0)


def argmax_of_all(y):
    return jnp.argmax(y)


def argmax_of_columns(y):
    return jnp.argmax(y, axis=1)


def row_of_the_maximum(y):
    return y[jnp.argmax(y[:, 0])]


def top_two_columns(y):
    values, positions = lax.top_k(y, 2)
    return values, positions


def all_sorted_by_top_k(y):
    return lax.top_k(y[:, 0], y.shape[0])


def search_sorted(y):
    return jnp.searchsorted(jnp.sort(y[:, 0]), jnp.array([-1.0, 0.0, 1.0]))


def digitize(y):
    return jnp.digitize(y[:, 0], jnp.array([-1.0, 0.0, 1.0]))


def histogram(y):
    return jnp.histogram(y[:, 0], bins=4, range=(-2.0, 2.0))[0]


def count_integers(y):
    return jnp.bincount(y[:, 0], length=4)


def cumulative_sum(y):
    return jnp.cumsum(y, axis=0)


def cumulative_sum_from_the_end(y):
    return lax.cumsum(y, axis=0, reverse=True)


def exclusive_cumulative_sum(y):
    return jnp.cumsum(y, axis=0) - y


def shifted_cumulative_sum(y):
    return jnp.concatenate([jnp.zeros((1, 5)), jnp.cumsum(y, axis=0)])[:-1]


def product_of_each_row(y):
    return jnp.prod(y, axis=-1), jnp.prod(y, axis=0)


def cumulative_product(y):
    return jnp.cumprod(y, axis=0)


def cumulative_maximum(y):
    return lax.cummax(y, axis=0), lax.cummin(y, axis=0, reverse=True)


def cumulative_log_sum_exp(y):
    return lax.cumlogsumexp(y, axis=0)


def cumulative_mean(y):
    return jnp.cumsum(y, axis=0) / (1 + jnp.arange(y.shape[0]))[:, None]


def discounted_returns(y):
    def step(later, reward):
        now = reward + 0.9 * later
        return now, now

    return lax.scan(step, jnp.zeros(5), y, reverse=True)[1]


def associative_scan(y):
    return lax.associative_scan(jnp.add, y)


def middle_row(y):
    return y[y.shape[0] // 2]


def trimmed_mean(y):
    ordered = jnp.sort(y, axis=0)
    position = jnp.arange(y.shape[0])[:, None]
    kept = (position >= 1) & (position < y.shape[0] - 1)
    return jnp.sum(jnp.where(kept, ordered, 0.0), 0) / jnp.maximum(1, y.shape[0] - 2)


def area_under_the_curve(y):
    ranks = jnp.argsort(jnp.argsort(y[:, 0])) + 1
    positive = y[:, 1] > 0
    hits = positive.sum()
    pairs = jnp.maximum(1, hits * (y.shape[0] - hits))
    return (jnp.sum(jnp.where(positive, ranks, 0)) - hits * (hits + 1) / 2) / pairs


PROGRAMS = (
    Masked(sort_rows),
    Masked(sort_descending),
    Masked(sort_columns),
    Masked(sort_then_weigh),
    Masked(argsort_rows),
    Masked(argsort_descending_stable),
    Masked(sort_by_first_column),
    Masked(take_along_order),
    Masked(rank_of_each),
    Masked(lexicographic_order),
    Masked(sort_with_payload),
    Masked(argmax_of_rows, empty=Refused),
    Masked(argmax_of_all, empty=Refused),
    Masked(argmax_of_columns),
    Masked(row_of_the_maximum, empty=Refused),
    Masked(top_two_columns),
    Masked(all_sorted_by_top_k, refusal="top_k needs a static k"),
    Masked(search_sorted),
    Masked(digitize),
    Masked(histogram),
    Masked(count_integers, integers=True),
    Masked(cumulative_sum),
    Masked(cumulative_sum_from_the_end),
    Masked(exclusive_cumulative_sum),
    Masked(shifted_cumulative_sum),
    Masked(product_of_each_row),
    Masked(cumulative_product),
    Masked(cumulative_maximum),
    Masked(cumulative_log_sum_exp),
    Masked(cumulative_mean),
    Masked(discounted_returns),
    Masked(associative_scan),
    Masked(middle_row, empty=Refused),
    Masked(trimmed_mean),
    Masked(area_under_the_curve),
)
