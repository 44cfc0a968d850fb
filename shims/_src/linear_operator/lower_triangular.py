"""Define `LinearOperatorLowerTriangular`, a lower triangular matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import describe, operand
from shims._src.linalg.linalg_ops import matmul
from shims._src.linalg.matrix_operands import below, main_diagonal, square_matrices, turned
from shims._src.linalg.solving import triangular_solve
from shims._src.linear_operator.base import LinearOperator
from shims._src.math.over_axes import product_over


@jax.tree_util.register_pytree_node_class
class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix, or a batch of them.

    Args:
      tril: array `[..., n, n]`; elements above the diagonal are not read.
      is_non_singular: whether the diagonals are known to be nonzero.
      is_self_adjoint: whether the matrices are known to be self-adjoint.
      is_positive_definite: whether the matrices are known to be positive definite.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the array has fewer than two axes, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]]).matvec([1.0, 1.0]))
      [1. 5.]

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorLowerTriangular
    """

    _fields = ("_tril",)

    def __init__(
        self,
        tril,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorLowerTriangular",
    ):
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        array = operand(tril)
        if array.ndim < 2:
            raise ValueError(
                f"Argument tril must have at least 2 dimensions.  Found: {describe(array)}"
            )
        self._tril: Any = square_matrices(name, array, name="tril")
        super().__init__(
            array.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"tril": tril},
        )

    @property
    def tril(self):
        """The array passed to the constructor."""
        return self._tril

    def _dims(self):
        return self._tril.shape

    def _to_dense(self):
        return below(self._tril)

    def _diag_part(self):
        return main_diagonal(self._tril)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(below(self._tril), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        return triangular_solve(self._tril, rhs, lower=True, adjoint=adjoint)

    def _determinant(self):
        diagonal = self.diag_part()
        return product_over(diagonal, (diagonal.ndim - 1,))

    def _log_abs_determinant(self):
        return jnp.sum(jnp.log(jnp.abs(self.diag_part())), axis=-1)

    def _eigvals(self):
        return self.diag_part()

    def _assert_non_singular(self):
        self._refuse(self.diag_part() == 0, "Singular operator: Diagonal contained zero values.")
