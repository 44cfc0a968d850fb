"""Use numbers computed from sizes that int32 may not hold: as floats they are exact, as integers checked."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np

from shims._src.lowering.report import Invalid
from shims._src.lowering.value import Value, static
from shims._src.sizes import room

# Calls whose programs are lowered where they stand, so that what they do with the number is seen.
_CALLS = ("jit", "closed_call", "core_call")


def report_beyond(ctx, beyond, line: str) -> None:
    """Report at run time that a number which the program needs as an integer is out of int32's range."""
    if isinstance(beyond, np.bool_) and not beyond:
        return
    ctx.report(Invalid(room.beyond_int32(at=line), line), beyond, 0)


def narrowed(ctx, value: Value) -> Value:
    """Return a number as an integer, which is checked to be in the range of int32."""
    if value.wide is None:
        return value
    report_beyond(ctx, value.wide.beyond, value.wide.line)
    return dataclasses.replace(value, wide=None)


def is_call(eqn) -> bool:
    """Return whether an equation calls a program that is lowered in place."""
    return eqn.primitive.name in _CALLS


def keeps_meaning(eqn, values) -> bool:
    """Return whether an equation gives the same result for the nearest int32 in place of its wide number.

    Comparisons do, and a minimum if the wide number is not too small.
    """
    wide = [v for v in values if v.wide is not None]
    if len(wide) > 1:
        return False
    is_least = eqn.primitive.name == "min" and wide[0].bounds[0] > -room.MOST_SLOTS
    return is_least or eqn.primitive.name in ("lt", "le", "gt", "ge", "eq", "ne")


def converted(eqn, value: Value) -> Value | None:
    """Return the result of an equation that converts a wide number; `None` for other equations."""
    if eqn.primitive.name != "convert_element_type" or value.wide is None:
        return None
    dtype = eqn.params["new_dtype"]
    if dtype == value.array.dtype:
        return value
    return static(value.wide.as_float(dtype)) if jnp.issubdtype(dtype, jnp.floating) else None
