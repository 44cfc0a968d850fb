"""Define `LinearOperatorTridiag`, a matrix with three diagonals."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import operand
from shims._src.linalg.matrix_operands import turned
from shims._src.linalg.tridiagonal import as_matrix, in_compact_form, product, solution
from shims._src.linear_operator.base import LinearOperator


@jax.tree_util.register_pytree_node_class
class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals, or a batch of them.

    Args:
      diagonals: for the format `compact`, `[..., 3, n]`, the diagonals above, on and below the main
        diagonal; for `sequence`, a list of these three; for `matrix`, matrices `[..., n, n]`, of
        which only these three diagonals are read.
      diagonals_format: `compact`, `sequence` or `matrix`.
      is_non_singular: whether the matrices are known to be invertible.
      is_self_adjoint: whether the matrices are known to be self-adjoint.
      is_positive_definite: whether the matrices are known to be positive definite.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the format is unknown.

    Differs from TensorFlow:
      See `LinearOperator`. Leading axes broadcast; in TensorFlow they must be equal. Elements
      outside of the three diagonals of a `matrix` are never read; TensorFlow's `to_dense` keeps
      them.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorTridiag
    """

    _fields = ("_diagonals",)
    _statics = ("_diagonals_format",)

    def __init__(
        self,
        diagonals,
        diagonals_format="compact",
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorTridiag",
    ):
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                "Argument `diagonals_format` must be one of compact, matrix, or sequence. "
                f"Received : {diagonals_format}."
            )
        several = diagonals_format == "sequence"
        self._diagonals: Any = [*map(operand, diagonals)] if several else operand(diagonals)
        self._diagonals_format: str = diagonals_format
        super().__init__(
            (self._diagonals[0] if several else self._diagonals).dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters={"diagonals": diagonals, "diagonals_format": diagonals_format},
        )

    @property
    def diagonals(self):
        """The diagonals passed to the constructor."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the diagonals."""
        return self._diagonals_format

    def _compact(self):
        return in_compact_form(self.name, self._diagonals, self._diagonals_format)

    def _dims(self):
        shape = self._compact().shape
        return (*shape[:-2], shape[-1], shape[-1])

    def _adjoint_diagonals(self):
        above, main, below = jnp.moveaxis(self._compact(), -2, 0)
        rows = [jnp.roll(below, -1, axis=-1), main, jnp.roll(above, 1, axis=-1)]
        return jnp.conj(jnp.stack(rows, axis=-2))

    def _diagonals_for(self, adjoint):
        return self._adjoint_diagonals() if adjoint else self._compact()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return product(self._diagonals_for(adjoint), turned(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return solution(self._diagonals_for(adjoint), turned(rhs) if adjoint_arg else rhs)

    def _to_dense(self):
        return as_matrix(self._compact())

    def _diag_part(self):
        return self._compact()[..., 1, :]

    def _assert_self_adjoint(self):
        self._refuse(
            as_matrix(self._compact()) != as_matrix(self._adjoint_diagonals()),
            "Matrix was not equal to its adjoint.",
        )
