"""Run JAX code over data-dependent sizes as one dynamic program, eagerly or under a JAX trace."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments.conversion import narrow_array
from shims._src.errors import refusals
from shims._src.lowering.report import Exceeded, Invalid, Misjudged
from shims._src.platform import host_memory
from shims._src.platform import jax_private as jp
from shims._src.recording.recording import is_followed
from shims._src.sizes import primitives, trace
from shims._src.sizes.padded import ASSUMPTION, INVALID, OK, Padded, check_status
from shims._src.sizes.sites import OUTER_BOUND, Settled, Site
from shims._src.tracing import eager_lengths
from shims._src.tracing.program import Size, lower, trace_program
from shims._src.tracing.settling import settle_reports
from shims._src.tracing.shape_only import has_foreign_sizes, outlined


def _is_leaf(x) -> bool:
    return isinstance(x, Padded)


def _is_operand(x) -> bool:
    return isinstance(x, (Padded, jax.Array, np.ndarray, np.generic))


def run_dynamic(f, args: tuple, kwargs: dict[str, Any] | None = None):
    """Call `f` with data-dependent sizes, in the current dynamic trace or in a new one."""
    kwargs = kwargs or {}
    if trace.current() is not None:
        return f(*args, **kwargs)
    leaves, tree = jax.tree.flatten((args, kwargs), is_leaf=_is_leaf)
    places = [i for i, x in enumerate(leaves) if _is_operand(x)]
    operands = [narrow_array(leaves[i]) for i in places]

    def on_operands(*xs):
        full = list(leaves)
        for i, x in zip(places, xs, strict=True):
            full[i] = x
        a, k = jax.tree.unflatten(tree, full)
        return f(*a, **k)

    concrete = jp.ambient_is_eager() and not any(jp.is_tracer(x) for x in jax.tree.leaves(operands))
    if not concrete:
        return _run_traced(on_operands, operands)
    operands = [x.unpad() if isinstance(x, Padded) else x for x in operands]
    lengths = eager_lengths.history(f, operands)
    if lengths.met(operands):
        try:
            return _run_eagerly(on_operands, operands, lengths.prepared)
        except Exception:  # noqa: BLE001 - with exact shapes it works, or fails with a better error
            lengths.failed()
    return _run_eagerly(on_operands, operands, _prepare_exactly)


def prepare(state: trace.DynamicTrace, operands):
    """Return the shape specifications, arrays and input sizes of operands.

    The dynamic axes of `Padded` operands get symbolic sizes.
    """
    specs, arrays, sizes = [], [], {}
    names: dict[tuple[int, int], str] = {}
    for x in operands:
        if not isinstance(x, Padded):
            x = x if isinstance(x, jax.Array) else jnp.asarray(x)
            specs.append(jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type))
            arrays.append(x)
            continue
        shape: list = list(x.values.shape)
        for axis, size in x.sizes.items():
            key = (id(size), shape[axis])
            if key not in names:
                names[key] = f"p{len(names)}"
                sizes[names[key]] = Size(size, shape[axis])
                state.note_origin(names[key], f"axis {axis} of a `Padded` argument")
            shape[axis] = state.dimension(names[key])
        specs.append(jax.ShapeDtypeStruct(tuple(shape), x.values.dtype))
        arrays.append(x.values)
    return specs, arrays, sizes


def _outer_bounds(operands):
    """Find operands that are results of `shims.bounded` in the enclosing trace.

    Returns `({position: bounds}, [(number, bound)])`.
    """
    limits, checks = {}, []
    for i, x in enumerate(operands):
        found = None if isinstance(x, Padded) else jp.defining_equation(jp.primal_tracer(x))
        if found is not None and found[0].primitive is primitives.limit_p:
            high = found[0].params["max"]
            limits[i] = (-(2**31) + 1, high)
            checks.append((x, high))
    return limits, checks


def _run_traced(f, operands):
    if has_foreign_sizes(operands):
        return outlined(f, operands)
    state = trace.DynamicTrace()
    specs, arrays, sizes = prepare(state, operands)
    limits, checks = _outer_bounds(operands)
    with refusals.translating():
        program = trace_program(state, f, specs)
        values, ctx = lower(program, arrays, sizes, None, limits=limits)
    for number, high in checks:
        ctx.report(Exceeded(OUTER_BOUND, high), number > high, number)
    inherited = [x.status for x in operands if isinstance(x, Padded)]
    status = combined_status(ctx.reports, inherited)
    outs = [_traced_result(v, status) for v in values]
    return jax.tree.unflatten(program.out_tree, outs)


def combined_status(reports, inherited=()):
    """Combine the codes of all run-time conditions into one status code; `None` if there are none."""
    status = None
    for report in reports:
        match report.condition:
            case Exceeded():
                bad = report.code
            case Misjudged():
                bad = ASSUMPTION
            case Invalid():
                bad = INVALID
        code = jnp.where(report.code >= 0, jnp.int32(bad), jnp.int32(OK))
        status = code if status is None else _worse_status(status, code)
    for code in inherited:
        code = jnp.asarray(code, jnp.int32)
        status = code if status is None else _worse_status(status, code)
    return status


def _worse_status(a, b):
    return jnp.where((a < 0) | (b < 0), jnp.minimum(a, b), jnp.maximum(a, b))


def _traced_result(value, status):
    array = value.array
    if status is not None and (not value.dynamic or jnp.issubdtype(array.dtype, jnp.inexact)):
        array = marked(array, status)
    if not value.dynamic:
        return array
    sizes = {i: a.size for i, a in enumerate(value.axes) if a is not None}
    return Padded(array, sizes, jnp.int32(OK) if status is None else status)


def marked(array, status):
    """Return the array, or if the status is bad, NaN or a run-time error instead."""
    if jnp.issubdtype(array.dtype, jnp.inexact):
        # A product, so that derivatives are marked too.
        return array * jnp.where(status == OK, 1, np.nan).astype(array.dtype)
    if not (array.dtype == bool or jnp.issubdtype(array.dtype, jnp.integer)):
        return array
    return lax.cond(status == OK, lambda x, s: x, _raise_at_run_time, array, status)


def _raise_at_run_time(array, status):
    def fail(x, code):
        check_status(code)
        return np.asarray(x)

    shape = jax.ShapeDtypeStruct(array.shape, array.dtype)
    return jax.pure_callback(fail, shape, array, status, vmap_method="broadcast_all")


def _prepare_exactly(operands, settled):
    state = trace.DynamicTrace(settled=settled, may_assume=True)
    return state, *prepare(state, operands)


def _run_eagerly(f, operands, prepared):
    buckets: dict[Site, int] = {}
    settled = Settled()
    while True:
        state, specs, arrays, sizes = prepared(operands, settled)
        with refusals.translating():
            program = trace_program(state, f, specs)
            values, ctx = lower(program, arrays, sizes, buckets)
        found = [(r.condition, int(r.code)) for r in ctx.reports]
        if not settle_reports(found, buckets, settled):
            outs = [exact(v.array, {i: a.size for i, a in enumerate(v.axes) if a}) for v in values]
            return jax.tree.unflatten(program.out_tree, outs)


# The number of elements from which a selection is worth a thread.
_LARGE = 1 << 17


def exact_all(parts):
    """Remove the padding of several results, given as `(array, sizes, masks)`.

    Large selections run in parallel.
    """
    large = [i for i, (array, _, masks) in enumerate(parts) if masks and array.size >= _LARGE]
    large = [i for i in large if not is_followed(parts[i][0])]
    if len(large) < 2:
        return [exact(*part) for part in parts]
    cut = host_memory.side_by_side([functools.partial(_cut_on_host, *parts[i]) for i in large])
    done = dict(zip(large, map(jp.array_from_host, cut), strict=True))
    return [done[i] if i in done else exact(*part) for i, part in enumerate(parts)]


def exact(array, sizes, masks=None):
    """Remove the padding of a result, on the host without compiling, or on the device under a tape."""
    if not sizes and not masks:
        return array
    if is_followed(array):
        for axis, size in sizes.items():
            array = lax.slice_in_dim(array, 0, int(size), axis=axis)
        for axis, mask in (masks or {}).items():
            array = _take_slots(array, np.flatnonzero(np.asarray(mask)), axis)
        return array
    return jp.array_from_host(_cut_on_host(array, sizes, masks))


def _take_slots(array, places, axis):
    """Take slots along an axis.

    For no slots the result is a slice of `array`, so that a tape still connects the two.
    """
    if not places.size:
        return lax.slice_in_dim(array, 0, 0, axis=axis)
    return jnp.take(array, places, axis=axis)


def _cut_on_host(array, sizes, masks) -> np.ndarray:
    index = [slice(None)] * array.ndim
    for axis, size in sizes.items():
        index[axis] = slice(int(size))
    out = np.asarray(array)[tuple(index)]
    for axis, mask in (masks or {}).items():
        out = host_memory.selected(out, np.asarray(mask), axis)
    return out
