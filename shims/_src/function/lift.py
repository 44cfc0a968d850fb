"""Turn the variables that a function reads and assigns into inputs and outputs of its program.

The function runs once. A variable's first read in a trace binds a primitive without operands, which
stands for the value; afterwards these equations are taken out of the jaxpr, and their results become
inputs.

scope = Lifting()
def program(*args):
    with state.state_scope(scope):
        return scope.results(f(*args))
closed, found = scope.lifted(jax.make_jaxpr(program)(*args))
# The inputs of `closed` are the values of `found.used` and `args`, its results those of `f` and the
# values of `found.written`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.recording import state
from shims._src.variables.keras_state import read_outputs
from shims._src.variables.variable import Reference, Variable

read_p = jp.Primitive("read_variable")


@read_p.def_impl
def _stored_value(*, reference: Reference, aval):
    del aval
    return state.value_in(None, reference.deref())


@read_p.def_abstract_eval
def _read_abstract(*, reference: Reference, aval):
    del reference
    return aval


# Sizes are computed for the data of a call while its program is still being traced.
jp.mlir.register_lowering(read_p, jp.mlir.lower_fun(_stored_value, multiple_results=False))


@dataclasses.dataclass(frozen=True)
class Found:
    """The variables that a traced function uses.

    Attributes:
      used: every variable whose value the function reads, in the order of first reads.
      written: the variables that the function assigns, in the order of their first assignments.
    """

    used: tuple[Variable, ...]
    written: tuple[Variable, ...]

    def values(self) -> tuple[jax.Array, ...]:
        """Return the current values of the variables in `used`."""
        return tuple(state.read(v) for v in self.used)

    def stored_values(self) -> tuple:
        """Return the objects that the variables in `written` hold; an assignment replaces them."""
        return tuple(v.stored_value for v in self.written)

    def store(self, values, replaced: tuple | None = None) -> bool:
        """Assign the values that a call of the program returned to `written`, in order.

        Args:
          values: the values.
          replaced: what `stored_values` returned before the call. If another thread has assigned one of the
            variables since then, nothing is assigned; `None` to assign in any case.

        Returns:
          Whether the values were assigned.
        """
        with state.changing():
            if replaced is not None:
                now = self.stored_values()
                if not all(a is b for a, b in zip(now, replaced, strict=True)):
                    return False
            try:
                self._assign(values)
            except KeyboardInterrupt:
                self._assign(values)  # all of them or none
                raise
        return True

    def _assign(self, values) -> None:
        for variable, value in zip(self.written, values, strict=True):
            state.write(variable, value)


class Lifting(state.Overlay):
    """The scope of a function being traced, in which variables become inputs of the program.

    Args:
      may_create: whether variables may be created, as by the first call of a function.

    Attributes:
      pending: the new variables whose initial values depend on traced data, with these values.
    """

    reaches_variables = True

    def __init__(self, may_create: bool = True):
        super().__init__(state.current_scope())
        self.may_create = may_create
        self.pending: dict[int, tuple[Variable, Any]] = {}
        self._inputs: dict[int, Any] = {}

    def newest(self, variable):
        """Return the current value of a variable: the program's input until it is assigned."""
        found = self.writes.get(id(variable))
        return self._input(variable) if found is None else found[1]

    def origin(self, variable):
        """Return the program's input for a variable; `None` if the variable has no initial value yet."""
        return self._input(variable) if state.has_value(variable) else None

    def _input(self, variable):
        if jp.below(jp.current_trace()) is jp.core.eval_trace:
            # Code that must run now, such as an initial value, takes the value that the variable has now.
            return super().newest(variable)
        if id(variable) not in self._inputs:
            aval = jp.core.typeof(super().newest(variable))
            with jp.under(self.home):
                value = read_p.bind(reference=variable.ref(), aval=aval)
            self._inputs[id(variable)] = value
        return self._inputs[id(variable)]

    def create(self, variable, value):
        """Record a new variable; if its initial value depends on traced data, it counts as assigned."""
        if not self.may_create:
            raise _created_again_error(variable)
        self.created[id(variable)] = variable
        if state.has_value(variable):
            return
        if state.current_scope() is not self:
            raise _created_conditionally_error(variable)
        self.pending[id(variable)] = (variable, value)
        self.writes[id(variable)] = (variable, value)

    def forget_assignments(self, variable) -> None:
        """Drop the assigned value of a variable, and its initial value if that is still to be computed.

        The variable has got its value outside of the function, and is read there again.
        """
        super().forget_assignments(variable)
        self.pending.pop(id(variable), None)

    def forget_values(self) -> None:
        """Drop the values of variables, which are tracers of a trace that has ended."""
        super().forget_values()
        self.pending = {key: (variable, None) for key, (variable, _) in self.pending.items()}
        self._inputs = dict.fromkeys(self._inputs)

    def results(self, outputs):
        """Return the results of the program, with the values that assigned variables have at the end.

        Variables among the outputs are replaced by their values. If initial values are pending, the program
        returns only these.
        """
        if self.pending:
            return [value for _, value in self.pending.values()]
        outputs = read_outputs(outputs)
        if not self.uses_variables:
            return outputs
        return outputs, tuple(value for _, value in self.writes.values())

    @property
    def uses_variables(self) -> bool:
        """Whether the function reads or assigns a variable."""
        return bool(self._inputs or self.writes)

    def lifted(self, closed):
        """Return the jaxpr with the values of variables as its first inputs, and these variables."""
        closed, reads = jaxprs.results_as_inputs(closed, read_p)
        return closed, Found(tuple(p["reference"].deref() for p in reads), self.written)


def _created_again_error(variable):
    return ValueError(
        errors.message(
            "function",
            "only singleton variables that are created on the first call are supported.",
            required="a variable that is created only on the first call",
            received=f"{variable.name}, created by another call",
            do="create the variable outside of the function, or under `if self.v is None:`.",
        )
    )


def _created_conditionally_error(variable):
    return ValueError(
        errors.message(
            "Variable",
            "the initial value of a variable created inside a branch or a loop depends on traced "
            "data.",
            received=variable.name,
            do="create the variable before the branch or the loop.",
        )
    )


def depends_on_arguments(variables):
    """Create the error for initial values of variables that depend on arguments without values."""
    return ValueError(
        errors.message(
            "Variable",
            "the initial value of a variable created inside a function depends on arguments of the "
            "function, but only their shapes and dtypes are known.",
            received=", ".join(v.name for v in variables),
            do="first call the function once, or create the variable outside of the function.",
        )
    )


class _GivenScope(state.Overlay):
    """A scope in which some variables start with given values."""

    reaches_variables = True

    def create(self, variable, value):
        raise _created_again_error(variable)


def lift(f: Callable, used, written) -> Callable:
    """Return `f` as a pure function `(values, *args, **kwargs) -> (outputs, new values)`.

    Args:
      f: a function that uses only the given variables.
      used: the variables whose values are passed in.
      written: the variables whose new values are returned.
    """
    written = tuple(written)

    def pure(values, *args, **kwargs):
        scope = _GivenScope(None, used, values)
        with state.state_scope(scope):
            outputs = read_outputs(f(*args, **kwargs))
            return outputs, tuple(scope.newest(v) for v in written)

    return pure
