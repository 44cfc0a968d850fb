"""Functions of whole matrices: exponentials, roots, generalised inverses, ranks."""

from __future__ import annotations

import jax.numpy as jnp
import jax.scipy.linalg

from shims._src.checks import is_known
from shims._src.dispatch import operator
from shims._src.factorisations import svd
from shims._src.matrix_operands import matrices, square_matrices, turned
from shims._src.operands import operand
from shims._src.over_axes import largest
from shims._src.primitives import as_size

# Beyond 2**32 the exponential of a matrix is 0, infinite, or made of rounding.
_SQUARINGS = 32


@operator(compiled=True)
def expm(input, name=None):
    """The exponential of matrices.

    Args:
      input: floating-point array `[..., n, n]`.
      name: ignored.

    Returns:
      `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing up to a norm of 2**32; beyond it NaN.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/expm
    """
    a = square_matrices("expm", input)
    if not all(map(is_known, a.shape)) or 0 not in a.shape:
        return jax.scipy.linalg.expm(a, max_squarings=_SQUARINGS)
    return a


def pseudo_inverse(s, u, v, least):
    """The generalised inverse, where singular values up to `least` of the largest count as 0."""
    cutoff = jnp.asarray(least, s.dtype) * largest(s, (s.ndim - 1,))
    inverted = jnp.where(s > cutoff[..., None], s, jnp.inf)
    return jnp.matmul(v / inverted[..., None, :].astype(v.dtype), turned(u))


@operator(compiled=True)
def pinv(a, rcond=None, validate_args=False, name=None):
    """The generalised inverse of matrices after Moore and Penrose.

    Args:
      a: floating-point array `[..., n, m]`.
      rcond: relative to the largest, up to this a singular value counts as 0;
        `10 * max(n, m) * eps` when `None`.
      validate_args: ignored; the rank is always checked.
      name: ignored.

    Returns:
      `[..., m, n]`.

    Raises:
      TypeError: the matrix holds integers.
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/pinv
    """
    x = matrices("pinv", a, name="a")
    least = 10 * _longest(x) * jnp.finfo(x.dtype).eps if rcond is None else operand(rcond, x.dtype)
    return pseudo_inverse(*svd(x), least)


def _longest(x):
    """The larger size of the matrices, as a number to compute with."""
    rows, columns = x.shape[-2:]
    if is_known(rows) and is_known(columns):
        return max(rows, columns)
    return jnp.maximum(as_size(rows), as_size(columns)).astype(jnp.finfo(x.dtype).dtype)


@operator(compiled=True)
def matrix_rank(a, tol=None, validate_args=False, name=None):
    """The number of singular values that are not 0.

    Args:
      a: floating-point array `[..., n, m]`.
      tol: up to this a singular value counts as 0; `eps * max(n, m)` times the largest when `None`.
      validate_args: ignored; the rank of the array is always checked.
      name: ignored.

    Returns:
      int32 `[...]`.

    Raises:
      TypeError: the matrix holds integers.
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
        tol = jnp.asarray(jnp.finfo(s.dtype).eps * _longest(x), s.dtype) * top
    return jnp.sum((s > operand(tol, s.dtype)).astype(jnp.int32), axis=-1, dtype=jnp.int32)
