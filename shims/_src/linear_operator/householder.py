"""Define `LinearOperatorHouseholder`, a reflection at a hyperplane."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.linalg.linalg_ops import l2_normalize, matmul
from shims._src.linalg.matrix_operands import on_diagonal, turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied


@jax.tree_util.register_pytree_node_class
class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the hyperplane orthogonal to a vector, or a batch of them.

    Args:
      reflection_axis: the vectors, `[..., n]`, of any nonzero length.
      is_non_singular: whether the operator is known to be invertible; a reflection is always
        invertible.
      is_self_adjoint: True or `None`.
      is_positive_definite: False or `None`.
      is_square: True or `None`.
      name: the name of the operator.

    Raises:
      ValueError: the vector is a scalar, or a hint is wrong.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorHouseholder
    """

    _fields = ("_reflection_axis",)

    def __init__(
        self,
        reflection_axis,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name="LinearOperatorHouseholder",
    ):
        self._reflection_axis: Any = operand(reflection_axis)
        if not self._reflection_axis.ndim:
            raise ValueError(
                "Argument reflection_axis must have at least 1 dimension.  "
                f"Found: {describe(self._reflection_axis)}"
            )
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        words = "A Householder operator is always {}."
        super().__init__(
            self._reflection_axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=implied(is_self_adjoint, True, words.format("self adjoint")),
            is_positive_definite=False,
            is_square=implied(is_square, True, words.format("square")),
            name=name,
            parameters={"reflection_axis": reflection_axis},
        )

    @property
    def reflection_axis(self):
        """The normal vectors of the hyperplanes, which are mapped to their negatives."""
        return self._reflection_axis

    def _dims(self):
        return (*self._reflection_axis.shape, self._reflection_axis.shape[-1])

    def _unit(self):
        return l2_normalize(self._reflection_axis, axis=-1)

    def _filled(self, value):
        return jnp.full(self._reflection_axis.shape[:-1], value, self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = turned(x) if adjoint_arg else x
        unit = self._unit()[..., None]
        return x - 2 * unit * matmul(unit, x, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self):
        return self._filled(1) * (self.domain_dimension_tensor() - 2).astype(self.dtype)

    def _determinant(self):
        return self._filled(-1)

    def _log_abs_determinant(self):
        return self._filled(0)

    def _to_dense(self):
        unit = self._unit()[..., None]
        n = self._reflection_axis.shape[-1]
        return on_diagonal(n, n).astype(self.dtype) - 2 * matmul(unit, unit, adjoint_b=True)

    def _diag_part(self):
        unit = self._unit()
        return 1 - 2 * unit * jnp.conj(unit)

    def _eigvals(self):
        first = jnp.arange(self._reflection_axis.shape[-1]) == 0
        values = jnp.where(first, -1, 1).astype(self.dtype)
        return jnp.broadcast_to(values, self._reflection_axis.shape)

    def _cond(self):
        return self._filled(1)

    def _linop_inverse(self):
        return self

    def _assert_non_singular(self):
        pass

    def _assert_positive_definite(self):
        raise checks.invalid(self.name, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        pass
