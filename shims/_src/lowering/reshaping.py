"""Define the masking rules of `reshape` and `tile`.

Flattening padded axes leaves the elements in place and computes a validity mask; splitting an axis may
move elements.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from shims._src.errors import errors
from shims._src.lowering.refusals import line_of
from shims._src.lowering.report import Invalid
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def reshape(ctx, eqn, value, *_):
    """Lower a reshape, separately for groups of axes with equal element counts before and after."""
    old, new = eqn.invars[0].aval.shape, tuple(eqn.params["new_sizes"])
    if eqn.params.get("dimensions") is not None:
        value = transpose_first(value, eqn.params["dimensions"])
        old = tuple(old[i] for i in eqn.params["dimensions"])
    _check_counts(ctx, eqn, old, new)
    if any(not jp.is_symbolic(d) and d == 0 for d in new):  # sizes of 0 cannot be grouped
        zeros = jnp.zeros(ctx.shape(new), value.array.dtype)
        return [Value(primitives.connected(zeros, value.array), ctx.axes(new))]
    arrays_shape: list[int] = []
    axes: list[Axis | None] = []
    position = 0
    plan = []
    for olds, news in groups(old, new):
        plan.append((position, olds, news))
        position += len(olds)
    # Process groups from last to first, so that the positions of earlier axes do not change.
    result: list[tuple[list[int], list[Axis | None]]] = []
    for start, olds, news in reversed(plan):
        value, extents, new_axes = _regroup(ctx, value, start, olds, news)
        result.append((extents, new_axes))
    for extents, new_axes in reversed(result):
        arrays_shape += extents
        axes += new_axes
    return [Value(lax.reshape(value.array, arrays_shape), tuple(axes), value.pad, value.bounds)]


def _check_counts(ctx, eqn, old, new) -> None:
    """Check that two shapes hold the same number of elements; at run time if sizes are unknown."""
    have, want = math.prod(old), math.prod(new)
    if not jp.is_symbolic(have - want) and have == want:
        return
    text = errors.message(
        "reshape",
        f"the input has {errors.NUMBER} values, but the requested shape has a different number of values.",
        required=f"as many values as shape={_format_shape(new)} contains",
        received=f"shape {_format_shape(old)}",
    )
    count = jnp.asarray(ctx.size(have), jnp.int32)
    differ = count != jnp.asarray(ctx.size(want), jnp.int32)
    ctx.report(Invalid(text, line_of(eqn)), differ, count)


def _format_shape(shape) -> str:
    return f"({', '.join(map(str, shape))})"


def transpose_first(value, order):
    """Transpose the operand of a `lax.reshape` that has the `dimensions` argument."""
    return Value(lax.transpose(value.array, order), tuple(value.axes[i] for i in order), value.pad)


def groups(old, new):
    """Split the axes of two shapes into the shortest consecutive groups with equal element counts.

    Returns pairs of size lists, one list for each shape.
    """
    i = j = 0
    out = []
    while i < len(old) or j < len(new):
        olds, news = [], []
        if i < len(old) and j < len(new) and _are_equal(old[i], new[j]):
            out.append(([old[i]], [new[j]]))
            i, j = i + 1, j + 1
            continue
        if i < len(old) and _is_one(old[i]):
            out.append(([old[i]], []))
            i += 1
            continue
        if j < len(new) and _is_one(new[j]):
            out.append(([], [new[j]]))
            j += 1
            continue
        while True:
            if olds and news and _are_equal(math.prod(olds), math.prod(news)):
                break
            if i == len(old) and j == len(new):
                break
            if j == len(new) or (i < len(old) and _first_is_smaller(olds, news)):
                olds.append(old[i])
                i += 1
            else:
                news.append(new[j])
                j += 1
        out.append((olds, news))
    return out


def _first_is_smaller(olds, news) -> bool:
    a, b = math.prod(olds), math.prod(news)
    if not olds:
        return True
    if not news:
        return False
    if not jp.is_symbolic(a) and not jp.is_symbolic(b):
        return a < b
    return _degree(a) < _degree(b) or (
        _degree(a) == _degree(b) and _leading_coefficient(a) < _leading_coefficient(b)
    )


def _degree(d) -> int:
    if not jp.is_symbolic(d):
        return 0
    return max(sum(f[3] for f in factors) for factors, _ in jp.terms(d))


def _leading_coefficient(d) -> int:
    return int(d) if not jp.is_symbolic(d) else abs(jp.terms(d)[0][1])


def _are_equal(a, b) -> bool:
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def _is_one(d) -> bool:
    return not jp.is_symbolic(d) and d == 1


def _regroup(ctx, value: Value, start: int, olds, news):
    """Prepare a group of axes for a reshape; return the value, and the new extents and axes."""
    if not any(jp.is_symbolic(d) for d in (*olds, *news)):
        return value, list(news), [None] * len(news)
    if not olds:  # one element; whether the new axes hold exactly one is known only at run time
        axes = (*value.axes[:start], None, *value.axes[start:])
        array = jnp.expand_dims(value.array, start)
        return _regroup(ctx, Value(array, axes, value.pad, value.bounds), start, [1], news)
    if not news:
        return _regroup(ctx, value, start, olds, [1])[0], [], []
    stop = start + len(olds)
    group = value.axes[start:stop]
    extents = list(value.array.shape[start:stop])
    if len(olds) == len(news) == 1 and _are_equal(olds[0], news[0]):
        return value, extents, list(group)
    if all(a is None or a.uniform for a in group) and all(
        jp.is_symbolic(d) or d == 1 for d in olds
    ):
        known = [1 if jp.is_symbolic(d) else d for d in news]
        shape = list(value.array.shape)
        shape[start] = math.prod(
            known
        )  # one element stands for a uniform axis, not for a known size
        array = jnp.broadcast_to(value.array, shape)
        value = Value(array, value.axes, value.pad, value.bounds)
        return value, known, [_uniform_axis(ctx, d) for d in news]
    value = ctx.expand_uniform(value, range(start, stop))
    group = value.axes[start:stop]
    extents = list(value.array.shape[start:stop])
    if len(news) == 1 and jp.is_symbolic(news[0]):
        axis = flattened_axis(ctx, group, extents, news[0])
        return value, [math.prod(extents)], [axis]
    if len(olds) == 1 and group[0] is not None:
        restored = _unflatten(ctx, group[0], news)
        if restored is not None:
            return value, *restored
    return _reorder(ctx, value, start, olds, news)


def _uniform_axis(ctx, d):
    return Axis(d, ctx.size(d), None, uniform=True) if jp.is_symbolic(d) else None


def flattened_axis(ctx, group, extents, dim) -> Axis:
    """Return the axis that results from flattening several padded axes in row-major order."""
    factors = tuple(zip(group, extents, strict=True))
    numbers = (extent if axis is None else axis.size for axis, extent in factors)
    size = jnp.asarray(math.prod(numbers), jnp.int32)
    leading = group[0]
    in_front = leading is not None and leading.packed and all(a is None for a in group[1:])
    if in_front and math.prod(extents) == ctx.capacity(dim):
        return Axis(dim, size, ctx.axis(dim).token, factors=factors)
    valid = jnp.ones((), bool)
    for axis, extent in factors:
        vector = jnp.ones((extent,), bool) if axis is None else ctx.valid(axis, extent)
        valid = (valid[..., None] & vector).reshape(-1) if valid.ndim else vector
    token = ("flat", tuple((a.token if a else None, e) for a, e in factors))
    return Axis(dim, size, token, valid, factors=factors)


def _unflatten(ctx, axis, news):
    """Split an axis into the sizes `news` while the elements stay where they are in memory.

    Returns the extents and axes of the parts, or `None` if elements would have to move.
    """
    if axis.factors and len(axis.factors) == len(news):
        pairs = list(zip(axis.factors, news, strict=True))
        if all((a is None and e == d) or (a is not None and a.dim == d) for (a, e), d in pairs):
            return [e for (_, e), _ in pairs], [a for (a, _), _ in pairs]
    trailing = math.prod(news[1:])
    if axis.packed and not jp.is_symbolic(trailing) and trailing > 0:
        capacity = ctx.capacity(axis.dim)
        lead = ctx.capacity(news[0])
        if lead * trailing == capacity and jp.is_symbolic(news[0]):
            return [lead, *news[1:]], [ctx.axis(news[0]), *(None for _ in news[1:])]
    return None


def _reorder(ctx, value: Value, start: int, olds, news):
    """Reshape a group of axes in the general case: pack and flatten it, then gather every element."""
    for i in range(start, start + len(olds)):
        value = ctx.pack(value, i)
    shape = value.array.shape
    extents = [ctx.capacity(d) for d in news]
    axes = [ctx.axis(d) for d in news]
    line = linear_position(ctx, news, extents)
    source = _split_position(ctx, line, olds)
    flat = jnp.zeros_like(line)
    for place, extent in zip(source, shape[start : start + len(olds)], strict=True):
        flat = flat * extent + jnp.clip(place, 0, max(extent - 1, 0))
    merged = value.array.reshape(
        *shape[:start], math.prod(shape[start : start + len(olds)]), *shape[start + len(olds) :]
    )
    if merged.shape[start]:
        array = jnp.take(merged, flat.reshape(-1), axis=start, mode="clip")
    else:  # there are no slots to take, so the result is all padding
        array = jnp.zeros((*shape[:start], flat.size, *merged.shape[start + 1 :]), merged.dtype)
        array = primitives.connected(array, merged)
    rest = value.axes[start + len(olds) :]
    apart = array.reshape(*shape[:start], *extents, *merged.shape[start + 1 :])
    new = Value(apart, (*value.axes[:start], *axes, *rest))
    array = ctx.clear_padding(new, range(start, start + len(axes))).array.reshape(array.shape)
    moved = Value(array, (*value.axes[:start], None, *rest), None, value.bounds)
    return moved, extents, axes


def linear_position(ctx, shape, extents):
    """Return, for every slot of a padded array, its row-major position in an array of the true shape."""
    line = jnp.zeros((), jnp.int32)
    for i, d in enumerate(shape):
        place = lax.broadcasted_iota(jnp.int32, extents, i)
        line = line * jnp.asarray(ctx.size(d), jnp.int32) + place
    return line


def _split_position(ctx, line, shape):
    """Convert row-major positions in an array of the true shape to one position per axis."""
    places = []
    for d in reversed(shape[1:]):
        size = jnp.maximum(jnp.asarray(ctx.size(d), jnp.int32), 1)
        places.append(line % size)
        line = line // size
    return [line, *reversed(places)]


def tile(ctx, eqn, value):
    """Lower `tile`: insert an axis of repetitions before each axis, and flatten each pair of axes."""
    shape = eqn.outvars[0].aval.shape
    for i, rep in reversed(list(enumerate(eqn.params["reps"]))):
        if _is_one(rep):
            continue
        value = ctx.expand_uniform(value, (i,))
        extents = list(value.array.shape)
        count = ctx.capacity(rep)
        wide = lax.broadcast_in_dim(
            value.array,
            (*extents[:i], count, *extents[i:]),
            [j if j < i else j + 1 for j in range(len(extents))],
        )
        array = wide.reshape(*extents[:i], count * extents[i], *extents[i + 1 :])
        axis = value.axes[i]
        if jp.is_symbolic(shape[i]):
            axis = flattened_axis(ctx, (ctx.axis(rep), axis), (count, extents[i]), shape[i])
        # Where the number of repetitions is unknown, the padding holds surplus repetitions.
        pad = None if jp.is_symbolic(rep) else value.pad
        value = Value(array, value.with_axis(i, axis), pad, value.bounds)
    return [value]


RULES = (Rule("reshape", reshape, uniform=True), Rule("tile", tile, uniform=True))
