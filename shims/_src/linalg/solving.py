"""Solve linear equations: inverses, triangular systems, least squares."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, meeting, operand
from shims._src.errors import errors
from shims._src.linalg.factorizations import cholesky_factor, svd
from shims._src.linalg.lu_factors import check_invertible, factors, solved
from shims._src.linalg.matrix_functions import pseudo_inverse
from shims._src.linalg.matrix_operands import (
    check_kernel,
    check_rank,
    identity_like,
    main_diagonal,
    on_diagonal,
    square_matrices,
    turned,
    with_one_batch,
)
from shims._src.sizes.primitives import as_size, unify_axis
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def inv(input, adjoint=False, name=None):
    """Compute the inverse of matrices.

    Args:
      input: floating-point array `[..., n, n]`.
      adjoint: invert the conjugate transpose.
      name: ignored.

    Returns:
      An array `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square, or one is not invertible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; a matrix that is not invertible raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/linalg/inv
    """
    x = operand(input)
    half = x.dtype == jnp.float16
    a = square_matrices("inv", x.astype(jnp.float32) if half else x)
    a = turned(a) if adjoint else a
    lu, order = factors(a)
    check_invertible("inv", lu, "Input is not invertible.")
    out = solved(a, lu, order, identity_like(a))
    return out.astype(x.dtype) if half else out


@operator(compiled=True)
def solve(matrix, rhs, adjoint=False, name=None):
    """Solve linear equations.

    Args:
      matrix: floating-point array `[..., n, n]`.
      rhs: array `[..., n, k]` of the same dtype and leading axes.
      adjoint: whether to solve with the conjugate transpose of `matrix`.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      InvalidArgumentError: the shapes are incompatible, or a matrix is not invertible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; a matrix that is not invertible raises an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/linalg/solve
    """
    matrix, rhs = matching("solve", matrix=matrix, rhs=rhs)
    a = square_matrices("solve", matrix, name="matrix")
    a, b = match_square("solve", a, rhs, "matrix")
    if a.ndim != b.ndim or _differ(a.shape[:-2], b.shape[:-2]):
        raise _shape_mismatch("solve", a, b, "equal leading axes")
    for axis in range(a.ndim - 2):
        if is_known(b.shape[axis]) and not is_known(a.shape[axis]):
            checks.check_data(
                as_size(a.shape[axis]) != b.shape[axis],
                "solve",
                "the shapes of the operands do not match.",
                required="equal leading axes",
            )
        b = unify_axis(b, axis, a.shape[axis], label="solve")
    a = turned(a) if adjoint else a
    lu, order = factors(a)
    check_invertible("solve", lu)
    return solved(a, lu, order, b)


def match_square(function, a, b, name):
    """Check that a square matrix and right-hand sides have the same number of rows."""
    a, b = _match_rows(function, a, b, name)
    return unify_axis(a, a.ndim - 1, a.shape[-2], label=function), b


def _match_rows(function, a, b, name):
    """Check that a matrix and right-hand sides have the same number of rows."""
    check_rank(function, "rhs", b)
    rows = (a.shape[-2], b.shape[-2])
    if all(map(is_known, rows)) and rows[0] != rows[1]:
        raise _shape_mismatch(function, a, b, f"{name}.shape[-2] == rhs.shape[-2]", name)
    return meeting(function, a, a.ndim - 2, b, b.ndim - 2)


def _differ(one, other) -> bool:
    return any(is_known(d) and is_known(e) and d != e for d, e in zip(one, other, strict=True))


def _shape_mismatch(function, a, b, required, name="matrix"):
    return checks.invalid(
        function,
        "the shapes of the operands do not match.",
        required=required,
        received=f"{name} {describe(a)}, rhs {describe(b)}",
    )


@operator(compiled=True)
def triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    """Solve linear equations with a triangular matrix.

    Args:
      matrix: floating-point array `[..., n, n]`; only one triangle is read.
      rhs: array `[..., n, k]` of the same dtype; leading axes broadcast.
      lower: whether to read the lower triangle instead of the upper triangle.
      adjoint: whether to solve with the conjugate transpose.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      InvalidArgumentError: the shapes are incompatible.

    Differs from TensorFlow:
      Nothing. A zero on the diagonal gives infinities.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[4.0], [5.0]]))
      [[2.]
       [3.]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/triangular_solve
    """
    matrix, rhs = matching("triangular_solve", matrix=matrix, rhs=rhs)
    a = square_matrices("triangular_solve", matrix, name="matrix")
    a, b = match_square("triangular_solve", a, rhs, "matrix")
    a, b = with_one_batch("triangular_solve", (a, 2), (b, 2))
    return solved_triangle(a, b, lower, adjoint)


def solved_triangle(a, b, lower=True, adjoint=False):
    """Solve `a @ x = b` for triangular `a`, or its adjoint; `a` and `b` have equal leading axes."""
    return lax.linalg.triangular_solve(
        a,
        b,
        left_side=True,
        lower=bool(lower),
        transpose_a=bool(adjoint),
        conjugate_a=bool(adjoint),
    )


@operator(compiled=True)
def cholesky_solve(chol, rhs, name=None):
    """Solve linear equations, given the Cholesky factor of the matrix.

    Args:
      chol: lower triangles `[..., n, n]`, as returned by `shims.linalg.cholesky`.
      rhs: array `[..., n, k]` of the same dtype; leading axes broadcast.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      InvalidArgumentError: the shapes are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/cholesky_solve
    """
    chol, rhs = matching("cholesky_solve", chol=chol, rhs=rhs)
    a = square_matrices("cholesky_solve", chol, name="chol")
    a, b = match_square("cholesky_solve", a, rhs, "chol")
    a, b = with_one_batch("cholesky_solve", (a, 2), (b, 2))
    return solved_triangle(a, solved_triangle(a, b), adjoint=True)


@operator(compiled=True)
def lstsq(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """Solve least squares: find the `x` for which `matrix @ x` is nearest to `rhs`.

    Args:
      matrix: floating-point array `[..., n, m]`.
      rhs: array `[..., n, k]` of the same dtype.
      l2_regularizer: the weight of the squared norm of `x` in the objective; only used when `fast`.
      fast: if True, solve the normal equations by a Cholesky decomposition; if False, use a singular value
        decomposition, which supports matrices of any rank.
      name: ignored.

    Returns:
      An array `[..., m, k]`; if there are several solutions, the solution of minimum norm.

    Raises:
      InvalidArgumentError: the shapes are incompatible, or `fast` and the rank is not full.
      UnimplementedError: `l2_regularizer` for complex128, as in TensorFlow.

    Differs from TensorFlow:
      With `fast`, a matrix without full rank is rejected; recent releases of TensorFlow return some
      solution. Without `fast`, the result for a matrix with an infinity is NaN; TensorFlow returns
      0.

    Under jit:
      Leading axes and the number of rows may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/lstsq
    """
    matrix, rhs = matching("lstsq", matrix=matrix, rhs=rhs)
    check_rank("lstsq", "matrix", matrix)
    check_kernel("lstsq", matrix)
    a, b = _match_rows("lstsq", matrix, rhs, "matrix")
    a, b = with_one_batch("lstsq", (a, 2), (b, 2))
    if matrix.dtype == jnp.complex128 and l2_regularizer != 0:
        raise errors.UnimplementedError(
            errors.message(
                "lstsq",
                "like TensorFlow, `lstsq` does not support `l2_regularizer` for complex128.",
            )
        )
    if not fast:
        return jnp.matmul(pseudo_inverse(*svd(a), _singular_value_cutoff(a)), b)
    high = a.shape[-2] >= a.shape[-1]
    gram = jnp.matmul(turned(a), a) if high else jnp.matmul(a, turned(a))
    n = gram.shape[-1]
    more = jnp.where(on_diagonal(n, n), l2_regularizer, 0).astype(gram.dtype)
    if high and not is_known(a.shape[-2]):  # without rows the solution is 0
        is_none = as_size(a.shape[-2]) == 0
        more = jnp.where(on_diagonal(n, n) & is_none, jnp.ones((), more.dtype), more)
    factor = cholesky_factor(gram + more)
    failed = jnp.isnan(main_diagonal(factor)) & ~jnp.isnan(main_diagonal(gram))
    checks.check_data(
        failed,
        "lstsq",
        "`matrix` does not have full rank.",
        required="linearly independent columns, or linearly independent rows if there are fewer rows",
        do="pass `fast=False`, or a larger `l2_regularizer`",
    )
    if high:
        return _solve_with_factor(factor, jnp.matmul(turned(a), b))
    return jnp.matmul(turned(a), _solve_with_factor(factor, b))


def _solve_with_factor(factor, b):
    return solved_triangle(factor, solved_triangle(factor, b), adjoint=True)


def _singular_value_cutoff(a):
    """Return the cutoff, relative to the largest singular value, below which others count as 0."""
    return jnp.finfo(a.dtype).eps * max(a.shape[-2:])
