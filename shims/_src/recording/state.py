"""Who keeps the values of variables while a function is being traced.

Outside of every scope a variable keeps its own value. Inside one, reads and assignments go through
the innermost scope of the thread, so that a function can be traced without changing anything, and
what it assigns can become an output.

A read has the gradient of the variable, as in TensorFlow, and not of what was assigned to it: the
value of an assignment is a result like any other, but what is read later is a read.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot


class _Thread(threading.local):
    """How many blocks are open in each thread, and what Keras was given back for them."""

    blocks: int = 0
    close_keras: Callable[[], None] | None = None


_THREAD = _Thread()
_SCOPE: ThreadSlot[Overlay | None] = ThreadSlot(None)
_READER: ThreadSlot[Callable[[Any, Any], Any] | None] = ThreadSlot(None)


# How Keras' variables are brought here: opens a scope of Keras, and returns what closes it or `None`.
_open_keras: Callable[[], Callable[[], None] | None] = lambda: None


def bind_keras(opener: Callable[[], Callable[[], None] | None]) -> None:
    """Let `opener()` run when a thread enters its first block, and what it returns when it leaves."""
    global _open_keras
    _open_keras = opener


class Overlay:
    """A scope that keeps what is assigned in it and passes other reads on.

    Args:
      outer: the scope around it.
      given: variables whose values this scope starts from, instead of reading them outside.
      values: their values, in order.

    Attributes:
      outer: the scope around it, or `None` where variables keep their own values.
      reads: variables in the order in which they were first used.
      writes: variable and newest value, in the order of the first assignments.
      created: variables that were made in this scope.
    """

    def __init__(self, outer: Overlay | None = None, given=(), values=()):
        self.outer = outer
        self._given = {id(v): value for v, value in zip(given, values, strict=True)}
        self.reads: dict[int, Any] = {}
        self.writes: dict[int, tuple[Any, Any]] = {}
        self.created: dict[int, Any] = {}

    def newest(self, variable):
        """The value of a variable as the program sees it at this point."""
        found = self.writes.get(id(variable))
        if found is not None:
            return found[1]
        self.reads.setdefault(id(variable), variable)
        if id(variable) in self._given:
            return self._given[id(variable)]
        return self.outer.newest(variable) if self.outer else _stored(variable)

    def origin(self, variable):
        """The value from which the outermost scope starts; `None` of one that begins in a trace."""
        self.reads.setdefault(id(variable), variable)
        if self.outer is not None:
            return self.outer.origin(variable)
        if id(variable) in self._given:
            return self._given[id(variable)]
        return variable.stored_value if has_value(variable) else None

    def write(self, variable, value) -> None:
        """Keep a value for a variable; it reaches the variable when the program runs."""
        self.reads.setdefault(id(variable), variable)
        self.writes[id(variable)] = (variable, value)

    def create(self, variable, value) -> None:
        """Take note of a variable made in this scope, or where the trace around it is kept."""
        if self.outer is not None:
            self.outer.create(variable, value)
            return
        self.created[id(variable)] = variable
        self.writes[id(variable)] = (variable, value)

    @property
    def written(self) -> tuple:
        """The variables assigned in this scope, in the order of their first assignments."""
        return tuple(variable for variable, _ in self.writes.values())


class _Unknown:
    """Stands for the value of a variable whose initial value is not known yet."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN = _Unknown()


def has_value(variable) -> bool:
    """Whether a variable has got its initial value."""
    return variable.stored_value is not UNKNOWN


def _stored(variable):
    value = variable.stored_value
    if value is UNKNOWN:
        raise errors.FailedPreconditionError(
            errors.message(
                "Variable",
                "its initial value depends on the arguments of a function that could not be "
                "traced, so it has none.",
                received=variable.name,
                do="create the variable outside of the function, or with a known initial value.",
            )
        )
    return value


def current_scope() -> Overlay | None:
    """The innermost scope of this thread."""
    return _SCOPE.value


@contextlib.contextmanager
def state_scope(scope: Overlay | None) -> Iterator[Overlay | None]:
    """Let `scope` keep the values of variables in this thread, also when an exception leaves it."""
    with _SCOPE.holding(scope):
        enter_block()
        try:
            yield scope
        finally:
            leave_block()


def enter_block() -> None:
    """From here on reads and assignments of Keras' variables come here; `leave_block` ends it."""
    if _THREAD.blocks == 0:
        _THREAD.close_keras = _open_keras()
    _THREAD.blocks += 1


def leave_block() -> None:
    """The end of what `enter_block` began."""
    _THREAD.blocks -= 1
    if _THREAD.blocks == 0 and _THREAD.close_keras is not None:
        close, _THREAD.close_keras = _THREAD.close_keras, None
        close()


def sees_keras() -> bool:
    """Whether reads and assignments of Keras' variables come here."""
    return _THREAD.close_keras is not None


def read(variable):
    """The value of a variable as the innermost scope sees it."""
    scope, reader = _SCOPE.value, _READER.value
    value = scope.newest(variable) if scope else _stored(variable)
    if scope is not None and jp.is_tracer(value) and jnp.issubdtype(value.dtype, jnp.inexact):
        origin = scope.origin(variable)
        if origin is not None and origin is not value:
            value = _read_of(
                variable, value, origin if reader is None else reader(variable, origin)
            )
    return value if reader is None else reader(variable, value)


def _read_of(variable, value, origin):
    """A value that was assigned in a trace, with the gradient of a read; no recorder sees how."""
    with jp.under(jp.below(jp.current_trace())):
        if variable.shape.is_fully_defined():
            return with_derivative_of(value, origin)
        return jax.lax.stop_gradient(value)


def on_read(reader: Callable[[Any, Any], Any] | None) -> None:
    """Let `reader(variable, value)` see every read in this thread, and say what it gives."""
    _READER.value = reader


def write(variable, value) -> None:
    """Give a variable a value, in the innermost scope or at once.

    Raises:
      FailedPreconditionError: there is no scope, and the value is being traced.
    """
    scope = _SCOPE.value
    if scope is not None:
        scope.write(variable, value)
    elif jp.is_tracer(value):
        raise errors.FailedPreconditionError(
            errors.message(
                "Variable.assign",
                "`value` is being traced by a JAX transformation, which cannot keep it.",
                received=f"{value.dtype.name}{list(value.shape)} for {variable.name}",
                do="decorate the function with `shims.function`, or return the new value.",
            )
        )
    else:
        variable.stored_value = value
