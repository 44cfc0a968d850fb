"""Transpose matrices, and extract bands."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.linalg.matrix_operands import check_rank, turned
from shims._src.platform import jax_private as jp
from shims._src.sizes.primitives import as_size
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    """Swap the last two axes.

    Args:
      a: array `[..., n, m]`.
      name: ignored.
      conjugate: whether to conjugate complex numbers too.

    Returns:
      An array of shape `[..., m, n]`.

    Raises:
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.matrix_transpose([[1, 2], [3, 4]]))
      [[1 3]
       [2 4]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/matrix_transpose
    """
    a = operand(a)
    check_rank("matrix_transpose", "a", a)
    return turned(a) if conjugate else jnp.swapaxes(a, -1, -2)


@operator(compiled=True)
def adjoint(matrix, name=None):
    """Compute the conjugate transpose.

    Args:
      matrix: array `[..., n, m]`.
      name: ignored.

    Returns:
      An array `[..., m, n]`.

    Raises:
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/adjoint
    """
    matrix = operand(matrix)
    check_rank("adjoint", "matrix", matrix)
    return turned(matrix)


@operator(compiled=True)
def band_part(input, num_lower, num_upper, name=None):
    """Keep a band around the diagonal of matrices; all other elements are 0.

    Args:
      input: array `[..., n, m]`.
      num_lower: the number of diagonals below the main diagonal to keep; all when negative.
      num_upper: the number of diagonals above the main diagonal to keep; all when negative.
      name: ignored.

    Returns:
      An array of the shape of `input`.

    Raises:
      InvalidArgumentError: `num_lower` or `num_upper` is larger than the matrices.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes and both numbers may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.band_part([[1, 2], [3, 4]], -1, 0))
      [[1 0]
       [3 4]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/band_part
    """
    x = operand(input)
    check_rank("band_part", "input", x)
    rows, columns = x.shape[-2:]
    lower = _check_diagonal_count("num_lower", num_lower, rows, x)
    upper = _check_diagonal_count("num_upper", num_upper, columns, x)
    offset = jnp.arange(columns) - jnp.arange(rows)[:, None]
    keep = ((lower < 0) | (offset >= -lower)) & ((upper < 0) | (offset <= upper))
    return jnp.where(keep, x, jnp.zeros((), x.dtype))


def _check_diagonal_count(name, count, size, x):
    if isinstance(count, float):
        raise TypeError(f"band_part: `{name}` is a number of diagonals, received {count!r}.")
    known = not jp.is_tracer(count) and not jp.is_symbolic(count)
    count = np.asarray(count, np.int64) if known else operand(count)
    limit = size if is_known(size) else as_size(size)
    checks.check_data(
        count > limit,
        "band_part",
        f"`{name}` is larger than the matrices.",
        required=f"{name} <= {size}",
        received=f"{name}={count}, input {describe(x)}" if known else f"input {describe(x)}",
    )
    return count
