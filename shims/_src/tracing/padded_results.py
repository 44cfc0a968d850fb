"""Convert operands to inputs with symbolic sizes, and results of programs to `Padded`."""

from __future__ import annotations

import logging

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors
from shims._src.lowering.report import Exceeded, Invalid, Misjudged
from shims._src.platform import host_programs
from shims._src.platform import jax_private as jp
from shims._src.sizes import error_values, failure_codes, trace
from shims._src.sizes.padded import OK, Padded, check_status
from shims._src.tracing.outer_bounds import as_bounded
from shims._src.tracing.program import Size


def specifications(state: trace.DynamicTrace, operands):
    """Return the shape specifications of operands, their arrays, and the values of symbolic sizes.

    The dynamic axes of `Padded` operands get symbolic sizes.
    """
    specs, arrays, sizes = [], [], {}
    names: dict[tuple[int, int], str] = {}
    for x in operands:
        if not isinstance(x, Padded):
            x = x if isinstance(x, jax.Array) else jnp.asarray(x)
            specs.append(jp.abstract(x, weak_type=x.aval.weak_type))
            arrays.append(x)
            continue
        shape: list = list(x.values.shape)
        for axis, size in x.sizes.items():
            key = (id(size), shape[axis])
            if key not in names:
                names[key] = f"p{len(names)}"
                sizes[names[key]] = Size(size, shape[axis])
                state.fresh.state_limit(names[key], shape[axis])
                state.note_origin(names[key], f"axis {axis} of a `Padded` argument")
            shape[axis] = state.dimension(names[key])
        values = x.carried_values()
        specs.append(jp.abstract(values, shape))
        arrays.append(values)
    return specs, arrays, sizes


def combined_status(reports, inherited=()):
    """Combine the results of run-time checks and the given status codes into one status code.

    Returns `None` if there are none.
    """
    status = None
    for report in reports:
        match report.condition:
            case Exceeded():
                bad = report.code
            case Misjudged(_, line, _, text):
                problem = (
                    "a data-dependent size differs from the size that this operation relies on."
                )
                bad = failure_codes.code_of(text or errors.message("", problem, at=line))
            case Invalid(text, line, error):
                bad = failure_codes.code_of(errors.with_place(text, line), error)
        code = jnp.where(report.code >= 0, jnp.int32(bad), jnp.int32(OK))
        status = code if status is None else worse_status(status, code)
    for code in inherited:
        code = jnp.asarray(code, jnp.int32)
        status = code if status is None else worse_status(status, code)
    return status


def worse_status(a, b):
    """Return the status code of two that is worse: a negative one, or the larger number of entries.

    Each may be `None`, for no run-time condition.
    """
    if a is None or b is None:
        return b if a is None else a
    return jnp.where((a < 0) | (b < 0), jnp.minimum(a, b), jnp.maximum(a, b))


def traced_result(value):
    """Return a result of a lowered program as an array or `Padded`, whose status is not set yet."""
    if not value.dynamic:
        return value.array
    sizes = {i: a.size for i, a in enumerate(value.axes) if a is not None}
    return Padded(value.array, sizes, jnp.int32(OK))


def with_status(results, status, sources):
    """Mark the results of a program as invalid where its status is bad.

    Args:
      results: arrays and `Padded`.
      status: the status code of the program, or `None`.
      sources: the arrays of floats that the program computes with.
    """
    nan = None if status is None else error_values.invalid(sources)

    def marked(x):
        if nan is None or not jnp.issubdtype(x.dtype, jnp.inexact):
            return x
        status_of_x, nan_of_x = _of_all_devices(status, nan, x)
        return jnp.where(status_of_x == OK, x, nan_of_x.astype(x.dtype))

    def result(x):
        if not isinstance(x, Padded):  # an array, or a bool or a number of Python
            return x if status is None else _checked(marked(jnp.asarray(x)), status)
        padded = Padded(marked(x.values), x.sizes, x.status if status is None else status)
        padded.sources = tuple(filter(jp.is_tracer, sources))
        return padded

    return list(map(result, results))


def _of_all_devices(status, nan, x):
    """Return a status and an error value that are equal on all devices of a `shard_map` that have `x`.

    What was computed from the values of several devices is not valid if that of one is not.
    """
    if not jp.has_manual_axes():
        return status, nan
    of_status, of_nan = (tuple(jp.varying_axes(y) - jp.varying_axes(x)) for y in (status, nan))
    if of_status:
        least, most = lax.pmin(status, of_status), lax.pmax(status, of_status)
        status = jnp.where(least < 0, least, most)
    return status, lax.psum(nan, of_nan) if of_nan else nan


def _checked(array, status):
    """Return an array of integers or booleans that raises an error at run time unless `status` is `OK`.

    Other arrays are returned unchanged.
    """
    if not (array.dtype == bool or jnp.issubdtype(array.dtype, jnp.integer)):
        return array
    array, status = jp.varying_as([array, status], [array, status])

    def refused(x, status):
        return jp.varying_as(_raise_at_run_time(x, status), x)

    checked = lax.cond(status == OK, lambda x, s: x, refused, array, status)
    return as_bounded(checked, array)


class _KnownErrors(logging.Filter):
    """Drops JAX's log of errors that a callback raises on purpose: JAX raises them, too."""

    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if record.exc_info else None
        return kind is None or not issubclass(kind, errors.OpError)


logging.getLogger(jp.CALLBACK_LOGGER).addFilter(_KnownErrors())


def _raise_at_run_time(array, status):
    def fail(x, code):
        check_status(code)
        return np.asarray(x)

    shape = jax.ShapeDtypeStruct(array.shape, array.dtype)
    return host_programs.pure_callback(fail, shape, array, status, vmap_method="broadcast_all")
