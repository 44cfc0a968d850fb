"""Define `LinearOperatorDiag`, a diagonal matrix."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments.operands import describe, operand
from shims._src.linalg.diagonals import diag, diag_part, set_diag
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.math.over_axes import largest, product_over, smallest


@jax.tree_util.register_pytree_node_class
class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix, or a batch of them.

    Args:
      diag: the diagonals, `[..., n]`.
      is_non_singular: whether the diagonals are known to be nonzero.
      is_self_adjoint: whether the diagonals are known to be real; True for real arrays.
      is_positive_definite: whether the real parts of the diagonals are known to be positive.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the diagonal is a scalar, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> print(shims.linalg.LinearOperatorDiag([2.0, 3.0]).matvec([1.0, 1.0]))
      [2. 3.]

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorDiag
    """

    _fields = ("_diag",)

    def __init__(
        self,
        diag,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorDiag",
    ):
        self._diag: Any = operand(diag)
        if not self._diag.ndim:
            raise ValueError(
                f"Argument diag must have at least 1 dimension.  Found: {describe(self._diag)}"
            )
        real = not jnp.iscomplexobj(self._diag)
        message = "A real diagonal operator is always self adjoint."
        is_self_adjoint = implied(is_self_adjoint, real, message)
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters={"diag": diag},
        )

    @property
    def diag(self):
        """The diagonals."""
        return self._diag

    def _dims(self):
        return (*self._diag.shape, self._diag.shape[-1])

    def _entries(self, adjoint):
        return jnp.conj(self._diag) if adjoint else self._diag

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = turned(x) if adjoint_arg else x
        return self._entries(adjoint)[..., None] * x

    def _matvec(self, x, adjoint=False):
        return self._entries(adjoint) * x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        return rhs * (1 / self._entries(adjoint))[..., None]

    def _determinant(self):
        return product_over(self._diag, (self._diag.ndim - 1,))

    def _log_abs_determinant(self):
        return jnp.sum(jnp.log(jnp.abs(self._diag)), axis=-1).astype(self.dtype)

    def _to_dense(self):
        return diag(self._diag)

    def _diag_part(self):
        return self._diag

    def _add_to_tensor(self, x):
        return set_diag(x, self._diag + diag_part(x))

    def _eigvals(self):
        return self._diag

    def _cond(self):
        size, last = jnp.abs(self._diag), (self._diag.ndim - 1,)
        return largest(size, last) / smallest(size, last)

    def _linop_adjoint(self):
        return LinearOperatorDiag(jnp.conj(self._diag), **self._all_hints())

    def _linop_inverse(self):
        return LinearOperatorDiag(1 / self._diag, **self._all_hints())

    def _linop_cholesky(self):
        return LinearOperatorDiag(
            jnp.sqrt(self._diag),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )

    def _assert_non_singular(self):
        self._refuse(self._diag == 0, "Singular operator: Diagonal contained zero values.")

    def _assert_positive_definite(self):
        self._refuse(
            ~(jnp.real(self._diag) > 0),
            "Diagonal operator had entries that are not positive, thus was not positive definite.",
        )

    def _assert_self_adjoint(self):
        self._refuse(
            jnp.imag(self._diag) != 0,
            "This diagonal operator contained non-zero imaginary values. Thus it was not "
            "self-adjoint.",
        )
