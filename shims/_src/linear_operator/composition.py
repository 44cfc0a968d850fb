"""Define `LinearOperatorComposition`, the product of operators."""

from __future__ import annotations

import functools
import operator as python_operator

import jax
import jax.numpy as jnp

from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.lower_triangular import LinearOperatorLowerTriangular
from shims._src.linear_operator.several import is_product_with_adjoint, joint_batch, operator_list


@jax.tree_util.register_pytree_node_class
class LinearOperatorComposition(LinearOperator):
    """The product of operators: the last one is applied first.

    Args:
      operators: a list of operators with matching sizes and the same dtype.
      is_non_singular: whether the product is known to be invertible.
      is_self_adjoint: whether the operator is known to be self-adjoint; True for `A @ A.H`.
      is_positive_definite: whether the operator is known to be positive definite; True for an
        invertible `A @ A.H`.
      is_square: whether the operator is known to be square.
      name: the name of the operator.

    Raises:
      ValueError: the sizes do not match, or a hint is wrong.
      TypeError: the dtypes differ.

    Differs from TensorFlow:
      See `LinearOperator`.

    Under jit:
      Has the same restrictions as the operators.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorComposition
    """

    _fields = ("_operators",)

    def __init__(
        self,
        operators,
        is_non_singular=None,
        is_self_adjoint=None,
        is_positive_definite=None,
        is_square=None,
        name=None,
    ):
        self._operators: list[LinearOperator] = operator_list(operators)
        given = self._operators
        is_non_singular = implied(
            is_non_singular,
            all(o.is_non_singular for o in given),
            "The composition of non-singular operators is always non-singular.",
        )
        twofold = is_product_with_adjoint(given)
        is_self_adjoint = implied(
            is_self_adjoint,
            twofold or (len(given) == 1 and given[0].is_self_adjoint),
            "The composition was determined to be self-adjoint but user provided incorrect "
            "`False` hint.",
        )
        is_square = implied(is_square, twofold, "A composition `A @ A.H` must be square.")
        is_positive_definite = implied(
            is_positive_definite,
            twofold and is_non_singular,
            "A non-singular composition `A @ A.H` must be positive-definite.",
        )
        super().__init__(
            given[0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name="_o_".join(o.name for o in given) if name is None else name,
            parameters={"operators": operators},
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _dims(self):
        first, last = self._operators[0], self._operators[-1]
        return (*joint_batch(self._operators), first.range_dimension, last.domain_dimension)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        order = self._operators if adjoint else self._operators[::-1]
        x = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in order[1:]:
            x = each.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        order = self._operators[::-1] if adjoint else self._operators
        rhs = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in order[1:]:
            rhs = each.solve(rhs, adjoint=adjoint)
        return rhs

    def _determinant(self):
        values = (o.determinant() for o in self._operators)
        return functools.reduce(python_operator.mul, values)

    def _log_abs_determinant(self):
        values = (o.log_abs_determinant() for o in self._operators)
        return functools.reduce(python_operator.add, values)

    def _linop_cholesky(self):
        first, *others = self._operators
        triangular = isinstance(first, LinearOperatorLowerTriangular)
        if len(others) != 1 or not triangular or not is_product_with_adjoint(self._operators):
            return super()._linop_cholesky()
        if first.is_positive_definite:
            return first
        signs = jnp.sign(first.diag_part())[..., None, :]
        return LinearOperatorLowerTriangular(
            first.tril / signs,
            is_non_singular=first.is_non_singular,
            is_self_adjoint=first.is_self_adjoint,
            is_square=True,
        )

    def _assert_non_singular(self):
        if not all(o.is_square for o in self._operators):
            super()._assert_non_singular()
            return
        for each in self._operators:
            each.assert_non_singular()
