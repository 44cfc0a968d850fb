"""Run a function on several replicas: traced once, as the program of each device of a mesh."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from shims._src.arguments.conversion import as_array
from shims._src.autograph import convert
from shims._src.distribute.equal_values import Kind, kinds_of_results
from shims._src.distribute.per_replica import PerReplica, local_value
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording import replicas, state
from shims._src.recording.replicas import Replicas
from shims._src.sizes import primitives
from shims._src.sizes.padded import OK, Padded, check_status
from shims._src.tracing.dynamic import run_dynamic
from shims._src.types.variable_options import VariableAggregation, VariableSynchronization
from shims._src.variables.variable import Variable


def run_on(mesh, fn, args, kwargs, context) -> Any:
    """Call `fn(*args, **kwargs)` for each device of a mesh; the variables that it assigns are updated.

    Args:
      mesh: a mesh with one axis.
      fn: the function.
      args: its positional arguments; of a `PerReplica`, each replica gets its own value.
      kwargs: the keyword arguments of the function.
      context: returns the context manager of the call.

    Returns:
      The result of `fn`, with a `PerReplica` for each array.
    """
    leaves, tree = _flat((args, kwargs))
    places = [i for i, x in enumerate(leaves) if isinstance(x, PerReplica)]
    call = _Call(Replicas(mesh.size, mesh.axis_names[0]), convert(fn), context)

    def arguments(own):
        full = list(leaves)
        for i, (stacked, sizes) in zip(places, own, strict=True):
            full[i] = local_value(stacked, sizes)
        return jax.tree.unflatten(tree, full)

    own = [(leaves[i].stacked, leaves[i].sizes) for i in places]
    split = PartitionSpec(mesh.axis_names[0])
    results, values = jax.shard_map(
        lambda own: call.on_device(arguments, own),
        mesh=mesh,
        in_specs=split,
        out_specs=(split, PartitionSpec()),
        check_vma=False,
    )(own)
    for variable, value in zip(call.written, values, strict=True):
        state.write(variable, value)
    return _distributed(jax.tree.unflatten(call.tree, results))


class _Call:
    """A call that is being traced for the replicas.

    Attributes:
      written: the variables that the function assigns.
      tree: the structure of its result.
    """

    def __init__(self, of: Replicas, fn, context):
        self.of, self.fn, self.context = of, fn, context
        self.written: tuple[Variable, ...] = ()
        self.tree: Any = None

    def on_device(self, arguments, own):
        """Return the arrays of the result with an axis for the replicas, and the variables' new values."""
        outer = state.current_scope()

        def program(own):
            scope = _Copies(outer)
            with replicas.tracing(self.of), self.context(), state.state_scope(scope):
                args, kwargs = arguments(own)
                result = jax.tree.map(_result, self.fn(*args, **kwargs), is_leaf=_is_variable)
                self.written = scope.written
                return result, [_combined(v, scope.newest(v)) for v in scope.written]

        def flat(own):
            result, values = run_dynamic(program, (own,))
            arrays, self.tree = jax.tree.flatten(result)
            return [*arrays, *values]

        closed = jax.make_jaxpr(flat)(own)
        of_operands = [Kind.DIFFERS] * len(jax.tree.leaves(own))
        kinds = kinds_of_results(closed, of_operands, self.of.axis)
        count = len(kinds) - len(self.written)
        for variable, kind in zip(self.written, kinds[count:], strict=True):
            if kind is Kind.DIFFERS:
                raise _differs(variable)
        found = jp.core.eval_jaxpr(closed.jaxpr, closed.consts, *jax.tree.leaves(own))
        return [jnp.asarray(x)[None] for x in found[:count]], found[count:]


def _is_variable(x) -> bool:
    return isinstance(x, Variable)


def _result(leaf):
    return as_array(leaf) if isinstance(leaf, (Variable, bool, int, float, complex)) else leaf


class _Copies(state.Overlay):
    """A scope in which each replica has a copy of each variable; of one that is added up, the first has the sum."""

    def __init__(self, outer):
        super().__init__(outer)
        self._copies: dict[int, Any] = {}

    def newest(self, variable):
        """Return the current value of a variable on this replica."""
        return self.writes[id(variable)][1] if id(variable) in self.writes else self._copy(variable)

    def origin(self, variable):
        """Return the value that a variable had when the call began; `None` if it has no value yet."""
        return None if super().origin(variable) is None else self._copy(variable)

    def _copy(self, variable):
        # The copy belongs to the trace of this scope, so that tapes follow it.
        if id(variable) not in self._copies:
            value = super().newest(variable)
            with jp.under(self.home):
                value = lax.copy_p.bind(value)
                if _is_added_up(variable):
                    is_first = lax.axis_index(replicas.traced().axis) == 0
                    value = jnp.where(is_first, value, jnp.zeros_like(value))
                self._copies[id(variable)] = value
        return self._copies[id(variable)]


def _is_added_up(variable) -> bool:
    is_late = variable.synchronization is VariableSynchronization.ON_READ
    return is_late and variable.aggregation is VariableAggregation.SUM


def _combined(variable, value):
    """Return the value of a variable after a call, given the one that it has on this replica."""
    if variable.synchronization is VariableSynchronization.ON_READ:
        return replicas.combined(value, variable.aggregation)
    return value


def _differs(variable):
    return errors.InvalidArgumentError(
        errors.message(
            "Strategy.run",
            "the values assigned to a variable differ between replicas, but the variable has "
            "only one copy.",
            required="a value that is equal on all replicas, or a variable with an `aggregation`",
            received=f"{variable.name}, computed from values of one replica",
            do=(
                "reduce the operands of the value, such as gradients: "
                "`shims.distribute.get_replica_context().all_reduce('SUM', gradients)`"
            ),
        )
    )


def _flat(tree):
    return jax.tree.flatten(tree, is_leaf=lambda x: isinstance(x, (PerReplica, Padded)))


def _distributed(result):
    """Return a structure of arrays with an axis for the replicas as one of `PerReplica`s."""
    return jax.tree.map(
        lambda x: _of_padded(x) if isinstance(x, Padded) else PerReplica(x),
        result,
        is_leaf=lambda x: isinstance(x, Padded),
    )


def _of_padded(x: Padded) -> PerReplica:
    if list(x.sizes) != [1]:
        raise errors.UnimplementedError(
            errors.message(
                "Strategy.run",
                "the shape of a result may differ between replicas only along the first axis.",
                received=f"sizes that depend on data along the axes {[a - 1 for a in x.sizes]}",
                do="reduce the result in the function, or reshape it to a vector: `shims.reshape(x, [-1])`",
            )
        )
    if jp.is_tracer(x.status):
        primitives.check(
            x.status != OK,
            errors.message(
                "Strategy.run", "an operation of the function failed, so the result is not valid."
            ),
        )
    else:
        check_status(x.status, x.values)
    return PerReplica(x.values, x.sizes[1])
