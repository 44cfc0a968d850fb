"""Convert a graph to a pure JAX function of its variables and feeds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import narrow_array
from shims._src.errors import errors
from shims._src.function.lift import lift
from shims._src.recording import state
from shims._src.sizes.padded import Padded
from shims._src.tracing.dynamic import run_dynamic
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.session.execution_plan import Plan, Run, counters_of
from shims._src.v1.session.feeds import parts_of
from shims._src.v1.session.fetches import Fetches


@dataclasses.dataclass(frozen=True)
class GraphFunction:
    """A pure function of the variables and feeds of a graph.

    Attributes:
      variables: names of the variables that the function takes, such as `"dense/kernel"`.
      assigned: names of the variables that it assigns.
      feeds: names of the fed tensors, in order.
      owners: the variable objects of `variables`.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default() as graph:
      ...     x = tf.placeholder(tf.float32, [None], name="x")
      ...     w = tf.Variable(2.0, name="w")
      ...     f = graph.to_function(w * x, [x])
      >>> f({"w": 3.0}, [1.0, 2.0]).tolist()
      [3.0, 6.0]
    """

    variables: tuple[str, ...]
    assigned: tuple[str, ...]
    feeds: tuple[str, ...]
    _call: Callable = dataclasses.field(repr=False)
    owners: tuple = dataclasses.field(repr=False, default=())

    def __call__(self, variables, *feeds):
        """Compute the fetches for given variables and feeds.

        Args:
          variables: a dict from the names in `variables` to arrays.
          *feeds: arrays for `feeds`, in order.

        Returns:
          Arrays in the structure of the fetches, with `None` for operations. If the function assigns
          variables, a pair of these arrays and the new values by name.
        """
        missing = [name for name in self.variables if name not in variables]
        if missing:
            raise errors.InvalidArgumentError(
                errors.message(
                    "to_function",
                    "the function needs the values of variables, but some values were not passed.",
                    required=", ".join(self.variables),
                    received=", ".join(variables) or "none",
                    do="pass `f.values_in(session)`, or a dictionary of arrays with these names",
                )
            )
        return self._call(dict(variables), *feeds)

    def values_in(self, session) -> dict[str, Any]:
        """Return a dict from names to the values of the function's variables in a session.

        Raises:
          FailedPreconditionError: a variable has no value there.
        """
        owners = dict(zip(self.variables, self.owners, strict=True))
        return dict(zip(owners, session.run([v.value() for v in owners.values()]), strict=True))


def to_function(graph, fetches, feeds=()) -> GraphFunction:
    """Convert a graph to a pure JAX function of its variables and feeds.

    Args:
      graph: the graph.
      fetches: tensors, variables and operations, in pytrees, as `Session.run` takes them.
      feeds: the tensors that become arguments, in order.

    Returns:
      A `GraphFunction`: `f(variables, *feeds)`. It is stateless, so `jax.jit`, `jax.grad` and
      `jax.vmap` work on it. As everywhere in JAX, 64-bit dtypes become 32-bit ones unless
      `jax_enable_x64` is on.

    Raises:
      InvalidArgumentError: a placeholder that the fetches need is not fed.
      UnimplementedError: the fetches need an operation that runs in Python: strings, summaries, files.

    Differs from TensorFlow:
      Random operations start at the beginning of their streams in every call.
    """
    wanted = Fetches(graph, fetches)
    given = [graph.as_graph_element(p, allow_operation=False) for f in feeds for p in parts_of(f)]
    plan = Plan(wanted.operations, [t for t in wanted.tensors if t not in set(given)], given)
    _check_runs_in_jax(plan)
    return _graph_function(plan, wanted, given)


def _check_runs_in_jax(plan: Plan) -> None:
    """Raise an error if a plan has operations that run in Python, outside of JAX."""
    on_host = [op.name for op in plan.everything if op.on_host]
    if on_host:
        raise errors.UnimplementedError(
            errors.message(
                "to_function",
                "operations that call Python functions cannot be part of a JAX function.",
                received=", ".join(on_host),
                do="fetch the inputs of these operations instead",
            )
        )


def _graph_function(plan: Plan, wanted: Fetches, given: list[Tensor]) -> GraphFunction:
    """Create a `GraphFunction` that executes a plan."""
    read = list(dict.fromkeys(plan.variables))
    written = list(dict.fromkeys(v for op in plan.everything for v in op.writes))
    counters = counters_of(plan, {})
    slots = [slot for slot, _ in counters.values()]

    def compute(*arguments):
        run = Run(plan, frozenset(read), counters)
        run.values.update(zip(given, arguments, strict=True))
        for op in plan.order:
            run.execute(op)
        return wanted.structured({t: run.result(t) for t in wanted.tensors})

    pure = lift(compute, [v.slot for v in read] + slots, [v.slot for v in written])

    def call(variables, *arguments):
        arrays = [_as_argument(x, t) for x, t in zip(arguments, given, strict=True)]
        values = [_array(variables[v.op.name], v.slot.dtype) for v in read]
        zeros = [jnp.zeros((2,), jnp.uint32) for _ in slots]
        with state.state_scope(None):
            results, new = run_dynamic(pure, ((*values, *zeros), *arrays))
        if not written:
            return results
        return results, {v.op.name: value for v, value in zip(written, new, strict=True)}

    return GraphFunction(
        tuple(v.op.name for v in read),
        tuple(v.op.name for v in written),
        tuple(t.name for t in given),
        call,
        tuple(read),
    )


def _as_argument(value, tensor):
    """Convert the value of a fed tensor to an array of the tensor's dtype; keep a `Padded` array."""
    return value if isinstance(value, Padded) else _array(value, tensor.dtype.dtype)


def _array(value, dtype):
    """Convert a value to an array of a dtype, with 32 bits unless `jax_enable_x64` is on."""
    if not isinstance(value, jax.Array):
        value = narrow_array(np.asarray(value, dtype))
    return jnp.asarray(value, jax.dtypes.canonicalize_dtype(dtype))
