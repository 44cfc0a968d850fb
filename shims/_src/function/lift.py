"""Turn the variables that a function reads and assigns into inputs and outputs.

found = discover(f, *args)              # traces once: which variables, in which order
pure = lift(f, found.used)              # (values, *args) -> (outputs, new values)
outputs, values = jax.jit(pure)(found.values(), *args)
found.store(values)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.recording import state
from shims._src.variables.variable import Variable


@dataclasses.dataclass(frozen=True)
class Found:
    """The variables that a function uses.

    Attributes:
      used: every variable that it reads or assigns, in the order of first use.
      written: those that it assigns, in the order of their first assignments.
      created: those that it creates; they have their initial values.
    """

    used: tuple[Variable, ...]
    written: tuple[Variable, ...]
    created: tuple[Variable, ...]

    def values(self) -> tuple[jax.Array, ...]:
        """Return the current values of `used`."""
        return tuple(state.read(v) for v in self.used)

    def store(self, values) -> None:
        """Assign the values that a lifted call returned, in order."""
        for variable, value in zip(self.written, values, strict=True):
            state.write(variable, value)


class Discovery(state.Overlay):
    """A scope in which variables may be created, as by the first call of a function.

    Args:
      may_create: whether this is the first call.

    Attributes:
      pending: variables whose initial values depend on what is being traced, and these values.
    """

    def __init__(self, may_create: bool = True):
        super().__init__(state.current_scope())
        self.may_create = may_create
        self.pending: dict[int, tuple[Variable, Any]] = {}

    def create(self, variable, value):
        """Record a new variable; it counts as assigned only if its initial value depends on arguments."""
        if not self.may_create:
            raise _created_again_error(variable)
        self.created[id(variable)] = variable
        if state.has_value(variable):
            return
        if state.current_scope() is not self:
            raise _created_conditionally_error(variable)
        self.pending[id(variable)] = (variable, value)
        self.writes[id(variable)] = (variable, value)

    def forget_values(self) -> None:
        """Let go of the assigned and the initial values, which are tracers of a trace that ends."""
        super().forget_values()
        self.pending = {key: (variable, None) for key, (variable, _) in self.pending.items()}


def _created_again_error(variable):
    return ValueError(
        errors.message(
            "function",
            "only singleton variables that are created on the first call are supported.",
            required="a variable that is created once",
            received=f"{variable.name}, created by another call",
            do="create it outside of the function, or under `if self.v is None:`.",
        )
    )


def _created_conditionally_error(variable):
    return ValueError(
        errors.message(
            "Variable",
            "the initial value of a variable created inside a branch or a loop depends on traced "
            "data.",
            received=variable.name,
            do="create it before the branch or the loop.",
        )
    )


def discover(f: Callable, *args, may_create: bool = True, **kwargs) -> Found:
    """Trace `f` abstractly and return the variables that it reads, assigns and creates.

    Nothing is computed and no variable changes, except that variables which `f` creates get their
    initial values.

    Args:
      f: any function of arrays.
      *args: its arguments: arrays or `jax.ShapeDtypeStruct`s.
      may_create: whether it may create variables.
      **kwargs: the same.

    Raises:
      ValueError: it creates a variable although it must not, or one whose initial value depends on
        the arguments.
    """
    scope = Discovery(may_create)

    def traced(args, kwargs):
        with state.state_scope(scope):
            f(*args, **kwargs)
        scope.forget_values()
        return []

    jax.make_jaxpr(traced)(args, kwargs)
    if scope.pending:
        raise depends_on_arguments([v for v, _ in scope.pending.values()])
    used = {**scope.reads, **{id(v): v for v in scope.written}}
    return Found(tuple(used.values()), scope.written, tuple(scope.created.values()))


def depends_on_arguments(variables):
    """Create the error for initial values that depend on the arguments of a call."""
    return ValueError(
        errors.message(
            "Variable",
            "the initial value of a variable created inside a function depends on its arguments, "
            "of which only shapes and dtypes are known.",
            received=", ".join(v.name for v in variables),
            do="call the function once first, or create the variable outside of it.",
        )
    )


class _LiftedScope(state.Overlay):
    """The scope of a lifted call, which starts from the values that were passed in."""

    def create(self, variable, value):
        raise _created_again_error(variable)


def lift(f: Callable, used, written=None) -> Callable:
    """Return a pure function `(values, *args, **kwargs) -> (outputs, new values)`.

    Args:
      f: a function that reads and assigns variables.
      used: the variables whose values are passed in, for instance `discover(f).used`.
      written: the variables whose new values are returned; all of `used` by default.

    Returns:
      The pure function. Variables among the outputs are replaced by their final values.
    """
    written = tuple(used if written is None else written)

    def pure(values, *args, **kwargs):
        scope = _LiftedScope(None, used, values)
        with state.state_scope(scope):
            outputs = read_outputs(f(*args, **kwargs))
            return outputs, tuple(scope.newest(v) for v in written)

    return pure


def read_outputs(outputs):
    """Replace every variable in `outputs` by its value."""
    return jax.tree.map(
        lambda leaf: as_array(leaf) if isinstance(leaf, Variable) else leaf,
        outputs,
        is_leaf=lambda leaf: isinstance(leaf, Variable),
    )
