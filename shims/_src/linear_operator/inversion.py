"""Define `LinearOperatorInversion`, the inverse of an operator."""

from __future__ import annotations

import jax

from shims._src.linear_operator.adjoint import agreeing_hints
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import Hints


@jax.tree_util.register_pytree_node_class
class LinearOperatorInversion(LinearOperator):
    """The inverse of an operator, which is never computed: its products solve equations.

    Args:
      operator: the operator.
      is_non_singular: True or `None`.
      is_self_adjoint: must be compatible with the hint of the operator.
      is_positive_definite: must be compatible with the hint of the operator.
      is_square: True or `None`.
      name: the name of the inverse operator.

    Raises:
      ValueError: the operator is known not to be invertible, or a hint contradicts a hint of the
        operator.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Has the same restrictions as `operator`.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorInversion
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
        for what in ("is_non_singular", "is_square"):
            given = is_non_singular if what == "is_non_singular" else is_square
            if getattr(operator, what) is False or given is False:
                raise ValueError(
                    f"Argument `{what}` or argument `operator` must have supplied hint `{what}` "
                    f"equal to `True` or `None`. Found `operator.{what}`: "
                    f"{getattr(operator, what)}, `{what}`: {given}."
                )
        given = Hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(
            operator.dtype,
            **agreeing_hints(operator, given, "inverse"),
            name=f"{operator.name}_inv" if name is None else name,
            parameters={"operator": operator},
        )

    @property
    def operator(self) -> LinearOperator:
        """The operator whose inverse this is."""
        return self._operator

    def _dims(self):
        return self._operator._dims()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self):
        return -self._operator.log_abs_determinant()

    def _eigvals(self):
        return 1 / self._operator.eigvals()

    def _cond(self):
        return self._operator.cond()

    def _linop_inverse(self):
        return self._operator

    def _assert_non_singular(self):
        self._operator.assert_non_singular()

    def _assert_positive_definite(self):
        self._operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        self._operator.assert_self_adjoint()
