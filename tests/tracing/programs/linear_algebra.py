"""Contractions, decompositions, attention, convolutions and transforms of the selected rows."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from tests.tracing.programs.row import Masked, Refused

_WEIGHTS = jnp.linspace(-1.0, 1.0, 15).reshape(5, 3)


def gram_matrix(y):
    return y.T @ y


def kernel_matrix(y):
    return y @ y.T


def dense_layer(y):
    return jnp.tanh(y @ _WEIGHTS + 0.1)


def two_dense_layers(y):
    hidden = jax.nn.gelu(y @ _WEIGHTS)
    return (hidden @ _WEIGHTS.T).mean()


def einsum_bilinear(y):
    return jnp.einsum("ni,ij,nj->n", y, jnp.eye(5) + 0.1, y), jnp.einsum("ni->i", y)


def einsum_outer(y):
    return jnp.einsum("ni,nj->nij", y, y[:, :2]), jnp.einsum("ni,mi->nm", y, y).sum()


def tensor_contractions(y):
    return (
        jnp.tensordot(y, y, [[0], [0]]),
        jnp.vdot(y, y),
        jnp.inner(y, y),
        jnp.outer(y[:, 0], y[0:3, 1]),
    )


def pairwise_distances(y):
    gaps = y[:, None] - y[None]
    return jnp.sqrt((gaps**2).sum(-1) + 1e-3)


def nearest_other(y):
    squared = ((y[:, None] - y[None]) ** 2).sum(-1)
    return jnp.min(squared + 1e3 * jnp.eye(y.shape[0]), axis=1, initial=1e4)


def self_attention(y):
    scores = (y @ y.T) / jnp.sqrt(5.0)
    return jax.nn.softmax(scores, axis=-1) @ y


def causal_attention(y):
    scores = jnp.where(jnp.tri(y.shape[0], dtype=bool), y @ y.T, -1e9)
    return jax.nn.softmax(scores, axis=-1) @ y


def attention_over_selected(y):
    queries = jnp.sin(jnp.arange(10.0)).reshape(2, 5)
    return jax.nn.softmax(queries @ y.T, axis=-1) @ y


def dot_product_attention(y):
    heads = y[None, :, None, :]
    return jax.nn.dot_product_attention(heads, heads, heads)


def batched_matmul(y):
    matrices = y[:, :4].reshape(-1, 2, 2)
    return matrices @ matrices, jnp.linalg.matmul(matrices, y[:, 3:, None])


def inverse_of_gram(y):
    return jnp.linalg.inv(y.T @ y + jnp.eye(5))


def batched_inverse(y):
    return jnp.linalg.inv(jnp.eye(2) * 3.0 + 0.1 * y[:, :4].reshape(-1, 2, 2))


def ridge_regression(y):
    features, target = y[:, :4], y[:, 4]
    return jnp.linalg.solve(features.T @ features + jnp.eye(4), features.T @ target)


def cholesky_of_gram(y):
    return jnp.linalg.cholesky(y.T @ y + 2 * jnp.eye(5))


def batched_determinant(y):
    return jnp.linalg.det(y[:, :4].reshape(-1, 2, 2) + 2 * jnp.eye(2))


def log_determinant(y):
    return jnp.linalg.slogdet(jnp.eye(5) + y.T @ y)


def singular_values_of_gram(y):
    return jnp.linalg.svd(y.T @ y + jnp.diag(jnp.arange(5.0)), compute_uv=False)


def batched_singular_values(y):
    return jnp.linalg.svd(y[:, :4].reshape(-1, 2, 2), compute_uv=False)


def principal_variances(y):
    centered = y - y.mean(0)
    return jnp.linalg.eigvalsh(centered.T @ centered / y.shape[0] + jnp.diag(jnp.arange(5.0)))


def batched_eigenvalues(y):
    a = y[:, :4].reshape(-1, 2, 2)
    return jnp.linalg.eigvalsh(a + a.mT)


def triangular_solve(y):
    lower = jnp.tril(jnp.ones((5, 5))) + jnp.eye(5)
    return jax.scipy.linalg.solve_triangular(lower, y.T, lower=True).T


def least_squares(y):
    return jnp.linalg.lstsq(y[:, :2], y[:, 4])[0]


def qr_of_gram(y):
    return jnp.abs(jnp.linalg.qr(y.T @ y + jnp.eye(5))[1])


def trace_and_diagonal(y):
    return jnp.trace(y @ y.T), jnp.diagonal(y.T @ y), jnp.diag(y[0:1, 0])


def convolve_columns(y):
    kernel = jnp.array([0.5, 1.0, -0.5])
    return jax.vmap(lambda row: jnp.convolve(row, kernel, mode="valid"))(y)


def convolve_rows(y):
    return jnp.convolve(y[:, 0], jnp.array([1.0, 2.0]))


def convolution_over_batch(y):
    images = y[:, None, :]
    kernel = jnp.array([[[1.0, 0.5, -1.0]]])
    return lax.conv_general_dilated(images, kernel, (1,), "SAME")


def convolution_over_rows(y):
    kernel = jnp.array([1.0, 0.5, -1.0])[:, None, None] * jnp.eye(5)
    return lax.conv_general_dilated(
        y[None], kernel, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")
    )


def max_pool_over_rows(y):
    return lax.reduce_window(y, -jnp.inf, lax.max, (3, 1), (1, 1), "SAME")


def mean_pool_over_rows(y):
    sums = lax.reduce_window(y, 0.0, lax.add, (3, 1), (1, 1), "SAME")
    return sums / lax.reduce_window(jnp.ones_like(y), 0.0, lax.add, (3, 1), (1, 1), "SAME")


def pool_over_columns(y):
    return lax.reduce_window(y, 0.0, lax.add, (1, 2), (1, 2), "VALID")


def fourier_over_columns(y):
    spectrum = jnp.fft.rfft(y, axis=1)
    return spectrum.real, spectrum.imag, jnp.abs(jnp.fft.fft(y + 1.0, axis=1)) ** 2


def polynomial_features(y):
    return jnp.vander(y[:, 0], 3), jnp.polyval(jnp.array([1.0, 2.0, 3.0]), y[:, 1])


def mahalanobis(y):
    precision = jnp.linalg.inv(jnp.eye(5) + y.T @ y)
    return jnp.einsum("ni,ij,nj->n", y, precision, y)


def kalman_like_update(y):
    gain = y.T @ jnp.linalg.inv(y @ y.T + jnp.eye(y.shape[0]))
    return gain @ y.sum(1)


PROGRAMS = (
    Masked(gram_matrix),
    Masked(kernel_matrix),
    Masked(dense_layer),
    Masked(two_dense_layers),
    Masked(einsum_bilinear),
    Masked(einsum_outer),
    Masked(tensor_contractions),
    Masked(pairwise_distances),
    Masked(nearest_other),
    Masked(self_attention),
    Masked(causal_attention),
    Masked(attention_over_selected),
    Masked(dot_product_attention),
    Masked(batched_matmul),
    Masked(inverse_of_gram, tolerance=1e-4),
    Masked(batched_inverse, tolerance=1e-4),
    Masked(ridge_regression, tolerance=1e-4),
    Masked(cholesky_of_gram, tolerance=1e-4),
    Masked(batched_determinant, assumes=("zero",)),
    Masked(log_determinant, tolerance=1e-4),
    Masked(singular_values_of_gram, tolerance=1e-4),
    Masked(batched_singular_values, tolerance=1e-4),
    Masked(principal_variances, tolerance=1e-4),
    Masked(batched_eigenvalues, tolerance=1e-4),
    Masked(triangular_solve),
    Masked(
        least_squares,
        assumes=("one",),
        tolerance=1e-3,
        refusal="a decomposition of fresh size",
    ),
    Masked(qr_of_gram, tolerance=1e-4),
    Masked(trace_and_diagonal, assumes=("zero",)),
    Masked(convolve_columns),
    Masked(convolve_rows, empty=Refused),
    Masked(convolution_over_batch),
    Masked(convolution_over_rows),
    Masked(max_pool_over_rows),
    Masked(mean_pool_over_rows),
    Masked(pool_over_columns),
    Masked(fourier_over_columns, tolerance=1e-4),
    Masked(polynomial_features),
    Masked(mahalanobis, tolerance=1e-4),
    Masked(kalman_like_update, tolerance=1e-4),
)
