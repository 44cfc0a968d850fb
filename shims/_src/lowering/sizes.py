"""Define the masking rules of the primitives that create, read and unify data-dependent sizes."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering import bounds, packing
from shims._src.lowering.refusals import line_of, reused_size_error
from shims._src.lowering.report import Exceeded, Invalid, Misjudged
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Axis, Deferred, Value, Wide
from shims._src.lowering.wide_numbers import report_beyond
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, primitives, room, trace
from shims._src.sizes.sites import size_site

# The first capacity of a size without a bound. From the fourth such size on it is smaller, since
# all of them may be axes of one array.
FIRST_BUCKET, MANY, LATER_BUCKET = 16, 3, 2


def dim_as_value(ctx, eqn, *_):
    """Lower the conversion of a dimension to a number."""
    return [_dim_value(ctx, eqn, eqn.params["dim"], ctx.env)]


def size_number(ctx, eqn, *sources):
    """Lower the conversion of a dimension, such as `2*n + 1`, to a number.

    Args:
      ctx: the context of the lowering.
      eqn: the equation.
      sources: the lowered masks or counts of the data-dependent sizes that `eqn.params["names"]` names.
    """
    env = dict(ctx.env)
    for name, count in zip(eqn.params["names"], sources, strict=True):
        if count.axes:
            count = _number_selected(ctx, name, count)
        known = env.get(name)
        stated = bounds.of(count)
        limits = stated or (0, 2**31 - 1)
        high = limits[1] if known is None else min(known.capacity, limits[1])
        number = jp.as_jax(count.array, jnp.int32)
        if stated is None or stated[0] < 0:
            number = lax.max(number, np.int32(0))
        env[name] = dims.Binding(number, high, 0, dims.Unnumbered.COUNTED, True)
    return [_dim_value(ctx, eqn, eqn.params["dim"], env)]


def _number_selected(ctx, name: str, mask: Value) -> Value:
    """Count the true entries of a mask.

    If a selection by the same array was lowered already, return the size of that selection.
    """
    mask = ctx.expand_uniform(mask)
    known = ctx.cache.get(_selection_key(name, mask))
    if known is not None and known[0] is mask.array:
        size = known[1].size
    else:
        size = packing.count(ctx.fill(mask, np.False_).array)
    return Value(size, (), None, (0, mask.array.shape[0]))


def _require_known(ctx, dim, env) -> None:
    """Raise an error if a dimension contains a size that is unknown or ambiguous in this scope."""
    missing = [v for v in jp.variables(dim) if v not in env]
    named = [v for v in jp.variables(dim) if v in ctx.ambiguous]
    if missing or any(env[v].serial is not dims.Unnumbered.COUNTED for v in named):
        ctx.require(dim)


def _dim_value(ctx, eqn, dim, env) -> Value:
    """Return the value of a dimension as a lowered integer with its static bounds."""
    _require_known(ctx, dim, env)
    value = jp.as_jax(dims.evaluate(dim, env), jnp.int32)
    limits = dims.interval(dim, env)
    dtype = eqn.outvars[0].aval.dtype
    array = value if value.dtype == dtype else value.astype(dtype)
    if not dims.is_wide(dim, env):
        return Value(array, (), None, limits)
    report_beyond(ctx, dims.lost(dim, env), line_of(eqn))
    wide = Wide(
        lambda dtype: dims.evaluate_as_float(dim, env, dtype), dims.beyond(dim, env), line_of(eqn)
    )
    low, high = (max(min(limit, room.MOST_SLOTS), -room.MOST_SLOTS) for limit in limits)
    return Value(array, (), None, (low, high), wide=wide)


def compress(ctx, eqn, value, mask):
    """Lower a selection without moving slots: the mask becomes the validity mask of the axis."""
    axis, dim = eqn.params["axis"], eqn.params["dim"]
    value, mask = _align_mask(ctx, value, mask, axis)
    bound = _selection(ctx, eqn, mask, dim)
    if not jp.is_symbolic(dim):
        return [_select_assumed(ctx, eqn, value, axis, bound, dim)]
    selected = Axis(dim, bound.size, _selection_token(ctx, dim, bound, mask), bound.valid)
    out = Value(value.array, value.with_axis(axis, selected), None, bounds.of(value))
    if not _is_numeric(value.array):
        return [out]
    out = ctx.fill(out, np.zeros((), value.array.dtype))
    before = value.array if value.unfilled is None else value.unfilled
    return [Value(out.array, out.axes, out.pad, out.bounds, before)]


def select(ctx, eqn, mask) -> None:
    """Bind the size of a `compress` or `expand` from its mask, before the other operand is known."""
    if not isinstance(mask, Deferred):
        _selection(ctx, eqn, ctx.expand_uniform(mask), eqn.params["dim"])


def _is_numeric(array) -> bool:
    return array.dtype == bool or jnp.issubdtype(array.dtype, jnp.number)


def _align_mask(ctx, value, mask, axis):
    from shims._src.lowering.contraction import align_pair

    return align_pair(ctx, value, axis, mask, 0)


def _selection(ctx, eqn, mask: Value, dim) -> dims.Binding:
    """Bind the size and validity mask of a selection when first lowered; return the binding."""
    name = str(eqn.params["name"])
    key = _selection_key(name, mask)
    found = ctx.cache.get(key)
    if found is not None and found[0] is mask.array:
        return found[1]
    valid = mask.array
    if mask.axes[0] is not None:
        valid = lax.bitwise_and(valid, ctx.valid(mask.axes[0], valid.shape[0]))
    size = packing.count(valid)
    if ctx.knows(name):
        binding = ctx.env[name]  # the same mask was computed before
        in_place = _as_at_first(ctx, binding, mask)
        _require_same(ctx, eqn, dim, size, valid if in_place else None)
        if not in_place:
            binding = dataclasses.replace(
                binding, valid=valid
            )  # here its slots are in other places
    else:
        layout = _layout_token(mask.axes[0]), valid.shape[0]
        known = _known_before(ctx, eqn, name, layout)
        serial, capacity = (
            (None, valid.shape[0]) if known is None else (known.serial, known.capacity)
        )
        ctx.ambiguous.discard(name)
        binding = ctx.bind(name, size, capacity, fresh=True, valid=valid, serial=serial)
        ctx.owned.add(name)
        ctx.root.repeats.note(ctx.root.frames, eqn, binding.serial, layout)
        ctx.cache["source", binding.serial] = mask.axes[0]  # the layout it selects from
        ctx.note(eqn, dim, "selected", valid.shape[0], "masked in place")
    ctx.cache[key] = (mask.array, binding)
    return binding


def _require_same(ctx, eqn, dim, size, valid=None) -> None:
    """Refuse a program that makes a size and was evaluated twice in one scope, for different values.

    In nested programs, equal values cannot always be proved: a derivative passes some of them to a body that also
    computes them. There a run-time check compares the masks, or the sizes if their slots are in different places.

    Args:
      ctx: the scope.
      eqn: the equation that makes the size again.
      dim: the dimension.
      size: its number this time.
      valid: the mask this time, if its slots are those of the first time.
    """
    name = eqn.params["name"]
    if ctx.root.repeats.is_of_one_source(ctx.root.frames, eqn):
        return
    if ctx.root.repeats.is_outermost(ctx.root.frames, eqn):
        ctx.ambiguous.add(name)
        ctx.require(dim)
    before = ctx.env[name]
    differ = jnp.any(size != before.size)
    if valid is not None and before.valid is not None and before.valid.shape == valid.shape:
        differ = jnp.any(before.valid != valid)
    ctx.report(Invalid(str(reused_size_error(dim)), line_of(eqn)), differ, 0)


def _known_before(ctx, eqn, name: str, layout) -> dims.Binding | None:
    """Return the binding of a size that an equation makes, if the size is in scope already."""
    known = ctx.env.get(name)
    if known is None or name in ctx.carried:
        # The body of a derivative receives saved values before it repeats their selection.
        return known
    repeats = ctx.root.repeats.is_repeated(ctx.root.frames, eqn, known.serial, layout)
    return known if repeats else None


def _selection_key(name: str, mask: Value):
    return "selection", name, _layout_token(mask.axes[0])


def _as_at_first(ctx, bound: dims.Binding, mask: Value) -> bool:
    """Return whether a mask has the same padding layout as at the first selection with its size.

    Only then do the slots that both selections keep correspond.
    """
    key = ("source", bound.serial)
    return key not in ctx.cache or _layout_token(ctx.cache[key]) == _layout_token(mask.axes[0])


def _layout_token(axis: Axis | None):
    return None if axis is None else axis.token


def _selection_token(ctx, dim, bound: dims.Binding, mask: Value):
    """Return a key for the axis that a mask selects; axes with equal keys have the same valid slots."""
    token = ("selected", dim, bound.serial)
    return token if _as_at_first(ctx, bound, mask) else (*token, _layout_token(mask.axes[0]))


def _select_assumed(ctx, eqn, value, axis, bound, count) -> Value:
    """Lower a selection whose size was replaced by a constant; check at run time that it is right."""
    name = eqn.params["name"]
    ctx.report(_misjudged(ctx, name, eqn), bound.size != count, bound.size)
    places = packing.positions(bound.valid, max(count, 1))[:count]
    array = jnp.take(value.array, places, axis=axis, mode="clip")
    return Value(array, value.with_axis(axis, None), None, bounds.of(value))


def _misjudged(ctx, name, eqn) -> Misjudged:
    """Return the run-time check that the size `name` has the value that was assumed during tracing."""
    return Misjudged(name, line_of(eqn), ctx.root.state.is_measured(name))


def expand(ctx, eqn, value, mask):
    """Lower `expand`, the transpose of `compress`: move selected slots back, with zeros elsewhere."""
    axis, dim = eqn.params["axis"], eqn.params["dim"]
    mask = ctx.expand_uniform(mask)
    bound = _selection(ctx, eqn, mask, dim)
    at = value.axes[axis]
    in_place = at is not None and at.token == _selection_token(ctx, dim, bound, mask)
    if in_place:
        array = value.array
    elif at is not None and at.uniform:  # as the gradient of a sum: equal slots need not move
        shape = (*value.array.shape[:axis], *bound.valid.shape, *value.array.shape[axis + 1 :])
        array = lax.broadcast_in_dim(value.array, shape, range(len(shape)))
    elif value.array.shape[axis] == 0:  # the count was assumed to be 0
        shape = (*value.array.shape[:axis], *bound.valid.shape, *value.array.shape[axis + 1 :])
        array = primitives.connected(jnp.zeros(shape, value.array.dtype), value.array)
    else:
        value = ctx.pack(value, axis)
        array = jnp.take(value.array, packing.ranks(bound.valid), axis=axis, mode="clip")
    valid = lax.broadcast_in_dim(bound.valid, array.shape, (axis,))
    array = lax.select(valid, array, lax.full(array.shape, 0, array.dtype))
    source = ctx.cache.get(("source", bound.serial), mask.axes[0])
    source = source if _as_at_first(ctx, bound, mask) else mask.axes[0]
    return [Value(array, value.with_axis(axis, source))]


# A scan runs as many steps as its capacity, so with more steps a loop is better off without reverse-mode derivative.
# What counts the iterations of a loop without a bound has a bound beyond that.
_MOST_STEPS = 1 << 24


def fresh_range(ctx, eqn, count):
    """Lower `[0, ..., count - 1]` to a packed axis whose capacity is the bound of the count."""
    dim, name = eqn.params["dim"], eqn.params["name"]
    wanted = lax.max(jp.as_jax(count.array, jnp.int32), np.int32(0))
    dtype = eqn.outvars[0].aval.dtype
    if not jp.is_symbolic(dim):
        ctx.report(_misjudged(ctx, name, eqn), wanted != dim, wanted)
        return [Value(lax.iota(dtype, dim), (None,), None, (0, max(dim - 1, 0)))]
    capacity = _count_bound(ctx, eqn, count)
    may_retrace = eqn.params["of_loop"] and ctx.root.buckets is None
    if may_retrace and (capacity is None or capacity > _MOST_STEPS):
        raise trace.EndlessLoop(name)
    if capacity is None:
        capacity = _bucket_capacity(ctx, eqn, name, wanted)
    elif eqn.params["bound"] is None and bounds.may_wrap(bounds.of(count)):
        exceeded = Exceeded(size_site(name), capacity, line_of(eqn))
        ctx.report(exceeded, wanted > capacity, wanted)
    room.check_capacity(eqn.params["label"], capacity, line=line_of(eqn))
    capacity = max(capacity, 1)
    if ctx.knows(name):
        _require_same(ctx, eqn, dim, wanted)
        capacity = ctx.env[name].capacity  # the same count was computed before
    else:
        known = _known_before(ctx, eqn, name, None)
        serial = None if known is None else known.serial
        capacity = capacity if known is None else known.capacity
        ctx.ambiguous.discard(name)
        size = lax.min(wanted, jnp.int32(capacity))
        binding = ctx.bind(name, size, capacity, fresh=True, serial=serial)
        ctx.owned.add(name)
        ctx.root.repeats.note(ctx.root.frames, eqn, binding.serial, None)
    ctx.note(eqn, dim, "counted", capacity, "packed")
    return [Value(lax.iota(dtype, capacity), (ctx.axis(dim),), None, (0, capacity - 1))]


def _count_bound(ctx, eqn, count: Value) -> int | None:
    """Return the static bound of a count, stated or computed; `None` if there is none."""
    stated = eqn.params["bound"]
    known = bounds.of(count)
    candidates = [] if stated is None else [dims.interval(stated, ctx.env)[1]]
    if known is not None and known[1] < 2**31 - 1:
        candidates.append(known[1])
    return max(min(candidates), 0) if candidates else None


def _bucket_capacity(ctx, eqn, name, wanted) -> int:
    """Return the bucket for a size without a bound; check at run time that it suffices."""
    if ctx.root.buckets is None:
        raise unbounded_error(eqn)
    ctx.root.unbounded.setdefault(name, len(ctx.root.unbounded))
    first = FIRST_BUCKET if ctx.root.unbounded[name] < MANY else LATER_BUCKET
    capacity = ctx.root.buckets.get(size_site(name), first)
    exceeded = Exceeded(size_site(name), capacity, line_of(eqn))
    ctx.report(exceeded, wanted > capacity, wanted)
    return capacity


def unbounded_error(eqn) -> errors.CapacityError:
    """Return the error for a size without a bound in an enclosing trace: buckets cannot grow."""
    return errors.CapacityError(
        errors.message(
            eqn.params["label"],
            "this data-dependent size has no bound, and inside an enclosing trace its "
            "capacity cannot grow.",
            required="a count with a bound that follows from the inputs",
            at=line_of(eqn),
            do="write `shims.bounded(k, max=...)` for the count, or call the function through "
            "`shims.function` at the top level",
        )
    )


def limit(ctx, eqn, count):
    """Lower `bounded(k, max=...)`: clip the count, and check the bound at run time."""
    site = eqn.params["site"]
    high = (ctx.root.buckets or {}).get(site, int(eqn.params["max"]))
    array = jnp.asarray(count.array)
    ctx.report(Exceeded(site, high, line_of(eqn)), jnp.any(array > high), jnp.max(array))
    known = bounds.of(count)
    low = known[0] if known else -(2**31) + 1
    return [Value(lax.min(array, jnp.asarray(high, array.dtype)), count.axes, None, (low, high))]


def unify(ctx, eqn, value):
    """Lower the declaration that an axis has the size `new`; check at run time that it does."""
    axis, new = eqn.params["axis"], eqn.params["new"]
    old = eqn.invars[0].aval.shape[axis]
    value = ctx.pack(ctx.expand_uniform(value, (axis,)), axis)
    have, want = ctx.size(old), ctx.size(new)
    have, want = jnp.asarray(have, jnp.int32), jnp.asarray(want, jnp.int32)
    text = eqn.params["text"]
    differ = have != want
    array = value.array
    ones = eqn.params["ones"]
    if ones in ("spread", "sum"):
        # A size of 1 broadcasts: the call is traced again with 1 as a constant. Where the size is
        # computed from others, which cannot be replaced by a constant, its one element is repeated.
        for d, one in ((old, have == 1), (new, want == 1)):
            if _is_fresh(ctx, d):
                ctx.report(Misjudged(str(d), line_of(eqn)), one & differ, 1)
                differ &= ~one
    if ones == "onto" or (ones == "spread" and jp.is_symbolic(old) and not _is_fresh(ctx, old)):
        differ &= have != 1
        places = jnp.where(have == 1, 0, jnp.arange(ctx.capacity(new), dtype=jnp.int32))
        array = jnp.take(array, places, axis=axis, mode="clip")
    elif ones == "summed" or (ones == "sum" and jp.is_symbolic(new) and not _is_fresh(ctx, new)):
        differ &= want != 1
        filled = ctx.fill(value, np.zeros((), array.dtype)).array
        array = jnp.where(want == 1, jnp.sum(filled, axis, array.dtype, keepdims=True), array)
    ctx.report(Invalid(text, line_of(eqn)), differ, have)
    array = fit(array, axis, ctx.capacity(new))
    return [Value(array, value.with_axis(axis, ctx.axis(new)), None, value.bounds)]


def _is_fresh(ctx, d) -> bool:
    """Return whether a dimension is a single data-dependent size, not an expression of sizes."""
    return jp.is_symbolic(d) and str(d) in jp.variables(d) and ctx.env[str(d)].fresh


def sized(ctx, eqn, value, *carriers):
    """Lower the identity that makes a value depend on the arrays which determine its size."""
    return [value]


def check(ctx, eqn, bad, payload):
    """Lower a run-time check that an operator made."""
    flag = ctx.fill(bad, np.False_) if bad.axes else bad
    invalid = Invalid(eqn.params["text"], line_of(eqn), eqn.params["error"])
    ctx.report(invalid, jnp.any(flag.array), jnp.max(payload.array))
    return []


def outgrow(ctx, eqn, size):
    """Lower the check that a value of changing size fits into its buffer."""
    exceeded = Exceeded(eqn.params["site"], eqn.params["capacity"], line_of(eqn))
    ctx.report(exceeded, size.array > exceeded.capacity, size.array)
    return []


RULES = (
    Rule("outgrow", outgrow, uniform=True),
    Rule("dim_as_value", dim_as_value, uniform=True),
    Rule("size_number", size_number, uniform=True),
    Rule("compress", compress),
    Rule("expand", expand, uniform=True),
    Rule("fresh_range", fresh_range),
    Rule("limit", limit),
    Rule("unify", unify, uniform=True),
    Rule("sized", sized, uniform=True),
    Rule("runtime_check", check),
)
