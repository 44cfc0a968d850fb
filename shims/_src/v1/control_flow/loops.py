"""Provide `while_loop` for graphs: condition and body are recorded once and run repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

import shims
from shims._src.control_flow import loops as staged_loops
from shims._src.types.composite import is_composite
from shims._src.v1.control_flow.blocks import (
    add_outer,
    begin,
    finish,
    link,
    parameter,
    passed_on,
    record,
)
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.flat_structures import flat_tensors, is_list
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import MODES, executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    name=None,
    maximum_iterations=None,
    return_same_structure=False,
):
    """Repeat `body` on the loop variables while `cond` is true.

    Args:
      cond: a function of the loop variables that returns a bool scalar; called once, immediately.
      body: a function of the loop variables that returns their next values in the same structure.
      loop_vars: a list or tuple of tensors, numbers, `TensorArray`s, or nested structures of them.
      shape_invariants: the shapes that hold in all iterations; the shapes of `loop_vars` when `None`.
      parallel_iterations: accepted and ignored; iterations run sequentially.
      back_prop: whether the results are differentiable.
      swap_memory: accepted and ignored.
      name: the scope of condition and body.
      maximum_iterations: the maximum number of iterations.
      return_same_structure: whether to return a list of one variable as a list, instead of the
        variable itself.

    Returns:
      The final loop variables.

    Raises:
      TypeError: `cond` or `body` is not a function.
      ValueError: there are no loop variables; the body returns another structure or dtype; a shape
        changes that is not declared in `shape_invariants`.

    Differs from TensorFlow:
      A loop variable whose rank changes is an error when the session runs.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/while_loop
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if executing_eagerly():
        return shims.while_loop(
            cond,
            body,
            loop_vars,
            shape_invariants,
            parallel_iterations,
            back_prop,
            swap_memory,
            maximum_iterations,
            name,
        )
    if not loop_vars:
        raise ValueError("'loop_vars' must be provided.")
    graph = get_default_graph()
    with graph.name_scope(name or "while") as scope:
        loop = _Loop(graph, loop_vars, shape_invariants)
        shown, limit = "Identity" if MODES.control_flow_v2 else "Exit", None
        if maximum_iterations is not None:
            limit = convert_to_tensor(maximum_iterations, name="maximum_iterations")
            if limit.shape.rank not in (0, None):
                raise ValueError(
                    f"'maximum_iterations' must be a scalar. Received shape: {limit.shape}"
                )
        name = scope.rstrip("/") if MODES.control_flow_v2 else graph.unique_name("LoopCond")
        for taken in _counter_names(limit is not None):
            graph.unique_name(taken)
        loop.record(cond, body)
        op = loop.operation(name, limit, back_prop)
        exits = passed_on(graph, op.outputs, [shown] * len(op.outputs), shown)
    return loop.result(exits, return_same_structure)


def _counter_names(is_limited: bool) -> list[str]:
    """Return the names of the loop counters that only TensorFlow creates, in order to reserve them.

    is_limited: whether the loop has a maximum number of iterations.
    """
    if MODES.control_flow_v2:
        return ["Identity", "Identity"]
    return ["Identity", "Exit"] if is_limited else []


class _Loop:
    """A builder of the operation of a `while_loop`.

    Args:
      graph: the graph.
      loop_vars: the initial values of the loop variables.
      invariants: the shape invariants that the caller gave, or `None`.
    """

    def __init__(self, graph: Graph, loop_vars, invariants):
        self.graph, self.loop_vars = graph, loop_vars
        self.initial, self.structure = flat_tensors(list(loop_vars))
        self.shapes = [t.shape for t in self.initial]
        if invariants is not None:
            self.shapes = _shape_invariants(invariants, loop_vars, self.initial)
        for tensor, shape in zip(self.initial, self.shapes, strict=True):
            if not _satisfies(tensor.shape, shape):
                raise ValueError(
                    f"The shape invariant specified for {tensor.name} is not compatible with the "
                    "initial shape of the loop variable. It enters the loop with shape "
                    f"{tensor.shape}, but the specified shape invariant is {shape}."
                )
        self.parameters: list[list[Tensor]] = []

    def record(self, cond, body) -> None:
        """Record the operations of condition and body by calling each function once."""
        self.condition = record(self.graph, lambda: [self._call_condition(cond)])
        self.body = record(self.graph, lambda: self._call_body(body))
        rows = zip(self.initial, self.shapes, self.body.outputs, strict=True)
        for before, shape, after in rows:
            if before.dtype != after.dtype:
                raise TypeError(
                    f"Loop variable {before.name} enters the loop with type {before.dtype.name}, "
                    f"but has type {after.dtype.name} after 1 iteration."
                )
            if not _satisfies(after.shape, shape):
                raise ValueError(
                    f"Input tensor '{before.name}' enters the loop with shape {before.shape}, but "
                    f"has shape {after.shape} after one iteration. To allow the shape to vary "
                    "across iterations, use the `shape_invariants` argument of tf.while_loop to "
                    "specify a less-specific shape."
                )

    def _add_parameters(self) -> Sequence:
        name = "Placeholder" if MODES.control_flow_v2 else "Identity"
        found = [
            parameter(self.graph, self.graph.unique_name(name), shape, t.dtype)
            for t, shape in zip(self.initial, self.shapes, strict=True)
        ]
        self.parameters.append(found)
        return self.structure(found)

    def _call_condition(self, cond) -> Tensor:
        holds = convert_to_tensor(cond(*self._add_parameters()))
        if not holds.dtype.is_bool:
            raise TypeError(
                f"Input 'input' of 'LoopCond' Op has type {holds.dtype.name} that does not match "
                "expected type of bool."
            )
        return holds

    def _call_body(self, body) -> list[Tensor]:
        result = body(*self._add_parameters())
        if (
            not isinstance(result, (list, tuple))
            or hasattr(result, "_fields")
            or (len(self.loop_vars) == 1 and len(result) != 1)
        ):
            result = [result]
        if len(result) != len(self.loop_vars):
            raise ValueError(
                "The two structures don't have the same number of elements. First: "
                f"{len(self.loop_vars)} loop variables, second: {len(result)} values of `body`."
            )
        tensors, found = flat_tensors(list(result))
        if found.shape != self.structure.shape:
            raise ValueError(
                "The two structures don't have the same nested structure.\n"
                f"  First: {self.structure.shape}\n  Second: {found.shape}"
            )
        self.after = flat_tensors(result)[1]
        return tensors

    def operation(self, name: str, limit: Tensor | None, back_prop: bool) -> Operation:
        """Create the loop operation and add it to the graph."""
        inputs = [*self.initial, *([] if limit is None else [limit])]
        outputs = [(s, t.dtype) for s, t in zip(self.shapes, self.initial, strict=True)]
        parts = [self.condition, self.body]
        compute = self._compute(limit, back_prop)
        op = add_outer(self.graph, "While", name, compute, inputs, outputs, parts)
        kind = "while_loop" if limit is None else "limited while_loop"
        op.attributes["loop"] = (kind, tuple(map(tuple, self.parameters)))
        link(
            op,
            self.body,
            dict(zip(self.parameters[1], range(len(self.initial)), strict=True)),
            count=len(self.initial),
            back_prop=back_prop,
        )
        return op

    def _compute(self, limit, back_prop: bool):
        count, parts, parameters = len(self.initial), (self.condition, self.body), self.parameters
        first_captured = count + (limit is not None)

        def compute(run, op, values):
            begin(run, op)
            given = dict(zip(op.inputs[first_captured:], values[first_captured:], strict=True))

            def of(k, state):
                known = {**given, **dict(zip(parameters[k], state, strict=True))}
                return parts[k].compute(run, op, known)

            with staged_loops.to_be_differentiated(op.attributes.get("differentiated", False)):
                results = shims.while_loop(
                    lambda *state: of(0, state)[0],
                    lambda *state: of(1, state),
                    values[:count],
                    back_prop=back_prop,
                    maximum_iterations=None if limit is None else values[count],
                )
            finish(run, op)
            return list(results)

        return compute

    def result(self, exits: Sequence[Tensor], same: bool):
        """Return the final loop variables, in a container like `loop_vars` if `same` is set.

        Otherwise a single loop variable is returned without a container.
        """
        found = self.after(exits)
        if len(found) == 1 and not same:
            return found[0]
        if same:
            kind = type(self.loop_vars)
            return kind(*found) if hasattr(self.loop_vars, "_fields") else kind(found)
        return found


def _shape_invariants(invariants, loop_vars, tensors) -> list[GraphShape]:
    """Return the shape invariant of each loop variable: that of the caller, or the variable's shape."""
    found: list[Any] = []
    shapes = jax.tree.leaves(invariants, is_leaf=_is_shape)
    if len(shapes) == len(tensors):
        found = shapes
    else:
        leaves = jax.tree.leaves(list(loop_vars), is_leaf=is_composite)
        for leaf, shape in zip(leaves, shapes, strict=True):
            inner = jax.tree.leaves(leaf)
            found += [shape] if len(inner) == 1 else [None] * len(inner)
    return [
        t.shape if s is None else GraphShape(getattr(s, "shape", s))
        for s, t in zip(found, tensors, strict=True)
    ]


def _is_shape(value) -> bool:
    return value is None or hasattr(value, "is_compatible_with") or is_list(value)


def _satisfies(known: GraphShape, invariant: GraphShape) -> bool:
    """Return whether a shape has all known sizes of a shape invariant."""
    if invariant.rank is None:
        return True
    if known.rank != invariant.rank:
        return False
    pairs = zip(known.as_list(), invariant.as_list(), strict=True)
    return all(b is None or a == b for a, b in pairs)
