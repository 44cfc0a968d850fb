"""Translate JAX's errors about sizes and values that are unknown while tracing."""

from __future__ import annotations

import contextlib
import opcode
import types
from collections.abc import Callable, Mapping

import jax
import numpy as np

from shims._src.errors import errors, remedies, shape_mismatches
from shims._src.errors.failing_call import FailingCall, failing_call
from shims._src.platform import jax_messages, user_frames
from shims._src.platform import jax_private as jp

CONCRETIZATION_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
# Errors that tell that a step needs a traced value, which the exact program has.
CONVERSIONS = (
    *CONCRETIZATION_ERRORS,
    jax.errors.TracerBoolConversionError,
    errors.TracedValueError,
)
_TRANSLATABLE = (TypeError, ValueError, IndexError, NotImplementedError, *CONCRETIZATION_ERRORS)


# What `shims` raises if a program is not possible for unknown sizes.
_OWN_REFUSALS = (
    errors.FreshSizeError,
    errors.CapacityError,
    errors.UnsupportedPrimitiveError,
    errors.SpecializationError,
)


@contextlib.contextmanager
def naming_sizes(origins: Mapping[str, str]):
    """Open a block; exceptions raised in it get the source lines that created data-dependent sizes."""
    try:
        yield
    except Exception as error:
        if not hasattr(error, "shims_origins"):
            error.shims_origins = dict(origins)  # type: ignore[attr-defined]
        raise


@contextlib.contextmanager
def translating():
    """Open a block; exceptions raised in it are translated by `translated`."""
    try:
        yield
    except Exception as error:
        other = translated(error)
        if other is error:
            raise
        raise other from error


def clearer(first: Exception, last: Exception) -> Exception:
    """Return the clearer of two errors: of a failed trace, and of the next trace with constant sizes.

    That is the first, which names the sizes, unless it only says that they are unknown: then the second
    tells the reason.
    """
    return first if type(first) is type(last) and translated(first) is first else last


def may_be_due_to_sizes(error: BaseException) -> bool:
    """Return whether an error may be due to a size that is unknown in the current trace.

    Such errors are refusals of `shims`, errors of other libraries if one of their frames has such a
    size (`json.dumps({"n": n})` accepts no symbol), and a `TypeError` of Python itself, as for `items[n]`, in a frame
    of the program that has one.
    An `AttributeError` is one if a library asked a size, or an array that NumPy made of sizes, for an
    attribute of arrays.
    """
    if hasattr(error, "shims_of_data"):
        return False
    if isinstance(error, (*_OWN_REFUSALS, jp.InconclusiveDimensionOperation)):
        return True
    if isinstance(error, AttributeError) and isinstance(error.obj, (int, jp.DimExpr)):
        step = innermost(error)
        by_library = step is not None and not user_frames.is_user_frame(step.tb_frame)
        return by_library and bool(sizes_at_hand(error))
    if isinstance(error, CONCRETIZATION_ERRORS) or not isinstance(error, _TRANSLATABLE):
        return not isinstance(error, Exception)  # a request to trace again
    return bool(sizes_at_hand(error))


def is_of_traced_operand(error: BaseException) -> bool:
    """Return whether Python's own code, or its library, refused an operand because it is a tracer."""
    step = innermost(error)
    if not isinstance(error, Exception) or step is None:
        return False
    if not jax_messages.names_traced_class(error):
        return False
    frame = step.tb_frame
    by_python = user_frames.asks_for_user(frame) and not _raises(step)
    return by_python or user_frames.is_standard_frame(frame)


def of_data(error: Exception) -> Exception:
    """Mark an error as caused by the data, not by unknown sizes; return it."""
    error.shims_of_data = True  # type: ignore[attr-defined]
    return error


def sizes_at_hand(error: BaseException) -> set[str]:
    """Return the symbols of the sizes among the variables of frames that may have failed because of them."""
    return _sizes_in_steps(error.__traceback__, error)


def _own_step(error: BaseException) -> types.TracebackType | None:
    """Return the step of an error's traceback that is the innermost one of the user's, or the first step."""
    own = step = error.__traceback__
    while step is not None:
        own = own if user_frames.is_library_frame(step.tb_frame) else step
        step = step.tb_next
    return own


def _sizes_in_steps(step: types.TracebackType | None, error: BaseException) -> set[str]:
    found: set[str] = set()
    at_end: set[str] = set()  # of the standard library's frames after the last one of the user
    seen: set[types.FrameType] = (
        set()
    )  # an exception that is raised again and again has a long traceback
    while step is not None:
        frame = step.tb_frame
        if frame in seen and step.tb_next is not None:
            step = step.tb_next
            continue
        seen.add(frame)
        by_python = step.tb_next is None and isinstance(error, TypeError) and not _raises(step)
        is_standard = user_frames.is_standard_frame(frame)
        if is_standard or by_python or not user_frames.is_user_frame(frame):
            for value in frame.f_locals.values():
                sizes = at_end if is_standard and not by_python else found
                sizes.update(*map(jp.variables, _sizes_in(value)))
        else:
            at_end.clear()
        step = step.tb_next
    return found | at_end


def is_of_static_shapes(error: BaseException) -> bool:
    """Return whether JAX raised an error about arrays whose sizes are all numbers, which exact arrays raise, too."""
    step = innermost(error)
    if step is None or user_frames.root_package(step.tb_frame.f_globals) != "jax":
        return False
    of_shapes = type(error) in (TypeError, ValueError) and not jax_messages.names_tracer(error)
    return of_shapes and _raises(step) and not sizes_at_hand(error)


def is_of_library(error: BaseException) -> bool:
    """Return whether a library raised an error, not the program; JAX may have removed its frames from the traceback."""
    if jax_messages.names_tracer(error):
        return False
    step = innermost(error)
    if step is None or user_frames.is_user_frame(step.tb_frame):
        return jax_messages.lacks_frames(error)
    by_shims = user_frames.root_package(step.tb_frame.f_globals) == "shims"
    return not by_shims or jax_messages.lacks_frames(error)


def is_raised_by_program(error: BaseException) -> bool:
    """Return whether a `raise` statement of the program raised an error."""
    step = innermost(error)
    return step is not None and not user_frames.is_library_frame(step.tb_frame) and _raises(step)


def is_of_program(error: BaseException) -> bool:
    """Return whether the exact program raises an error at this step, too, so that unknown sizes are not its cause."""
    step = innermost(error)
    if not isinstance(error, Exception) or step is None:
        return False
    if isinstance(
        error, (*_OWN_REFUSALS, *CONCRETIZATION_ERRORS, jp.InconclusiveDimensionOperation)
    ):
        return False
    if _sizes_in_steps(_own_step(error), error):
        return False
    if user_frames.root_package(step.tb_frame.f_globals) != "shims":
        return True
    # Converted code calls functions of Python in the program's place.
    return user_frames.asks_for_user(step.tb_frame) and not _raises(step)


def innermost(error: BaseException) -> types.TracebackType | None:
    """Return the last step of an error's traceback, None if it was never raised."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return step


def is_of_staging(error: BaseException) -> bool:
    """Return whether an error tells what cannot be staged, which Python would do: its text has the user's line."""
    step = innermost(error)
    module = "" if step is None else step.tb_frame.f_globals.get("__name__") or ""
    return module.startswith(_STAGING) and errors.has_place(str(error))


_STAGING = ("shims._src.autograph.", "shims._src.control_flow.")


def _raises(step: types.TracebackType) -> bool:
    """Return whether a frame raised an error by a `raise` statement."""
    return step.tb_frame.f_code.co_code[step.tb_lasti] == opcode.opmap["RAISE_VARARGS"]


def translated(error: Exception) -> Exception:
    """Translate an exception that was raised in a dynamic trace into an error for the user.

    If JAX needed a size that is known only at run time, the result is a `FreshSizeError`; if Python needed
    the value of an array, it is a `TracedValueError`. A `shims` error gets the user's line and the
    origin of the sizes that it names. Any other error is returned with the user's line and a remedy in
    a note.
    """
    call = failing_call(error)
    if isinstance(error, errors.OpError):
        error.args = (_with_place_and_sizes(str(error), error),)
        return error
    if call.raised or errors.has_place(str(error)):
        return error
    if jax_messages.is_of_varying_axes(error):  # whatever the sizes are
        _add_note(error, "")
        return error
    remedy = remedies.remedy(call)
    if isinstance(error, _TRANSLATABLE) and _compares_sizes(error):
        problem = (
            "two sizes must be equal, but their equality is unknown while the program is traced."
        )
        do = remedies.MEETING.get(call.name, remedies.SAME_SIZE)
    elif _needs_size(error) or (_asks_for_tracer(error) and _about_size(call, remedy)):
        problem = "this step needs a data-dependent size as a number while the program is traced."
        do = remedy or remedies.ANY
    elif isinstance(error, CONCRETIZATION_ERRORS) and line_of_error(error):
        return _value_error(error, call, remedy)
    elif jax_messages.hashes_tracer(error) and call.line:
        return _value_error(error, call, remedies.KEY)
    elif jax_messages.takes_tracer_as_static(error) and call.line:
        chosen = bool(
            getattr(error, "shims_origins", {})
        )  # an `if` over data-dependent sizes may assign it
        return _value_error(error, call, remedies.CHOSEN if chosen else remedies.NUMBER)
    else:
        _add_note(error, remedy if call.package in remedies.HOST else "")
        return error
    received = "" if isinstance(error, jax.errors.UnexpectedTracerError) else _first_line(error)
    message = errors.message(
        call.function, problem, received=received, at=line_of_error(error), do=do
    )
    every = getattr(error, "shims_origins", {})
    # If there is only one size, the error is about it, even if JAX does not name it.
    message = errors.with_sizes(message, every if len(every) == 1 else _named_origins(error))
    new = errors.FreshSizeError(_with_place_and_sizes(message, error))
    return shape_mismatches.marked_as(new, error)


def _value_error(error: Exception, call: FailingCall, remedy: str) -> errors.TracedValueError:
    asked = isinstance(error, jax.errors.TracerBoolConversionError)
    general = remedies.NUMBER if _is_of_jax(call) else remedies.VALUE
    general = remedies.SEARCH if call.searches else remedies.DECISION if asked else general
    do = remedy or jax_messages.advice_in(error) or general
    return errors.TracedValueError(
        errors.message(
            call.function,
            "Python needs the value of an array, but arrays have no values while the program "
            "is traced.",
            received=_first_line(error),
            at=line_of_error(error),
            do=do,
        )
    )


def _is_of_jax(call: FailingCall) -> bool:
    """Return whether a call is of a function of JAX, not of a method of arrays that returns their values."""
    is_method = any(hasattr(kind, call.name) for kind in (jax.Array, jax.core.Tracer))
    return call.package == "jax" and (not is_method or hasattr(jax.numpy, call.name))


def line_of_error(error: BaseException) -> str:
    """Return the user's innermost line in an error's traceback."""
    return getattr(error, "shims_line", "") or failing_call(error).line


def line_raised(error: BaseException) -> str:
    """Return the line of the statement that raised an error."""
    step = innermost(error)
    return "" if step is None else errors.line_of(step.tb_frame.f_code.co_filename, step.tb_lineno)


def _asks_for_tracer(error: Exception) -> bool:
    return isinstance(error, _TRANSLATABLE) and bool(
        jax_messages.names_tracer(error) or _named_origins(error)
    )


def _about_size(call: FailingCall, remedy: str) -> bool:
    """Return whether a failed call is one of those known to require a data-dependent size."""
    return bool(remedy) and call.package not in remedies.HOST


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _named_origins(error: Exception) -> dict[str, str]:
    """Return the data-dependent sizes that an error names, with the source lines that created them."""
    origins = getattr(error, "shims_origins", {})
    return {name: origins[name] for name in jax_messages.names_in(error, origins)}


def _with_place_and_sizes(text: str, error: Exception) -> str:
    """Insert the user's line into a message, and the lines that created the sizes named in it."""
    line = line_of_error(error) or errors.user_line()
    text = errors.with_place(text, line) if line else text
    return errors.with_sizes(text, _named_origins(error))


def _compares_sizes(error: Exception) -> bool:
    names = _named_origins(error)
    return len(names) > 1 or bool(names and jax_messages.needs_equal_sizes(error))


def _needs_size(error: Exception) -> bool:
    if isinstance(error, jp.InconclusiveDimensionOperation) or jax_messages.needs_number(error):
        return True
    if isinstance(error, jax.errors.UnexpectedTracerError):
        return _passes_through(error, jp.shape_poly)
    return not isinstance(error, CONCRETIZATION_ERRORS) and bool(_named_origins(error))


def _passes_through(error: Exception, module: types.ModuleType) -> bool:
    """Return whether an error was raised while a module of JAX was running, not code that it calls."""
    step, inside = error.__traceback__, False
    while step is not None:
        if user_frames.is_user_frame(step.tb_frame):
            inside = False
        inside |= step.tb_frame.f_code.co_filename == module.__file__
        step = step.tb_next
    return inside


def _add_note(error: Exception, remedy: str) -> None:
    """Add a note with the user's line to an error, and a remedy if a size or a derivative was computed.

    Args:
      error: the error.
      remedy: what to write in place of a call that takes numbers only, for an error due to a size.
    """
    line = line_of_error(error)
    do = remedies.IF_STATIC if _holds(_is_sized, error) else ""
    do = remedies.OF_OBJECTS if _holds(_is_array_of_sizes, error) else do
    if not line or not (do or isinstance(error, _TRANSLATABLE)):
        return
    do = remedy if remedy and may_be_due_to_sizes(error) else do
    if _passes_through(error, jp.ad):
        do = remedies.WITHOUT_GRADIENT
    elif isinstance(error, NotImplementedError) and _passes_through(error, jp.batching):
        do = remedies.WITHOUT_ROWS
    note = f"  At:       {line}" + (f"\n  Do:       {do}" if do else "")
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def _holds(test: Callable[[object], bool], error: Exception) -> bool:
    """Return whether the library frame that raised an error has a local variable that passes a test."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or user_frames.is_user_frame(step.tb_frame):
        return False
    return any(map(test, step.tb_frame.f_locals.values()))


def _is_array_of_sizes(value: object) -> bool:
    """Return whether a value is an array of Python objects, as NumPy makes it of sizes."""
    if not isinstance(value, np.ndarray) or not value.dtype.hasobject:
        return False
    return any(map(jp.is_symbolic, value.flat))


def _is_sized(value: object) -> bool:
    return bool(_sizes_in(value))


def _sizes_in(value: object) -> list:
    """Return the sizes in a value: the value itself, or those in the shape of an array, or in a list of them."""
    value = list(value.values()) if type(value) is dict else value
    parts = value if isinstance(value, (tuple, list)) else (value,)
    # Attributes of other objects may compute something.
    has_shape = (jax.Array, jp.ShapedArray, jax.ShapeDtypeStruct)
    shapes = [part.shape if isinstance(part, has_shape) else (part,) for part in parts]
    return [d for shape in shapes for d in shape if jp.is_symbolic(d)]
