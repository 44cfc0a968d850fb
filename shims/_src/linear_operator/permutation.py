"""Define `LinearOperatorPermutation`, a permutation matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.operands import describe, operand
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.platform import jax_private as jp


@jax.tree_util.register_pytree_node_class
class LinearOperatorPermutation(LinearOperator):
    """A permutation matrix, or a batch of them.

    Args:
      perm: array `[..., n]` of the source row of each row of a product, a permutation of `0, ..., n - 1`.
      dtype: the dtype of the matrices.
      is_non_singular: True or `None`.
      is_self_adjoint: whether the permutation is known to be its own inverse.
      is_positive_definite: whether the matrix is known to be positive definite.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: `perm` is not a permutation, or a hint is wrong.
      TypeError: `perm` does not contain integers.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time. A traced permutation is not checked.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorPermutation
    """

    _fields = ("_perm",)

    def __init__(
        self,
        perm,
        dtype=np.float32,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorPermutation",
    ):
        self._perm: Any = operand(perm)
        _check_permutation(self._perm)
        for hint, what in ((is_non_singular, "non-singular"), (is_square, "square")):
            if hint is False:
                raise ValueError(f"A Permutation operator is always {what}.")
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"perm": perm, "dtype": dtype},
        )

    @property
    def perm(self):
        """The permutation: row `i` of a product is row `perm[i]` of the operand."""
        return self._perm

    def _dims(self):
        return (*self._perm.shape, self._perm.shape[-1])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = jnp.argsort(self._perm, axis=-1) if adjoint else self._perm
        x = turned(x) if adjoint_arg else x
        batch = jnp.broadcast_shapes(order.shape[:-1], x.shape[:-2])
        order = jnp.broadcast_to(order, (*batch, order.shape[-1]))
        x = jnp.broadcast_to(x, (*batch, *x.shape[-2:]))
        return jnp.take_along_axis(x, order[..., :, None], axis=-2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _log_abs_determinant(self):
        return jnp.zeros(self._perm.shape[:-1], self.dtype)

    def _to_dense(self):
        columns = jnp.arange(self._perm.shape[-1])
        return (columns == self._perm[..., :, None]).astype(self.dtype)

    def _diag_part(self):
        return (jnp.arange(self._perm.shape[-1]) == self._perm).astype(self.dtype)

    def _cond(self):
        return jnp.ones(self._perm.shape[:-1], self.dtype)

    def _assert_non_singular(self):
        pass


def _check_permutation(perm):
    if not perm.ndim:
        raise ValueError(
            f"Argument `perm` must have at least 1 dimension. Received: {describe(perm)}."
        )
    if not jnp.issubdtype(perm.dtype, jnp.integer):
        raise TypeError(f"Argument `perm` must be integer dtype. Received: {describe(perm)}.")
    if jp.is_tracer(perm):
        return
    plain = np.asarray(perm)
    if np.any(np.sort(plain, axis=-1) != np.arange(plain.shape[-1])):
        raise ValueError(
            f"Argument `perm` must be a vector of unique integers from 0 to {plain.shape[-1] - 1}."
        )
