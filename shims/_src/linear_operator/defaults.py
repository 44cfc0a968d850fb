"""Provide default implementations of the operations of a linear operator."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.linalg.determinants import det, slogdet
from shims._src.linalg.diagonals import diag_part
from shims._src.linalg.eigenvalues import eigvalsh
from shims._src.linalg.factorizations import cholesky, svd
from shims._src.linalg.lu_factors import check_invertible, factors, solved
from shims._src.linalg.matrix_operands import (
    main_diagonal,
    on_diagonal,
    square_matrices,
    turned,
    with_one_batch,
)
from shims._src.linalg.solving import cholesky_solve, match_square
from shims._src.linear_operator.delegates import DELEGATES
from shims._src.math.over_axes import largest, smallest


class Defaults:
    """A base class that implements each operation by others, mostly by the dense matrices.

    A subclass overrides the operations that its structure makes faster.
    """

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def _matvec(self, x, adjoint=False):
        return jnp.squeeze(self.matmul(x[..., None], adjoint=adjoint), -1)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        if self._can_use_cholesky():
            return cholesky_solve(cholesky(self.to_dense()), rhs)
        return dense_solution(self.to_dense(), rhs, adjoint)

    def _solvevec(self, rhs, adjoint=False):
        return jnp.squeeze(self.solve(rhs[..., None], adjoint=adjoint), -1)

    def _can_use_cholesky(self):
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _determinant(self):
        if self._can_use_cholesky():
            return jnp.exp(self.log_abs_determinant())
        return det(self.to_dense())

    def _log_abs_determinant(self):
        if self._can_use_cholesky():
            return 2 * jnp.sum(jnp.log(main_diagonal(cholesky(self.to_dense()))), axis=-1)
        return slogdet(self.to_dense()).log_abs_determinant

    def _trace(self):
        return jnp.sum(self.diag_part(), axis=-1)

    def _eigvals(self):
        return eigvalsh(self.to_dense())

    def _cond(self):
        if self.is_self_adjoint:
            values = jnp.abs(self._eigvals())
        else:
            values = svd(self.to_dense(), compute_uv=False)
        last = (values.ndim - 1,)
        return largest(values, last) / smallest(values, last)

    def _to_dense(self):
        *batch, _, columns = self._dims()
        eye = on_diagonal(columns, columns).astype(self.dtype)
        return self.matmul(jnp.broadcast_to(eye, (*batch, columns, columns)))

    def _diag_part(self):
        return diag_part(self.to_dense())

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def _linop_adjoint(self):
        return DELEGATES.adjoint(self, **self._all_hints())

    def _linop_inverse(self):
        return DELEGATES.inversion(self, **self._all_hints())

    def _linop_cholesky(self):
        return DELEGATES.lower_triangular(
            cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def _assert_non_singular(self):
        if self._can_use_cholesky():
            self.assert_positive_definite()
            return
        values = svd(self.to_dense(), compute_uv=False)
        last = (values.ndim - 1,)
        most = jnp.maximum(100.0, jnp.max(self.shape_tensor()[-2:]).astype(values.dtype))
        limit = 1 / (most * jnp.finfo(values.dtype).eps)
        condition = largest(values, last) / smallest(values, last)
        self._refuse(~(condition < limit), "Singular matrix up to precision epsilon.")

    def _assert_positive_definite(self):
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        diagonal = jnp.real(main_diagonal(cholesky(self.to_dense())))
        self._refuse(~(diagonal > 0), "Matrix was not positive definite.")

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        self._refuse(dense != turned(dense), "Matrix was not equal to its adjoint.")

    def _refuse(self, bad, problem):
        checks.check_data(bad, self.name, problem)


def dense_solution(a, rhs, adjoint):
    """Solve `a @ x == rhs` for dense matrices by their LU factors."""
    a, rhs = match_square("solve", square_matrices("solve", a, name="matrix"), rhs, "matrix")
    a, rhs = with_one_batch("solve", (a, 2), (rhs, 2))
    a = turned(a) if adjoint else a
    lu, order = factors(a)
    check_invertible("solve", lu)
    return solved(a, lu, order, rhs)
