"""Variables of Keras among our own: tapes see their reads, and functions make them inputs and outputs.

Keras asks a `StatelessScope` for the values of its variables, and gives it what is assigned to them.
The scope of this module passes both on to `state`, under the name of a `Variable` that stands for the
one of Keras. It is there while a tape records or a function is traced, and not inside of a scope of
Keras' own, whose values count.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import weakref
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp

from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.variable_options import VariableAggregation, VariableSynchronization
from shims._src.variables.variable import Variable

_STANDING: weakref.WeakValueDictionary[int, OfKeras] = weakref.WeakValueDictionary()


class OfKeras(Variable):
    """Stands for a variable of Keras, which keeps the value.

    Attributes:
      keras: that variable.
    """

    def __init__(self, variable):
        self.keras = variable
        self._shape = TensorShape(variable.shape)
        value = variable._value
        self._dtype = jnp.dtype(variable._dtype if value is None else value.dtype)
        self._name = variable.path
        self._constraint = variable.constraint
        self._synchronization = VariableSynchronization(0)
        self._aggregation = VariableAggregation(0)

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it; layers switch it on and off."""
        return self.keras.trainable

    @property
    def stored_value(self):
        """The value outside of every scope."""
        return self.keras._value

    @stored_value.setter
    def stored_value(self, value) -> None:
        self.keras._direct_assign(value)


def standing_for(x):
    """What stands for a variable of Keras; anything else as it is."""
    keras = _keras_on_jax()
    if keras is None or not isinstance(x, keras.Variable):
        return x
    found = _STANDING.get(id(x))
    if found is None:
        found = _STANDING[id(x)] = type.__call__(OfKeras, x)
    return found


def _keras_on_jax():
    """The module Keras, `None` where it is not imported or computes with something else."""
    keras = sys.modules.get("keras")
    if keras is None or not hasattr(keras, "StatelessScope"):
        return None
    return keras if keras.backend.backend() == "jax" else None


def bind() -> None:
    """Let reads and assignments of Keras' variables come to `state`."""
    state.bind_keras(_open_scope)


def _open_scope() -> Callable[[], None] | None:
    """Enter a scope and return what leaves it; `None` without Keras, or in one of its own scopes."""
    keras = _keras_on_jax()
    if keras is None:
        return None
    scope = _scope_class(keras.StatelessScope)(collect_losses=True)
    scope.__enter__()
    if scope.original_scope is not None:
        scope.__exit__()
        return None
    return functools.partial(_close, scope)


def _close(scope) -> None:
    """Leave a scope; variables that were made in it get their first values, if they have none."""
    with _outside_of_traces():
        scope.__exit__()


@functools.cache
def _scope_class(base):
    class Scope(base):
        """Passes reads and assignments on."""

        def get_current_value(self, variable):
            if variable._value is None:
                _close(self)
                self.__enter__()
            return state.read(standing_for(variable))

        def add_update(self, update):
            variable, value = update
            state.write(standing_for(variable), value)

    return Scope


@contextlib.contextmanager
def _outside_of_traces() -> Iterator[None]:
    with trace.resume(None), jax.ensure_compile_time_eval():
        yield
