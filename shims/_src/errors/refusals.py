"""JAX's errors about sizes and values that only the run knows, in this project's words."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping

import jax

from shims._src.errors import errors, remedies
from shims._src.errors.failing_call import FailingCall, failing_call
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames

# What JAX says where it needs a number and gets a symbol.
_SIGNS = ("_DimExpr", "shape polymorphism", "non-constant", "symbolic dimension")
# What it says where two sizes would have to be one.
_MEETING = (
    "same shape",
    "equal types",
    "Incompatible shapes",
    "incompatible shapes",
    "must be equal",
)
_VALUES = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)
_UNEXPLAINED = (TypeError, ValueError, IndexError, NotImplementedError, *_VALUES)
_WORD = re.compile(r"\b\w+\b")


@contextlib.contextmanager
def naming_sizes(origins: Mapping[str, str]):
    """Let errors know where the sizes were made that they speak of."""
    try:
        yield
    except Exception as error:
        if not hasattr(error, "shims_origins"):
            error.shims_origins = dict(origins)  # type: ignore[attr-defined]
        raise


@contextlib.contextmanager
def translating():
    """Raise what the user should see in place of what comes out of a dynamic trace."""
    try:
        yield
    except Exception as error:
        other = translated(error)
        if other is error:
            raise
        raise other from error


def translated(error: Exception) -> Exception:
    """What the user should see in place of an exception that came out of a dynamic trace.

    A `FreshSizeError` where JAX needed a size that only the run knows; a `shims` error with the
    user's line and the origin of the sizes that it names; any other error as it is, the user's
    line and the way out in a note.
    """
    text, call = str(error), failing_call(error)
    if isinstance(error, errors.OpError):
        error.args = (_placed(text, error),)
        return error
    if call.raised or "\n  At: " in text:
        return error
    remedy = remedies.remedy(call)
    if isinstance(error, _UNEXPLAINED) and _meets(error, text):
        problem = "two sizes meet that cannot be known to be equal."
        do = remedies.MEETING.get(call.name, remedies.SAME_SIZE)
    elif _needs_size(error, text) or (_asks_for_tracer(error, text) and _about_size(call, remedy)):
        problem = "this step needs to know a data-dependent size while it is traced."
        do = remedy or remedies.ANY
    else:
        _annotate(error, call, remedy)
        return error
    received = "" if isinstance(error, jax.errors.UnexpectedTracerError) else _first_line(error)
    message = errors.message(
        call.function, problem, received=received, at=line_of_error(error), do=do
    )
    every = getattr(error, "shims_origins", {})
    # No doubt which size it is where there is only one, even if JAX does not name it.
    message = errors.with_sizes(message, every if len(every) == 1 else _origins(error, text))
    return errors.FreshSizeError(_placed(message, error))


def line_of_error(error: BaseException) -> str:
    """The user's innermost line in an error's traceback."""
    return getattr(error, "shims_line", "") or failing_call(error).line


def _asks_for_tracer(error: Exception, text: str) -> bool:
    return isinstance(error, _UNEXPLAINED) and bool("Tracer" in text or _origins(error, text))


def _about_size(call: FailingCall, remedy: str) -> bool:
    """Whether a function is known to make a size out of the values that it is given."""
    return bool(remedy) and call.package not in remedies.HOST


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _origins(error: Exception, text: str) -> dict[str, str]:
    """`{name: line}` of the data-dependent sizes that a text names."""
    origins = getattr(error, "shims_origins", {})
    return {name: origins[name] for name in sorted(set(_WORD.findall(text))) if name in origins}


def _placed(text: str, error: Exception) -> str:
    """A message with the user's line, and where the sizes that it names were made."""
    line = line_of_error(error) or errors.user_line()
    text = errors.with_place(text, line) if line else text
    return errors.with_sizes(text, _origins(error, text))


def _meets(error: Exception, text: str) -> bool:
    names = _origins(error, text)
    return len(names) > 1 or bool(names and any(sign in text for sign in _MEETING))


def _needs_size(error: Exception, text: str) -> bool:
    if isinstance(error, jp.InconclusiveDimensionOperation) or any(s in text for s in _SIGNS):
        return True
    if isinstance(error, jax.errors.UnexpectedTracerError):
        return _passes_through_sizes(error)
    return not isinstance(error, _VALUES) and bool(_origins(error, text))


def _passes_through_sizes(error: Exception) -> bool:
    """Whether JAX failed while it took a symbolic size for a number."""
    step, inside = error.__traceback__, False
    while step is not None:
        if user_frames.is_user_frame(step.tb_frame):
            inside = False
        inside |= step.tb_frame.f_code.co_filename == jp.shape_poly.__file__
        step = step.tb_next
    return inside


def _annotate(error: Exception, call: FailingCall, remedy: str) -> None:
    """Tell the user's line, and for a value that was asked for the way out."""
    line = line_of_error(error)
    if not isinstance(error, _UNEXPLAINED) or not line:
        return
    do = ""
    if isinstance(error, _VALUES):
        asked = isinstance(error, jax.errors.TracerBoolConversionError)
        do = remedy or (remedies.DECISION if asked else remedies.VALUE)
    note = f"  At:       {line}" + (f"\n  Do:       {do}" if do else "")
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
