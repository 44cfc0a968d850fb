"""Define the error classes that ported code catches, and the common layout of messages."""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from shims._src.errors import error_codes
from shims._src.platform import user_frames
from shims._src.platform.thread_state import ThreadSlot

# Placeholder in a message for a number that is known only at run time.
NUMBER = "<number>"


class OpError(Exception):
    """Base class of the errors that TensorFlow's kernels raise (`tf.errors.OpError`).

    Args:
      node_def: the message, if it is the only argument; otherwise ignored.
      op: ignored.
      message: the error message.
      error_code: one of the error codes of `shims.errors`; the code of the class when `None`.
    """

    error_code: int = error_codes.UNKNOWN
    node_def = None
    op = None

    def __init__(
        self,
        node_def: object = None,
        op: object = None,
        message: object = None,
        error_code: int | None = None,
    ):
        if message is None and op is None:
            node_def, message = None, node_def
        super().__init__(message)
        if error_code is not None:
            self.error_code = error_code

    @property
    def message(self) -> str:
        """The error message."""
        return str(self.args[0]) if self.args else ""


class InvalidArgumentError(OpError, ValueError):
    """An operand has a value or a shape that the operator does not accept.

    Also a `ValueError`, because TensorFlow raises that for the same faults while it traces.
    """

    error_code = error_codes.INVALID_ARGUMENT


class DtypeMismatchError(InvalidArgumentError, TypeError):
    """Operands have different dtypes, or a dtype that the operator does not accept.

    TensorFlow raises `InvalidArgumentError`, `TypeError` or `ValueError` for it, depending on the
    operator; this is all three.
    """


class CompositeOperandError(InvalidArgumentError):
    """A ragged or sparse tensor was passed to an operator of dense arrays."""


class OutOfBoundsError(InvalidArgumentError, IndexError):
    """A row index is out of bounds.

    TensorFlow raises `IndexError` or `InvalidArgumentError` for it; this is both.
    """


class ZeroDivisorError(OpError, ZeroDivisionError):
    """A size by which the user's code divides is 0, for which Python raises `ZeroDivisionError`."""

    error_code = error_codes.INVALID_ARGUMENT


class OutOfRangeError(OpError):
    """An iteration went past the end of its input."""

    error_code = error_codes.OUT_OF_RANGE


class FailedPreconditionError(OpError):
    """A variable was used before it was initialized."""

    error_code = error_codes.FAILED_PRECONDITION


class UnimplementedError(OpError, NotImplementedError):
    """TensorFlow supports this use of the operator; the shims do not."""

    error_code = error_codes.UNIMPLEMENTED


class NarrowingError(InvalidArgumentError, UnimplementedError):
    """A number needs 64 bits while `jax_enable_x64` is off.

    If the number is an index out of range, TensorFlow raises `InvalidArgumentError`; elsewhere it computes
    with the number.
    """


class NotFoundError(OpError):
    """A requested entity was not found."""

    error_code = error_codes.NOT_FOUND


class AbortedError(OpError):
    """The operation was aborted, typically by a conflict; trying again may help."""

    error_code = error_codes.ABORTED


class AlreadyExistsError(OpError):
    """An entity that was to be created already exists."""

    error_code = error_codes.ALREADY_EXISTS


class CancelledError(OpError):
    """The operation was cancelled."""

    error_code = error_codes.CANCELLED


class DataLossError(OpError):
    """Data is lost or corrupted beyond recovery."""

    error_code = error_codes.DATA_LOSS


class DeadlineExceededError(OpError):
    """The operation timed out."""

    error_code = error_codes.DEADLINE_EXCEEDED


class InternalError(OpError):
    """An internal invariant of the library is broken."""

    error_code = error_codes.INTERNAL


class PermissionDeniedError(OpError):
    """The caller lacks the permission for this operation."""

    error_code = error_codes.PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = error_codes.RESOURCE_EXHAUSTED


class UnauthenticatedError(OpError):
    """The caller is not authenticated."""

    error_code = error_codes.UNAUTHENTICATED


class UnavailableError(OpError):
    """The service or resource is currently unavailable."""

    error_code = error_codes.UNAVAILABLE


class UnknownError(OpError):
    """An error of unknown cause."""

    error_code = error_codes.UNKNOWN


class OperatorNotAllowedInGraphError(TypeError):
    """A traced value is used as a Python number or bool, by `if`, `for` or `int()`."""


class MissingKernelError(DtypeMismatchError, NotFoundError, UnimplementedError):
    """TensorFlow has no kernel for the dtype of an operand.

    TensorFlow raises `InvalidArgumentError`, `NotFoundError`, `UnimplementedError`, `TypeError` or
    `ValueError` for it, depending on where it detects the fault; this is all of them.
    """


class CapacityError(OpError):
    """A data-dependent size has no bound although one is required, or exceeds its bound.

    Raised at trace time inside an enclosing `jax.jit`, where no buffer can grow, and at run time
    by `Padded.unpad()` and by `shims.function(overflow="raise")`.

    >>> import jax, shims
    >>> @jax.jit                                  # fails: nothing bounds `k` in here
    ... def f(k):
    ...     return shims.range(k)
    >>> @jax.jit                                  # works: at most eight elements
    ... def g(k):
    ...     return shims.range(shims.bounded(k, max=8))
    """


class UnsupportedPrimitiveError(OpError, NotImplementedError):
    """A JAX primitive has no masking rule for an axis of unknown size."""


class FreshSizeError(OpError, TypeError):
    """A program requires the value of a data-dependent size while it is traced."""


class TracedValueError(OpError, TypeError):
    """A program requires the value of an array in Python while it is traced, as `float(x)` does."""


class OutsideDynamicTraceError(FreshSizeError):
    """An operator with a data-dependent size is traced outside of a dynamic trace."""


class PaddedUseError(OpError, TypeError):
    """A `Padded` was passed to a function that would have read its padding."""


class PaddedAttributeError(PaddedUseError, AttributeError):
    """A `Padded` has no such attribute; `hasattr` is false."""


class SpecializationError(OpError):
    """A function with `on_specialize="raise"` would have to be compiled once per size of an input."""


class GrowingStateError(UnimplementedError):
    """A loop variable changes its shape; the attributes `name`, `before` and `after` describe how."""

    name: str
    before: Any
    after: Any


class SpecializationWarning(UserWarning):
    """A function is compiled once per size of an input, as `jax.jit` would do."""


class FrozenRandomWarning(UserWarning):
    """Random numbers became constants of an enclosing JAX program, so every run repeats them."""


class UncheckedAssertionWarning(UserWarning):
    """An assertion has no effect, because an enclosing JAX program cannot raise errors."""


for _class in (
    OpError,
    AbortedError,
    AlreadyExistsError,
    CancelledError,
    DataLossError,
    DeadlineExceededError,
    InternalError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnknownError,
    OperatorNotAllowedInGraphError,
    InvalidArgumentError,
    DtypeMismatchError,
    CompositeOperandError,
    OutOfBoundsError,
    NarrowingError,
    OutOfRangeError,
    FailedPreconditionError,
    UnimplementedError,
    NotFoundError,
    MissingKernelError,
    CapacityError,
    UnsupportedPrimitiveError,
    FreshSizeError,
    TracedValueError,
    OutsideDynamicTraceError,
    PaddedUseError,
    PaddedAttributeError,
    SpecializationError,
    GrowingStateError,
    SpecializationWarning,
    FrozenRandomWarning,
    UncheckedAssertionWarning,
):
    _class.__module__ = "shims.errors"


# The file and line where an operation of a graph was defined, and the operation.
Place = tuple[str, int, str]


_PLACE: ThreadSlot[Place | None] = ThreadSlot(None)
_PLACES: ThreadSlot[Mapping[str, Place]] = ThreadSlot(types.MappingProxyType({}))


def at_place(place: Place | None) -> contextlib.AbstractContextManager[object]:
    """Return a context manager in which error messages name the line that defined a graph operation."""
    return _PLACE.holding(place)


def with_places(places: Mapping[str, Place]) -> contextlib.AbstractContextManager[object]:
    """Return a context manager in which messages name the source lines of JAX name scopes."""
    return _PLACES.holding(places)


def line_in(scopes: Iterable[str]) -> str:
    """Return the source line recorded for the innermost of the given name scopes; `""` if none is."""
    found = [_PLACES.value[name] for name in scopes if name in _PLACES.value]
    return line_at(found[-1]) if found else ""


def line_at(place: Place) -> str:
    """Format a graph operation's source line as `file.py:41  source text  (operation)`."""
    filename, number, operation = place
    return f"{line_of(filename, number)}  ({operation})"


def user_line() -> str:
    """Return the source line of the innermost user frame, `file.py:41  source text`, or `""`."""
    if _PLACE.value is not None:
        return line_at(_PLACE.value)
    frame = user_frames.user_frame()
    return "" if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def line_of(filename: str, lineno: int) -> str:
    """Format a source line as `file.py:41  source text`."""
    import linecache

    source = linecache.getline(filename, lineno).strip()
    return f"{os.path.basename(filename)}:{lineno}  {source}".rstrip()


_Error = TypeVar("_Error", bound=Exception)


def as_refusal(error: _Error) -> _Error:
    """Mark an error about a step that cannot be staged for any sizes, and return it."""
    error.shims_is_refusal = True  # type: ignore[attr-defined]
    return error


def message(
    function: str,
    problem: str,
    *,
    required: str = "",
    received: str = "",
    at: str | None = None,
    do: str = "",
) -> str:
    """Format an error message in the common layout: the problem, then labeled lines.

    Args:
      function: the operator as the user spells it, for instance `boolean_mask`.
      problem: the fault, with argument names in backticks.
      required: a description of valid arguments.
      received: what was passed, with symbolic and concrete sizes.
      at: the user's line; found on the stack by default.
      do: a suggestion of what to write instead.
    """
    lines = [f"{function}: {problem}" if function else problem]
    at = user_line() if at is None else at
    for label, text in (("Required:", required), ("Received:", received), ("At:", at), ("Do:", do)):
        if text:
            lines.append(f"  {label:<9} {text}")
    return "\n".join(lines)


def has_place(text: str) -> bool:
    """Return whether an error message has the user's source line."""
    return "\n  At: " in text


def with_place(text: str, line: str) -> str:
    """Insert the user's source line into an error message, unless the message has one."""
    if has_place(text):
        return text
    head, mark, rest = text.partition("\n  Do: ")
    return f"{head}\n  At:       {line}{mark}{rest}"


def with_sizes(text: str, origins: dict[str, str]) -> str:
    """Insert the source lines that created data-dependent sizes into a message, unless it has them."""
    if not origins or "\n  Size: " in text:
        return text
    lines = "".join(f"\n  Size:     {name}: {line}" for name, line in origins.items())
    for mark in ("\n  At: ", "\n  Do: "):
        head, found, rest = text.partition(mark)
        if found:
            return f"{head}{lines}{found}{rest}"
    return text + lines
