"""Define `LinearOperatorZeros`, the matrix of zeros, which is stored without an array."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.identity import batch_argument, size_argument


@jax.tree_util.register_pytree_node_class
class LinearOperatorZeros(LinearOperator):
    """The matrix of zeros, or a batch of them.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; the number of rows when `None`.
      batch_shape: the sizes of the leading axes.
      dtype: the dtype of the matrices; float32 when `None`.
      is_non_singular: False.
      is_self_adjoint: True if the matrix is square.
      is_positive_definite: False.
      is_square: whether the matrix is square.
      assert_proper_shapes: ignored; shapes are always checked.
      name: the name of the operator.

    Raises:
      ValueError: a hint is wrong, or a size is invalid.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorZeros
    """

    _statics = ("_num_rows", "_num_columns", "_batch_shape")

    def __init__(
        self,
        num_rows,
        num_columns=None,
        batch_shape=None,
        dtype=None,
        is_non_singular=False,
        is_self_adjoint=True,
        is_positive_definite=False,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorZeros",
    ):
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        columns = num_rows if num_columns is None else num_columns
        self._num_rows: Any = size_argument("num_rows", num_rows)
        self._num_columns: Any = size_argument("num_columns", columns)
        self._batch_shape: tuple = batch_argument(batch_shape)
        sizes = (self._num_rows, self._num_columns)
        if is_square and all(map(is_known, sizes)) and sizes[0] != sizes[1]:
            raise ValueError(
                f"LinearOperatorZeros initialized as is_square=True, but got "
                f"num_rows({sizes[0]}) != num_columns({sizes[1]})"
            )
        super().__init__(
            jnp.float32 if dtype is None else dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters={"num_rows": num_rows, "num_columns": num_columns, "dtype": dtype},
        )

    def _dims(self):
        return (*self._batch_shape, self._num_rows, self._num_columns)

    def _filled(self, *last):
        return jnp.zeros((*self._batch_shape, *last), self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        batch = jnp.broadcast_shapes(self._batch_shape, x.shape[:-2])
        rows = self._num_columns if adjoint else self._num_rows
        return jnp.zeros((*batch, rows, x.shape[-2 if adjoint_arg else -1]), x.dtype)

    def _determinant(self):
        return self._filled()

    def _trace(self):
        return self._filled()

    def _to_dense(self):
        return self._filled(self._num_rows, self._num_columns)

    def _diag_part(self):
        return self._filled(min(self._num_rows, self._num_columns))

    def _add_to_tensor(self, x):
        batch = jnp.broadcast_shapes(self._batch_shape, x.shape[:-2])
        return jnp.broadcast_to(x, (*batch, *x.shape[-2:]))

    def _eigvals(self):
        return self.diag_part()

    def _assert_non_singular(self):
        raise checks.invalid(self.name, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self):
        raise checks.invalid(self.name, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        pass
