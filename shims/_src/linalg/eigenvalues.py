"""Compute eigenvalues and eigenvectors, with TensorFlow's gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.linalg.lu_factors import factors, solved
from shims._src.linalg.matrix_operands import (
    below,
    check_kernel,
    from_lower,
    main_diagonal,
    safe_reciprocals_of_gaps,
    square_matrices,
    turned,
)
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def eigh(tensor, name=None):
    """Compute eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      tensor: floating-point array `[..., n, n]`; only the lower triangle is read.
      name: ignored.

    Returns:
      `(e, v)`: the eigenvalues `[..., n]` in ascending order, and the eigenvectors as columns of
      `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or a matrix contains NaN.

    Differs from TensorFlow:
      An eigenvector is unique only up to its sign (or a complex phase), and the eigenvectors of
      equal eigenvalues only up to a rotation. The results of the two libraries may differ in these
      respects. If a matrix contains an infinity, all its eigenvectors are NaN.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigh
    """
    a = square_matrices("eigh", tensor, name="tensor")
    values, vectors = hermitian(a)
    values, vectors = _check_results("eigh", below(a), values, vectors)
    return values.astype(a.dtype), vectors


@operator(compiled=True)
def eigvalsh(tensor, name=None):
    """Compute eigenvalues of Hermitian matrices.

    Args:
      tensor: floating-point array `[..., n, n]`; only the lower triangle is read.
      name: ignored.

    Returns:
      An array `[..., n]` in ascending order.

    Raises:
      InvalidArgumentError: the matrices are not square, or a matrix contains NaN.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigvalsh
    """
    a = square_matrices("eigvalsh", tensor, name="tensor")
    (values,) = _check_results("eigvalsh", below(a), _hermitian_values(a))
    return values.astype(a.dtype)


def _check_results(function, a, values, *vectors):
    """Reject matrices that contain NaN, and set the results for matrices with infinities to NaN."""
    infinite = jnp.any(jnp.isinf(a), axis=(-2, -1))
    lost = jnp.any(jnp.isnan(a), axis=(-2, -1)) | jnp.any(jnp.isnan(values), axis=-1)
    checks.check_data(
        lost & ~infinite,
        function,
        "the eigenvalues could not be computed.",
        required="matrices without NaN",
    )
    values = jnp.where(infinite[..., None], jnp.nan, values)
    return values, *(jnp.where(infinite[..., None, None], jnp.nan, v) for v in vectors)


@jax.custom_jvp
def hermitian(a):
    """Compute eigenvalues and eigenvectors from the lower triangle of matrices."""
    vectors, values = lax.linalg.eigh(a, lower=True, symmetrize_input=False)
    return values, vectors


@hermitian.defjvp
def _hermitian_jvp(primals, tangents):
    (a,), (t,) = primals, tangents
    e, v = hermitian(a)
    inner = jnp.matmul(turned(v), jnp.matmul(from_lower(t), v))
    mixed = safe_reciprocals_of_gaps(e).astype(inner.dtype) * inner
    return (e, v), (jnp.real(main_diagonal(inner)), jnp.matmul(v, mixed))


@jax.custom_jvp
def _hermitian_values(a):
    return lax.linalg.eigh(a, lower=True, symmetrize_input=False)[1]


@_hermitian_values.defjvp
def _hermitian_values_jvp(primals, tangents):
    (a,), (t,) = primals, tangents
    e, v = hermitian(a)
    return e, jnp.real(main_diagonal(jnp.matmul(turned(v), jnp.matmul(from_lower(t), v))))


@operator(compiled=True)
def eig(tensor, name=None):
    """Compute eigenvalues and eigenvectors of square matrices.

    Args:
      tensor: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      `(e, v)`: the complex eigenvalues `[..., n]`, and the eigenvectors as columns of
      `[..., n, n]`, of length 1.

    Raises:
      InvalidArgumentError: the matrices are not square, or a matrix contains NaN.

    Differs from TensorFlow:
      The order of the eigenvalues and the phases of the vectors are not determined, so the results
      of the two libraries may differ in both respects.

    Under jit:
      The leading axes may be known only at run time. The function is available on CPU and GPU only.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eig
    """
    a = square_matrices("eig", tensor, name="tensor")
    check_kernel("eig", a)
    values, vectors = _general_vectors(a)
    return _check_results("eig", a, values, vectors)


@operator(compiled=True)
def eigvals(tensor, name=None):
    """Compute eigenvalues of square matrices.

    Args:
      tensor: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      The complex eigenvalues `[..., n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or a matrix contains NaN.

    Differs from TensorFlow:
      The order of the eigenvalues is not defined, and may differ from TensorFlow's.

    Under jit:
      The leading axes may be known only at run time. The function is available on CPU and GPU only.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigvals
    """
    a = square_matrices("eigvals", tensor, name="tensor")
    check_kernel("eigvals", a)
    return _check_results("eigvals", a, _general_values(a))[0]


@jax.custom_jvp
def _general_vectors(a):
    values, vectors = lax.linalg.eig(a, compute_left_eigenvectors=False)
    return values, vectors


@_general_vectors.defjvp
def _general_jvp(primals, tangents):
    (a,), (t,) = primals, tangents
    e, v = _general_vectors(a)
    inner = solved(v, *factors(v), jnp.matmul(t.astype(v.dtype), v))
    turn = jnp.matmul(v, safe_reciprocals_of_gaps(e) * inner)
    # Remove the component along each vector: the vectors keep their length.
    along = jnp.real(jnp.sum(jnp.conj(v) * turn, axis=-2))
    return (e, v), (main_diagonal(inner), turn - v * along[..., None, :])


@jax.custom_jvp
def _general_values(a):
    (values,) = lax.linalg.eig(a, compute_left_eigenvectors=False, compute_right_eigenvectors=False)
    return values


@_general_values.defjvp
def _general_values_jvp(primals, tangents):
    (a,), (t,) = primals, tangents
    e, v = _general_vectors(a)
    return e, main_diagonal(solved(v, *factors(v), jnp.matmul(t.astype(v.dtype), v)))
