"""Define `LinearOperatorKronecker`, the Kronecker product of operators."""

from __future__ import annotations

import functools
import math
import operator as python_operator

import jax
import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.linalg.matrix_operands import turned
from shims._src.linear_operator.base import LinearOperator
from shims._src.linear_operator.hints import implied
from shims._src.linear_operator.several import joint_batch, operator_list


def _outer(a, b):
    """Compute the Kronecker product of vectors."""
    product = a[..., :, None] * b[..., None, :]
    return product.reshape((*product.shape[:-2], a.shape[-1] * b.shape[-1]))


@jax.tree_util.register_pytree_node_class
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    Args:
      operators: a list of operators of the same dtype.
      is_non_singular: whether the operator is known to be invertible.
      is_self_adjoint: whether the operator is known to be self-adjoint.
      is_positive_definite: whether the operator is known to be positive definite.
      is_square: whether the operator is known to be square.
      name: the name of the operator.

    Raises:
      ValueError: the list is empty, or a hint is wrong.
      TypeError: the dtypes differ.

    Differs from TensorFlow:
      See `LinearOperator`. Determinants are rejected if a factor is not square.

    Under jit:
      The leading axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/LinearOperatorKronecker
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
        words = "The Kronecker product of {0} operators is always {0}."
        super().__init__(
            given[0].dtype,
            is_non_singular=implied(
                is_non_singular,
                all(o.is_non_singular for o in given),
                words.format("non-singular"),
            ),
            is_self_adjoint=implied(
                is_self_adjoint, all(o.is_self_adjoint for o in given), words.format("self-adjoint")
            ),
            is_positive_definite=implied(
                is_positive_definite,
                all(o.is_positive_definite for o in given),
                words.format("positive-definite"),
            ),
            is_square=is_square,
            name="_x_".join(o.name for o in given) if name is None else name,
            parameters={"operators": operators},
        )

    @property
    def operators(self) -> list[LinearOperator]:
        """The factors."""
        return self._operators

    def _dims(self):
        rows = math.prod(o.range_dimension for o in self._operators)
        columns = math.prod(o.domain_dimension for o in self._operators)
        return (*joint_batch(self._operators), rows, columns)

    def _apply_factors(self, x, apply, adjoint, inverse):
        """Apply each factor in turn by `apply(factor, matrices)`, along the factor's own axis of `x`."""
        batch = tuple(jnp.broadcast_shapes(x.shape[:-2], joint_batch(self._operators)))
        columns = x.shape[-1]
        widths = [
            o.range_dimension if adjoint is not inverse else o.domain_dimension
            for o in self._operators
        ]
        x = jnp.broadcast_to(x, (*batch, *x.shape[-2:])).reshape((*batch, *widths, columns))
        for i, factor in enumerate(self._operators):
            axis = len(batch) + i
            moved = jnp.moveaxis(x, axis, len(batch))
            flat = moved.reshape((*batch, moved.shape[len(batch)], -1))
            done = apply(factor, flat)
            rest = moved.shape[len(batch) + 1 :]
            x = jnp.moveaxis(done.reshape((*batch, done.shape[-2], *rest)), len(batch), axis)
        return x.reshape((*batch, math.prod(x.shape[len(batch) : -1]), columns))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = turned(x) if adjoint_arg else x
        return self._apply_factors(x, lambda o, y: o.matmul(y, adjoint=adjoint), adjoint, False)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = turned(rhs) if adjoint_arg else rhs
        return self._apply_factors(rhs, lambda o, y: o.solve(y, adjoint=adjoint), adjoint, True)

    def _check_square_factors(self, what):
        if not all(o.is_square for o in self._operators):
            raise NotImplementedError(
                f"`{what}` not implemented for an operator whose factors are not square."
            )

    def _powers(self):
        total = self.domain_dimension
        return [(o, total // o.domain_dimension) for o in self._operators]

    def _determinant(self):
        self._check_square_factors("determinant")
        return functools.reduce(
            python_operator.mul, (o.determinant() ** n for o, n in self._powers())
        )

    def _log_abs_determinant(self):
        self._check_square_factors("log_abs_determinant")
        return functools.reduce(
            python_operator.add, (o.log_abs_determinant() * n for o, n in self._powers())
        )

    def _trace(self):
        self._check_square_factors("trace")
        return functools.reduce(python_operator.mul, (o.trace() for o in self._operators))

    def _diag_part(self):
        self._check_square_factors("diag_part")
        return functools.reduce(_outer, (o.diag_part() for o in self._operators))

    def _eigvals(self):
        return functools.reduce(_outer, (o.eigvals() for o in self._operators))

    def _to_dense(self):
        def beside(a, b):
            product = a[..., :, None, :, None] * b[..., None, :, None, :]
            sizes = (a.shape[-2] * b.shape[-2], a.shape[-1] * b.shape[-1])
            return product.reshape((*product.shape[:-4], *sizes))

        return functools.reduce(beside, (o.to_dense() for o in self._operators))

    def _linop_adjoint(self):
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **self._all_hints())

    def _linop_inverse(self):
        return LinearOperatorKronecker([o.inverse() for o in self._operators], **self._all_hints())

    def _linop_cholesky(self):
        factors = [o.cholesky() for o in self._operators]
        return LinearOperatorKronecker(factors, is_non_singular=True, is_square=True)

    def _assert_square_factors(self):
        if not all(o.is_square for o in self._operators):
            raise checks.invalid(
                self.name, "All Kronecker factors must be square for the product to be invertible."
            )

    def _assert_non_singular(self):
        self._assert_square_factors()
        for each in self._operators:
            each.assert_non_singular()

    def _assert_self_adjoint(self):
        self._assert_square_factors()
        for each in self._operators:
            each.assert_self_adjoint()
