"""Enter and leave the scopes of nested jaxprs, and convert the values passed in and out."""

from __future__ import annotations

from shims._src.lowering import own_sizes
from shims._src.lowering.context import Context
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp


def enter(ctx: Context, jaxpr, values: list[Value], is_call: bool = False) -> Context:
    """Return a new scope for a nested jaxpr, in which the sizes of its operands are bound.

    Args:
      ctx: the scope around it.
      jaxpr: the nested jaxpr.
      values: its operands.
      is_call: whether the jaxpr is that of a called function: what repeats the selection of a saved value may be there.
    """
    inner = ctx.child()
    if is_call:
        inner.carried |= ctx.carried
    inner_jaxpr, _ = jp.open_jaxpr(jaxpr)
    for var, value in zip(inner_jaxpr.invars, values, strict=True):
        for d, axis, extent in zip(
            getattr(var.aval, "shape", ()),
            value.axes,
            getattr(value.array, "shape", ()),
            strict=False,
        ):
            if axis is None or axis.per_row or not jp.is_symbolic(d):
                continue
            names = jp.variables(d)
            if len(names) == 1 and str(d) in names:
                _bind_from_axis(inner, str(d), axis, extent)
    return inner


def _bind_from_axis(inner: Context, name: str, axis: Axis, extent: int) -> None:
    serial = _serial_of(axis, name)
    known = inner.env.get(name)
    inner.carried.add(name)
    if known is not None and name not in inner.ambiguous and serial in (None, known.serial):
        return
    if axis.uniform:
        extent = inner.root.fresh_capacity.get(name, 1)
    inner.ambiguous.discard(name)
    inner.bind(name, axis.size, extent, fresh=True, serial=serial, valid=axis.valid)


def _serial_of(axis: Axis, name: str):
    """Return the serial number of the size `name` in an axis, or `None` if the axis does not tell.

    Serial numbers distinguish sizes of the same name.
    """
    if not axis.token:
        return None
    if axis.token[0] == "packed":
        return dict(axis.token[2]).get(name)
    return axis.token[2] if axis.token[0] == "selected" else None


def leave(ctx: Context, inner: Context, values: list[Value]) -> list[Value]:
    """Return the results of an inlined jaxpr, and bind the sizes created in it in the outer scope."""
    # The inner program was traced once and runs twice, so two sizes share a name.
    # Axes that hold the size itself stay valid; a use of the name is refused.
    ctx.ambiguous |= renamed(ctx, inner, values)
    for name in _sizes_of(values):
        ctx.env[name] = inner.env[name]
    # What waits for a size that no result has is of this size, unless another call makes it, too.
    unknown = inner.env.keys() - ctx.env.keys()
    ctx.unreturned |= unknown
    ctx.env.update({name: inner.env[name] for name in unknown})
    ctx.reports += inner.reports
    return values


def renamed(ctx: Context, inner: Context, values: list[Value]) -> set[str]:
    """Return the names of sizes that an inner program makes and that stand for other sizes in the outer scope."""
    return {
        name
        for name in _sizes_of(values) | ctx.unreturned
        if name in ctx.env and ctx.env[name].serial != inner.env[name].serial
    }


def _sizes_of(values: list[Value]) -> set[str]:
    axes = [axis for value in values for axis in value.axes if axis is not None]
    return {name for axis in axes for name in jp.variables(axis.dim) - axis.own.keys()}


def settle(ctx: Context, value: Value, shape) -> Value:
    """Convert a value to the layout of loop carries and branch results: packed, at full capacity."""
    value = ctx.pack_all(value)
    for i, d in enumerate(shape):
        axis = value.axes[i]
        if axis is not None and axis.per_row:
            array = fit(value.array, i, own_sizes.capacity(ctx, axis))
            value = Value(array, value.axes, None, value.bounds)
        elif jp.is_symbolic(d):
            array = fit(value.array, i, ctx.capacity(d))
            value = Value(array, value.with_axis(i, ctx.axis(d)), None, value.bounds)
    return Value(value.array, value.axes, None, None)


def escaping(outer: Context, aval) -> list[str]:
    """Return the names of sizes in a result's shape that are unknown in the outer scope."""
    names = set()
    for d in getattr(aval, "shape", ()):
        names |= {v for v in jp.variables(d) if v not in outer.env}
    return sorted(names)


def describe(inner: Context):
    """Return the conditions of the run-time checks of an inner scope, and their result codes."""
    return [r.condition for r in inner.reports], [r.code for r in inner.reports]
