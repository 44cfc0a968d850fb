"""Make Keras variables visible to `GradientTape` and `shims.function`, through Keras' `StatelessScope`.

Keras asks a `StatelessScope` for the values of its variables, and passes it their assignments. The scope
of this module forwards both to the module `state`, for a `Variable` that represents the Keras variable.
So tapes see its reads, and functions make it an input and output. The scope is open while a tape records
or a function is traced. Where Keras has opened a scope of its own before, as `stateless_call` and the steps
of `fit` do, that scope holds the values outside of the function or the tape; a scope that Keras opens
inside of them takes precedence.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import weakref
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
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
    state.bind_keras(_open_scope, _place_in_keras)


def _open_scope() -> Callable[[], None] | None:
    """Enter a new Keras scope, and return a function that closes it.

    Returns `None` without Keras, or if the innermost scope forwards to the module `state` already.
    """
    keras = _keras_on_jax()
    if keras is None:
        return None
    kind, around = _scope_class(keras.StatelessScope), _innermost(keras)
    if isinstance(around, kind):
        return None
    scope = kind(collect_losses=around is None or around.collect_losses)
    if around is not None:
        scope.losses = around.losses
    scope.covered = state.current_scope() if around is not None else None
    scope.__enter__()
    return functools.partial(_close_scope, scope)


def _close_scope(scope) -> None:
    """Close a Keras scope, and set the initial values of variables that were created in it."""
    with _outside_of_traces():
        scope.__exit__()


def _innermost(keras):
    """Return the innermost scope of Keras, or `None`; it is asked by entering a further one."""
    with keras.StatelessScope(initialize_variables=False) as scope:
        return scope.original_scope


class _Place:
    """The place of a Keras variable's value in a scope that Keras opened."""

    def __init__(self, scope, variable, *, is_outermost: bool):
        self._scope, self._variable, self._is_outermost = scope, variable, is_outermost

    def read(self):
        """Return the value that Keras reads; `None` if a scope of the module `state` has it."""
        held, variable = self._scope.get_current_value(self._variable), self._variable
        if held is not None or (variable._value is not None and not self._is_outermost):
            return held
        if variable._value is not None:
            return variable._value
        # As Keras does while it infers shapes.
        return variable._initializer(variable._shape, dtype=variable._dtype)

    def write(self, value) -> None:
        """Store a new value in the scope."""
        self._scope.add_update((self._variable, value))


def _place_in_keras(variable, overlay) -> _Place | None:
    """Return the place of a variable in the scope that Keras opened directly over a scope of the module `state`."""
    keras = _keras_on_jax() if isinstance(variable, OfKeras) else None
    if keras is None:
        return None
    kind, covered = _scope_class(keras.StatelessScope), state.current_scope()
    scope = _innermost(keras)
    while scope is not None:
        if isinstance(scope, kind):
            covered = scope.covered
        elif covered is overlay:
            return _Place(scope, variable.keras, is_outermost=overlay is None)
        scope = scope.original_scope
    return None


def inside_keras_scope() -> bool:
    """Return whether Keras has opened a scope of its own, as in a training step of `fit`."""
    keras = _keras_on_jax()
    scope = None if keras is None else _innermost(keras)
    if keras is not None and isinstance(scope, _scope_class(keras.StatelessScope)):
        scope = scope.original_scope
    return scope is not None


@functools.cache
def _scope_class(base):
    class Scope(base):
        """A Keras scope that forwards reads and assignments of variables to the module `state`.

        Attributes:
          covered: the scope of the module `state` that was the innermost one when the scope of Keras around
            this one was opened.
        """

        covered: state.Overlay | None = None

        def get_current_value(self, variable):
            if variable._value is None and self.original_scope is None:
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


def read_outputs(outputs):
    """Replace every variable in `outputs`, also one of Keras, by its value."""

    def read(leaf):
        found = standing_for(leaf)
        return as_array(found) if isinstance(found, Variable) else leaf

    return jax.tree.map(read, outputs, is_leaf=lambda leaf: isinstance(leaf, Variable))
