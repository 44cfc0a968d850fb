"""Define `LinearOperatorLowRankUpdate`, an operator plus a low-rank matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import operand
from shims._src.linalg.determinants import det
from shims._src.linalg.factorizations import cholesky
from shims._src.linalg.linalg_ops import matmul
from shims._src.linalg.matrix_operands import main_diagonal
from shims._src.linalg.solving import cholesky_solve
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.defaults import dense_solution
from shims._src.linear_operator.diag import LinearOperatorDiag
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.identity import LinearOperatorIdentity


@jax.tree_util.register_pytree_node_class
class LinearOperatorLowRankUpdate(LinearOperator):
    """The sum `L + U D V^H`, whose solutions and determinants cost little more than those of `L`.

    Args:
      base_operator: `L`.
      u: matrices `[..., n, k]`.
      diag_update: the diagonal of `D`, `[..., k]`; all 1 when `None`.
      v: matrices `[..., m, k]`; `u` when `None`.
      is_diag_update_positive: whether the diagonal of `D` is known to be positive.
      is_non_singular: whether the sum is known to be invertible.
      is_self_adjoint: whether the operator is known to be self-adjoint.
      is_positive_definite: whether the operator is known to be positive definite.
      is_square: whether the operator is known to be square.
      name: the name of the operator.

    Raises:
      ValueError: a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorLowRankUpdate
    """

    _fields = ("_base_operator", "_u", "_diag_update", "_v_or_none")
    _statics = ("_positive_update",)

    def __init__(
        self,
        base_operator,
        u,
        diag_update=None,
        v=None,
        is_diag_update_positive=None,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowRankUpdate",
    ):
        self._base_operator: LinearOperator = base_operator
        dtype = base_operator.dtype
        self._u: Any = operand(u, dtype)
        self._v_or_none: Any = None if v is None else operand(v, dtype)
        self._diag_update: Any = None if diag_update is None else operand(diag_update, dtype)
        self._positive_update = implied(
            is_diag_update_positive,
            diag_update is None,
            "Default diagonal is the identity, which is positive.  However, user set "
            "'is_diag_update_positive' to False.",
        )
        symmetric = base_operator.is_self_adjoint and v is None
        positive = symmetric and base_operator.is_positive_definite and bool(self._positive_update)
        wrong = "Arguments imply this is self-adjoint positive-definite operator."
        is_self_adjoint = implied(
            is_self_adjoint, symmetric and not jnp.iscomplexobj(self._u), wrong
        )
        super().__init__(
            dtype,
            is_non_singular=implied(is_non_singular, True, wrong) if positive else is_non_singular,
            is_self_adjoint=implied(is_self_adjoint, positive, wrong),
            is_positive_definite=implied(is_positive_definite, positive, wrong),
            is_square=is_square,
            name=name,
            parameters={"base_operator": base_operator, "u": u, "diag_update": diag_update, "v": v},
        )

    @property
    def base_operator(self) -> LinearOperator:
        """The operator `L`."""
        return self._base_operator

    @property
    def u(self):
        """The matrices `U`."""
        return self._u

    @property
    def v(self):
        """The matrices `V`."""
        return self._u if self._v_or_none is None else self._v_or_none

    @property
    def diag_update(self):
        """The diagonal of `D`, or `None`."""
        return self._diag_update

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal of `D` is known to be positive."""
        return self._positive_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The matrix `D` as an operator."""
        if self._diag_update is None:
            return LinearOperatorIdentity(self._u.shape[-1], dtype=self.dtype)
        return LinearOperatorDiag(self._diag_update, is_positive_definite=self._positive_update)

    def _dims(self):
        base = self._base_operator._dims()
        diagonal = self.diag_operator._dims()[:-2]
        batch = jnp.broadcast_shapes(base[:-2], self._u.shape[:-2], self.v.shape[:-2], diagonal)
        return (*batch, *base[-2:])

    def _use_cholesky(self):
        base = self._base_operator
        known = base.is_positive_definite and base.is_self_adjoint and self._positive_update
        return bool(known and self._v_or_none is None)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        u, v = (self.v, self._u) if adjoint else (self._u, self.v)
        inner = matmul(v, x, adjoint_a=True, adjoint_b=adjoint_arg)
        inner = self.diag_operator.matmul(inner, adjoint=adjoint)
        base = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return base + matmul(u, inner)

    def _capacitance(self, u, v):
        """Compute the capacitance matrix `inv(D) + V^H inv(L) U`."""
        inner = matmul(v, self._base_operator.solve(u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        base = self._base_operator
        if base.is_non_singular is False:
            raise ValueError(
                "Solve not implemented unless this is a perturbation of a non-singular "
                "LinearOperator."
            )
        capacitance = self._capacitance(self._u, self.v)
        u, v = (self.v, self._u) if adjoint else (self._u, self.v)
        solution = base.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(v, solution, adjoint_a=True)
        if self._use_cholesky():
            inner = cholesky_solve(cholesky(capacitance), inner)
        else:
            inner = dense_solution(capacitance, inner, adjoint)
        return solution - base.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self):
        if self.is_positive_definite:
            return jnp.exp(self.log_abs_determinant())
        inner = det(self._capacitance(self._u, self.v))
        return inner * self.diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self):
        capacitance = self._capacitance(self._u, self.v)
        if self._use_cholesky():
            inner = 2 * jnp.sum(jnp.log(main_diagonal(cholesky(capacitance))), axis=-1)
        else:
            inner = jnp.log(jnp.abs(det(capacitance))).astype(self.dtype)
        base = self._base_operator.log_abs_determinant()
        return inner + self.diag_operator.log_abs_determinant() + base

    def _diag_part(self):
        product = self._u * jnp.conj(self.v)
        if self._diag_update is not None:
            product = product * self._diag_update[..., None, :]
        return jnp.sum(product, axis=-1) + self._base_operator.diag_part()

    def _assert_self_adjoint(self):
        if self._v_or_none is None and self._diag_update is None:
            self._base_operator.assert_self_adjoint()
        else:
            super()._assert_self_adjoint()
