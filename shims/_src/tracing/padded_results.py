"""Convert operands to programs with symbolic sizes, and results of programs to `Padded`."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering.report import Exceeded, Invalid, Misjudged
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace
from shims._src.sizes.padded import ASSUMPTION, INVALID, OK, Padded, check_status
from shims._src.tracing.program import Size


def specifications(state: trace.DynamicTrace, operands):
    """Return the shape specifications, arrays and input sizes of operands.

    The dynamic axes of `Padded` operands get symbolic sizes.
    """
    specs, arrays, sizes = [], [], {}
    names: dict[tuple[int, int], str] = {}
    for x in operands:
        if not isinstance(x, Padded):
            x = x if isinstance(x, jax.Array) else jnp.asarray(x)
            specs.append(jp.abstract(x, weak_type=x.weak_type))
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
        values = x.carried_values()
        specs.append(jp.abstract(values, shape))
        arrays.append(values)
    return specs, arrays, sizes


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
        status = code if status is None else worse_status(status, code)
    for code in inherited:
        code = jnp.asarray(code, jnp.int32)
        status = code if status is None else worse_status(status, code)
    return status


def worse_status(a, b):
    """Return the status code of two that is worse: a negative one, or the larger number of entries."""
    return jnp.where((a < 0) | (b < 0), jnp.minimum(a, b), jnp.maximum(a, b))


def traced_result(value):
    """Return a result of a lowered program as an array or `Padded`, without the status of the program."""
    if not value.dynamic:
        return value.array
    return Padded(value.array, {i: a.size for i, a in enumerate(value.axes) if a}, jnp.int32(OK))


def with_status(x, status):
    """Mark a result of a lowered program as invalid where the status of the program is bad."""
    if status is None:
        return x
    if not isinstance(x, Padded):
        return marked(x, status)
    values = marked(x.values, status) if jnp.issubdtype(x.dtype, jnp.inexact) else x.values
    return Padded(values, x.sizes, status)


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
