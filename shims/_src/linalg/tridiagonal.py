"""Multiply and solve with tridiagonal and banded matrices, and compute eigenvalues."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, meeting, operand
from shims._src.array.cutting import window
from shims._src.array.select import boolean_mask
from shims._src.errors import errors
from shims._src.linalg.diagonals import diag, diag_part
from shims._src.linalg.eigenvalues import eigh, eigvalsh
from shims._src.linalg.lu_factors import factors, solved
from shims._src.linalg.matrix_operands import with_one_batch
from shims._src.numeric.banded import substituted
from shims._src.numeric.unconjugated import unconjugated
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.platform import accelerators
from shims._src.sizes.primitives import as_size, unify_axis
from shims._src.tracing.dispatch import operator


def in_compact_form(function: str, diagonals, form: str, *, more: bool = False):
    """Convert diagonals to compact form `[..., 3, n]`: above, on and below the main one.

    Args:
      function: the operator named in error messages.
      diagonals: the diagonals in one of TensorFlow's formats.
      form: the format.
      more: whether further diagonals may follow, which are ignored.

    Raises:
      ValueError: the format is unknown, or the diagonals do not fit it.
    """
    if form == "compact":
        out = operand(diagonals)
        known = out.ndim >= 2 and is_known(out.shape[-2])
        if out.ndim < 2 or (known and out.shape[-2] != 3 and not (more and out.shape[-2] > 3)):
            raise checks.invalid(
                function,
                "`diagonals` does not contain three diagonals.",
                required="diagonals [..., 3, n]",
                received=f"diagonals {describe(out)}",
            )
        if more:
            return window(out, out.ndim - 2, 0, 3, function=function)
        return unify_axis(out, out.ndim - 2, 3, label=function)
    if form == "matrix":
        matrix = operand(diagonals)
        problem, required = "`diagonals` is not a square matrix.", "diagonals [..., n, n]"
        if matrix.ndim < 2 or _differ(*matrix.shape[-2:]):
            raise checks.invalid(
                function, problem, required=required, received=f"diagonals {describe(matrix)}"
            )
        if not all(map(is_known, matrix.shape[-2:])):
            rows, columns = map(as_size, matrix.shape[-2:])
            checks.check_data(rows != columns, function, problem, required=required)
        return diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
    if form != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {form}")
    above, main, below = diagonals
    main = operand(main)
    above, below = operand(above, main.dtype), operand(below, main.dtype)
    n = main.shape[-1]
    three = [_pad_diagonal(above, n, behind=True), main, _pad_diagonal(below, n, behind=False)]
    if all(map(checks.is_known_shape, three)) and len({x.shape for x in three}) > 1:
        raise checks.invalid(
            function,
            "the lengths of the diagonals do not match.",
            required="three diagonals of length n, or a main diagonal of length n and two diagonals of length n - 1",
            received=", ".join(map(describe, (above, main, below))),
        )
    return jnp.stack(three, -2)


def _differ(a, b) -> bool:
    return is_known(a) and is_known(b) and a != b


def _pad_diagonal(diagonal, n, *, behind):
    """Pad a diagonal to the length `n` of the main one with a 0, which is never read.

    behind: whether the 0 is added at the end instead of the start.
    """
    if diagonal.shape[-1] == n:
        return diagonal
    sides = (0, 1) if behind else (1, 0)
    return jnp.pad(diagonal, [(0, 0)] * (diagonal.ndim - 1) + [sides])


def as_matrix(compact):
    """Build matrices from compact diagonals `[..., 3, n]`."""
    return diag(compact, k=(-1, 1), align="LEFT_RIGHT")


def _split_diagonals(compact):
    """Split compact diagonals into three vectors, with 0 in the two unused elements."""
    above, main, below = jnp.moveaxis(compact, -2, 0)
    place = jnp.arange(compact.shape[-1])
    zero = jnp.zeros((), compact.dtype)
    last = compact.shape[-1] - 1
    return jnp.where(place < last, above, zero), main, jnp.where(place > 0, below, zero)


def _unused_elements(compact):
    """Return a vector with the two unused elements of compact diagonals, and 0 elsewhere."""
    above, _, below = jnp.moveaxis(compact, -2, 0)
    place, zero = jnp.arange(compact.shape[-1]), jnp.zeros((), compact.dtype)
    last = compact.shape[-1] - 1
    return jnp.where(place < last, zero, above) + jnp.where(place > 0, zero, below)


def product(compact, x):
    """Multiply tridiagonal matrices in compact form by matrices `[..., n, k]`."""
    compact, x = meeting("tridiagonal_matmul", compact, compact.ndim - 1, x, x.ndim - 2)
    compact, x = with_one_batch("tridiagonal_matmul", (compact, 2), (x, 2))
    rows = [jnp.moveaxis(compact, -2, 0), _split_diagonals(compact)]
    edge = jnp.zeros_like(x[..., :1, :])
    after = jnp.concatenate([x[..., 1:, :], edge], axis=-2)
    before = jnp.concatenate([edge, x[..., :-1, :]], axis=-2)
    added, value = (
        above[..., None] * after + main[..., None] * x + below[..., None] * before
        for above, main, below in rows
    )
    # The gradient of the two unused elements is 0 times the incoming one: NaN if that is not finite.
    return with_derivative_of(lax.stop_gradient(value), added)


def solution(compact, rhs):
    """Solve with tridiagonal matrices in compact form, for right-hand sides `[..., n, k]`."""
    compact, rhs = meeting("tridiagonal_solve", compact, compact.ndim - 1, rhs, rhs.ndim - 2)
    compact, rhs = with_one_batch("tridiagonal_solve", (compact, 2), (rhs, 2))
    above, main, below = _split_diagonals(compact)
    # The gradient of the two unused elements is 0 times the incoming one: NaN if that is not finite.
    rhs = with_derivative_of(rhs, rhs + 0 * _unused_elements(compact)[..., None])
    return unconjugated(_solve, below, main, above, rhs)


def _solve(*operands):
    return accelerators.chosen(*operands, cpu=lax.linalg.tridiagonal_solve, default=_solve_dense)


def _solve_dense(below, main, above, rhs):
    """Solve with dense matrices, since tridiagonal GPU routines give NaN for some matrices."""
    matrix = as_matrix(jnp.stack([above, main, below], axis=-2))
    lu, order = factors(matrix)
    return solved(matrix, lu, order, rhs)


@operator(compiled=True)
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """Multiply tridiagonal matrices by matrices.

    Args:
      diagonals: for the format `compact`, an array `[..., 3, n]` of the diagonals above, on and
        below the main diagonal. For `sequence`, a list of these three diagonals. For `matrix`,
        matrices `[..., n, n]`, of which only these three diagonals are read.
      rhs: array `[..., n, k]` of the same dtype.
      diagonals_format: `compact`, `sequence` or `matrix`.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      ValueError: the diagonals do not fit their format, or the sizes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tridiagonal_matmul
    """
    compact = in_compact_form("tridiagonal_matmul", diagonals, diagonals_format, more=True)
    compact, rhs = matching("tridiagonal_matmul", diagonals=compact, rhs=rhs)
    compact, rhs = _match_batch("tridiagonal_matmul", compact, rhs, -2)
    return product(compact, rhs)


def _match_batch(function, compact, rhs, axis):
    """Check that right-hand sides have the leading axes of the diagonals."""
    wanted = (*compact.shape[:-2], compact.shape[-1])
    given = rhs.shape[: rhs.ndim + axis + 1]
    known = [p for p in zip(given, wanted, strict=False) if all(map(is_known, p))]
    if len(given) != len(wanted) or any(d != e for d, e in known):
        raise checks.invalid(
            function,
            "the shapes of the operands do not match.",
            required=f"rhs of shape {wanted}" if axis == -1 else f"rhs of shape {(*wanted, 'k')}",
            received=f"rhs {describe(rhs)}",
        )
    for i in range(compact.ndim - 2):
        compact, rhs = meeting(function, compact, i, rhs, i)
    return compact, rhs


@operator(compiled=True)
def tridiagonal_solve(
    diagonals,
    rhs,
    diagonals_format="compact",
    transpose_rhs=False,
    conjugate_rhs=False,
    name=None,
    partial_pivoting=True,
    perturb_singular=False,
):
    """Solve linear equations with tridiagonal matrices.

    Args:
      diagonals: for the format `compact`, an array `[..., 3, n]` of the diagonals above, on and
        below the main diagonal. For `sequence`, a list of these three diagonals. For `matrix`,
        matrices `[..., n, n]`, of which only these three diagonals are read.
      rhs: array `[..., n]` or `[..., n, k]` of the same dtype.
      diagonals_format: `compact`, `sequence` or `matrix`.
      transpose_rhs: whether to swap the last two axes of `rhs` first.
      conjugate_rhs: whether to conjugate `rhs`.
      name: ignored.
      partial_pivoting: ignored; partial pivoting is always used.
      perturb_singular: not supported.

    Returns:
      An array like `rhs`, after transposing.

    Raises:
      ValueError: the diagonals do not fit their format, or the sizes differ.
      UnimplementedError: `perturb_singular` is True.

    Differs from TensorFlow:
      `perturb_singular` is rejected; TensorFlow supports it on GPU only. On an accelerator, each
      system is solved as a dense matrix, which needs memory for `n * n` numbers.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tridiagonal_solve
    """
    if perturb_singular:
        raise errors.UnimplementedError(
            errors.message("tridiagonal_solve", "`perturb_singular` is not supported.")
        )
    compact = in_compact_form("tridiagonal_solve", diagonals, diagonals_format)
    compact, rhs = matching("tridiagonal_solve", diagonals=compact, rhs=rhs)
    rhs = jnp.conj(rhs) if conjugate_rhs else rhs
    if rhs.ndim == compact.ndim - 1:
        compact, rhs = _match_batch("tridiagonal_solve", compact, rhs, -1)
        return jnp.squeeze(solution(compact, rhs[..., None]), -1)
    rhs = jnp.swapaxes(rhs, -1, -2) if transpose_rhs else rhs
    compact, rhs = _match_batch("tridiagonal_solve", compact, rhs, -2)
    return solution(compact, rhs)


@operator(compiled=True)
def banded_triangular_solve(bands, rhs, lower=True, adjoint=False, name=None):
    """Solve linear equations with a banded triangular matrix.

    Args:
      bands: array `[..., d, n]` of the diagonals. If `lower` is True, the main diagonal comes first
        and the diagonals below it follow; if not, the diagonals above it come first and the main
        diagonal is last. Shorter diagonals are padded on the left if `lower` is True, and on the
        right if not.
      rhs: array `[..., n, k]` of the same dtype; leading axes broadcast.
      lower: whether the diagonals are those of a lower triangle.
      adjoint: whether to solve with the conjugate transpose.
      name: ignored.

    Returns:
      An array `[..., n, k]`.

    Raises:
      InvalidArgumentError: the sizes are incompatible, or there is a 0 on the main diagonal of the first
        matrix. As in TensorFlow, the other matrices are not checked.

    Differs from TensorFlow:
      Diagonals that lie outside of the matrix are ignored, as TensorFlow does in eager mode and for
      unknown sizes. TensorFlow's functions with known sizes, and its gradients, reject them.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/banded_triangular_solve
    """
    bands, rhs = matching("banded_triangular_solve", bands=bands, rhs=rhs)
    _check_rows(bands, rhs)
    bands, rhs = meeting("banded_triangular_solve", bands, bands.ndim - 1, rhs, rhs.ndim - 2)
    first = bands[(0,) * (bands.ndim - 2)]  # TensorFlow does not check the others
    checks.check_data(
        first[0 if lower else -1] == 0,
        "banded_triangular_solve",
        "Input matrix is not invertible.",
        required="no 0 on the main diagonal of the first matrix",
    )
    bands, rhs = with_one_batch("banded_triangular_solve", (bands, 2), (rhs, 2))
    return substituted(bands, rhs, lower=bool(lower), adjoint=bool(adjoint))


def _check_rows(bands, rhs):
    if bands.ndim < 2 or any(is_known(d) and d == 0 for d in (*bands.shape, *rhs.shape)):
        raise checks.invalid(
            "banded_triangular_solve",
            "an operand has no elements, or `bands` is not a matrix.",
            required="bands [..., k, n] and rhs [..., n, m] with elements",
            received=f"bands {describe(bands)}, rhs {describe(rhs)}",
        )
    checks.check_known("banded_triangular_solve", "diagonals", bands.shape[-2])
    sizes = (bands.shape[-1], rhs.shape[-2] if rhs.ndim > 1 else None)
    if sizes[1] is None or (all(map(is_known, sizes)) and sizes[0] != sizes[1]):
        raise checks.invalid(
            "banded_triangular_solve",
            "the shapes of the operands do not match.",
            required=f"rhs.shape[-2] == {sizes[0]}",
            received=f"rhs {describe(rhs)}",
        )


@operator
def eigh_tridiagonal(
    alpha, beta, eigvals_only=True, select="a", select_range=None, tol=None, name=None
):
    """Compute eigenvalues of tridiagonal Hermitian matrices.

    Args:
      alpha: the main diagonal, `[..., n]`.
      beta: the diagonal above the main diagonal, `[..., n - 1]`.
      eigvals_only: whether to return only the eigenvalues, without the eigenvectors.
      select: `a` for all eigenvalues, `i` for a range of indices, `v` for a range of values.
      select_range: for `i`, the first and the last index; for `v`, the lower bound (exclusive) and
        the upper bound (inclusive).
      tol: ignored; eigenvalues are as accurate as the dtype allows.
      name: ignored.

    Returns:
      The eigenvalues in ascending order, and the eigenvectors as columns unless `eigvals_only`.

    Raises:
      ValueError: `select` is unknown, or its range is missing or wrong.

    Differs from TensorFlow:
      Each eigenvector is determined only up to its sign, which may differ from TensorFlow's.
      Leading axes are supported; TensorFlow does not support them.

    Under jit:
      With `select="v"` the size of the result depends on data.

    https://www.tensorflow.org/api_docs/python/tf/linalg/eigh_tridiagonal
    """
    if select not in ("a", "i", "v"):
        raise ValueError("'select must have a value in {'a', 'i', 'v'}.")
    if select != "a" and select_range is None:
        raise ValueError("`select_range` must be given unless `select` is 'a'.")
    alpha, beta = matching("eigh_tridiagonal", alpha=alpha, beta=beta)
    beside = jnp.pad(jnp.conj(beta), [(0, 0)] * (beta.ndim - 1) + [(1, 0)])
    beside = unify_axis(beside, beta.ndim - 1, alpha.shape[-1], label="eigh_tridiagonal")
    alpha, beside = with_one_batch("eigh_tridiagonal", (alpha, 1), (beside, 1))
    rows = [jnp.zeros_like(alpha), jnp.real(alpha).astype(alpha.dtype), beside]
    matrix = as_matrix(jnp.stack(rows, axis=-2))
    if eigvals_only:
        return _select_eigenvalues(jnp.real(eigvalsh(matrix)), None, select, select_range)
    values, vectors = eigh(matrix)
    return _select_eigenvalues(jnp.real(values), vectors, select, select_range)


def _select_eigenvalues(values, vectors, select, chosen):
    if select == "i":
        first, last = (int(n) for n in np.asarray(chosen))
        if not 0 <= first <= last < values.shape[-1]:
            raise ValueError("Got empty index range in select_range.")
        values = values[..., first : last + 1]
        vectors = None if vectors is None else vectors[..., first : last + 1]
    elif select == "v":
        low, high = operand(chosen, values.dtype)
        keep = (values > low) & (values <= high)
        vectors = None if vectors is None else boolean_mask(vectors, keep, axis=vectors.ndim - 1)
        values = boolean_mask(values, keep)
    return values if vectors is None else (values, vectors)
