"""Turning the variables that a function reads and assigns into inputs and outputs.

found = discover(f, *args)              # traces once: which variables, in which order
pure = lift(f, found.used)              # (values, *args) -> (outputs, new values)
outputs, values = jax.jit(pure)(found.values(), *args)
found.store(values)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import jax
from jax.extend import core as jex

from shims._src import errors, state
from shims._src.conversion import as_array
from shims._src.variable import Variable


@dataclasses.dataclass(frozen=True)
class Found:
    """The variables behind a function.

    Attributes:
      used: every variable that it reads or assigns, in the order of first use.
      written: those that it assigns, in the order of their first assignments.
      created: those that it makes; they have their initial values.
    """

    used: tuple[Variable, ...]
    written: tuple[Variable, ...]
    created: tuple[Variable, ...]

    def values(self) -> tuple[jax.Array, ...]:
        """The present values of `used`, read anew at each call."""
        return tuple(state.read(v) for v in self.used)

    def store(self, values) -> None:
        """Assign the values that a lifted call returned, in order."""
        for variable, value in zip(self.written, values, strict=True):
            state.write(variable, value)


class Discovery(state.Overlay):
    """A scope that also remembers the initial values of the variables made in it."""

    def __init__(self):
        super().__init__(state.current_scope())
        self.initial: dict[int, object] = {}

    def create(self, variable, value):
        super().create(variable, value)
        self.initial[id(variable)] = value

    def is_assigned(self, variable) -> bool:
        """Whether a written variable got more than its initial value."""
        return self.writes[id(variable)][1] is not self.initial.get(id(variable))


def discover(f: Callable, *args, **kwargs) -> Found:
    """Trace `f` abstractly and say which variables it reads, assigns and creates.

    Nothing is computed and no variable changes, except that variables which `f` creates get the
    initial values that it computed for them.

    Args:
      f: any function of arrays.
      *args: its arguments: arrays or `jax.ShapeDtypeStruct`s.
      **kwargs: the same.

    Raises:
      ValueError: a created variable's initial value depends on the arguments.
    """
    scope = Discovery()

    def traced(args, kwargs):
        with state.state_scope(scope):
            f(*args, **kwargs)
        return list(scope.initial.values())

    closed = jax.make_jaxpr(traced)(args, kwargs)
    created = tuple(scope.created.values())
    for variable, value in zip(created, _initial_values(closed, created), strict=True):
        variable.stored_value = value
    used = {**scope.reads, **{id(v): v for v in scope.written}}
    written = tuple(v for v in scope.written if scope.is_assigned(v))
    return Found(tuple(used.values()), written, created)


def _initial_values(closed, created):
    """The outputs of a program, which must not need its inputs."""
    jaxpr = needed_part(closed.jaxpr, closed.jaxpr.outvars)
    inputs = set(jaxpr.invars)
    atoms = [a for eqn in jaxpr.eqns for a in eqn.invars] + list(jaxpr.outvars)
    if any(not isinstance(a, jex.Literal) and a in inputs for a in atoms):
        raise ValueError(
            errors.message(
                "Variable",
                "the initial value of a variable created inside a function depends on its "
                "arguments.",
                received=", ".join(v.name for v in created),
                do="create the variable outside of the function, or from constants.",
            )
        )
    closed = jex.ClosedJaxpr(jaxpr.replace(invars=[]), closed.consts)
    with jax.ensure_compile_time_eval():
        return jex.jaxpr_as_fun(closed)()


def needed_part(jaxpr, outvars):
    """`jaxpr` with other outputs and only the equations that these need."""
    needed = {v for v in outvars if not isinstance(v, jex.Literal)}
    kept = []
    for eqn in reversed(jaxpr.eqns):
        if needed.intersection(eqn.outvars):
            kept.append(eqn)
            needed.update(a for a in eqn.invars if not isinstance(a, jex.Literal))
    return jaxpr.replace(eqns=kept[::-1], outvars=list(outvars))


class _Lifted(state.Overlay):
    """The scope of a lifted call: it starts from the values that were passed in."""

    def create(self, variable, value):
        raise ValueError(
            errors.message(
                "Variable",
                "a function created a variable again when it was called a second time.",
                received=variable.name,
                do="create it once: outside of the function, or under `if self.v is None:`.",
            )
        )


def lift(f: Callable, used, written=None) -> Callable:
    """A pure function `(values, *args, **kwargs) -> (outputs, new values)`.

    Args:
      f: a function that reads and assigns variables.
      used: the variables whose values are passed in, for instance `discover(f).used`.
      written: the variables whose new values come out; all of `used` unless said otherwise.

    Returns:
      The pure function. Variables among the outputs become their values at the end.
    """
    written = tuple(used if written is None else written)

    def pure(values, *args, **kwargs):
        scope = _Lifted(None, used, values)
        with state.state_scope(scope):
            outputs = read_outputs(f(*args, **kwargs))
            return outputs, tuple(scope.read(v) for v in written)

    return pure


def read_outputs(outputs):
    """`outputs` with every variable replaced by its value."""
    return jax.tree.map(
        lambda leaf: as_array(leaf) if isinstance(leaf, Variable) else leaf,
        outputs,
        is_leaf=lambda leaf: isinstance(leaf, Variable),
    )
