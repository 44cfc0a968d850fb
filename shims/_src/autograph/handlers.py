"""Keep `except` clauses and context managers of converted code from handling errors that only an unknown size causes."""

from __future__ import annotations

import sys

from shims._src.autograph import effects
from shims._src.errors import internal, refusals
from shims._src.tracing import handled_errors


def caught() -> BaseException | None:
    """Return the exception that an `except` clause handles.

    Raises:
      BaseException: that exception, if the sizes that are unknown in this trace may be its cause. With known
        sizes the program might not raise it, so the result of the clause would be wrong.
    """
    error = sys.exception()
    if isinstance(error, Exception):
        internal.raise_if_internal(error)
    if error is not None and _is_refusal(error):
        raise error
    return error


class Context:
    """A context manager of converted code, which suppresses no exception that an unknown size may have caused.

    Args:
      manager: the context manager as written.
    """

    def __init__(self, manager):
        self._manager = manager

    def __enter__(self):
        effects.note_context(self._manager)
        return self._manager.__enter__()

    def __exit__(self, kind, error, trace_back) -> bool:
        suppressed = self._manager.__exit__(kind, error, trace_back)
        return bool(suppressed) and not _is_refusal(error)


def _is_refusal(error: BaseException | None) -> bool:
    if effects.is_signal(error):
        return True
    if error is None:
        return False
    return (
        refusals.is_of_staging(error)
        or handled_errors.needs_value(error)
        or handled_errors.may_be_due_to_sizes(error)
    )
