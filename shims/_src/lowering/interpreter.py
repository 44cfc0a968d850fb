"""Interpret a symbolic jaxpr equation by equation, and so compute the padded program."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math

import jax.numpy as jnp
from jax import lax

from shims._src.errors import errors
from shims._src.lowering import (
    bounds,
    eager_programs,
    empty_tangents,
    own_sizes,
    running_totals,
    wide_numbers,
)
from shims._src.lowering.context import Context, Largest
from shims._src.lowering.refusals import (
    EQUATIONS,
    deferred_error,
    line_of,
    ragged_rows_error,
    unsupported,
)
from shims._src.lowering.repeats import Frame
from shims._src.lowering.rules import RULES
from shims._src.lowering.sizes import select
from shims._src.lowering.value import Deferred, Value, is_empty, static
from shims._src.numeric import division, extremes_held, integer_extremes
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import primitives, room

# Rules that accept rows of different sizes: loops save such rows for their derivatives.
_TAKE_PER_ROW = ("scan", "cond", "jit", "closed_call", "core_call", "checkpoint", "remat2", "sized")


def run(
    ctx: Context, jaxpr, args: list[Value], spread: bool = False, caller=None, branch=None
) -> list[Value]:
    """Evaluate a (closed) jaxpr on lowered operands; return its results as lowered values.

    Args:
      ctx: the scope of the jaxpr.
      jaxpr: the program.
      args: its operands.
      spread: whether the padding of results may hold NaN or infinity.
      caller: the equation that has these operands, if there is one.
      branch: which branch of the conditional `caller` the program is, if it is one.
    """
    jaxpr, consts = jp.open_jaxpr(jaxpr)
    env: dict[object, Value] = {}
    for var, const in zip(jaxpr.constvars, consts, strict=True):
        env[var] = _constant(ctx, const)
    env.update(zip(jaxpr.invars, args, strict=True))

    held = extremes_held.barriered_operands(jaxpr)

    at_once = jp.ambient_is_eager()
    choices = None if at_once or ctx.root.frames else empty_tangents.plan(jaxpr, consts)

    def step(eqn, values: list[Value]) -> list[Value]:
        ctx.jaxpr = jaxpr
        if held and extremes_held.is_extreme(eqn) and eqn.invars[0] in held:
            values[0] = env[eqn.invars[0]] = _with_barrier(values[0])
        outs = apply(ctx, eqn, values, at_once)
        return outs if choices is None else choices.applied(ctx, eqn, outs)

    ctx.root.frames.append(Frame(jaxpr, env, caller, branch))
    try:
        outs = jaxprs.evaluate(jaxpr, env, step, lambda literal: static(literal.val))
    finally:
        ctx.root.frames.pop()
    ctx.jaxpr = jaxpr
    outs = [wide_numbers.narrowed(ctx, _force(ctx, out)) for out in outs]
    for out in outs:
        if isinstance(out, Deferred):
            raise deferred_error(out, ctx.ambiguous)
    return outs if spread else [ctx.without_spread(out) for out in outs]


def _with_barrier(value: Value) -> Value:
    if isinstance(value, Deferred):
        return value
    return dataclasses.replace(value, array=lax.optimization_barrier(value.array))


def _constant(ctx: Context, const) -> Value:
    """Return a constant of the program as a lowered value.

    If a derivative rule closed over a tracer, JAX keeps that tracer as a constant.
    """
    var = jp.variable_of(const)
    if var is None:
        return static(const)
    frames = (f.values[var] for f in reversed(ctx.root.frames) if var in f.values)
    return next(frames, static(const))  # a tracer of another trace, which JAX refuses


def apply(ctx: Context, eqn, values: list[Value], at_once: bool) -> list[Value]:
    """Lower one equation, which runs at once outside of traces; attach the user's line to errors."""
    around = EQUATIONS.items
    around.append(eqn)
    try:
        if at_once:
            _check_room(ctx, eqn)
        outs = _lower_or_defer(ctx, eqn, values)
        _note_largest(ctx.root, eqn, outs)
        return outs
    except Exception as error:
        line = "" if hasattr(error, "shims_line") else line_of(eqn)
        if line:
            error.shims_line = line  # type: ignore[attr-defined]
            if isinstance(error, errors.OpError):
                error.args = (errors.with_place(str(error), line),)
        raise
    finally:
        around.pop()


def _check_room(ctx: Context, eqn) -> None:
    """Check that the results of an equation that is evaluated eagerly fit into memory."""
    for var in eqn.outvars:
        shape = getattr(var.aval, "shape", ())
        if jp.core.is_constant_shape(shape) or all(
            n in ctx.env for d in shape for n in jp.variables(d)
        ):
            room.check(eqn.primitive.name, ctx.shape(shape), var.aval.dtype, line=line_of(eqn))


def _note_largest(root, eqn, outs: list[Value]) -> None:
    """Record the largest result of an equation if it is the largest array of the program so far."""
    for out in outs:
        shape = getattr(out.array, "shape", ())
        size = math.prod(shape) * out.array.dtype.itemsize if shape else 0
        if size > root.largest.bytes:
            line = line_of(eqn) if size > room.SMALL else ""
            root.largest = Largest(size, eqn.primitive.name, line)


def _force(ctx: Context, value: Value) -> Value:
    """Lower a deferred result if its sizes have become known; return other values unchanged."""
    if not isinstance(value, Deferred) or _has_unknown_sizes(ctx, value.eqn, value.values):
        return value
    values = [_force(ctx, v) for v in value.values]
    if any(isinstance(v, Deferred) for v in values):
        return value
    return _lower_or_defer(ctx, value.eqn, values)[value.position]


def _has_unknown_sizes(ctx: Context, eqn, values) -> bool:
    """Return whether an equation's results have sizes that are still unknown in this scope.

    Sizes that the equation's nested jaxprs create do not count.
    """
    names = {
        name
        for var in eqn.outvars
        for d in getattr(var.aval, "shape", ())
        for name in jp.variables(d)
        if name not in ctx.env or name in ctx.ambiguous
    }
    inner = jaxprs.sub_jaxprs(eqn.params) if names else []
    for value in values if inner else ():
        names -= {name for a in value.axes if a is not None for name in jp.variables(a.dim)}
    return not names <= set().union(*map(own_sizes.made, inner))


def _without_empty_tangent(value: Value) -> Value:
    """Return a value; an array without elements has no tangent, since some rules of JAX fail for it."""
    shape = getattr(value.array, "shape", ())
    if 0 not in shape or not jnp.issubdtype(value.array.dtype, jnp.inexact):
        return value
    return dataclasses.replace(value, array=lax.stop_gradient(value.array))


def _lower_or_defer(ctx: Context, eqn, values: list[Value]) -> list[Value]:
    """Lower one equation, or defer it until its sizes are known.

    An equation with dynamic sizes is lowered by its masking rule; any other is evaluated unchanged.
    """
    if ctx.root.buckets is None:  # JAX may differentiate what is lowered
        values = [_without_empty_tangent(v) for v in values]
    mentions = mentions_sizes(ctx.root, eqn)
    if any(v.wide is not None for v in values):
        if wide_numbers.is_call(eqn):
            return _apply_rule(ctx, eqn, values)
        converted = wide_numbers.converted(eqn, values[0])
        if converted is not None:
            return [converted]
        if ctx.decides_loop or not wide_numbers.keeps_meaning(eqn, values):
            values = [wide_numbers.narrowed(ctx, v) for v in values]
    if not mentions and not any(map(_has_own_layout, values)):
        return _evaluate(ctx, eqn, values)
    if eqn.primitive.name in ("compress", "expand") and isinstance(values[0], Deferred):
        # A value deferred for this very selection can be lowered once the mask is known.
        select(ctx, eqn, _force(ctx, values[1]))
    values = [_force(ctx, v) for v in values]
    if _must_wait(ctx, eqn, values):
        return [
            Deferred(None, (), eqn=eqn, values=tuple(values), position=i)
            for i in range(len(eqn.outvars))
        ]
    if mentions or any(v.dynamic for v in values) or _differentiates_nothing(eqn):
        return _apply_rule(ctx, eqn, values)
    return _evaluate(ctx, eqn, values)


def _has_own_layout(value) -> bool:
    """Return whether a value has dynamic axes, or is deferred until its size is known."""
    return value.dynamic or isinstance(value, Deferred)


def _evaluate(ctx: Context, eqn, values) -> list[Value]:
    """Evaluate an equation without dynamic sizes as it is."""
    with jp.source_context(eqn):
        outs = list(map(static, _apply_static(eqn, [v.array for v in values])))
    return bounds.attach(ctx, eqn, values, outs)


def _differentiates_nothing(eqn) -> bool:
    """Return whether an equation calls a `custom_jvp` function on arrays without elements.

    Its derivative rule may fail for such arrays, so the call must be lowered by a masking rule.
    """
    inner = (e for program in jaxprs.sub_jaxprs(eqn.params) for e in jaxprs.equations(program))
    return any(
        e.primitive.name == "custom_jvp_call" and any(is_empty(v.aval) for v in e.invars)
        for e in itertools.chain([eqn], inner)
    )


def _must_wait(ctx: Context, eqn, values) -> bool:
    """Return whether an equation must be deferred until sizes of its operands or results are known."""
    if any(isinstance(v, Deferred) for v in values) and not _programs_mention(ctx.root, eqn):
        return True
    if eqn.primitive.name in primitives.SIZE_MAKERS:
        return False  # the equation makes the sizes of its results
    if any(v.dynamic for v in values) and not jaxprs.has_programs(eqn):
        return False  # the sizes come with its operands
    return _has_unknown_sizes(ctx, eqn, values)


def _apply_rule(ctx: Context, eqn, values) -> list[Value]:
    """Lower an equation with dynamic sizes by the masking rule of its primitive."""
    rule = RULES.get(eqn.primitive.name)
    if rule is None:
        raise unsupported(eqn)
    ragged = [a.dim for v in values for a in v.axes if a is not None and a.per_row]
    if ragged and eqn.primitive.name not in _TAKE_PER_ROW:
        raise ragged_rows_error(ragged[0])
    if not rule.spread:
        values = [ctx.without_spread(v) for v in values]
    if not rule.uniform:
        values = [ctx.expand_uniform(v) for v in values]
    with jp.source_context(eqn):
        outs = rule.lower(ctx, eqn, *values)
    if any(v.spread for v in values):
        outs = [_as_spread(out) for out in outs]
    return bounds.attach(ctx, eqn, values, outs)


def _as_spread(out: Value) -> Value:
    """Mark a result as `spread` unless the contents of its padding are known.

    They may be NaN or infinity, so the padding is cleared before derivatives multiply by it.
    """
    is_known = out.spread or not out.dynamic or out.pad is not None
    return out if is_known else dataclasses.replace(out, spread=True)


def _apply_static(eqn, arrays):
    """Evaluate an equation whose sizes are all constants."""
    if integer_extremes.reduces(eqn.primitive.name, arrays):
        return [integer_extremes.reduce(eqn.primitive.name, *arrays, eqn.params["axes"])]
    if running_totals.pays(eqn, *arrays[:1]):
        return [running_totals.totals(*arrays)]
    if eager_programs.evaluates(eqn, arrays):
        return eager_programs.evaluate(eqn, functools.partial(division.apply, eqn), arrays)
    return division.apply(eqn, arrays)


def mentions_sizes(root, eqn) -> bool:
    """Return whether an equation has a symbolic size in its results, parameters or nested jaxprs."""
    key = id(eqn)
    if key not in root.symbolic:
        root.symbolic[key] = (eqn, _has_symbolic_size(root, eqn))
    return root.symbolic[key][1]


# These primitives are lowered by their rules even where every size has become a constant.
_ALWAYS_BY_RULE = primitives.SIZE_MAKERS | {
    "limit",
    "size_number",
    "unify",
    "sized",
    "runtime_check",
    "outgrow",
}


def _has_symbolic_size(root, eqn) -> bool:
    if eqn.primitive.name in _ALWAYS_BY_RULE:
        return True
    for var in (*eqn.outvars, *eqn.invars):
        if jp.is_symbolic_shape(getattr(var.aval, "shape", ())):
            return True
    if eqn.params and any(map(_has_dim, eqn.params.values())):
        return True
    return jaxprs.has_programs(eqn) and _programs_mention(root, eqn)


def _programs_mention(root, eqn) -> bool:
    """Return whether an equation's nested jaxprs mention symbolic sizes.

    Such an equation accepts deferred operands, as the outer program does.
    """
    return any(
        mentions_sizes(root, inner)
        for sub in jaxprs.sub_jaxprs(eqn.params)
        for inner in jaxprs.own_equations(sub)
    )


def _has_dim(value) -> bool:
    if jp.is_symbolic(value):
        return True
    return isinstance(value, (tuple, list)) and any(map(_has_dim, value))
