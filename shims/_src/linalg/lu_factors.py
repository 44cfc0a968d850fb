"""Compute LU decompositions, and solve equations with them."""

from __future__ import annotations

import collections
import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import agreeing, describe, matching, meeting, operand
from shims._src.linalg.matrix_operands import (
    below,
    check_rank,
    identity_like,
    main_diagonal,
    square_matrices,
    turned,
    with_one_batch,
)
from shims._src.platform import accelerators
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype

Lu = collections.namedtuple("Lu", ["lu", "p"])


def factors(a):
    """Compute the LU decomposition `(lu, order)` of square matrices, for use with `solved`."""
    lu, _, order = factored(a)
    return lu, order


def factored(a):
    """Compute the LU decomposition `(lu, pivots, order)` of square matrices.

    GPU routines never choose a NaN as pivot, and so lose it. On a GPU, NaN is therefore written to all
    elements to which it would have propagated.
    """
    lu, pivots, order = lax.linalg.lu(a)
    is_cpu = accelerators.runs_on_cpu(a)
    if is_cpu is not True:
        lu = jnp.where(_reached_by_nan(a, order) & ~jnp.asarray(is_cpu), jnp.nan, lu)
    return lu, pivots, order


def _reached_by_nan(a, order):
    """Return the mask of the elements to which NaN propagates in an LU decomposition.

    These are all elements from the first row and column with a NaN on, in the order of the permuted rows.
    """
    missing = jnp.isnan(jnp.take_along_axis(a, order[..., :, None], axis=-2))
    rows, columns = (jnp.any(missing, axis=i) for i in (-1, -2))
    rows, columns = (jnp.cumsum(n, axis=-1, dtype=jnp.int32) > 0 for n in (rows, columns))
    return rows[..., :, None] & columns[..., None, :]


def check_invertible(function: str, lu, problem: str = "Input matrix is not invertible.") -> None:
    """Check that the diagonal of an LU decomposition has no zero and does not begin with NaN."""
    pivots = main_diagonal(lu)
    bad = (pivots == 0) | jnp.isnan(pivots[..., :1])
    checks.check_data(bad, function, problem, required="an invertible matrix")


def substituted(lu, order, b):
    """Solve for right-hand sides `[..., n, k]` by substitution, given the LU factors."""
    b = jnp.take_along_axis(b, order[..., :, None], axis=-2)
    b = lax.linalg.triangular_solve(lu, b, left_side=True, lower=True, unit_diagonal=True)
    return lax.linalg.triangular_solve(lu, b, left_side=True, lower=False)


@jax.custom_jvp
def solved(a, lu, order, b):
    """Solve `a @ x = b`, given the LU factors of `a`.

    The first derivative flows through `a` alone. Its own derivative, the second, flows through the factors,
    so `stop_gradient` must not be applied to them.
    """
    return substituted(lu, order, b)


@solved.defjvp
def _solved_jvp(primals, tangents):
    a, lu, order, b = primals
    da, _, _, db = tangents
    x = solved(a, lu, order, b)
    return x, solved(a, lu, order, db - jnp.matmul(da, x))


@operator(compiled=True)
def lu(input, output_idx_type=np.int32, name=None):
    """Compute the LU decomposition of matrices, with row pivoting.

    Args:
      input: floating-point array `[..., n, n]`.
      output_idx_type: the dtype of the permutation.
      name: ignored.

    Returns:
      `(lu, p)`: `[..., n, n]` with `U` in the upper triangle and `L`, without its diagonal of ones,
      below it; and `[..., n]` with the permutation of the rows.

    Raises:
      InvalidArgumentError: the matrices are not square, or one is not invertible.

    Differs from TensorFlow:
      Pivots of complex matrices are compared by the sum of the absolute values of both parts, as in
      LAPACK; TensorFlow compares magnitudes. The factors of a matrix may then differ.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu
    """
    a = square_matrices("lu", input)
    both, _, order = factored(a)
    check_invertible("lu", both, "Input is not invertible.")
    return Lu(both, order.astype(array_dtype(output_idx_type, "lu")))


@operator(compiled=True)
def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """Solve linear equations, given the LU decomposition of the matrix.

    Args:
      lower_upper: `lu` as returned by `shims.linalg.lu`, `[..., n, n]`.
      perm: the permutation of the rows, `[..., n]`.
      rhs: right-hand sides `[..., n, k]`.
      validate_args: ignored; the shapes are always checked.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      ValueError: the shapes are incompatible.

    Differs from TensorFlow:
      Whether the matrix is invertible is not checked.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_solve
    """
    lower_upper, rhs = matching("lu_solve", lower_upper=lower_upper, rhs=rhs)
    lower_upper = square_matrices("lu_solve", lower_upper, name="lower_upper")
    check_rank("lu_solve", "rhs", rhs)
    sizes = (lower_upper.shape[-1], rhs.shape[-2])
    if all(map(is_known, sizes)) and sizes[0] != sizes[1]:
        raise checks.invalid(
            "lu_solve",
            "the sizes of `lower_upper` and `rhs` do not match.",
            required="lower_upper.shape[-1] == rhs.shape[-2]",
            received=f"lower_upper {describe(lower_upper)}, rhs {describe(rhs)}",
        )
    return _solve_permuted("lu_solve", lower_upper, perm, rhs)


def _solve_permuted(function, matrix, perm, rhs):
    """Solve from LU factors, after checking shapes and broadcasting the leading axes."""
    _, rhs = meeting(function, matrix, matrix.ndim - 1, rhs, rhs.ndim - 2)
    perm = _check_permutation(function, matrix, perm)
    checks.check_positions(function, "perm", perm, matrix.shape[-1])
    matrix, perm, rhs = with_one_batch(function, (matrix, 2), (perm, 1), (rhs, 2))
    if matrix.ndim > 2:  # TensorFlow gathers rows by position, which fails without columns
        checks.check_data(
            (primitives.as_size(rhs.shape[-1]) == 0)
            & (primitives.as_size(math.prod(perm.shape)) != 0),
            function,
            "`rhs` has no columns, but the matrices are a batch.",
            required="rhs.shape[-1] > 0",
        )
    return substituted(matrix, perm, rhs)


def _check_permutation(function, matrix, perm):
    """Check the shape of the row permutation of a matrix."""
    perm = operand(perm)
    fits = perm.ndim == matrix.ndim - 1
    if fits:
        perm = meeting(function, matrix, matrix.ndim - 1, perm, perm.ndim - 1)[1]
        sizes = (perm.shape[-1], matrix.shape[-1])
        fits = not all(map(is_known, sizes)) or sizes[0] == sizes[1]
    if not fits:
        raise checks.invalid(
            function,
            "`perm` does not match `lower_upper`.",
            required="perm [..., n] and lower_upper [..., n, n]",
            received=f"lower_upper {describe(matrix)}, perm {describe(perm)}",
        )
    return perm


@operator(compiled=True)
def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """Compute the inverse of a matrix, given its LU decomposition.

    Args:
      lower_upper: `lu` as returned by `shims.linalg.lu`, `[..., n, n]`.
      perm: the permutation of the rows, `[..., n]`.
      validate_args: ignored; the shapes are always checked.
      name: ignored.

    Returns:
      An array `[..., n, n]`.

    Raises:
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      Whether the matrix is invertible is not checked.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_matrix_inverse
    """
    both = square_matrices("lu_matrix_inverse", lower_upper, name="lower_upper")
    return _solve_permuted("lu_matrix_inverse", both, perm, identity_like(both))


@operator(compiled=True)
def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """Reconstruct a matrix from its LU decomposition.

    Args:
      lower_upper: `lu` as returned by `shims.linalg.lu`, `[..., n, n]`.
      perm: the permutation of the rows, `[..., n]`.
      validate_args: ignored; the shapes are always checked.
      name: ignored.

    Returns:
      An array `[..., n, n]`.

    Raises:
      ValueError: the array has fewer than two axes, or the shapes are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lu_reconstruct
    """
    both = square_matrices("lu_reconstruct", lower_upper, name="lower_upper")
    perm = _check_permutation("lu_reconstruct", both, perm)
    perm, _ = agreeing("lu_reconstruct", [perm, both], range(perm.ndim - 1))
    checks.check_data(
        jnp.sort(perm, axis=-1) != jnp.arange(perm.shape[-1], dtype=perm.dtype),
        "lu_reconstruct",
        "`perm` is not a permutation of the rows.",
        required="each row number exactly once",
    )
    lower = below(both, strictly=True) + identity_like(both)
    product = jnp.matmul(lower, turned(below(turned(both))))
    # Row i of the product is row `perm[i]` of the matrix: apply the inverse permutation.
    place = jnp.argsort(perm, axis=-1)
    product, place = with_one_batch("lu_reconstruct", (product, 2), (place, 1))
    return jnp.take_along_axis(product, place[..., :, None], axis=-2)
