"""The errors that ported code catches, and the one layout that their messages share."""

from __future__ import annotations

import contextlib
import os
import types
from collections.abc import Iterable, Mapping
from typing import Any

from shims._src.errors import error_codes
from shims._src.platform import user_frames
from shims._src.platform.thread_state import ThreadSlot

# Where a message will tell a number that only the run knows.
NUMBER = "<number>"


class OpError(Exception):
    """Base class of the errors that TensorFlow's kernels raise (`tf.errors.OpError`).

    Args:
      node_def: ignored; the message where it is the only argument.
      op: ignored.
      message: what is wrong.
      error_code: one of the numbers of `shims.errors`; the one of the class when `None`.
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
        """What is wrong."""
        return str(self.args[0]) if self.args else ""


class InvalidArgumentError(OpError, ValueError):
    """An operand has a value or a shape that the operator does not take.

    Also a `ValueError`, because TensorFlow raises that for the same faults while it traces.
    """

    error_code = error_codes.INVALID_ARGUMENT


class DtypeMismatchError(InvalidArgumentError, TypeError):
    """Operands have different dtypes, or one that the operator does not take.

    TensorFlow raises `InvalidArgumentError`, `TypeError` or `ValueError` for it, depending on the
    operator; this is all three.
    """


class CompositeOperandError(InvalidArgumentError):
    """An operator of arrays was given a ragged or a sparse tensor."""


class OutOfBoundsError(InvalidArgumentError, IndexError):
    """A row number is out of bounds.

    TensorFlow raises `IndexError` or `InvalidArgumentError` for it; this is both.
    """


class OutOfRangeError(OpError):
    """An iteration went past the end of its input."""

    error_code = error_codes.OUT_OF_RANGE


class FailedPreconditionError(OpError):
    """A variable was used before it was initialized."""

    error_code = error_codes.FAILED_PRECONDITION


class UnimplementedError(OpError, NotImplementedError):
    """TensorFlow offers this form of the operator; the shims do not."""

    error_code = error_codes.UNIMPLEMENTED


class NarrowingError(InvalidArgumentError, UnimplementedError):
    """A number needs 64 bits, and they are off.

    TensorFlow raises `InvalidArgumentError` where it is a position that is not there, and computes
    with it elsewhere.
    """


class NotFoundError(OpError):
    """A requested entity was not found."""

    error_code = error_codes.NOT_FOUND


class AbortedError(OpError):
    """Somebody else's work was in the way; trying again may help."""

    error_code = error_codes.ABORTED


class AlreadyExistsError(OpError):
    """What was to be made exists already."""

    error_code = error_codes.ALREADY_EXISTS


class CancelledError(OpError):
    """Somebody cancelled the work."""

    error_code = error_codes.CANCELLED


class DataLossError(OpError):
    """Data is lost or damaged beyond repair."""

    error_code = error_codes.DATA_LOSS


class DeadlineExceededError(OpError):
    """The time for the work ran out."""

    error_code = error_codes.DEADLINE_EXCEEDED


class InternalError(OpError):
    """Something that must hold inside of the library does not."""

    error_code = error_codes.INTERNAL


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    error_code = error_codes.PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out."""

    error_code = error_codes.RESOURCE_EXHAUSTED


class UnauthenticatedError(OpError):
    """The caller has not said who it is."""

    error_code = error_codes.UNAUTHENTICATED


class UnavailableError(OpError):
    """What is asked for cannot be reached at present."""

    error_code = error_codes.UNAVAILABLE


class UnknownError(OpError):
    """Something failed of which no more is known."""

    error_code = error_codes.UNKNOWN


class OperatorNotAllowedInGraphError(TypeError):
    """A traced value stands where Python needs a number or a bool (`if`, `for`, `int()`)."""


class MissingKernelError(DtypeMismatchError, NotFoundError, UnimplementedError):
    """TensorFlow has no kernel for the dtype of an operand.

    TensorFlow raises `InvalidArgumentError`, `NotFoundError`, `UnimplementedError`, `TypeError` or
    `ValueError` for it, depending on where it notices; this is all of them.
    """


class CapacityError(OpError):
    """A data-dependent size has no bound where it needs one, or exceeded the one it has.

    Raised at trace time inside somebody else's `jax.jit`, where nothing can grow, and at run time
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
    """A JAX primitive met an unknown size for which it has no masking rule."""


class FreshSizeError(OpError, TypeError):
    """A program needs to know a data-dependent size while it is being traced."""


class OutsideDynamicTraceError(FreshSizeError):
    """A data-dependent size is made in a trace that is not a dynamic one."""


class PaddedUseError(OpError, TypeError):
    """A `Padded` was given to a function that would have read its padding."""


class SpecializationError(OpError):
    """`shims.function(on_specialize="raise")` would have compiled once per size."""


class GrowingStateError(UnimplementedError):
    """The state of a loop changes its shape; `name`, `before` and `after` say which and how."""

    name: str
    before: Any
    after: Any


class SpecializationWarning(UserWarning):
    """A function is compiled once per size of an input, as `jax.jit` would."""


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
    OutsideDynamicTraceError,
    PaddedUseError,
    SpecializationError,
    GrowingStateError,
    SpecializationWarning,
):
    _class.__module__ = "shims.errors"


# The file, the line and the operation of a graph that was written down there.
Place = tuple[str, int, str]


_PLACE: ThreadSlot[Place | None] = ThreadSlot(None)
_PLACES: ThreadSlot[Mapping[str, Place]] = ThreadSlot(types.MappingProxyType({}))


def at_place(place: Place | None) -> contextlib.AbstractContextManager[object]:
    """Let messages name the place where what runs now was written down."""
    return _PLACE.holding(place)


def with_places(places: Mapping[str, Place]) -> contextlib.AbstractContextManager[object]:
    """Let messages about programs traced in here name places, by the scopes of JAX."""
    return _PLACES.holding(places)


def line_in(scopes: Iterable[str]) -> str:
    """The line of the innermost scope that has a place, or nothing."""
    found = [_PLACES.value[name] for name in scopes if name in _PLACES.value]
    return line_at(found[-1]) if found else ""


def line_at(place: Place) -> str:
    """`file.py:41  source text  (operation)`."""
    filename, number, operation = place
    return f"{line_of(filename, number)}  ({operation})"


def user_line() -> str:
    """`file.py:41  source text` of the user's own line, or an empty string."""
    if _PLACE.value is not None:
        return line_at(_PLACE.value)
    frame = user_frames.user_frame()
    return "" if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def line_of(filename: str, lineno: int) -> str:
    """`file.py:41  source text` of a given line."""
    import linecache

    source = linecache.getline(filename, lineno).strip()
    return f"{os.path.basename(filename)}:{lineno}  {source}".rstrip()


def message(
    function: str,
    problem: str,
    *,
    required: str = "",
    received: str = "",
    at: str | None = None,
    do: str = "",
) -> str:
    """One message in the house layout: what is wrong, then labeled lines.

    Args:
      function: the operator as the user spells it, for instance `boolean_mask`.
      problem: what is wrong, with argument names in backticks.
      required: what would have been right.
      received: what was given, symbolic and concrete sizes.
      at: the user's line; found by walking the stack when not given.
      do: what to write instead.
    """
    lines = [f"{function}: {problem}" if function else problem]
    at = user_line() if at is None else at
    for label, text in (("Required:", required), ("Received:", received), ("At:", at), ("Do:", do)):
        if text:
            lines.append(f"  {label:<9} {text}")
    return "\n".join(lines)


def with_place(text: str, line: str) -> str:
    """A message with the user's line, if it does not have one."""
    if "\n  At: " in text:
        return text
    head, mark, rest = text.partition("\n  Do: ")
    return f"{head}\n  At:       {line}{mark}{rest}"


def with_sizes(text: str, origins: dict[str, str]) -> str:
    """A message with the lines that made the sizes that it names, if it does not tell them."""
    if not origins or "\n  Size: " in text:
        return text
    lines = "".join(f"\n  Size:     {name}: {line}" for name, line in origins.items())
    for mark in ("\n  At: ", "\n  Do: "):
        head, found, rest = text.partition(mark)
        if found:
            return f"{head}{lines}{found}{rest}"
    return text + lines
