"""Define `LinearOperatorToeplitz`, a matrix that is constant along each diagonal."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import describe, matching
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.circulant import LinearOperatorCirculant


@jax.tree_util.register_pytree_node_class
class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along each diagonal, or a batch of them.

    Args:
      col: the first columns, `[..., n]`.
      row: the first rows, `[..., n]`; their first element is not read.
      is_non_singular: whether the matrices are known to be invertible.
      is_self_adjoint: whether the matrices are known to be self-adjoint.
      is_positive_definite: whether the matrices are known to be positive definite.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the sizes differ, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorToeplitz
    """

    _fields = ("_col", "_row")

    def __init__(
        self,
        col,
        row,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorToeplitz",
    ):
        self._col: Any
        self._row: Any
        self._col, self._row = matching(name, col=col, row=row)
        for what, array in (("row", self._row), ("col", self._col)):
            if not array.ndim:
                raise ValueError(
                    f"Argument {what} must have at least 1 dimension.  Found: {describe(array)}"
                )
        if self._row.shape[-1] != self._col.shape[-1]:
            raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"col": col, "row": row},
        )

    @property
    def col(self):
        """The first columns."""
        return self._col

    @property
    def row(self):
        """The first rows."""
        return self._row

    def _dims(self):
        n = self._row.shape[-1]
        return (*jnp.broadcast_shapes(self._row.shape[:-1], self._col.shape[:-1]), n, n)

    def _broadcast_row_and_col(self):
        """Broadcast the leading axes of rows and columns to each other."""
        shape = self._dims()[:-1]
        return jnp.broadcast_to(self._row, shape), jnp.broadcast_to(self._col, shape)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = turned(x) if adjoint_arg else x
        row, col = self._broadcast_row_and_col()
        # The matrix is the upper left block of a circulant matrix of twice the size.
        column = jnp.concatenate(
            [col, jnp.zeros_like(col[..., :1]), jnp.flip(row[..., 1:], axis=-1)], axis=-1
        )
        wide = jnp.complex128 if column.dtype in (jnp.float64, jnp.complex128) else jnp.complex64
        spectrum = jnp.fft.fft(column.astype(wide), axis=-1)
        padded = jnp.concatenate([x, jnp.zeros_like(x)], axis=-2)
        product = LinearOperatorCirculant(spectrum, self.dtype).matmul(padded, adjoint=adjoint)
        return product[..., : row.shape[-1], :]

    def _to_dense(self):
        row, col = self._broadcast_row_and_col()
        n = row.shape[-1]
        numbers = jnp.concatenate([jnp.flip(col, axis=-1), row[..., 1:]], axis=-1)
        return numbers[..., jnp.arange(n) + jnp.arange(n - 1, -1, -1)[:, None]]

    def _trace(self):
        return self._col[..., 0] * self.domain_dimension_tensor().astype(self.dtype)

    def _diag_part(self):
        shape = (*self._col.shape[:-1], self._row.shape[-1])
        return jnp.broadcast_to(self._col[..., :1], shape)

    def _assert_self_adjoint(self):
        self._refuse(
            self._row != self._col,
            "row and col are not the same, and so this operator is not self-adjoint.",
        )
