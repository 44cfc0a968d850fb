"""Summaries of the selected rows: moments, norms, extrema, normalizations."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from tests.tracing.programs.row import Masked, Refused


def mean(y):
    return y.mean(0)


def mean_of_all(y):
    return jnp.mean(y)


def standard_deviation(y):
    return jnp.std(y, 0)


def variance_with_ddof(y):
    return jnp.var(y, axis=0, ddof=1)


def covariance(y):
    return jnp.cov(y, rowvar=False)


def covariance_of_rows(y):
    return jnp.cov(y)


def correlation(y):
    return jnp.corrcoef(y + jnp.eye(5)[0] * y[:, 1:2], rowvar=False)


def median(y):
    return jnp.median(y, axis=0)


def quantiles(y):
    return jnp.quantile(y, jnp.array([0.1, 0.5, 0.9]), axis=0)


def quantile_of_all(y):
    return jnp.quantile(y, 0.3)


def log_sum_exp(y):
    return jax.nn.logsumexp(y, axis=0)


def log_mean_exp(y):
    return jax.nn.logsumexp(y, axis=0) - jnp.log(y.shape[0])


def softmax_over_rows(y):
    return jax.nn.softmax(y, axis=0)


def softmax_over_columns(y):
    return jax.nn.softmax(y, axis=1)


def log_softmax_over_rows(y):
    return jax.nn.log_softmax(y, axis=0)


def entropy(y):
    p = jax.nn.softmax(y.sum(1))
    return -jnp.sum(p * jnp.log(p))


def standardize(y):
    return (y - y.mean(0)) / (y.std(0) + 1e-3)


def batch_normalize(y):
    center = jnp.mean(y, 0, keepdims=True)
    spread = jnp.mean(jnp.square(y - center), 0, keepdims=True)
    return (y - center) * jax.lax.rsqrt(spread + 1e-3)


def layer_normalize(y):
    return (y - y.mean(-1, keepdims=True)) / jnp.sqrt(y.var(-1, keepdims=True) + 1e-5)


def min_max_scale(y):
    low = jnp.min(y, 0, initial=10.0)
    high = jnp.max(y, 0, initial=-10.0)
    return (y - low) / (high - low + 1.0)


def maximum_of_rows(y):
    return jnp.max(y, axis=0)


def minimum_of_rows(y):
    return jnp.min(y, axis=0)


def maximum_with_initial(y):
    return jnp.max(y, axis=0, initial=-1.0)


def peak_to_peak(y):
    return jnp.ptp(y, axis=0)


def norm_of_rows(y):
    return jnp.linalg.norm(y, axis=1)


def norm_of_columns(y):
    return jnp.linalg.norm(y + 3.0, axis=0)


def frobenius_norm(y):
    return jnp.sqrt(1.0 + jnp.sum(y**2))


def norm_one_and_infinity(y):
    return jnp.linalg.norm(y, ord=1, axis=0), jnp.linalg.norm(y, ord=jnp.inf, axis=0)


def product(y):
    return jnp.prod(y, axis=0)


def any_and_all(y):
    return jnp.any(y > 1, axis=0), jnp.all(y < 1, axis=0), jnp.count_nonzero(y > 0, axis=0)


def geometric_mean(y):
    return jnp.exp(jnp.mean(jnp.log(jnp.abs(y) + 0.1), axis=0))


def reciprocal_sum(y):
    return jnp.sum(1.0 / (y + 4.0), axis=0), jnp.sum(jnp.sqrt(y * y + 1.0))


def weighted_average(y):
    return jnp.average(y[:, 1:], axis=0, weights=jnp.exp(y[:, 0]))


def mean_ignoring_nan(y):
    return jnp.nanmean(jnp.where(y > 1.5, jnp.nan, y), axis=0)


def size_and_shape(y):
    return jnp.asarray(y.size), jnp.asarray(y.shape[0]), y / y.shape[0], y.sum() / (1 + y.size)


def integer_sums(y):
    return y.sum(0), y.max(0, initial=-1), jnp.bitwise_xor.reduce(y, axis=0), (y % 3).sum()


def mean_absolute_deviation(y):
    return jnp.mean(jnp.abs(y - jnp.mean(y, axis=0)), axis=0)


def moments(y):
    centered = y - y.mean(0)
    second = jnp.mean(centered**2, 0)
    return jnp.mean(centered**3, 0) / (second + 0.1) ** 1.5, jnp.mean(centered**4, 0)


PROGRAMS = (
    Masked(mean),
    Masked(mean_of_all),
    Masked(standard_deviation),
    Masked(variance_with_ddof),
    Masked(covariance, assumes=("zero",)),
    Masked(
        covariance_of_rows, assumes=("zero", "one"), refusal="a scalar for one row, else a matrix"
    ),
    Masked(correlation, assumes=("zero",), tolerance=1e-4),
    Masked(median, empty=Refused),
    Masked(quantiles, empty=Refused),
    Masked(quantile_of_all, empty=Refused),
    Masked(log_sum_exp),
    Masked(log_mean_exp),
    Masked(softmax_over_rows),
    Masked(softmax_over_columns),
    Masked(log_softmax_over_rows),
    Masked(entropy),
    Masked(standardize, tolerance=1e-4),
    Masked(batch_normalize, tolerance=1e-4),
    Masked(layer_normalize, tolerance=1e-4),
    Masked(min_max_scale),
    Masked(maximum_of_rows, empty=Refused),
    Masked(minimum_of_rows, empty=Refused),
    Masked(maximum_with_initial),
    Masked(peak_to_peak, empty=Refused),
    Masked(norm_of_rows),
    Masked(norm_of_columns),
    Masked(frobenius_norm),
    Masked(norm_one_and_infinity),
    Masked(product),
    Masked(any_and_all),
    Masked(geometric_mean),
    Masked(reciprocal_sum),
    Masked(weighted_average),
    Masked(mean_ignoring_nan),
    Masked(size_and_shape),
    Masked(integer_sums, integers=True),
    Masked(mean_absolute_deviation),
    Masked(moments, tolerance=1e-4),
)
