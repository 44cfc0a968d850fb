"""Define the masking rules of primitives that rearrange axes without reading elements."""

from __future__ import annotations

import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering import bounds
from shims._src.lowering.extents import common_extent, one_extent, same_axes
from shims._src.lowering.refusals import line_of
from shims._src.lowering.report import Misjudged
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims


def uniform_axis(ctx, d) -> Axis:
    """Return a uniform axis of size `d`: one stored slot that stands for `d` equal slots."""
    return Axis(d, ctx.size(d), None, uniform=True)


def broadcast_in_dim(ctx, eqn, value, *_):
    """Lower a broadcast; new dynamic axes stay uniform until a rule needs their slots."""
    shape, mapping = eqn.params["shape"], eqn.params["broadcast_dimensions"]
    aval = eqn.invars[0].aval
    source = {j: i for i, j in enumerate(mapping)}
    axes: list[Axis | None] = []
    extents = []
    for j, d in enumerate(shape):
        i = source.get(j)
        kept = i is not None and not (_is_one(aval.shape[i]) and not _is_one(d))
        if kept:
            axes.append(value.axes[i])
            extents.append(value.array.shape[i])
        elif jp.is_symbolic(d):
            axes.append(uniform_axis(ctx, d))
            extents.append(1)
        else:
            axes.append(None)
            extents.append(d)
    out = lax.broadcast_in_dim(value.array, extents, mapping)
    return [Value(out, tuple(axes), value.pad, value.bounds)]


def _is_one(d) -> bool:
    return not jp.is_symbolic(d) and d == 1


def squeeze(ctx, eqn, value):
    """Lower the removal of axes of size 1."""
    drop = tuple(i % len(value.axes) for i in eqn.params["dimensions"])
    out = lax.squeeze(value.array, drop)
    axes = tuple(a for i, a in enumerate(value.axes) if i not in drop)
    return [Value(out, axes, value.pad, value.bounds)]


def expand_dims(ctx, eqn, value):
    """Lower the insertion of axes of size 1."""
    new = eqn.params["dimensions"]
    old = iter(value.axes)
    rank = len(value.axes) + len(new)
    axes = tuple(None if i in new else next(old) for i in range(rank))
    return [Value(lax.expand_dims(value.array, new), axes, value.pad, value.bounds)]


def transpose(ctx, eqn, value):
    """Lower a permutation of axes."""
    order = eqn.params["permutation"]
    out = lax.transpose(value.array, order)
    return [Value(out, tuple(value.axes[i] for i in order), value.pad, value.bounds)]


def rev(ctx, eqn, value):
    """Lower a reversal: slots and validity mask are reversed, so nothing needs to be packed."""
    axes = list(value.axes)
    for i in eqn.params["dimensions"]:
        axis = axes[i]
        if axis is None or axis.uniform:
            continue
        valid = lax.rev(ctx.valid(axis, value.array.shape[i]), (0,))
        turned = isinstance(axis.token, tuple) and axis.token[0] == "rev"
        if turned and axis.token[1][0] == "packed":
            axes[i] = ctx.axis(axis.dim)
        else:
            token = axis.token[1] if turned else ("rev", axis.token)
            axes[i] = Axis(axis.dim, axis.size, token, valid)
    out = lax.rev(value.array, eqn.params["dimensions"])
    return [Value(out, tuple(axes), value.pad, value.bounds)]


def iota(ctx, eqn, *_):
    """Lower `iota`: its own axis is packed, the others are uniform."""
    shape, dimension = eqn.params["shape"], eqn.params["dimension"]
    extents, axes = [], []
    for j, d in enumerate(shape):
        if j != dimension and jp.is_symbolic(d):
            extents.append(1)
            axes.append(uniform_axis(ctx, d))
        else:
            extents.append(ctx.capacity(d))
            axes.append(ctx.axis(d))
    out = lax.broadcasted_iota(eqn.params["dtype"], extents, dimension)
    return [Value(out, tuple(axes), None, (0, max(extents[dimension] - 1, 0)))]


def empty(ctx, eqn):
    """Lower an uninitialized array to zeros; dynamic axes stay uniform."""
    shape = eqn.params["shape"]
    extents = [1 if jp.is_symbolic(d) else d for d in shape]
    axes = tuple(uniform_axis(ctx, d) if jp.is_symbolic(d) else None for d in shape)
    return [Value(lax.full(extents, 0, eqn.params["dtype"]), axes)]


def concatenate(ctx, eqn, *values):
    """Lower a concatenation: if all parts are packed, without gaps; otherwise with a validity mask."""
    where = eqn.params["dimension"]
    values = [ctx.expand_uniform(v, (where,)) for v in values]
    values = align_except(ctx, list(values), where)
    axes = list(_joint_axes(values))
    dim = eqn.outvars[0].aval.shape[where]
    limits = [bounds.of(v) for v in values]
    known = None
    if all(b is not None for b in limits):
        known = min(b[0] for b in limits), max(b[1] for b in limits)
    plain = all(
        isinstance(v.array.dtype, np.dtype) for v in values
    )  # keys of `jax.random` have no zero
    moves = jp.is_symbolic(dim)
    if not moves and any(v.axes[where] is not None for v in values):
        values = [v if v.axes[where] is None else ctx.pack(v, where) for v in values]
        moves = True
    if plain and moves and all(_comes_first(v.axes[where]) for v in values):
        axes[where] = None  # `n` and `8 - n` are 8
        if jp.is_symbolic(dim):
            axes[where] = Axis(dim, _joined_size(ctx, eqn, values, where, dim), ctx.axis(dim).token)
        out = _closed_up([(v.array, v.axes[where]) for v in values], where, ctx.capacity(dim))
        return [Value(out, tuple(axes), None, known)]
    out = lax.concatenate([v.array for v in values], where)
    if any(v.axes[where] is not None for v in values):
        axes[where] = _joined_axis(ctx, eqn, values, where, dim)
    pads = {None if v.pad is None else np.asarray(v.pad).item() for v in values if v.dynamic}
    pad = values[0].pad if len(pads) == 1 and values[0].pad is not None else None
    return [Value(out, tuple(axes), pad, known)]


def align_except(ctx, values, where):
    """Convert values to a common layout along every axis except `where`."""
    rank = len(values[0].axes)
    for i in range(rank):
        if i == where:
            continue
        tokens = {
            v.axes[i].token for v in values if v.axes[i] is not None and not v.axes[i].uniform
        }
        if len(tokens) > 1:
            values = [
                v if v.axes[i] is None or v.axes[i].uniform else ctx.pack(v, i) for v in values
            ]
            ctx._check_one_token(values, i)
        values = one_extent(values, i)
    joint = _joint_axes(values)
    shape = [common_extent(v.array.shape[i] for v in values) for i in range(rank)]
    out = []
    for v in values:
        target = [v.array.shape[i] if i == where else shape[i] for i in range(rank)]
        array = v.array
        if array.shape != tuple(target):
            array = lax.broadcast_in_dim(array, target, range(rank))
        axes = tuple(v.axes[i] if i == where else joint[i] for i in range(rank))
        wide = Value(array, axes, v.pad if same_axes(v, axes) else None, v.bounds)
        out.append(wide if same_axes(v, axes) else ctx.clear_padding(wide))
    return out


def _joint_axes(values):
    axes = []
    for i in range(len(values[0].axes)):
        found = [v.axes[i] for v in values if v.axes[i] is not None]
        real = [a for a in found if not a.uniform]
        axes.append((real or found or [None])[0])
    return axes


def _comes_first(axis) -> bool:
    """Return whether the valid slots of an axis come first, with the same size in every row."""
    return axis is None or (axis.packed and not axis.per_row)


def _closed_up(parts, where, capacity):
    """Concatenate packed parts such that each overwrites the padding of the part before it."""
    first, axis = parts[0]
    total = sum(array.shape[where] for array, _ in parts)
    extent = max(total, capacity)
    widths = [(0, extent - d if i == where else 0, 0) for i, d in enumerate(first.shape)]
    out = lax.pad(first, np.zeros((), first.dtype), widths)
    offset = first.shape[where] if axis is None else axis.size
    for array, axis in parts[1:]:
        out = lax.dynamic_update_slice_in_dim(out, array, offset, where)
        offset = offset + (array.shape[where] if axis is None else axis.size)
    return lax.slice_in_dim(out, 0, capacity, axis=where)


def _joined_size(ctx, eqn, values, where, dim):
    parts = [(v.axes[where], v.array.shape[where]) for v in values]
    size = sum((extent if axis is None else axis.size) for axis, extent in parts)
    size = lax.convert_element_type(size, np.int32)
    if jp.is_symbolic(dim) and _can_disagree(ctx, eqn, where):
        expected = lax.convert_element_type(dims.evaluate(dim, ctx.env), np.int32)
        report_empty(ctx, dim, lax.ne(expected, size), line_of(eqn))
    return size


def _joined_axis(ctx, eqn, values, where, dim):
    """Return the axis of a concatenation of which some parts have validity masks."""
    parts = [(v.axes[where], v.array.shape[where]) for v in values]
    size = _joined_size(ctx, eqn, values, where, dim)
    valid = lax.concatenate(
        [
            lax.full((extent,), True) if axis is None else ctx.valid(axis, extent)
            for axis, extent in parts
        ],
        0,
    )
    token = ("concat", tuple((axis.token if axis else None, extent) for axis, extent in parts))
    return Axis(dim, size, token, valid)


def _can_disagree(ctx, eqn, where) -> bool:
    shapes = [a.aval.shape[where] for a in eqn.invars]
    return any(dims.interval(d, ctx.env)[0] < 0 for d in shapes)


def report_empty(ctx, dim, bad, line, env=None) -> None:
    """Add a run-time check that a size, which was assumed to be positive, is not 0."""
    env = ctx.env if env is None else env
    for name in sorted(jp.variables(dim)):
        if env[name].low == 0:
            text = errors.message(
                "",
                f"the size `{name}` is 0, and this operation has no result for an empty array.",
                at=line,
                do="test the size first, with `if y.shape[0] > 0` or `shims.cond`",
            )
            text = ctx.root.state.with_origins(text)
            ctx.report(Misjudged(name, line, text=text), bad & (env[name].size == 0), 0)


def stack(ctx, eqn, *values):
    """Lower `stack`, which joins values along a new static axis."""
    where = eqn.params["axis"]
    values, axes = ctx.align(list(values))
    out = jp.bind(eqn, [v.array for v in values])[0]
    return [Value(out, (*axes[:where], None, *axes[where:]))]


def unstack(ctx, eqn, value):
    """Lower the split of a static axis into its slices."""
    where = eqn.params["axis"] % len(value.axes)
    value = ctx.expand_uniform(value, (where,))
    outs = jp.bind(eqn, [value.array])
    axes = tuple(a for i, a in enumerate(value.axes) if i != where)
    return [Value(o, axes, value.pad, value.bounds) for o in outs]


RULES = (
    Rule("unstack", unstack, uniform=True),
    Rule("broadcast_in_dim", broadcast_in_dim, uniform=True, spread=True),
    Rule("squeeze", squeeze, uniform=True, spread=True),
    Rule("expand_dims", expand_dims, uniform=True, spread=True),
    Rule("transpose", transpose, uniform=True, spread=True),
    Rule("rev", rev, uniform=True),
    Rule("iota", iota, uniform=True),
    Rule("empty", empty, uniform=True),
    Rule("concatenate", concatenate, uniform=True),
    Rule("stack", stack, uniform=True),
)
