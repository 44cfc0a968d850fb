"""Find errors that refuse a step of a dynamic trace and that the traced program caught.

A step that is refused because a size is unknown would often work for the exact arrays. A handler of the program,
`except Exception`, cannot tell the two cases apart, so the trace ends with the refusal all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.sizes import size_numbers, trace
from shims._src.tracing import comparison_callers, handled_errors

# Errors that tell that a step needs an unknown size.
_REFUSALS = (
    jp.InconclusiveDimensionOperation,
    errors.FreshSizeError,
    errors.CapacityError,
)
# The numbers of errors to keep, and of those that may still be on their way to a handler.
_MOST, _NEWEST = 200, 20


def install(replace: Callable, staging: type) -> None:
    """Install hooks that store the errors by which a dynamic trace refuses a step.

    The errors of `staging`, a class of JAX traces, are those of primitives that fail for unknown sizes.
    """
    replace(staging, "process_primitive", _note_failing_primitive)
    for refusal in _REFUSALS:
        replace(refusal, "__init__", _note)
    for conversion in refusals.CONVERSIONS:
        replace(conversion, "__init__", _note_conversion)
    replace(jp.core, "_invalid_shape_error", _note_traced_shape)


def _note(state: trace.DynamicTrace, original, error: BaseException, *args: Any, **kwargs) -> None:
    """Initialize an error that refuses a step of the trace, and store it.

    When the trace ends, `ending_refusal` finds out whether the traced program caught it.
    """
    original(error, *args, **kwargs)
    _keep(state, error)


def _note_conversion(state, original, error: BaseException, *args: Any, **kwargs) -> None:
    """Initialize an error for a step that needs a traced value, which the exact program has; store it."""
    original(error, *args, **kwargs)
    error.shims_is_awaited = size_numbers.are_handled()  # type: ignore[attr-defined]
    if error.shims_is_awaited:  # type: ignore[attr-defined]
        error.shims_line = errors.user_line()  # type: ignore[attr-defined]
    _keep(state, error)


def _note_traced_shape(state, original, shape, *context: str) -> BaseException:
    """Create the error for a shape that contains something else than numbers, and store it if that is a tracer."""
    error = original(shape, *context)
    if any(map(jp.is_tracer, shape)):
        _keep(state, error)
    return error


def _note_failing_primitive(state, original, self, primitive, tracers, *rest, **options):
    """Stage a primitive; keep the error of one that does not accept operands of unknown sizes."""
    state.count_step()
    try:
        results = original(self, primitive, tracers, *rest, **options)
    except Exception as error:
        state.awaited.clear()
        names = {name for x in tracers for name in _sizes_of(x)}
        line = errors.user_line()
        if names and not any((line, name) in state.decided_at for name in names):
            _keep(state, error)
        raise
    if state.awaited:
        checks, state.awaited = state.awaited, []
        with jp.staging_in(self):
            for check in checks:
                check()
    return results


def _sizes_of(x) -> set[str]:
    """Return the symbols of the unknown sizes of an array."""
    return set().union(*(jp.variables(d) for d in getattr(x, "shape", ()) if jp.is_symbolic(d)))


def _keep(state, error) -> None:
    raised = state.raised
    if raised and raised[-1] is error:  # a class whose base class notes it, too
        return
    raised.append(error)
    if len(raised) > _MOST:
        raised[:-_NEWEST] = filter(_caught_by_user, raised[:-_NEWEST])


def ending_refusal(state, ending: BaseException | None = None) -> BaseException | None:
    """Return the refusal with which a trace must end, `None` if it may end as it does.

    Args:
      state: the trace.
      ending: the exception that ends the trace, if any.
    """
    if isinstance(ending, trace.Signal):
        return None
    found = [error for error in state.raised if error is not ending]
    signals = [error for error in found if isinstance(error, trace.Signal)]
    return next(iter(signals or filter(_caught_by_user, found)), None)


def _caught_by_user(error: BaseException) -> bool:
    """Return whether the user's code caught an exception, as its traceback shows.

    Code in C has no frame; if it asked for the number of a size, that operator of the size is the frame. If it asked
    for a traced value, it raises an error of its own.
    """
    step: TracebackType | None = error.__traceback__
    if step is None:
        return False
    if not isinstance(error, refusals.CONVERSIONS):
        return user_frames.is_user_frame(step.tb_frame) or comparison_callers.gives_number(
            step.tb_frame
        )
    if comparison_callers.gives_value(step.tb_frame):
        return getattr(error, "shims_is_awaited", False)
    # Libraries written for JAX, and those of Python, go on in the right way.
    if not user_frames.is_user_frame(step.tb_frame) or user_frames.runs_unconverted_library(
        step.tb_frame
    ):
        return False
    return not handled_errors.is_handled_by_name(error)
