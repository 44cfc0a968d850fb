"""Compute Cholesky, QR and singular value decompositions, with TensorFlow's gradients."""

from __future__ import annotations

import collections

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.linalg.matrix_operands import (
    below,
    check_rank,
    main_diagonal,
    matrices,
    on_diagonal,
    safe_reciprocal,
    safe_reciprocals_of_gaps,
    square_matrices,
    turned,
    without_infinities,
)
from shims._src.tracing.dispatch import operator

QrResult = collections.namedtuple("QrResult", ["q", "r"])


@operator(compiled=True)
def cholesky(input, name=None):
    """Compute the Cholesky factor `L`, with `L @ adjoint(L)` equal to a positive definite matrix.

    Args:
      input: floating-point array `[..., n, n]`; only the lower triangle is read.
      name: ignored.

    Returns:
      An array of shape `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      If a matrix is not positive definite, or contains NaN, the whole lower triangle is NaN. In
      this case, TensorFlow returns numbers in the lower triangle, and uninitialized memory above
      the diagonal.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]))
      [[2. 0.]
       [1. 2.]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/cholesky
    """
    return cholesky_factor(square_matrices("cholesky", input))


@jax.custom_jvp
def cholesky_factor(a):
    """Compute the Cholesky factor of square matrices, without checking that they are square."""
    return lax.linalg.cholesky(a, symmetrize_input=False)


@cholesky_factor.defjvp
def _cholesky_jvp(primals, tangents):
    (a,), (t,) = primals, tangents
    factor = cholesky_factor(a)
    # TensorFlow spreads the gradient over both triangles, although only one is read.
    half = (t + turned(t)) / 2
    inner = lax.linalg.triangular_solve(factor, half, left_side=True, lower=True)
    inner = lax.linalg.triangular_solve(
        factor, inner, left_side=False, lower=True, transpose_a=True, conjugate_a=True
    )
    n = a.shape[-1]
    weights = jnp.where(on_diagonal(n, n), 0.5, 1.0).astype(inner.dtype)
    return factor, jnp.matmul(factor, below(inner) * weights)


@operator(compiled=True)
def qr(input, full_matrices=False, name=None):
    """Compute the QR decomposition: orthonormal columns `q` and an upper triangular `r`.

    Args:
      input: floating-point array `[..., n, m]`.
      full_matrices: complete `q` to a square matrix.
      name: ignored.

    Returns:
      `(q, r)`: `[..., n, min(n, m)]` and `[..., min(n, m), m]`, or `[..., n, n]` and `[..., n, m]`.

    Raises:
      InvalidArgumentError: the array has fewer than two axes, or TensorFlow has no kernel for the
        dtype.

    Differs from TensorFlow:
      Columns to the right of a NaN may contain more NaNs than in TensorFlow. The signs are those of
      TensorFlow.

    Under jit:
      The numbers of rows and columns may be known only at run time. If the number of columns is known
      only at run time, the gradient is NaN.

    https://www.tensorflow.org/api_docs/python/tf/linalg/qr
    """
    x = operand(input)
    if x.dtype == jnp.float16:
        check_rank("qr", "input", x)
        return QrResult(*(y.astype(x.dtype) for y in _qr(x.astype(jnp.float32), full_matrices)))
    return QrResult(*_qr(matrices("qr", input), full_matrices))


def _qr(x, full_matrices):
    rows, columns = x.shape[-2:]
    if is_known(rows) and is_known(columns) and rows < columns:
        # The columns behind the square part are computed from it, so that their gradient is too.
        q, r = lax.linalg.qr(x[..., :rows], full_matrices=False)
        return q, jnp.concatenate([r, jnp.matmul(turned(q), x[..., rows:])], axis=-1)
    q, r = lax.linalg.qr(x, full_matrices=full_matrices)
    return q, r


@operator(compiled=True)
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """Compute the singular value decomposition.

    Args:
      tensor: floating-point array `[..., n, m]`.
      full_matrices: complete `u` and `v` to square matrices.
      compute_uv: whether to compute the singular vectors too.
      name: ignored.

    Returns:
      `s`, `[..., k]` with `k = min(n, m)`, in descending order; or `(s, u, v)` with `u`
      `[..., n, k]` and `v` `[..., m, k]`, such that `u @ diag(s) @ adjoint(v)` is the matrix.

    Raises:
      InvalidArgumentError: the array has fewer than two axes, or TensorFlow has no kernel for the
        dtype.
      NotImplementedError: the result with `full_matrices` is differentiated, and the numbers of
        rows and columns differ by more than 1.

    Differs from TensorFlow:
      A pair of vectors is unique only up to its sign (or a complex phase), and the vectors of equal
      singular values only up to a rotation. The results of the two libraries may differ in these
      respects.

    Under jit:
      The leading axes, the number of rows, or the size of a square matrix may be known only at run
      time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/svd
    """
    x = matrices("svd", tensor, name="tensor")
    if not compute_uv:
        return _singular_values(x)
    return _svd(x, bool(full_matrices))


@jax.custom_jvp
def _singular_values(x):
    return lax.linalg.svd(without_infinities(x), compute_uv=False)


@_singular_values.defjvp
def _singular_values_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    s, u, v = _svd(x, False)
    inner = jnp.matmul(turned(u), jnp.matmul(t, v))
    return s, jnp.real(main_diagonal(inner))


def _decompose(x, full_matrices):
    x = without_infinities(x)
    u, s, vh = lax.linalg.svd(x, full_matrices=full_matrices, compute_uv=True)
    return s, u, turned(vh)


_svd = jax.custom_jvp(_decompose, nondiff_argnums=(1,))


@_svd.defjvp
def _svd_jvp(full_matrices, primals, tangents):
    (x,), (t,) = primals, tangents
    s, u, v = _svd(x, full_matrices)
    rows, columns = x.shape[-2:]
    if rows > columns:
        ds, dv, du = _svd_tangent(s, v, u, turned(t), full_matrices)
    else:
        ds, du, dv = _svd_tangent(s, u, v, t, full_matrices)
    return (s, u, v), (ds, du, dv)


def _svd_tangent(s, u, v, t, full_matrices):
    """Compute the tangents of a matrix with at least as many columns as rows."""
    rows, columns = u.shape[-2], v.shape[-2]
    if full_matrices and columns - rows > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True"
        )
    first = v[..., :, :rows]
    inner = jnp.matmul(turned(u), jnp.matmul(t, first))
    scale = s.astype(inner.dtype)
    gaps = safe_reciprocals_of_gaps(scale * scale)
    right, left = inner * scale[..., None, :], scale[..., :, None] * inner
    du = jnp.matmul(u, gaps * (right + turned(right)))
    dv = jnp.matmul(first, gaps * (left + turned(left)))
    inverse = safe_reciprocal(scale)
    if jnp.iscomplexobj(inner):
        phase = 1j * jnp.imag(main_diagonal(inner)) * inverse
        dv = dv - first * phase[..., None, :]
    if not (is_known(columns) and is_known(rows) and columns == rows):
        outside = jnp.matmul(turned(t), u) - jnp.matmul(first, turned(inner))
        dv = dv + outside * inverse[..., None, :]
        if full_matrices:
            rest = v[..., :, rows:]
            mixed = jnp.matmul(turned(u), jnp.matmul(t, rest)) * inverse[..., :, None]
            dv = jnp.concatenate([dv, -jnp.matmul(first, mixed)], axis=-1)
    return jnp.real(main_diagonal(inner)), du, dv
