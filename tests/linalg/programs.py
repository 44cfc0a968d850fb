"""Programs over square matrices whose results are determined: no signs, no phases, no order."""

from __future__ import annotations

import numpy as np

GENERAL = np.array([[1, 2, -1], [3, -1, 0.5], [0.7, 2, 4]], np.float32)
POSITIVE = np.array([[4, 1, 0.5], [1, 3, -1], [0.5, -1, 5]], np.float32)


def _times(tf, u, s, v):
    """`u @ diag(s) @ adjoint(v)`."""
    return tf.matmul(u * s[..., None, :], v, adjoint_b=True)


def _svd(tf, x):
    s, u, v = tf.linalg.svd(x)
    return s, _times(tf, u, s, v), _times(tf, u, s**2, v), tf.abs(u), tf.abs(v)


def _full_svd(tf, x):
    s, u, v = tf.linalg.svd(x, full_matrices=True)
    return s, tf.matmul(u, u, adjoint_a=True), tf.matmul(v, v, adjoint_a=True)


def _eigh(tf, x):
    e, v = tf.linalg.eigh(x)
    return e, _times(tf, v, e, v), _times(tf, v, tf.exp(e / 4), v), tf.abs(v)


def _eig(tf, x):
    e, v = tf.linalg.eig(x)
    product = tf.matmul(v * e[..., None, :], tf.linalg.inv(v))
    lengths = tf.reduce_sum(tf.abs(v) ** 2, axis=-2)
    return tf.sort(tf.math.real(e)), tf.sort(tf.math.imag(e)), tf.math.real(product), lengths


def _eigvals(tf, x):
    e = tf.linalg.eigvals(x)
    return tf.sort(tf.math.real(e)), tf.sort(tf.abs(e)), tf.math.real(tf.reduce_prod(e, axis=-1))


# `(name, matrix, program)`.
PROGRAMS = (
    ("svd", GENERAL, _svd),
    ("svd-values", GENERAL, lambda tf, x: tf.linalg.svd(x, compute_uv=False)),
    ("svd-full", GENERAL, _full_svd),
    ("eigh", POSITIVE, _eigh),
    ("eigvalsh", POSITIVE, lambda tf, x: tf.linalg.eigvalsh(x)),
    ("cholesky", POSITIVE, lambda tf, x: tf.linalg.cholesky(x)),
    ("qr", GENERAL, lambda tf, x: tuple(tf.linalg.qr(x))),
    ("lu", GENERAL, lambda tf, x: tuple(tf.linalg.lu(x))),
    ("inv", GENERAL, lambda tf, x: tf.linalg.inv(x)),
    ("solve", GENERAL, lambda tf, x: tf.linalg.solve(x, x + 1.0)),
    ("triangular_solve", GENERAL, lambda tf, x: tf.linalg.triangular_solve(x, x)),
    ("cholesky_solve", POSITIVE, lambda tf, x: tf.linalg.cholesky_solve(x, x)),
    ("det", GENERAL, lambda tf, x: tf.linalg.det(x)),
    ("slogdet", GENERAL, lambda tf, x: tuple(tf.linalg.slogdet(x))),
    ("logdet", POSITIVE, lambda tf, x: tf.linalg.logdet(x)),
    ("pinv", GENERAL, lambda tf, x: tf.linalg.pinv(x)),
    ("matrix_rank", GENERAL, lambda tf, x: tf.linalg.matrix_rank(x)),
    ("diag_part", GENERAL, lambda tf, x: tf.linalg.diag_part(x)),
    ("diag", GENERAL, lambda tf, x: tf.linalg.diag(x)),
    ("set_diag", GENERAL, lambda tf, x: tf.linalg.set_diag(x, x[0])),
    ("band_part", GENERAL, lambda tf, x: tf.linalg.band_part(x, 0, -1)),
    ("tensor_diag", GENERAL, lambda tf, x: tf.linalg.tensor_diag(x[0])),
    ("tensor_diag_part", GENERAL, lambda tf, x: tf.linalg.tensor_diag_part(x)),
    ("adjoint", GENERAL, lambda tf, x: tf.linalg.adjoint(x)),
    ("trace", GENERAL, lambda tf, x: tf.linalg.trace(x)),
)
# What the lowering has no rule for, with an unknown size of the matrices.
KNOWN_SIZES = (
    ("eig", GENERAL, _eig),
    ("eigvals", GENERAL, _eigvals),
    ("expm", GENERAL, lambda tf, x: tf.linalg.expm(x / 4.0)),
    ("diag-band", GENERAL, lambda tf, x: tf.linalg.diag_part(x, k=(-1, 1))),
)


def sized(matrix, n):
    """A matrix of a different size that is as far from singular."""
    turned = matrix[::-1, ::-1]
    out = np.zeros((n, n), np.float32)
    for start in range(0, n, 3):
        block = matrix if start % 2 == 0 else turned
        size = min(3, n - start)
        out[start : start + size, start : start + size] = block[:size, :size] * (1 + start)
    return out
