"""Trace a dynamic program over symbolic shapes, and lower it for given arrays and sizes."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors, refusals
from shims._src.lowering.context import Context, Root
from shims._src.lowering.refusals import line_of_result, ragged_rows_error
from shims._src.lowering.report import Misjudged
from shims._src.lowering.scopes import settle
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims, room, trace
from shims._src.tracing import hooks


@dataclasses.dataclass(eq=False)
class Program:
    """A symbolic jaxpr together with the data needed to run it.

    Attributes:
      jaxpr: closed jaxpr over symbolic shapes.
      state: the trace: scope, guards, assumptions.
      out_tree: the structure of the result.
    """

    jaxpr: Any
    state: trace.DynamicTrace
    out_tree: Any


@dataclasses.dataclass(frozen=True, eq=False)
class Size:
    """An input size: its value, an int32 scalar, and its bounds."""

    value: Any
    capacity: int
    low: int = 0


def trace_program(state: trace.DynamicTrace, f, specs) -> Program:
    """Trace `f` over shape specifications whose sizes may be symbolic dimensions of `state`."""
    hooks.install()
    box = {}

    def flat(*leaves):
        with state.fresh.outermost():
            out = f(*leaves)
        out, box["tree"] = jax.tree.flatten(out)
        return [_as_array(x) for x in out]

    with refusals.naming_sizes(state.origins), trace.resume(state):
        closed = jax.make_jaxpr(flat)(*specs)
        state.numbers.forget()
    return Program(closed, state, box["tree"])


def _as_array(x):
    if jp.is_symbolic(x):
        return jnp.asarray(x, jnp.int32)
    if isinstance(x, (str, bytes)):
        raise errors.UnimplementedError(
            errors.message(
                "",
                "a result is text, and JAX has no arrays of strings.",
                required="arrays and numbers as results",
                received=repr(x),
                do="return a number that stands for it, and look the text up after the call",
            )
        )
    return x if hasattr(x, "dtype") else jnp.asarray(x)


def lower(
    program: Program, arrays, sizes: dict[str, Size], buckets, notes=None, limits=None, masks=False
):
    """Lower a program and run it (as JAX operations).

    Args:
      program: the result of `trace_program`.
      arrays: operands, padded where their specification is symbolic.
      sizes: the input sizes by variable name.
      buckets: capacities for sizes that nothing bounds; `None` where nothing can grow.
      notes: a list that receives one line per data-dependent size.
      limits: bounds of integer operands by position.
      masks: results may keep the masked layout, with a validity mask (the host cuts them).

    Returns:
      `(values, context)`: one `Value` per result, packed unless `masks`, and the context, which has
      the reports.
    """
    # Imported with the first program, so that `import shims` stays fast.
    from shims._src.lowering import interpreter

    root = Root(interpreter.run, program.state, buckets)
    if notes is not None:
        root.notes = notes
    ctx = Context(root)
    for name, size in sizes.items():
        ctx.bind(name, jnp.asarray(size.value, jnp.int32), size.capacity, low=size.low)
    jaxpr, _ = jp.open_jaxpr(program.jaxpr)
    values = []
    for i, (array, var) in enumerate(zip(arrays, jaxpr.invars, strict=True)):
        value = Value(array, ctx.axes(var.aval.shape), None, (limits or {}).get(i))
        if value.dynamic and _is_number(array):
            value = ctx.fill(value, np.zeros((), array.dtype))
        values.append(value)
    with refusals.naming_sizes(program.state.origins):
        outs = interpreter.run(ctx, program.jaxpr, values)
        outs = [_finish_result(ctx, v, jaxpr, i, masks) for i, v in enumerate(outs)]
        _check_results(outs, jaxpr)
        _report_assumptions(ctx, program.state)
    return outs, ctx


def _check_results(outs, jaxpr) -> None:
    """Check that every result of a program fits into memory."""
    for out, var in zip(outs, jaxpr.outvars, strict=True):
        shape = np.shape(out.array)  # a literal is a number
        if shape and room.lacking(math.prod(shape) * out.array.dtype.itemsize) is not None:
            room.check("", shape, out.array.dtype, line=line_of_result(jaxpr, var))


def _is_number(array) -> bool:
    return array.dtype == bool or jnp.issubdtype(array.dtype, jnp.number)


def _finish_result(ctx, value: Value, jaxpr, position: int, masks) -> Value:
    if not value.dynamic:
        return value
    var = jaxpr.outvars[position]
    ragged = [a.dim for a in value.axes if a is not None and a.per_row]
    if ragged:
        raise ragged_rows_error(ragged[0], line_of_result(jaxpr, var))
    if masks and not any(a is not None and a.uniform for a in value.axes):
        return value
    sizes = [None if a is None else a.size for a in value.axes]
    value = settle(ctx, value, var.aval.shape)
    axes = tuple(
        None if a is None else Axis(a.dim, s, a.token)
        for a, s in zip(value.axes, sizes, strict=True)
    )
    return Value(value.array, axes)


def _report_assumptions(ctx: Context, state: trace.DynamicTrace) -> None:
    """Report the assumptions about data-dependent sizes that do not hold at run time."""
    for assumed in state.decisions.assumptions:
        dim, line = assumed.d, assumed.line
        unknown = [v for v in jp.variables(dim) if v not in ctx.env]
        if unknown:
            raise errors.FreshSizeError(
                errors.message(
                    "",
                    f"a decision on the size `{dim}` of one iteration is made while tracing.",
                    at=line,
                    do="use `shims.cond` or `shims.where` on the number instead",
                )
            )
        broken = assumed.broken(dims.evaluate(dim, ctx.env))
        for name in sorted(jp.variables(dim)):
            if ctx.env[name].fresh:
                ctx.report(Misjudged(name, line), broken, ctx.env[name].size)
