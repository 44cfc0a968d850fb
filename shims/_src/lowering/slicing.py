"""Define the masking rules of slices, pads and splits along dynamic axes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.errors import errors
from shims._src.lowering import uses
from shims._src.lowering.contraction import align_pair
from shims._src.lowering.refusals import line_of
from shims._src.lowering.report import Invalid
from shims._src.lowering.rule import Rule
from shims._src.lowering.shaping import report_empty
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, primitives


def fit(array, axis: int, extent: int):
    """Cut an array, or pad it with zeros, to the given extent along an axis."""
    have = array.shape[axis]
    if have == extent:
        return array
    if have > extent:
        return lax.slice_in_dim(array, 0, extent, axis=axis)
    if jnp.issubdtype(array.dtype, jax.dtypes.extended):  # XLA cannot pad random keys
        shape = [extent - have if i == axis else n for i, n in enumerate(array.shape)]
        return lax.concatenate([array, jnp.zeros(shape, array.dtype)], axis)
    widths = [(0, extent - have if i == axis else 0, 0) for i in range(array.ndim)]
    return lax.pad(array, _zero(array), widths)


def _zero(array):
    return jnp.zeros((), array.dtype)


def window(ctx, value: Value, i: int, start, size, stride: int = 1) -> Value:
    """Return `size` valid slots of axis `i`, from valid slot number `start` on, `stride` slots apart."""
    value = ctx.pack(ctx.expand_uniform(value, (i,)), i)
    extent = ctx.capacity(size)
    array = value.array
    if isinstance(start, int):
        if start or stride != 1:
            array = lax.slice_in_dim(array, min(start, array.shape[i]), None, stride, axis=i)
        array = fit(array, i, extent)
    elif stride == 1:
        array = fit(array, i, array.shape[i] + extent)
        array = lax.dynamic_slice_in_dim(array, start, extent, axis=i)
    else:
        places = jnp.asarray(start, jnp.int32) + stride * lax.iota(jnp.int32, extent)
        array = jnp.take(array, places, axis=i, mode="clip")
    out = Value(array, value.with_axis(i, ctx.axis(size)), None, value.bounds)
    return ctx.clear_padding(out, (i,))  # the slots behind the window hold other elements


def whole(a, b) -> bool:
    """Return whether two dimensions are certainly equal, so a slice takes the whole axis."""
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def slice_(ctx, eqn, value):
    """Lower `lax.slice` with static or symbolic bounds."""
    starts, limits = eqn.params["start_indices"], eqn.params["limit_indices"]
    strides = eqn.params["strides"] or (1,) * len(starts)
    shape, out_shape = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    for i, (start, stride) in enumerate(zip(starts, strides, strict=True)):
        if whole(shape[i], out_shape[i]):
            continue
        if value.axes[i] is None and not any(map(jp.is_symbolic, (start, limits[i]))):
            array = lax.slice_in_dim(value.array, start, limits[i], stride, axis=i)
            value = Value(array, value.axes, value.pad, value.bounds)
        else:
            begin = int(start) if not jp.is_symbolic(start) else ctx.size(start)
            value = window(ctx, value, i, begin, out_shape[i], stride)
            if not jp.is_symbolic(out_shape[i]):
                reach = out_shape[i] if jp.is_symbolic(limits[i]) else limits[i]
                value = _check_length(ctx, eqn, value, i, shape, reach)
    return [value]


def _check_length(ctx, eqn, value, i, shape, limit) -> Value:
    """Check that an axis is long enough for a static window; handle a short one like `missing`."""
    if dims.interval(shape[i], ctx.env)[0] >= limit:
        return value
    short = jnp.asarray(ctx.size(shape[i]), jnp.int32) < jnp.int32(limit)
    return missing(ctx, eqn, value, short, shape, kept=not uses.only_squeezed(ctx.jaxpr, eqn))


def dynamic_slice(ctx, eqn, value, *starts):
    """Lower a slice with traced start indices, which are clamped to the true sizes."""
    sizes = eqn.params["slice_sizes"]
    shape = eqn.invars[0].aval.shape
    begins = [s.array for s in starts[: len(shape)]]
    return [slice_at(ctx, eqn, value, shape, begins, sizes)]


def slice_at(ctx, eqn, value, shape, begins, sizes, collapsed=()) -> Value:
    """Return the window of `value` at `begins`; floats read from a too short axis are NaN."""
    empty, kept = None, False
    for i, (begin, size) in enumerate(zip(begins, sizes, strict=True)):
        if whole(shape[i], size):
            continue
        if not jp.is_symbolic(shape[i]) and not jp.is_symbolic(size):
            array = lax.dynamic_slice_in_dim(value.array, begin, size, axis=i)
            value = Value(array, value.axes, value.pad, value.bounds)
            continue
        true_size = jnp.asarray(ctx.size(shape[i]), jnp.int32)
        room = lax.max(true_size - jnp.asarray(ctx.size(size), jnp.int32), jnp.int32(0))
        begin = jnp.clip(jnp.asarray(begin, jnp.int32), 0, room)
        if not jp.is_symbolic(size) and dims.interval(shape[i], ctx.env)[0] < size:
            short = true_size < size
            empty = short if empty is None else empty | short
            kept |= i not in collapsed
        value = window(ctx, value, i, begin, size)
    if empty is not None:
        kept &= not uses.only_squeezed(ctx.jaxpr, eqn)
        value = missing(ctx, eqn, value, empty, shape, kept=kept)
    return value


def missing(ctx, eqn, value: Value, absent, shape, kept: bool = False) -> Value:
    """Handle a read from an axis that may be too short: return NaN, or add a run-time check.

    Args:
      ctx: the scope of the lowering.
      eqn: the equation that reads.
      value: the result.
      absent: bool array, true where there was nothing to read.
      shape: the symbolic shape of the operand.
      kept: whether the read axis stays in the result, whose shape would then be wrong, too.

    Returns:
      The value. Inside an enclosing trace, a value of inexact dtype that is not `kept`, and from which no values
      of other dtypes are computed, is NaN where `absent` is true; in all other cases a run-time check is added.
    """
    kept = kept or ctx.root.buckets is not None  # a top-level call can raise
    is_inexact = jnp.issubdtype(value.array.dtype, jnp.inexact)
    if not kept and is_inexact and id(eqn) not in ctx.root.deciding:
        nan = lax.full(value.array.shape, ctx.error_value(), value.array.dtype)
        ctx.root.unread.append(absent)
        absent = jnp.broadcast_to(absent, value.array.shape)
        return Value(lax.select(absent, nan, value.array), value.axes)
    for d in shape:
        if jp.is_symbolic(d):
            _report_missing(ctx, eqn, d, jnp.any(absent))
    return value


def _report_missing(ctx, eqn, dim, absent) -> None:
    """Add run-time checks that an axis is not empty, as it also is if its size is `u - 1` and `u` is 1."""
    report_empty(ctx, dim, absent, line_of(eqn))
    if str(dim) in jp.variables(dim):
        return
    text = errors.message(
        "",
        "an element of an empty axis is read.",
        required="an axis with at least one element",
        received=f"a position in an axis of size {dim} = {errors.NUMBER}",
    )
    size = jnp.asarray(ctx.size(dim), jnp.int32)
    ctx.report(Invalid(text, line_of(eqn)), absent & (size <= 0), size)


def dynamic_update_slice(ctx, eqn, operand, update, *starts):
    """Lower the write of a window at traced start indices, which are clamped to the true sizes."""
    shape, window_shape = eqn.invars[0].aval.shape, eqn.invars[1].aval.shape
    begins = [s.array for s in starts]
    for d, size in zip(shape, window_shape, strict=True):
        if jp.is_symbolic(d) and not jp.is_symbolic(size) and dims.interval(d, ctx.env)[0] < size:
            _report_missing(ctx, eqn, d, jnp.asarray(ctx.size(d), jnp.int32) < size)
    return [place(ctx, operand, update, shape, window_shape, begins, lambda old, new: new)]


def place(ctx, operand, update, shape, window_shape, begins, combine) -> Value:
    """Combine a window of `operand`, at `begins`, with `update`; return the new operand."""
    inside = []
    for i, (begin, size) in enumerate(zip(begins, window_shape, strict=True)):
        if whole(shape[i], size):
            operand, update = align_pair(ctx, operand, i, update, i)
            continue
        operand = ctx.pack(ctx.expand_uniform(operand, (i,)), i)
        update = ctx.pack(ctx.expand_uniform(update, (i,)), i)
        count = jnp.asarray(ctx.size(size), jnp.int32)
        room = lax.max(jnp.asarray(ctx.size(shape[i]), jnp.int32) - count, jnp.int32(0))
        begin = jnp.clip(jnp.asarray(begin, jnp.int32), 0, room)
        offset = lax.iota(jnp.int32, operand.array.shape[i]) - begin
        if update.array.shape[i] == 0:
            return operand  # nothing is written
        array = jnp.take(update.array, offset, axis=i, mode="clip")
        update = Value(array, update.with_axis(i, operand.axes[i]))
        inside.append((i, (offset >= 0) & (offset < count)))
    (operand, update), axes = ctx.align([operand, update])
    new = combine(operand.array, update.array)
    for i, here in inside:
        new = lax.select(lax.broadcast_in_dim(here, new.shape, (i,)), new, operand.array)
    return Value(new, axes)


def pad(ctx, eqn, value, filler):
    """Lower a pad with static, symbolic, negative or interior widths along any axis."""
    shape, out_shape = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    for i, (low, high, interior) in enumerate(eqn.params["padding_config"]):
        if not jp.is_symbolic(low) and not jp.is_symbolic(high) and low == high == interior == 0:
            continue
        involved = (shape[i], out_shape[i], low, high)
        if not any(map(jp.is_symbolic, involved)):
            widths = [(0, 0, 0)] * len(shape)
            widths[i] = (low, high, interior)
            value = Value(lax.pad(value.array, filler.array, widths), value.axes)
        else:
            widths, line = (low, high, interior), line_of(eqn)
            value = pad_axis(ctx, value, i, shape[i], out_shape[i], widths, filler.array, line)
    return [value]


def pad_axis(ctx, value, i, old, new, widths, filler, line="") -> Value:
    """Pad one axis whose extent or padding widths are not static, by gathering positions.

    The `widths` are those at the low end, the high end, and between elements, as for `lax.pad`.
    """
    low, high, interior = widths
    value = ctx.pack(ctx.expand_uniform(value, (i,)), i)
    if interior and jp.is_symbolic(old) and dims.interval(old, ctx.env)[0] <= 0:
        # For an empty axis, JAX's formula for the new size is wrong by the interior padding, if it is positive.
        is_wrong = _signed_width(ctx, low) + _signed_width(ctx, high) > 0
        report_empty(ctx, old, (jnp.asarray(ctx.size(old)) == 0) & is_wrong, line)
    extent = ctx.capacity(new)
    offset = lax.iota(jnp.int32, extent) - jnp.asarray(_signed_width(ctx, low), jnp.int32)
    step = interior + 1
    source = offset // step if step > 1 else offset
    inside = (offset >= 0) & (source < jnp.asarray(ctx.size(old), jnp.int32))
    if step > 1:
        inside &= offset % step == 0
    have = value.array
    if not have.shape[i]:  # the result is all filler; there is nothing to take
        one = jnp.zeros((*have.shape[:i], 1, *have.shape[i + 1 :]), have.dtype)
        have = primitives.connected(one, have)
    array = jnp.take(have, jnp.clip(source, 0, have.shape[i] - 1), axis=i)
    inside = lax.broadcast_in_dim(inside, array.shape, (i,))
    array = lax.select(inside, array, jnp.broadcast_to(filler, array.shape))
    return ctx.clear_padding(Value(array, value.with_axis(i, ctx.axis(new))), (i,))


def _signed_width(ctx, d):
    """Return the run-time value of a symbolic padding width; unlike a size, it may be negative."""
    return dims.evaluate(d, ctx.env)


def split(ctx, eqn, value):
    """Lower a split into consecutive windows."""
    axis, sizes = eqn.params["axis"], eqn.params["sizes"]
    outs = []
    start = 0
    for size in sizes:
        begin = start if not jp.is_symbolic(start) else ctx.size(start)
        outs.append(window(ctx, value, axis, begin, size))
        start = start + size
    return outs


RULES = (
    Rule("slice", slice_, uniform=True),
    Rule("dynamic_slice", dynamic_slice, uniform=True),
    Rule("dynamic_update_slice", dynamic_update_slice, uniform=True),
    Rule("pad", pad, uniform=True),
    Rule("split", split, uniform=True),
)
