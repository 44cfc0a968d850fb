"""Define `LinearOperatorAdjoint`, the conjugate transpose of an operator."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import Hints, agreed


def agreeing_hints(operator, given: Hints, derived: str) -> dict[str, bool | None]:
    """Merge given hints with those of a related operator; return them as keyword arguments.

    Raises:
      ValueError: a hint contradicts a hint of the other operator.
    """
    merged = {}
    for name, value in given._asdict().items():
        words = name.replace("_", "-")
        message = f"An operator is {words} if and only if its {derived} is {words}."
        merged[f"is_{name}"] = agreed(getattr(operator, f"is_{name}"), value, message)
    return merged


@jax.tree_util.register_pytree_node_class
class LinearOperatorAdjoint(LinearOperator):
    """The conjugate transpose of an operator.

    Args:
      operator: the operator.
      is_non_singular: must be compatible with the hint of the operator.
      is_self_adjoint: must be compatible with the hint of the operator.
      is_positive_definite: must be compatible with the hint of the operator.
      is_square: must be compatible with the hint of the operator.
      name: the name of the adjoint operator.

    Raises:
      ValueError: a hint contradicts a hint of the operator.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Has the same restrictions as `operator`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorAdjoint
    """

    _fields = ("_operator",)

    def __init__(
        self,
        operator,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        self._operator: LinearOperator = operator
        given = Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(
            operator.dtype,
            **agreeing_hints(operator, given, "adjoint"),
            name=f"{operator.name}_adjoint" if name is None else name,
            parameters={"operator": operator},
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose conjugate transpose this is."""
        return self._operator

    def _dims(self):
        *batch, rows, columns = self._operator._dims()
        return (*batch, columns, rows)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x, adjoint=False):
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs, adjoint=False):
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self):
        return jnp.conj(self._operator.determinant())

    def _log_abs_determinant(self):
        return self._operator.log_abs_determinant()

    def _trace(self):
        return jnp.conj(self._operator.trace())

    def _to_dense(self):
        return turned(self._operator.to_dense())

    def _diag_part(self):
        return jnp.conj(self._operator.diag_part())

    def _eigvals(self):
        return jnp.conj(self._operator.eigvals())

    def _cond(self):
        return self._operator.cond()

    def _linop_adjoint(self):
        return self._operator

    def _assert_non_singular(self):
        self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        self._operator.assert_self_adjoint()
