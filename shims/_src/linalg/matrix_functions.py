"""Compute matrix exponentials, square roots, logarithms, pseudoinverses and ranks."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
from jax import lax

from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.linalg.factorizations import svd
from shims._src.linalg.lu_factors import factors, solved
from shims._src.linalg.matrix_operands import matrices, square_matrices, turned
from shims._src.math.over_axes import largest
from shims._src.numeric.unconjugated import unconjugated
from shims._src.platform import accelerators, host_programs
from shims._src.platform.loops_per_device import with_varying_loops
from shims._src.sizes.primitives import as_size
from shims._src.tracing.dispatch import operator

# For a norm beyond 2**32 the exponential of a matrix is 0, infinite, or rounding errors.
_SQUARINGS = 32


@operator(compiled=True)
def expm(input, name=None):
    """Compute the exponential of matrices.

    Args:
      input: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      An array `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing up to a norm of 2**32; for larger norms the result is NaN.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/expm
    """
    a = square_matrices("expm", input)
    if not all(map(is_known, a.shape)) or 0 not in a.shape:
        return jax.scipy.linalg.expm(a, max_squarings=_SQUARINGS)
    return a


def pseudo_inverse(s, u, v, least):
    """Compute the pseudoinverse; singular values up to `least` times the largest are taken as 0."""
    cutoff = jnp.asarray(least, s.dtype) * largest(s, (s.ndim - 1,))
    inverted = jnp.where(s > cutoff[..., None], s, jnp.inf)
    return jnp.matmul(v / inverted[..., None, :].astype(v.dtype), turned(u))


@operator(compiled=True)
def pinv(a, rcond=None, validate_args=False, name=None):
    """Compute the Moore-Penrose pseudoinverse of matrices.

    Args:
      a: floating-point array `[..., n, m]`.
      rcond: singular values up to this fraction of the largest singular value count as 0. `None`
        means `10 * max(n, m) * eps`.
      validate_args: ignored; the rank is always checked.
      name: ignored.

    Returns:
      An array `[..., m, n]`.

    Raises:
      TypeError: the matrix contains integers.
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/pinv
    """
    x = matrices("pinv", a, name="a")
    least = (
        10 * _larger_size(x) * jnp.finfo(x.dtype).eps if rcond is None else operand(rcond, x.dtype)
    )
    return pseudo_inverse(*svd(x), least)


def _larger_size(x):
    """Return the larger of the numbers of rows and columns, as a number or a traced scalar."""
    rows, columns = x.shape[-2:]
    if is_known(rows) and is_known(columns):
        return max(rows, columns)
    return jnp.maximum(as_size(rows), as_size(columns)).astype(jnp.finfo(x.dtype).dtype)


@operator(compiled=True)
def matrix_rank(a, tol=None, validate_args=False, name=None):
    """Compute the rank of matrices: the number of nonzero singular values.

    Args:
      a: floating-point array `[..., n, m]`.
      tol: the largest singular value that counts as 0. `None` means `eps * max(n, m)` times the
        largest singular value of the matrix.
      validate_args: ignored; the rank of the array is always checked.
      name: ignored.

    Returns:
      int32 `[...]`.

    Raises:
      TypeError: the matrix contains integers.
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/matrix_rank
    """
    x = matrices("matrix_rank", a, name="a")
    s = svd(x, compute_uv=False)
    if tol is None:
        top = largest(s, (s.ndim - 1,))[..., None]
        tol = jnp.asarray(jnp.finfo(s.dtype).eps * _larger_size(x), s.dtype) * top
    return jnp.sum((s > operand(tol, s.dtype)).astype(jnp.int32), axis=-1, dtype=jnp.int32)


@operator(compiled=True)
def sqrtm(input, name=None):
    """Compute the principal square root of matrices.

    Args:
      input: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      An array `[..., n, n]`; NaN where a real matrix has no real root.

    Raises:
      InvalidArgumentError: the matrices are not square, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      If a singular matrix has no root, the positions of NaN and infinity may differ.

    Under jit:
      The leading axes must be static. On an accelerator, the square root is computed on the host.

    https://www.tensorflow.org/api_docs/python/tf/linalg/sqrtm
    """
    return unconjugated(_square_root, square_matrices("sqrtm", input))


@jax.custom_jvp
def _square_root(a):
    *batch, n, _ = a.shape
    flat = a.reshape((math.prod(batch), n, n))
    root = _complex_roots(flat) if flat.size else flat
    root = root.reshape(a.shape)
    if jnp.iscomplexobj(a):
        return root.astype(a.dtype)
    apart = jnp.max(jnp.abs(jnp.imag(root)), axis=(-2, -1), keepdims=True, initial=0)
    size = jnp.max(jnp.abs(root), axis=(-2, -1), keepdims=True, initial=0)
    return jnp.where(apart > 1e-3 * size, jnp.nan, jnp.real(root)).astype(a.dtype)


def _complex_roots(matrices):
    """Compute the square roots of matrices `[k, n, n]`, on the host if the device is not a CPU.

    JAX has the Schur decomposition on CPU only.
    """
    return accelerators.chosen(
        matrices,
        cpu=with_varying_loops(functools.partial(lax.map, jax.scipy.linalg.sqrtm)),
        default=_complex_roots_on_host,
    )


def _complex_roots_on_host(matrices):
    out = jax.ShapeDtypeStruct(matrices.shape, jnp.result_type(matrices.dtype, jnp.complex64))
    return host_programs.pure_callback(_roots_on_host, out, matrices, vmap_method="expand_dims")


def _roots_on_host(given):
    # Slow to import, and rarely needed.
    from scipy.linalg import sqrtm as of_one  # type: ignore[import-untyped]

    array = np.asarray(given)
    flat = array.reshape((-1, *array.shape[-2:])).astype(np.complex128)
    roots = [of_one(m) if np.isfinite(m).all() else np.full_like(m, np.nan) for m in flat]
    return np.asarray(roots, np.result_type(array, np.complex64)).reshape(array.shape)


@_square_root.defjvp
def _square_root_jvp(primals, tangents):
    """Compute the tangent `dr` by solving `r @ dr + dr @ r = da`, which has `n * n` unknowns."""
    (a,), (t,) = primals, tangents
    root = _square_root(a)
    *batch, n, _ = a.shape
    eye = jnp.eye(n, dtype=a.dtype)
    left = root[..., :, None, :, None] * eye[:, None, :]
    right = eye[:, None, :, None] * jnp.swapaxes(root, -1, -2)[..., None, :, None, :]
    matrix = (left + right).reshape((*batch, n * n, n * n))
    change = solved(matrix, *factors(matrix), t.reshape((*batch, n * n, 1)))
    return root, change.reshape(t.shape)


@operator
def logm(input, name=None):
    """Compute the principal logarithm of matrices.

    Args:
      input: complex array `[..., n, n]`.
      name: ignored.

    Returns:
      An array `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or they are not complex.

    Differs from TensorFlow:
      Nothing. Like TensorFlow's function, this function has no gradient.

    Under jit:
      Sizes must be static. The logarithm is computed on the host.

    https://www.tensorflow.org/api_docs/python/tf/linalg/logm
    """
    a = square_matrices("logm", input)
    out = jax.ShapeDtypeStruct(a.shape, a.dtype)
    return host_programs.pure_callback(_logarithms, out, a, vmap_method="expand_dims")


def _logarithms(given):
    # Slow to import, and rarely needed.
    from scipy.linalg import logm as of_one

    array = np.asarray(given)
    flat = array.reshape((-1, *array.shape[-2:]))
    logs = [
        _apply_if_finite(of_one, matrix.astype(np.complex128)) for matrix in flat if matrix.size
    ]
    return np.asarray(logs, array.dtype).reshape(array.shape)


def _apply_if_finite(function, matrix):
    """Apply a function of SciPy, but return NaN for a matrix that is not finite.

    TensorFlow returns NaN too; SciPy raises.
    """
    return (
        function(matrix)
        if np.isfinite(matrix).all()
        else np.full_like(matrix, complex(np.nan, np.nan))
    )
