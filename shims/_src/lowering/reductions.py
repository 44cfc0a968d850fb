"""Define the masking rules of reductions and cumulative operations.

Padding is first filled with the neutral element.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering import extremes, running_totals
from shims._src.lowering.extremes import highest, lowest
from shims._src.lowering.refusals import line_of, unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.shaping import report_empty
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import own_equations


def _zero(dtype):
    return np.zeros((), dtype)


def _one(dtype):
    return np.ones((), dtype)


def _ones_bits(dtype):
    return np.True_ if dtype == np.bool_ else np.asarray(-1).astype(dtype)


def _finite_lowest(dtype):
    # `exp(x - max)` is exactly zero for this number, and every derivative is finite.
    return np.asarray(jnp.finfo(dtype).min / 4, dtype)


def reduce(ctx, eqn, value, *, neutral):
    """Lower a reduction over axes of which some are dynamic."""
    axes = tuple(int(a) for a in eqn.params["axes"])
    value = ctx.expand_uniform(value, axes)
    value = ctx.fill(value, neutral(value.array.dtype), axes)
    (out,) = jp.bind(eqn, [value.array])
    return [Value(out, tuple(a for i, a in enumerate(value.axes) if i not in axes))]


def over_rows(ctx, eqn, *values, rule):
    """Lower a collective over the axis of a `vmap`, which is an axis of its operands: it is a reduction.

    A collective over the axis of a `shard_map` is refused: its operands have no such axis.
    """
    params = eqn.params
    is_named = any(isinstance(a, str) for a in params["axes"])
    if is_named or params.get("axis_index_groups") is not None:
        raise unsupported(eqn)
    return [out for value in values for out in rule(ctx, eqn, value)]


def reduce_by(ctx, eqn, *values):
    """Lower a reduction by a custom function, in which no padding takes part."""
    axes = tuple(int(a) for a in eqn.params["dimensions"])
    count = len(values) // 2
    operands, result_axes = ctx.align(list(values[:count]))
    operands = [ctx.expand_uniform(v, axes) for v in operands]
    starts = [v.array for v in values[count:]]
    valid = ctx.valid_over(operands[0], axes)
    arrays = [v.array for v in operands]
    jaxpr, consts = jp.open_jaxpr(eqn.params["jaxpr"])
    neutral = _neutral_of(jaxpr)
    if valid is None:
        outs = jp.bind(eqn, [*arrays, *starts])
    elif neutral is not None and count == 1:
        outs = jp.bind(eqn, [jnp.where(valid, arrays[0], neutral(arrays[0].dtype)), *starts])
    else:
        combine = functools.partial(jp.core.eval_jaxpr, jaxpr, consts)
        outs = _reduce_valid(combine, arrays, starts, valid, axes)
    kept = tuple(a for i, a in enumerate(result_axes) if i not in axes)
    return [Value(out, kept) for out in outs]


def _neutral_of(jaxpr):
    """Return the function of a dtype that gives the neutral element, if a jaxpr is one operation on its two inputs."""
    steps = own_equations(jaxpr)
    if len(steps) != 1 or set(map(id, steps[0].invars)) != set(map(id, jaxpr.invars)):
        return None
    return _NEUTRAL.get(steps[0].primitive.name)


def _reduce_valid(combine, arrays, starts, valid, axes) -> list:
    """Reduce the valid slots of arrays: each number has a flag, and one without it is neutral."""

    def both(left, right):
        of_both = combine(*left[:-1], *right[:-1])
        alone = [jnp.where(left[-1], a, b) for a, b in zip(left[:-1], right[:-1], strict=True)]
        chosen = [
            jnp.where(left[-1] & right[-1], c, a) for c, a in zip(of_both, alone, strict=True)
        ]
        return (*chosen, left[-1] | right[-1])

    flags = jnp.broadcast_to(valid, arrays[0].shape)
    *found, some = lax.reduce((*arrays, flags), (*starts, np.False_), both, axes)
    started = combine(
        *(jnp.broadcast_to(s, f.shape) for s, f in zip(starts, found, strict=True)), *found
    )
    return [jnp.where(some, a, b) for a, b in zip(started, starts, strict=True)]


def arg_reduce(ctx, eqn, value, *, neutral):
    """Lower `argmax` or `argmin`; the index counts only the valid slots before it."""
    (axis,) = eqn.params["axes"]
    dim = eqn.invars[0].aval.shape[axis]
    if jp.is_symbolic(dim):
        report_empty(ctx, dim, ctx.size(dim) == 0, line_of(eqn))
    value = ctx.expand_uniform(value, (axis,))
    of = value.axes[axis]
    if of is not None and of.per_row:
        value = ctx.pack(value, axis)
    value = ctx.fill(value, neutral(value.array.dtype), (axis,))
    (out,) = jp.bind(eqn, [value.array])
    if of is not None and of.valid is not None and not of.per_row:
        # An invalid slot is found only if no valid one differs from the filling: then the first slot is.
        before = lax.iota(out.dtype, of.valid.shape[0]) < lax.expand_dims(out, (out.ndim,))
        out = jnp.sum(before & of.valid, axis=-1, dtype=out.dtype)
    return [Value(out, tuple(a for i, a in enumerate(value.axes) if i != axis))]


def cumulative(ctx, eqn, value, *, neutral):
    """Lower a cumulative operation such as a cumulative sum; the padding holds the neutral element.

    For `cummax`, `cummin` and `cumlogsumexp` no padding precedes the valid slots: it would take a part of
    the derivative in a tie, and in `cumlogsumexp`, where it is finite, it would replace a result of -inf.
    For `cumprod` no padding follows them: its cotangent, zero, would meet an infinite product before it.
    """
    axis = eqn.params["axis"]
    value = ctx.expand_uniform(value, (axis,))
    starts_valid = neutral in (lowest, highest, _finite_lowest)
    ends_valid = neutral is _one and jnp.issubdtype(value.array.dtype, jnp.inexact)
    if starts_valid or ends_valid:
        value = ctx.pack(value, axis)
    value = ctx.fill(value, neutral(value.array.dtype), (axis,))
    if running_totals.pays(eqn, value.array):
        return [Value(running_totals.totals(value.array), value.axes)]
    # The operation goes from one end to the other: the valid slots are moved to one of them, and back.
    moves = starts_valid if eqn.params["reverse"] else ends_valid
    moves = moves and value.axes[axis] is not None
    array = jnp.roll(value.array, -value.axes[axis].size, axis) if moves else value.array
    (out,) = jp.bind(eqn, [array])
    out = jnp.roll(out, value.axes[axis].size, axis) if moves else out
    # Padding that follows the valid slots has their total, which may be infinite.
    return [ctx.clear_padding(Value(out, value.axes), (axis,))]


_REDUCE = {
    "reduce_sum": _zero,
    "reduce_prod": _one,
    "reduce_and": _ones_bits,
    "reduce_or": _zero,
    "reduce_xor": _zero,
}
_NEUTRAL = {
    "add": _zero,
    "mul": _one,
    "max": lowest,
    "min": highest,
    "and": _ones_bits,
    "or": _zero,
    "xor": _zero,
}
_CUMULATIVE = {
    "cumsum": _zero,
    "cumprod": _one,
    "cummax": lowest,
    "cummin": highest,
    "cumlogsumexp": _finite_lowest,
}

RULES = (
    *(
        Rule(name, functools.partial(reduce, neutral=n), uniform=True, spread=True)
        for name, n in _REDUCE.items()
    ),
    *(
        Rule(name, functools.partial(over_rows, rule=rule), uniform=True)
        for name, rule in {
            "psum": functools.partial(reduce, neutral=_zero),
            "pmax": functools.partial(extremes.reduce, neutral=lowest),
            "pmin": functools.partial(extremes.reduce, neutral=highest),
        }.items()
    ),
    Rule("reduce", reduce_by, uniform=True),
    Rule("reduce_max", functools.partial(extremes.reduce, neutral=lowest), uniform=True),
    Rule("reduce_min", functools.partial(extremes.reduce, neutral=highest), uniform=True),
    Rule("argmax", functools.partial(arg_reduce, neutral=lowest), uniform=True),
    Rule("argmin", functools.partial(arg_reduce, neutral=highest), uniform=True),
    *(
        Rule(name, functools.partial(cumulative, neutral=n), uniform=True)
        for name, n in _CUMULATIVE.items()
    ),
)
