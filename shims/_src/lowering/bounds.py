"""Propagate static bounds of integer values, so that sizes computed from them have bounds, too."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.lowering.value import Value, static
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import evaluate
from shims._src.sizes import dims

_LIMIT = 2**31 - 1
# Dtypes whose range is small enough to be a useful bound.
_SMALL = tuple(np.dtype(t) for t in ("int8", "uint8", "int16", "uint16"))


def may_wrap(bounds) -> bool:
    """Return whether integer bounds have no lower end, so the arithmetic may have overflowed."""
    return bounds[0] <= -_LIMIT


def of(value: Value) -> tuple[int, int] | None:
    """Return the `(low, high)` bounds of an integer value: recorded, a constant's, or the dtype's."""
    if value.bounds is not None:
        return value.bounds
    if isinstance(value.array, (int, np.integer, np.bool_)):
        return int(value.array), int(value.array)
    dtype = getattr(value.array, "dtype", None)
    if isinstance(value.array, np.ndarray) and dtype.kind in "iub" and 0 < value.array.size <= 64:
        return int(value.array.min()), int(value.array.max())
    known = isinstance(value.array, jax.Array) and not jp.is_tracer(value.array)
    if known and value.array.size == 1 and getattr(dtype, "kind", "") in tuple("iub"):
        number = int(np.asarray(value.array).item())  # a JAX operator would be traced here
        return number, number
    if dtype == np.bool_:
        return 0, 1
    if dtype in _SMALL:
        limits = np.iinfo(dtype)
        return int(limits.min), int(limits.max)
    return None


def attach(ctx, eqn, values, outs):
    """Attach bounds to the integer outputs of an equation, derived from the inputs' bounds."""
    rule = _RULES.get(eqn.primitive.name)
    if rule is None or not outs or outs[0].bounds is not None:
        return outs
    kind = getattr(outs[0].array.dtype, "kind", "")  # keys of `jax.random` have none
    if kind not in ("i", "u"):
        return outs
    given = [of(v) for v in values]
    found = rule(ctx, eqn, values, given)
    if found is None or found[1] > _LIMIT:
        return outs
    # A value without a lower bound may wrap around; rules that use it check it at run time.
    found = max(found[0], -_LIMIT), found[1]
    return [Value(outs[0].array, outs[0].axes, outs[0].pad, found), *outs[1:]]


def _first_operand(ctx, eqn, values, given):
    return given[0]


def _add(ctx, eqn, values, given):
    a, b = given
    return None if a is None or b is None else (a[0] + b[0], a[1] + b[1])


def _sub(ctx, eqn, values, given):
    a, b = given
    return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])


def _mul(ctx, eqn, values, given):
    a, b = given
    if a is None or b is None:
        return None
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _max(ctx, eqn, values, given):
    a, b = given
    low = max(x[0] for x in (a or (-_LIMIT, 0), b or (-_LIMIT, 0)) for x in [x])
    if a is None or b is None:
        return (low, _LIMIT)
    return max(a[0], b[0]), max(a[1], b[1])


def _min(ctx, eqn, values, given):
    a, b = given
    high = min(x[1] for x in (a or (0, _LIMIT), b or (0, _LIMIT)))
    if a is None or b is None:
        return (-_LIMIT, high)
    return min(a[0], b[0]), min(a[1], b[1])


def _div(ctx, eqn, values, given):
    a, b = given
    if a is None or b is None or b[0] <= 0:
        return None
    quotients = [int(x / y) for x in a for y in b]
    return min(*quotients, 0 if a[0] < 0 < a[1] else quotients[0]), max(quotients)


def _select(ctx, eqn, values, given):
    cases = given[1:]
    if any(c is None for c in cases):
        return None
    return min(c[0] for c in cases), max(c[1] for c in cases)


def _clamp(ctx, eqn, values, given):
    low, _, high = given
    if low is None or high is None:
        return None
    return low[0], high[1]


def _sign(ctx, eqn, values, given):
    low, high = given[0] or (-1, 1)
    return (low > 0) - (low < 0), (high > 0) - (high < 0)


def _convert(ctx, eqn, values, given):
    return given[0]


def _reduce_sum(ctx, eqn, values, given):
    if given[0] is None:
        return None
    shape = eqn.invars[0].aval.shape
    count = 1
    for axis in eqn.params["axes"]:
        count *= max(dims.interval(shape[axis], ctx.env)[1], 0)
    return min(given[0][0] * count, 0), max(given[0][1] * count, 0)


def _rem(ctx, eqn, values, given):
    b = given[1]
    if b is None or b[0] <= 0:
        return None
    low = 0 if given[0] is not None and given[0][0] >= 0 else -(b[1] - 1)
    return low, b[1] - 1


def _inner_program(ctx, eqn, values, given):
    """Propagate bounds through a nested jaxpr (`jnp.clip`, `%`, ...)."""
    jaxpr, _ = jp.open_jaxpr(eqn.params["jaxpr"])
    known = {**dict.fromkeys(jaxpr.constvars), **dict(zip(jaxpr.invars, given, strict=True))}

    def step(inner, operands):
        found = [None] * len(inner.outvars)  # an equation that only checks has no outputs
        rule = _RULES.get(inner.primitive.name) if found else None
        if rule is not None and getattr(inner.outvars[0].aval.dtype, "kind", "") in tuple("iub"):
            found[0] = rule(ctx, inner, values, operands)
        return found

    return evaluate(jaxpr, known, step, lambda literal: of(static(literal.val)))[0]


def _union(ctx, eqn, values, given):
    if any(g is None for g in given):
        return None
    return min(g[0] for g in given), max(g[1] for g in given)


def _positions(ctx, eqn, values, given):
    """Return the bounds of axis indices (`iota`, `argmax`, ...): from 0 to the axis capacity minus 1."""
    shape = eqn.invars[0].aval.shape if eqn.invars else eqn.outvars[0].aval.shape
    axes = eqn.params.get("axes", (eqn.params.get("dimension", 0),))
    return 0, max(dims.interval(shape[axes[0]], ctx.env)[1] - 1, 0)


_RULES = {
    "argmax": _positions,
    "argmin": _positions,
    "concatenate": _union,
    "dynamic_slice": _first_operand,
    "gather": _first_operand,
    "iota": _positions,
    "stack": _union,
    "jit": _inner_program,
    "pjit": _inner_program,
    "add": _add,
    "sign": _sign,
    "sub": _sub,
    "mul": _mul,
    "max": _max,
    "min": _min,
    "div": _div,
    "rem": _rem,
    "clamp": _clamp,
    "select_n": _select,
    "convert_element_type": _convert,
    "reduce_sum": _reduce_sum,
    "reduce_max": _first_operand,
    "reduce_min": _first_operand,
    "broadcast_in_dim": _first_operand,
    "reshape": _first_operand,
    "squeeze": _first_operand,
    "slice": _first_operand,
    "transpose": _first_operand,
    "copy": _first_operand,
    "copy_p": _first_operand,
}
