"""Define `LinearOperatorIdentity`, the identity matrix, which is stored without an array."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.array.shapes import sizes_of
from shims._src.linalg.diagonals import diag_part, set_diag
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.platform import jax_private as jp
from shims._src.sizes.primitives import to_dim


def size_argument(name: str, value):
    """Convert a number of rows or columns to a dimension.

    Raises:
      TypeError: it is not an integer.
      ValueError: it is not a scalar, or negative.
    """
    if jp.is_tracer(value) or jp.is_symbolic(value):
        return to_dim(value, label=name)
    plain = np.asarray(value)
    if plain.dtype.kind not in "iu":
        raise TypeError(f"Argument {name} must be integer type.  Found: {value}")
    if plain.ndim:
        raise ValueError(f"Argument {name} must be a 0-D Tensor.  Found: {value}")
    if plain < 0:
        raise ValueError(f"Argument {name} must be non-negative.  Found: {value}")
    return int(plain)


def batch_argument(value) -> tuple:
    """Convert the sizes of leading axes to dimensions.

    Raises:
      TypeError: they are not integers.
      ValueError: they are not a vector, or one is negative.
    """
    if value is None:
        return ()
    if not jp.is_tracer(value) and not any(map(jp.is_tracer, jax.tree.leaves(value))):
        plain = np.asarray(value)
        if plain.ndim != 1:
            raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {value}")
        if plain.size and plain.dtype.kind not in "iu":
            raise TypeError(f"Argument batch_shape must be integer type.  Found: {value}")
        if (plain < 0).any():
            raise ValueError(f"Argument batch_shape must be non-negative.  Found:{value}")
        return tuple(int(d) for d in plain)
    return tuple(sizes_of("LinearOperatorIdentity", value))


@jax.tree_util.register_pytree_node_class
class LinearOperatorIdentity(LinearOperator):
    """The identity matrix, or a batch of them.

    Args:
      num_rows: the number of rows, and of columns.
      batch_shape: the sizes of the leading axes.
      dtype: the dtype of the matrices; float32 when `None`.
      is_non_singular: True.
      is_self_adjoint: True.
      is_positive_definite: True.
      is_square: True.
      assert_proper_shapes: ignored; shapes are always checked.
      name: the name of the operator.

    Raises:
      ValueError: a hint is not True, or a size is invalid.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The number of rows may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorIdentity
    """

    _statics = ("_num_rows", "_batch_shape")

    def __init__(
        self,
        num_rows,
        batch_shape=None,
        dtype=None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorIdentity",
    ):
        for hint, what in (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        ):
            if not hint:
                raise ValueError(f"An identity operator is always {what}.")
        self._num_rows: Any = size_argument("num_rows", num_rows)
        self._batch_shape: tuple = batch_argument(batch_shape)
        super().__init__(
            jnp.float32 if dtype is None else dtype,
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
            name=name,
            parameters={"num_rows": num_rows, "batch_shape": batch_shape, "dtype": dtype},
        )

    def _dims(self):
        return (*self._batch_shape, self._num_rows, self._num_rows)

    def _filled(self, value, *last):
        return jnp.full((*self._batch_shape, *last), value, self.dtype)

    def _broadcast_batch(self, x):
        batch = jnp.broadcast_shapes(self._batch_shape, x.shape[:-2])
        return jnp.broadcast_to(x, (*batch, *x.shape[-2:]))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._broadcast_batch(turned(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return self._filled(1)

    def _log_abs_determinant(self):
        return self._filled(0)

    def _trace(self):
        return self._filled(1) * self.domain_dimension_tensor().astype(self.dtype)

    def _diag_part(self):
        return self._filled(1, self._num_rows)

    def _add_to_tensor(self, x):
        return set_diag(x, 1 + diag_part(x))

    def _eigvals(self):
        return self.diag_part()

    def _cond(self):
        return self._filled(1)

    def _linop_inverse(self):
        return self

    def _linop_cholesky(self):
        return LinearOperatorIdentity(self._num_rows, self._batch_shape, self.dtype)

    def _assert_non_singular(self):
        pass

    def _assert_positive_definite(self):
        pass

    def _assert_self_adjoint(self):
        pass
