"""Bound the integers that a loop counts or carries unchanged, so that sizes computed from them have bounds, too."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from shims._src.lowering import bounds
from shims._src.lowering.value import Value, static
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs

_Limits = tuple[int, int] | None
# Which side of a comparison of integers that holds is the smaller one, and by how much at least.
_SMALLER = {"lt": (0, 1), "le": (0, 0), "gt": (1, 1), "ge": (1, 0)}


def of_steps(jaxpr, skipped: int, carry: Sequence[Value], most: int) -> list[_Limits]:
    """Return the bounds that the carry has in the body of a loop of at most `most` iterations.

    Args:
      jaxpr: the body, whose operands are `skipped` others and then the carry; its results begin with the carry.
      skipped: see above.
      carry: the initial values.
      most: the largest number of iterations.
    """
    found: list[_Limits] = []
    for i, value in enumerate(carry):
        first, step = bounds.of(value), _step(jaxpr, skipped, i)
        if first is None or step is None:
            found.append(None)
            continue
        last = step * max(most - 1, 0)
        ends = first[0] + min(last, 0), first[1] + max(last, 0)
        found.append(_unless_wrapped(ends, step, value))
    return found


def while_true(
    condition, tested: Sequence[Value], body, skipped: int, carry: Sequence[Value]
) -> list[_Limits]:
    """Return the bounds that the carry of a `while` loop has in its body, where the condition holds.

    Args:
      condition: the jaxpr of the condition, whose operands are `tested` and then the carry.
      tested: see above.
      body: the jaxpr of the body, whose operands are `skipped` others and then the carry.
      skipped: see above.
      carry: the initial values.
    """
    condition, _ = jp.open_jaxpr(condition)
    if condition.outvars[
        0
    ].aval.shape:  # under `vmap`, the body also runs for elements that are finished
        return [None] * len(carry)
    known = [bounds.of(v) for v in tested]
    known += [bounds.of(v) if _step(body, skipped, i) == 0 else None for i, v in enumerate(carry)]
    limits = dict(zip(condition.invars, known, strict=True))
    found: list[_Limits] = []
    for i, value in enumerate(carry):
        first, step = bounds.of(value), _step(body, skipped, i)
        if first is None or not step:
            found.append(first if step == 0 else None)
            continue
        var = condition.invars[len(tested) + i]
        low, high = _where_true(condition, condition.outvars[0], var, limits)
        end = high if step > 0 else low
        if end is None:
            found.append(None)
            continue
        ends = (first[0], end) if step > 0 else (end, first[1])
        is_run = ends[0] <= ends[1]
        found.append(_unless_wrapped(ends, step, value) if is_run else None)
    return found


def _unless_wrapped(ends: tuple[int, int], step: int, value: Value) -> _Limits:
    """Return bounds, or `None` if a step beyond them is no number of the dtype, so that the counter may wrap around."""
    limits = np.iinfo(value.array.dtype) if hasattr(value.array, "dtype") else np.iinfo(np.int32)
    held = limits.min <= ends[0] + min(step, 0) and ends[1] + max(step, 0) <= limits.max
    return ends if held else None


def with_bounds(values: Sequence[Value], limits: Sequence[_Limits]) -> list[Value]:
    """Return lowered values with bounds; those without a bound are unchanged."""
    return [
        v if b is None else Value(v.array, v.axes, v.pad, b)
        for v, b in zip(values, limits, strict=True)
    ]


def _step(jaxpr, skipped: int, i: int) -> int | None:
    """Return what a body adds to part `i` of the carry, 0 if nothing, `None` if that is not a known number."""
    jaxpr, _ = jp.open_jaxpr(jaxpr)
    before, after = jaxpr.invars[skipped + i], jaxpr.outvars[i]
    if getattr(before.aval, "shape", None) != () or not jnp.issubdtype(
        before.aval.dtype, jnp.signedinteger
    ):
        return None
    if after is before:
        return 0
    for eqn in jaxprs.own_equations(jaxpr):
        if any(v is after for v in eqn.outvars) and eqn.primitive.name in ("add", "sub"):
            sides = list(eqn.invars)
            if sides[0] is not before and eqn.primitive.name == "add":
                sides.reverse()
            if sides[0] is before and isinstance(sides[1], jp.Literal):
                number = int(sides[1].val)
                return number if eqn.primitive.name == "add" else -number
    return None


def _where_true(jaxpr, flag, var, limits) -> tuple[int | None, int | None]:
    """Return the least and the greatest value that `var` has where the boolean `flag` is true."""
    eqn = next((e for e in jaxprs.own_equations(jaxpr) if any(v is flag for v in e.outvars)), None)
    if eqn is None:
        return None, None
    if eqn.primitive.name == "convert_element_type" and eqn.invars[0].aval.dtype == bool:
        return _where_true(jaxpr, eqn.invars[0], var, limits)
    if eqn.primitive.name == "and":
        ends = [_where_true(jaxpr, v, var, limits) for v in eqn.invars]
        lows, highs = ([e for e in side if e is not None] for side in zip(*ends, strict=True))
        return max(lows, default=None), min(highs, default=None)
    if eqn.primitive.name not in _SMALLER or not any(v is var for v in eqn.invars):
        return None, None
    smaller, gap = _SMALLER[eqn.primitive.name]
    at = 0 if eqn.invars[0] is var else 1
    other = eqn.invars[1 - at]
    known = bounds.of(static(other.val)) if isinstance(other, jp.Literal) else limits.get(other)
    if known is None:
        return None, None
    return (None, known[1] - gap) if at == smaller else (known[0] + gap, None)
