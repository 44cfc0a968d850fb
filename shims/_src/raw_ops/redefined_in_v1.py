"""Operators by whose name version 1 of TensorFlow means something else."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, operand
from shims._src.array import select
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def where(condition, x=None, y=None, name=None):
    """Where a condition holds, or a choice between two arrays of one shape.

    Args:
      condition: bool array: a scalar, of the shape of `x`, or a vector that chooses rows; with one
        argument any array, whose nonzero elements count.
      x: array, what to take where the condition holds.
      y: array of the same shape and dtype, what to take elsewhere.
      name: ignored.

    Returns:
      With one argument the coordinates `[n, rank]` as int64, row by row; otherwise the chosen
      elements, in the shape of `x`.

    Raises:
      ValueError: one of `x` and `y` is missing.
      InvalidArgumentError: the dtypes or shapes do not fit: nothing broadcasts.

    Differs from TensorFlow:
      int64 is int32 unless `jax_enable_x64` is on.

    Under jit:
      With one argument the number of rows depends on data.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/where
    """
    if x is None and y is None:
        return select.where(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _choose(condition, x, y)


@operator
def _choose(condition, x, y):
    condition = operand(condition)
    x, y = matching("where", x=x, y=y)
    if condition.dtype != jnp.bool_:
        raise checks.invalid(
            "where", "`condition` must be of booleans.", received=describe(condition)
        )
    by_rows = condition.ndim == 1 and x.ndim > 1
    scalar = condition.ndim == 0
    if x.ndim != y.ndim or not (scalar or by_rows or condition.ndim == x.ndim):
        raise _unfit(condition, x, y)
    y = _like(y, x.shape, condition, x, y)
    if not scalar:
        there = x.shape[:1] if by_rows else x.shape
        condition = _like(condition, there, condition, x, y)
    if by_rows:
        condition = condition.reshape((*condition.shape, *[1] * (x.ndim - 1)))
    return jnp.where(condition, x, y)


def _like(array, shape, condition, x, y):
    """An array whose sizes are those of a shape, checked at run time where they are not known."""
    for axis, (have, want) in enumerate(zip(array.shape, shape, strict=True)):
        if is_known(have) and is_known(want):
            if have != want:
                raise _unfit(condition, x, y)
        else:
            array = primitives.unify_axis(array, axis, want, label="where")
    return array


def _unfit(condition, x, y):
    return checks.invalid(
        "where",
        "the shapes do not fit: in version 1 nothing broadcasts.",
        required="x and y alike; condition alike, a scalar, or a vector of as many rows",
        received=f"condition {describe(condition)}, x {describe(x)}, y {describe(y)}",
        do="`shims.where` broadcasts",
    )
