"""Define `LinearOperatorFullMatrix`, a dense matrix."""

from __future__ import annotations

from typing import Any

import jax

from shims._src.arguments.kernels import check_dtype
from shims._src.arguments.operands import describe, operand
from shims._src.linalg.linalg_ops import matmul
from shims._src.linear_operator.base import LinearOperator


@jax.tree_util.register_pytree_node_class
class LinearOperatorFullMatrix(LinearOperator):
    """A dense matrix, or a batch of them.

    Args:
      matrix: floating-point array `[..., n, m]`.
      is_non_singular: whether the matrices are known to be invertible.
      is_self_adjoint: whether the matrices are known to be self-adjoint.
      is_positive_definite: whether the matrices are known to be positive definite; with
        `is_self_adjoint`, equations are solved by a Cholesky decomposition.
      is_square: whether the matrices are known to be square.
      name: the name of the operator.

    Raises:
      TypeError: the dtype is not a floating-point dtype.
      ValueError: the array has fewer than two axes.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]).matvec([1.0, 1.0]))
      [3. 7.]

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorFullMatrix
    """

    _fields = ("_matrix",)

    def __init__(
        self,
        matrix,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorFullMatrix",
    ):
        self._matrix: Any = operand(matrix)
        words = "float16 float32 float64 complex64 complex128"
        check_dtype(name, words, self._matrix.dtype, self._matrix.shape)
        if self._matrix.ndim < 2:
            raise ValueError(
                "Argument `matrix` must have at least 2 dimensions. "
                f"Received: {describe(self._matrix)}."
            )
        super().__init__(
            self._matrix.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters={"matrix": matrix},
        )

    @property
    def matrix(self):
        """The matrices."""
        return self._matrix

    def _dims(self):
        return self._matrix.shape

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return self._matrix
