"""Provide helpers for operators made of several other operators."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.linear_operator.adjoint import LinearOperatorAdjoint
from shims._src.linear_operator.base import LinearOperator


def operator_list(operators) -> list[LinearOperator]:
    """Convert an argument to a list of operators of the same dtype.

    Raises:
      ValueError: the list is empty.
      TypeError: the dtypes differ, or the argument is a single operator.
    """
    if isinstance(operators, LinearOperator):
        raise TypeError("Expected argument `operators` to be a list of operators.")
    operators = list(operators)
    if not operators:
        raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
    if len({o.dtype for o in operators}) > 1:
        found = "   ".join(f"({o.name}, {o.dtype.name})" for o in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {found}")
    return operators


def joint_batch(operators) -> tuple:
    """Return the shape to which the leading axes of several operators broadcast."""
    return tuple(jnp.broadcast_shapes(*(o._dims()[:-2] for o in operators)))


def is_product_with_adjoint(operators) -> bool:
    """Return whether a list has the form `A, B, ..., B.H, A.H`."""
    operators = list(operators)
    half = len(operators) // 2
    return not len(operators) % 2 and all(
        _are_adjoint(operators[i], operators[-1 - i]) for i in range(half)
    )


def _are_adjoint(x, y) -> bool:
    if x is y and x.is_self_adjoint is not None:
        return x.is_self_adjoint
    return _is_adjoint_of(x, y) or _is_adjoint_of(y, x)


def _is_adjoint_of(x, y) -> bool:
    return isinstance(x, LinearOperatorAdjoint) and x.operator is y
