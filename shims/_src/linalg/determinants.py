"""Compute determinants and their logarithms."""

from __future__ import annotations

import collections

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.linalg.factorizations import cholesky_factor
from shims._src.linalg.lu_factors import check_invertible, factored, solved
from shims._src.linalg.matrix_operands import main_diagonal, square_matrices
from shims._src.tracing.dispatch import operator

LogMatrixDeterminant = collections.namedtuple(
    "LogMatrixDeterminant", ["sign", "log_abs_determinant"]
)


@operator(compiled=True)
def det(input, name=None):
    """Compute the determinant of matrices.

    Args:
      input: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      An array `[...]`.

    Raises:
      InvalidArgumentError: the matrices are not square; or a matrix is not invertible, and its
        determinant is differentiated.

    Differs from TensorFlow:
      If both sizes are known only at run time, the gradient of a matrix that is not invertible
      is infinite or NaN, and no error is raised.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/det
    """
    a = square_matrices("det", input)
    return _det(a, *_factor_parts(a))


@operator(compiled=True)
def slogdet(input, name=None):
    """Compute the sign of the determinant, and the logarithm of its absolute value.

    Args:
      input: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      `(sign, log_abs_determinant)`, each `[...]`; `(0, -inf)` where a matrix is not invertible.

    Raises:
      InvalidArgumentError: the matrices are not square; or a matrix is not invertible, and the
        logarithm is differentiated.

    Differs from TensorFlow:
      If both sizes are known only at run time, the gradient of a matrix that is not invertible
      is infinite or NaN, and no error is raised.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/slogdet
    """
    a = square_matrices("slogdet", input)
    lu, order, sign, magnitude = _factor_parts(a)
    log = _log_magnitude(a, lu, order, magnitude)
    return LogMatrixDeterminant(
        lax.stop_gradient(sign), log
    )  # as in TensorFlow, the sign has no gradient


@operator(compiled=True)
def logdet(matrix, name=None):
    """Compute the logarithm of the determinant of positive definite matrices.

    Args:
      matrix: floating-point array `[..., n, n]`; only the lower triangle is read.
      name: ignored.

    Returns:
      An array `[...]`, NaN where a matrix is not positive definite.

    Raises:
      InvalidArgumentError: the matrices are not square.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/logdet
    """
    factor = cholesky_factor(square_matrices("logdet", matrix, name="matrix"))
    return 2 * jnp.sum(jnp.log(jnp.real(main_diagonal(factor))), axis=-1)


def _factor_parts(a):
    """Compute the LU decomposition, and from it the sign and the logarithm of the determinant.

    Return `(lu, order, sign, log_magnitude)`.
    """
    lu, pivots, order = factored(a)
    diagonal = main_diagonal(lu)
    swaps = jnp.sum(pivots != jnp.arange(a.shape[-1], dtype=pivots.dtype), axis=-1)
    sign = jnp.where(swaps % 2 == 0, 1, -1).astype(a.dtype)
    sign = sign * jnp.prod(jnp.sign(diagonal), axis=-1)
    magnitude = jnp.sum(jnp.log(jnp.abs(diagonal)), axis=-1).astype(a.dtype)
    return lu, order, sign, magnitude


def _relative_change(function, a, lu, order, t):
    """Compute the tangent of the log determinant, the trace of `inv(a) @ t`.

    Singular matrices are rejected, as in TensorFlow.
    """
    check_invertible(function, lu, "Input is not invertible.")
    return jnp.sum(main_diagonal(solved(a, lu, order, t)), axis=-1)


@jax.custom_jvp
def _det(a, lu, order, sign, magnitude):
    return jnp.where(sign == 0, sign, sign * jnp.exp(magnitude))


@_det.defjvp
def _det_jvp(primals, tangents):
    """Define the derivative of the determinant, conjugated such that TensorFlow's gradient results."""
    a, lu, order, *_ = primals
    value = _det(*primals)
    return value, jnp.conj(value) * _relative_change("det", a, lu, order, tangents[0])


@jax.custom_jvp
def _log_magnitude(a, lu, order, magnitude):
    return magnitude


@_log_magnitude.defjvp
def _log_magnitude_jvp(primals, tangents):
    a, lu, order, magnitude = primals
    return magnitude, _relative_change("slogdet", a, lu, order, tangents[0])
