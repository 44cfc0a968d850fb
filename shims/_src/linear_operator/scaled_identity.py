"""Define `LinearOperatorScaledIdentity`, a multiple of the identity matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import operand
from shims._src.linalg.diagonals import diag_part, set_diag
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.identity import size_argument


@jax.tree_util.register_pytree_node_class
class LinearOperatorScaledIdentity(LinearOperator):
    """A multiple of the identity matrix, or a batch of them.

    Args:
      num_rows: the number of rows, and of columns.
      multiplier: the value on the diagonals, `[...]`.
      is_non_singular: whether the multiplier is known to be nonzero.
      is_self_adjoint: whether the multiplier is known to be real; True for real arrays.
      is_positive_definite: whether the multiplier is known to be positive.
      is_square: True.
      assert_proper_shapes: ignored; shapes are always checked.
      name: the name of the operator.

    Raises:
      ValueError: a hint is wrong, or the number of rows is not a valid size.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The number of rows may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorScaledIdentity
    """

    _fields = ("_multiplier",)
    _statics = ("_num_rows",)

    def __init__(
        self,
        num_rows,
        multiplier,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=True,
        assert_proper_shapes=False,
        name="LinearOperatorScaledIdentity",
    ):
        self._multiplier: Any = operand(multiplier)
        real = not jnp.iscomplexobj(self._multiplier)
        message = "A real diagonal operator is always self adjoint."
        is_self_adjoint = implied(is_self_adjoint, real, message)
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._num_rows: Any = size_argument("num_rows", num_rows)
        super().__init__(
            self._multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"num_rows": num_rows, "multiplier": multiplier},
        )

    @property
    def multiplier(self):
        """The value on the diagonals."""
        return self._multiplier

    def _dims(self):
        return (*self._multiplier.shape, self._num_rows, self._num_rows)

    def _factor(self, adjoint):
        factor = jnp.conj(self._multiplier) if adjoint else self._multiplier
        return factor[..., None, None]

    def _rows(self):
        return self.domain_dimension_tensor().astype(self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return (turned(x) if adjoint_arg else x) * self._factor(adjoint)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return (turned(rhs) if adjoint_arg else rhs) / self._factor(adjoint)

    def _determinant(self):
        return self._multiplier ** self._rows()

    def _log_abs_determinant(self):
        size = jnp.abs(self._multiplier)
        return self._rows().astype(size.dtype) * jnp.log(size)

    def _trace(self):
        return self._multiplier * self._rows()

    def _diag_part(self):
        shape = (*self._multiplier.shape, self._num_rows)
        return jnp.broadcast_to(self._multiplier[..., None], shape)

    def _add_to_tensor(self, x):
        return set_diag(x, self._multiplier[..., None] + diag_part(x))

    def _eigvals(self):
        return self.diag_part()

    def _cond(self):
        return jnp.where(self._multiplier == 0, jnp.nan, 1).astype(self.dtype)

    def _scaled(self, multiplier, **hints):
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **hints)

    def _linop_adjoint(self):
        return self._scaled(jnp.conj(self._multiplier), **self._all_hints())

    def _linop_inverse(self):
        return self._scaled(1 / self._multiplier, **{**self._all_hints(), "is_self_adjoint": True})

    def _linop_cholesky(self):
        return self._scaled(
            jnp.sqrt(self._multiplier),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )

    def _assert_non_singular(self):
        self._refuse(~(jnp.abs(self._multiplier) > 0), "LinearOperator was singular")

    def _assert_positive_definite(self):
        self._refuse(~(jnp.real(self._multiplier) > 0), "LinearOperator was not positive definite.")

    def _assert_self_adjoint(self):
        self._refuse(jnp.imag(self._multiplier) != 0, "LinearOperator was not self-adjoint")
