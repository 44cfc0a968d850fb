"""Make Keras variables visible to tapes and functions, through Keras' `StatelessScope`.

Keras asks a `StatelessScope` for the values of its variables, and passes it their assignments. The scope
of this module forwards both to the module `state`, for a `Variable` that represents the Keras variable.
So tapes see its reads, and functions make it an input and output. The scope is open while a tape records
or a function is traced, but not inside of a scope that Keras opens itself, whose values take precedence.
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
    """A `Variable` that represents a Keras variable, which holds the value.

    Attributes:
      keras: the Keras variable.
    """

    def __init__(self, variable):
        self.keras = variable
        self._shape = TensorShape(variable.shape)
        value = variable._value
        self._dtype = jnp.dtype(variable._dtype if value is None else value.dtype)
        self._name = variable.path
        self._constraint = variable.constraint
        self._synchronization = _option(VariableSynchronization, variable, "synchronization")
        self._aggregation = _option(VariableAggregation, variable, "aggregation")

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable; layers can change this."""
        return self.keras.trainable

    @property
    def stored_value(self):
        """The value outside of every scope."""
        return self.keras._value

    @stored_value.setter
    def stored_value(self, value) -> None:
        """The value outside of every scope."""
        self.keras._direct_assign(value)


def _option(kind, variable, name: str):
    """Return an option of a Keras variable, which Keras names in lower case."""
    return kind[str(getattr(variable, name, None)).upper()]


def standing_for(x):
    """Return the `Variable` that represents a Keras variable; return any other value unchanged."""
    keras = _keras_on_jax()
    if keras is None or not isinstance(x, keras.Variable):
        return x
    found = _STANDING.get(id(x))
    if found is None:
        found = _STANDING[id(x)] = type.__call__(OfKeras, x)
    return found


def _keras_on_jax():
    """Return the Keras module, or `None` if it is not imported or its back end is not JAX."""
    keras = sys.modules.get("keras")
    if keras is None or not hasattr(keras, "StatelessScope"):
        return None
    return keras if keras.backend.backend() == "jax" else None


def bind() -> None:
    """Route reads and assignments of Keras variables to the module `state`."""
    state.bind_keras(_open_scope)


def _open_scope() -> Callable[[], None] | None:
    """Enter a new Keras scope, and return a function that closes it.

    Returns `None` without Keras, or inside a scope that Keras has opened.
    """
    keras = _keras_on_jax()
    if keras is None:
        return None
    scope = _scope_class(keras.StatelessScope)(collect_losses=True)
    scope.__enter__()
    if scope.original_scope is not None:
        scope.__exit__()
        return None
    return functools.partial(_close_scope, scope)


def _close_scope(scope) -> None:
    """Close a Keras scope, and set the initial values of variables that were created in it."""
    with _outside_of_traces():
        scope.__exit__()


def inside_keras_scope() -> bool:
    """Return whether Keras has opened a scope of its own, as in a training step of `fit`."""
    keras = _keras_on_jax()
    if keras is None or state.sees_keras():
        return False
    with keras.StatelessScope(initialize_variables=False) as scope:
        return scope.original_scope is not None


@functools.cache
def _scope_class(base):
    class Scope(base):
        """A Keras scope that forwards reads and assignments of variables to the module `state`."""

        def get_current_value(self, variable):
            if variable._value is None:
                _close_scope(self)
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
