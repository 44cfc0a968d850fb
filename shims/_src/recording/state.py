"""Manage the values of variables while a function is being traced.

Outside of every scope, a variable holds its own value. Inside a scope, the innermost scope of the
thread handles reads and assignments, so tracing a function changes no variable, and
assigned values can become outputs.

As in TensorFlow, the gradient of a read flows to the variable, not to the value that was assigned
to it. The result of the assignment itself is a value like any other.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.platform import jax_private as jp
from shims._src.platform.forks import in_forked_process
from shims._src.platform.thread_state import ThreadSlot

# For each open block the function that closes the scope of Keras, or `None` if the block opened none.
_BLOCKS: ThreadSlot[tuple[Callable[[], None] | None, ...]] = ThreadSlot(())
_SCOPE: ThreadSlot[Overlay | None] = ThreadSlot(None)
_READER: ThreadSlot[Callable[[Any, Any], Any] | None] = ThreadSlot(None)
# How often other threads may change the variables of a running program before it makes them wait.
MOST_OVERTAKEN = 3
# Held by a thread that computes new values of variables from their values.
_CHANGES = threading.RLock()
# The variables that the programs which run in this thread will assign when they have ended.
_AWAITED: ThreadSlot[tuple] = ThreadSlot(())


# Opens a scope of Keras that routes its variables here; returns a function that closes it, or `None`.
_open_keras: Callable[[], Callable[[], None] | None] = lambda: None
# Returns where Keras itself holds a variable's value, directly over a scope of this module; or `None`.
_place_in_keras: Callable[[Any, Overlay | None], PlaceInKeras | None] = lambda variable, scope: None


class PlaceInKeras(Protocol):
    """A scope that Keras opened itself, as `stateless_call` does, as the place of a variable's value."""

    def read(self) -> Any:
        """Return the value, or `None` if the scope has none."""

    def write(self, value) -> None:
        """Store a new value; the trace to which it belongs is that of the scope."""


def bind_keras(
    opener: Callable[[], Callable[[], None] | None],
    place: Callable[[Any, Overlay | None], PlaceInKeras | None],
) -> None:
    """Register the functions that redirect Keras variables to the scopes, and that find them in those of Keras.

    Args:
      opener: called when a thread enters a block. It returns a function that is called when the thread
        leaves that block.
      place: called with a variable and a scope of this module. It returns the place that a scope of Keras,
        opened while that scope was the innermost one, has for the variable.
    """
    global _open_keras, _place_in_keras
    _open_keras, _place_in_keras = opener, place


class Overlay:
    """A scope that stores the values assigned in it; variables not assigned are read from outside.

    Args:
      outer: the enclosing scope.
      given: variables whose initial values are passed to this scope, instead of read from outside.
      values: the values of `given`, in the same order.

    Attributes:
      outer: the enclosing scope, or `None` if there is none.
      reads: the variables that were read, in the order of first use.
      writes: the assigned variables with their newest values, in the order of first assignments.
      created: variables that were created in this scope.
      home: the JAX trace in which the scope was opened; values of inner traces cannot be stored.
      reaches_variables: whether the program updates the variables, with the values that the outermost scope
        has at the end.
      opens_program: whether the scope is that of a program that is traced for every run.
    """

    reaches_variables = False
    opens_program = True

    def __init__(self, outer: Overlay | None = None, given=(), values=()):
        self.outer = outer
        self._given = {id(v): value for v, value in zip(given, values, strict=True)}
        self.reads: dict[int, Any] = {}
        self.writes: dict[int, tuple[Any, Any]] = {}
        self.created: dict[int, Any] = {}
        self.home: Any = None

    @property
    def outermost(self) -> Overlay:
        """The outermost of the scopes around this one, which has no enclosing scope."""
        return self if self.outer is None else self.outer.outermost

    def newest(self, variable):
        """Return the current value of a variable in this scope."""
        found = self.writes.get(id(variable))
        if found is not None:
            return found[1]
        self.reads.setdefault(id(variable), variable)
        if id(variable) in self._given:
            return self._given[id(variable)]
        return value_in(self.outer, variable)

    def origin(self, variable):
        """Return the value that a variable had before any assignment in a scope; `None` if it had none."""
        self.reads.setdefault(id(variable), variable)
        place = _place_in_keras(variable, self.outer)
        held = None if place is None else place.read()
        if held is not None:
            return held
        if self.outer is not None:
            return self.outer.origin(variable)
        if id(variable) in self._given:
            return self._given[id(variable)]
        return variable.stored_value if has_value(variable) else None

    def write(self, variable, value) -> None:
        """Store a new value of a variable; the variable itself is updated when the program runs."""
        _check_kept(self, variable, value)
        self.reads.setdefault(id(variable), variable)
        self.writes[id(variable)] = (variable, value)

    def create(self, variable, value) -> None:
        """Record, in the outermost scope, that a variable was created in this scope or an inner one."""
        if self.outer is not None:
            self.outer.create(variable, value)
            return
        self.created[id(variable)] = variable
        self.writes[id(variable)] = (variable, value)

    def forget_assignments(self, variable) -> None:
        """Drop the assigned value of a variable here and in all outer scopes.

        The variable has got its value outside of every scope, and is read there again.
        """
        self.writes.pop(id(variable), None)
        if self.outer is not None:
            self.outer.forget_assignments(variable)

    def forget_values(self) -> None:
        """Drop the assigned values and the JAX trace, when the scope ends; which variables were assigned is kept."""
        self.home = None
        self.writes = {key: (variable, None) for key, (variable, _) in self.writes.items()}

    @property
    def written(self) -> tuple:
        """The variables assigned in this scope, in the order of their first assignments."""
        return tuple(variable for variable, _ in self.writes.values())


class _UnknownValue:
    """The placeholder for a variable's value until its initial value is computed."""

    def __repr__(self) -> str:
        return "<unknown>"


UNKNOWN = _UnknownValue()


def has_value(variable) -> bool:
    """Return whether the initial value of a variable has been computed."""
    return variable.stored_value is not UNKNOWN


def _require_stored_value(variable):
    value = variable.stored_value
    if value is UNKNOWN:
        raise errors.FailedPreconditionError(
            errors.message(
                "Variable",
                "the variable has no value: its initial value depends on the arguments of a "
                "function that could not be traced.",
                received=variable.name,
                do="create the variable outside of the function, or with a known initial value.",
            )
        )
    return value


def _check_kept(scope: Overlay, variable, value) -> None:
    """Raise an error if an assigned value belongs to an inner trace, which ends before the scope."""
    owner = jp.trace_of(value)
    if owner is None or jp.is_within(scope.home, owner):
        return
    text = errors.message(
        "Variable.assign",
        "a JAX transformation inside the function traces `value`, and this transformation ends before the variable "
        "is updated.",
        received=f"{value.dtype.name}{list(value.shape)} for {variable.name}",
        do=(
            "return the value from the transformation and assign the variable afterwards; or use `lax.scan`, "
            "`lax.while_loop`, `lax.cond` or `shims.map_fn`, in which variables can be assigned."
        ),
    )
    raise errors.as_refusal(errors.FailedPreconditionError(text))


def current_scope() -> Overlay | None:
    """Return the innermost scope of this thread, or `None`."""
    return _SCOPE.value


@contextlib.contextmanager
def state_scope(scope: Overlay | None) -> Iterator[Overlay | None]:
    """Open a block in which `scope` holds the values of variables; `None` for no scope."""
    if scope is not None:
        scope.home = jp.below(jp.current_trace())
    enter_block()  # first: the scope of Keras notes over which scope it is opened
    with _SCOPE.holding(scope):
        try:
            yield scope
        finally:
            leave_block()


def enter_block() -> None:
    """Redirect reads and assignments of Keras variables to the scopes, until `leave_block`."""
    _BLOCKS.value = (*_BLOCKS.value, _open_keras())


def leave_block() -> None:
    """End the block that `enter_block` began."""
    *outer, close = _BLOCKS.value
    _BLOCKS.value = tuple(outer)
    if close is not None:
        close()


def sees_keras() -> bool:
    """Return whether reads and assignments of Keras variables are redirected to the scopes."""
    return any(close is not None for close in _BLOCKS.value)


def value_in(scope: Overlay | None, variable):
    """Return the value that a variable has in a scope, or outside of every scope."""
    place = _place_in_keras(variable, scope)
    held = None if place is None else place.read()
    if held is not None:
        return held
    return _require_stored_value(variable) if scope is None else scope.newest(variable)


def changing() -> contextlib.AbstractContextManager[object]:
    """Open a block that assigns what it computes from a variable, so that no other thread's change is lost."""
    return _CHANGES if _SCOPE.value is None else contextlib.nullcontext()


def _renew_lock() -> None:
    """Replace the lock in a forked process, where the thread that holds it does not exist."""
    global _CHANGES
    _CHANGES = threading.RLock()


in_forked_process(_renew_lock)


def awaiting(variables: tuple) -> contextlib.AbstractContextManager[object]:
    """Open a block that runs a program which assigns variables; until its end, they cannot be used."""
    return _AWAITED.holding((*_AWAITED.value, *variables))


def _check_is_settled(variable) -> None:
    """Raise an error if a function that a program calls uses a variable that this program assigns."""
    if any(v is variable for v in _AWAITED.value):
        raise errors.FailedPreconditionError(
            errors.message(
                "Variable",
                "a compiled program calls a Python function, and both use the same variable: the program assigns "
                "it, and the Python function reads or assigns it.",
                received=variable.name,
                do="pass the value of the variable to the function as an argument, and assign the result of the "
                "function to the variable.",
            )
        )


def read(variable):
    """Return the value that a variable has in the innermost scope."""
    scope, reader = _SCOPE.value, _READER.value
    if scope is None and _AWAITED.value:
        _check_is_settled(variable)
    value = value_in(scope, variable)
    if scope is not None and jp.is_tracer(value) and jnp.issubdtype(value.dtype, jnp.inexact):
        origin = scope.origin(variable)
        if origin is not None and origin is not value:
            value = _with_gradient_of_read(
                variable, value, origin if reader is None else reader(variable, origin)
            )
    return value if reader is None else reader(variable, value)


def _with_gradient_of_read(variable, value, origin):
    """Return an assigned value whose gradient flows to the variable, not to the assigned value.

    This does not record an operation.
    """
    with jp.under(jp.below(jp.current_trace())):
        if variable.shape.is_fully_defined():
            return with_derivative_of(value, origin)
        return jax.lax.stop_gradient(value)


def on_read(reader: Callable[[Any, Any], Any] | None) -> None:
    """Set `reader(variable, value)`, which is called for every read in this thread.

    The read returns the result of `reader`.
    """
    _READER.value = reader


def write(variable, value) -> None:
    """Assign a value to a variable, in the innermost scope or at once.

    Raises:
      FailedPreconditionError: there is no scope, and the value is being traced.
    """
    scope = _SCOPE.value
    if scope is None and _AWAITED.value:
        _check_is_settled(variable)
    place = _place_in_keras(variable, scope)
    if place is not None:
        place.write(value)
    elif scope is not None:
        scope.write(variable, value)
    elif not jp.is_tracer(value):
        variable.stored_value = value
    elif variable.is_kept_by_traces:
        text = errors.message(
            "Variable.assign",
            "a JAX transformation traces `value`, and a variable cannot store a traced value.",
            received=f"{value.dtype.name}{list(value.shape)} for {variable.name}",
            do=(
                "decorate the function with `shims.function`, or compile `shims.stateless(f, variables)`, which "
                "accepts and returns the values of the variables."
            ),
        )
        raise errors.as_refusal(errors.FailedPreconditionError(text))
