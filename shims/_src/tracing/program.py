"""Trace a dynamic program over symbolic shapes, and run it lowered for given arrays and sizes."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors, refusals
from shims._src.lowering.context import Context, Root
from shims._src.lowering.exact_program import exact_program
from shims._src.lowering.refusals import line_of_result, ragged_rows_error
from shims._src.lowering.report import Condition, Misjudged
from shims._src.lowering.scopes import settle
from shims._src.lowering.value import Axis, Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import (
    dims,
    error_values,
    number_programs,
    numbering,
    primitives,
    room,
    size_numbers,
    trace,
)
from shims._src.sizes.sites import Settled, Site
from shims._src.tracing import attempts, hooks, swallowed
from shims._src.tracing.settling import settle_reports
from shims._src.types.static_text import as_static_result


@dataclasses.dataclass(eq=False)
class Program:
    """A traced program over symbolic sizes, with the data needed to run it.

    Attributes:
      jaxpr: closed jaxpr over symbolic shapes.
      state: the dynamic trace, with its guards and assumptions.
      out_tree: the structure of the result.
    """

    jaxpr: Any
    state: trace.DynamicTrace
    out_tree: Any


@dataclasses.dataclass(frozen=True, eq=False)
class Size:
    """The run-time value of an input size, an int32 scalar, with its static bounds."""

    value: Any
    capacity: int
    low: int = 0


class _EndOfTrace(Exception):
    """Raised to end a trace that only serves to compute data-dependent sizes."""


def measured_sizes(state: trace.DynamicTrace, f, specs, operands) -> Mapping[str, int]:
    """Return the data-dependent sizes of `f` for the data of this call, `{}` if that fails."""

    def ended(*leaves):
        f(*leaves)
        raise _EndOfTrace

    try:
        trace_program(state, ended, specs, operands)
    except _EndOfTrace as end:
        return trace.failure_of(end).measured
    except Exception:  # noqa: BLE001 - another error is the one to report
        return {}
    return {}


def trace_program(state: trace.DynamicTrace, f, specs, operands=None) -> Program:
    """Trace `f` over shape specifications whose sizes may be symbolic dimensions of `state`.

    Args:
      state: a new dynamic trace.
      f: the function.
      specs: the shapes and dtypes of its operands.
      operands: their data in this call, which decide questions about data-dependent sizes.
    """
    hooks.install()
    state.function = f
    box = {}
    measure = None if operands is None else lambda number: number.measured(operands)

    def flat(*leaves):
        top = jp.staging_trace()
        try:
            number_of = functools.partial(_number_of, state, top)
            with state.fresh.outermost(), state.tracing(number_of, measure):
                try:
                    out = _call(state, f, leaves)
                except Exception as error:
                    _stage_for_numbers_of_sizes(state, error)
                    raise
        except Exception as error:
            trace.note_failure(error, state, _measured_sizes(state, top, operands))
            raise
        finally:
            state.raised.clear()
        out, box["tree"] = jax.tree.flatten(jax.tree.map(as_static_result, out))
        return [result_array(x) for x in out]

    # A loop over a data-dependent size has to be staged.
    staged = jax.disable_jit(False)
    once = attempts.tracing(f)
    with once, refusals.naming_sizes(state.origins), trace.resume(state), staged:
        closed = jax.make_jaxpr(flat)(*specs)
        state.numbers.forget_objects()
    return Program(closed, state, box["tree"])


def _stage_for_numbers_of_sizes(state, error: Exception) -> None:
    """Stage the program for each number of the sizes that a failed step needs, if these are few.

    At the top level, the call is traced again with the numbers of its data.

    Raises:
      Signal: the trace ends, with a question about one of the sizes.
    """
    if state.has_data:
        return
    if isinstance(error, refusals.CONCRETIZATION_ERRORS):
        names = _sizes_of_value(error)
    else:
        names = refusals.sizes_at_hand(error) if refusals.may_be_due_to_sizes(error) else set()
    for name in sorted(names):
        if name in state.fresh:
            try:
                size_numbers.stage_for_each_number(state, state.dimension(name))
            except trace.Undecided as question:
                with contextlib.suppress(type(error)), refusals.naming_sizes(state.origins):
                    raise error from error.__cause__
                question.reason = error
                raise


def _sizes_of_value(error: Exception) -> set[str]:
    """Return the symbols of the sizes that determine a value which JAX needs while tracing."""
    step = refusals.innermost(error)
    values = step.tb_frame.f_locals.values() if step is not None else ()
    sizes = [numbering.sizes_behind(x) or () for x in values if jp.is_tracer(x)]
    return set().union(*(jp.variables(d) for found in sizes for d in found))


def _call(state, f, leaves):
    """Call the traced function.

    If it caught an error that ends the trace, such as a size whose number it cannot have, raise that error.
    """
    try:
        out = f(*leaves)
    except _EndOfTrace:
        raise
    except BaseException as error:
        hidden = swallowed.ending_refusal(state, error)
        if hidden is None:
            raise
        raise hidden from error
    hidden = swallowed.ending_refusal(state)
    if hidden is not None:
        raise hidden
    return out


@dataclasses.dataclass(frozen=True, eq=False)
class Number:
    """A program that computes integers (sizes) from the inputs of a trace and some constants."""

    program: Program
    constants: list

    def measured(self, operands) -> np.ndarray | None:
        """Compute the integers for the data of this call; `None` if a constant or operand is traced."""
        operands = [*self.constants, *operands]
        if any(map(jp.is_tracer, operands)):
            return None
        sizes = dict(self.program.state.input_sizes)
        exact = dataclasses.replace(self.program, jaxpr=exact_program(self.program.jaxpr, sizes))
        known = {name: Size(n, n, n) for name, n in sizes.items()}
        buckets: dict[Site, int] = {}
        conditions: list[Condition] = []

        def body(arrays):
            (value,), ctx = lower(exact, arrays, known, buckets, is_whole=False)
            conditions[:] = [r.condition for r in ctx.reports]
            return value.array, [r.code for r in ctx.reports]

        while True:
            with trace.resume(None), jax.ensure_compile_time_eval():
                value, codes = jax.jit(lambda *arrays: body(arrays))(*operands)
            if not settle_reports(
                zip(conditions, map(int, codes), strict=True), buckets, Settled()
            ):
                return np.asarray(value)


def _measured_sizes(state, top, operands) -> dict[str, int]:
    """Compute the data-dependent sizes created so far for the data of this call, `{}` if that fails."""
    sources = state.fresh.sources()
    names = [name for name in sources if jp.belongs_to(sources[name], top)]
    if operands is None or not names:
        return {}
    with jp.staging_in(top):
        sizes = jnp.stack([primitives.as_size(state.dimension(name)) for name in names])
        found = number_programs.program_of(top, sizes)
    try:
        numbers = Number(Program(found[0], state, None), found[1]).measured(operands)
    except Exception:  # noqa: BLE001 - the error that ended the trace is the one to report
        return {}
    return {} if numbers is None else dict(zip(names, numbers.tolist(), strict=True))


def _number_of(state, top, d) -> Number | None:
    """Return the program that computes a dimension from the inputs of the trace `top`.

    Return `None` if one of its sizes was created in an inner trace.
    """
    if not all(jp.belongs_to(state.fresh.source(name), top) for name in state.fresh.of(d)):
        return None
    with jp.staging_in(top):
        found = number_programs.program_of(top, primitives.as_size(d))
    return Number(Program(found[0], state, None), found[1])


def result_array(x):
    """Convert a result to an array; a size becomes an int32 scalar."""
    if jp.is_symbolic(x):
        return jnp.asarray(x, jnp.int32)
    if isinstance(x, np.ndarray) and x.dtype.hasobject:
        return jnp.asarray(x.tolist())  # sizes, in an array of NumPy's
    return x if hasattr(x, "dtype") else jnp.asarray(x)


def lower(
    program: Program,
    arrays,
    sizes: dict[str, Size],
    buckets,
    notes=None,
    limits=None,
    masks=False,
    is_whole=True,
    error_value=error_values.plain,
):
    """Lower a traced program and run it as JAX operations.

    Args:
      program: the result of `trace_program`.
      arrays: the operands, padded along symbolic axes.
      sizes: the input sizes by variable name.
      buckets: the capacities of sizes without a bound; `None` if capacities cannot grow.
      notes: a list that receives one line of text per data-dependent size.
      limits: bounds `(low, high)` of integer operands by position.
      masks: whether results may keep the masked layout, with a validity mask (the host removes the padding).
      is_whole: whether the program creates all sizes on which the trace has assumptions.
      error_value: returns the value of floats that cannot be computed; see `error_values.py`.

    Returns:
      `(values, context)`: one `Value` per result, packed unless `masks`, and the context, which has the
      results of the run-time checks.
    """
    # Imported with the first program, so that `import shims` stays fast.
    from shims._src.lowering import interpreter

    root = Root(interpreter.run, program.state, buckets, notes, program.jaxpr)
    ctx = Context(root)
    ctx.error_value = error_value
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
        if is_whole:
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
    """Add a run-time check of each assumption about data-dependent sizes."""
    for assumed in state.decisions.assumptions:
        dim, line = assumed.d, assumed.line
        unknown = [v for v in jp.variables(dim) if v not in ctx.env]
        if unknown:
            raise errors.FreshSizeError(
                errors.message(
                    "",
                    f"the trace needs a condition on the size `{dim}`, but this size differs between iterations.",
                    at=line,
                    do="use `shims.cond` or `shims.where` on the number, or write `shims.map_fn` in place of "
                    "`jax.lax.map`",
                )
            )
        broken = assumed.broken(dims.evaluate(dim, ctx.env))
        for name in sorted(jp.variables(dim)):
            if ctx.env[name].fresh:
                problem = (
                    f"the program assumes that {assumed.premise}, which is not true for these data."
                )
                text = state.with_origins(errors.message("", problem, at=line))
                wrong = Misjudged(name, line, assumed.is_measured, text)
                ctx.report(wrong, broken, ctx.env[name].size)
