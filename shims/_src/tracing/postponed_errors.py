"""Decide which errors of branches that may never run are postponed to the run."""

from __future__ import annotations

import contextlib

from shims._src.errors import errors, refusals, shape_mismatches
from shims._src.platform.thread_state import ThreadSlot

# Errors that may depend on sizes, and their subclasses that do not.
REFUSALS = (errors.InvalidArgumentError, TypeError, ValueError, IndexError)
_SIZE_INDEPENDENT = (
    errors.DtypeMismatchError,
    errors.CompositeOperandError,
    errors.NarrowingError,
)


# Whether errors are postponed to the run.
_POSTPONED = ThreadSlot(False)


def are_postponed() -> bool:
    """Return whether a branch that cannot be traced raises only if it runs."""
    return _POSTPONED.value


def postponed() -> contextlib.AbstractContextManager[object]:
    """Return a context manager in which a branch that cannot be traced raises only if it runs."""
    return _POSTPONED.holding(True)


def depends_on_sizes(error: BaseException) -> bool:
    """Return whether an error is due to sizes of arrays, so other sizes might be valid.

    An error that a library raises may be, as JAX's for an array without elements; one that the program
    itself raises is not.
    """
    if isinstance(error, _SIZE_INDEPENDENT):
        return False
    if isinstance(error, errors.InvalidArgumentError) or shape_mismatches.is_marked(error):
        return True
    if isinstance(error, (errors.OpError, *refusals.CONCRETIZATION_ERRORS)):
        return False
    return isinstance(error, REFUSALS) and refusals.is_of_library(error)
