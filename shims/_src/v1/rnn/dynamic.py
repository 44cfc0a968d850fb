"""Define `dynamic_rnn`, which applies a cell to all time steps in a single loop operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import shims
from shims._src.control_flow.slices import staged
from shims._src.control_flow.tensor_array import TensorArray
from shims._src.v1.control_flow.blocks import (
    add_outer,
    begin,
    finish,
    link,
    parameter,
    passed_on,
    record,
)
from shims._src.v1.graph.conversion import constant_of, convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.rnn.cell import batch_size_of, check_cell
from shims._src.v1.rnn.finished_examples import keep_finished, lengths_of, swap_batch_and_time
from shims._src.v1.variables.variable_scope import variable_scope


def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Run a cell over time and return its outputs and its final state.

    Args:
      cell: an `RNNCell`.
      inputs: tensor `[batch, time, size]`, or several, nested.
      sequence_length: `[batch]`, the lengths of the examples; after the end of an example, the
        outputs are 0 and the state of the example stays unchanged.
      initial_state: the initial state; zeros when `None`.
      dtype: the dtype of the zero state.
      parallel_iterations: accepted and ignored.
      swap_memory: accepted and ignored.
      time_major: whether the inputs and outputs are `[time, batch, size]`.
      scope: the variable scope; `rnn` when `None`.

    Returns:
      The outputs `[batch, time, size]`, and the final state.

    Raises:
      TypeError: `cell` is not a cell.
      ValueError: there is neither `initial_state` nor `dtype`, or the size of the inputs is
        unknown.

    Differs from TensorFlow:
      All steps of the inputs are computed, also those after the end of the longest example.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/dynamic_rnn
    """
    del parallel_iterations, swap_memory
    _check_graph("dynamic_rnn")
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        inputs = jax.tree.map(convert_to_tensor, inputs)
        if not time_major:
            inputs = jax.tree.map(swap_batch_and_time, inputs)
        lengths = lengths_of(sequence_length)
        first = jax.tree.leaves(inputs)[0]
        if initial_state is not None:
            state = initial_state
        else:
            if not dtype:
                raise ValueError(
                    "If no initial_state is provided, argument `dtype` must be specified"
                )
            state = initial_state_of(cell, batch_size_of(first, 1), dtype)
        outputs, final = _Loop(cell, inputs, state, lengths).run()
        return (outputs if time_major else jax.tree.map(swap_batch_and_time, outputs)), final


def _check_graph(name: str) -> None:
    if executing_eagerly():
        raise RuntimeError(
            f"tf.nn.{name} needs a graph: call tf.disable_v2_behavior() first, or open `with "
            "tf.Graph().as_default():`."
        )


def initial_state_of(cell, batch_size, dtype):
    """Return the zero state of a cell."""
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


class _Loop:
    """A builder of the loop operation that applies a cell to all time steps."""

    def __init__(self, cell, inputs, state, lengths):
        self.cell, self.lengths = cell, lengths
        self.inputs, self.tree = jax.tree.flatten(inputs)
        for tensor in self.inputs:
            if tensor.shape.rank is None or None in tensor.shape.as_list()[2:]:
                raise ValueError(
                    "Input size (depth of inputs) must be accessible via shape inference, but saw "
                    f"value None for input={tensor}."
                )
        self.state, self.rebuilt = flat_tensors(state)
        self.outputs: Any = None

    def run(self):
        """Create the loop operation; return the outputs and the final state of the cell."""
        graph = get_default_graph()
        time = constant_of(graph, np.asarray(0, np.int32), graph.unique_name("time"))
        with graph.name_scope("while"):
            part = record(graph, lambda: self._record_step(graph, time))
            op = self._make_operation(graph, [time, *self.state], part)
            count = len(part.outputs) - 1 - len(self.state)
            exits = [f"Exit_{i + 2 + count}" for i in range(len(self.state))]
            final = passed_on(graph, op.outputs[1 : 1 + len(self.state)], exits, "Exit")
        stacked = op.outputs[1 + len(self.state) :]
        shown = ["TensorArrayStack/TensorArrayGatherV3"] * len(stacked)
        stacked = passed_on(graph, stacked, shown, "TensorArrayGatherV3")
        return jax.tree.unflatten(self.outputs, stacked), self.rebuilt(final)

    def _record_step(self, graph: Graph, time: Tensor) -> list[Tensor]:
        """Call the cell once with placeholders for one time step, to record its operations."""

        def stands_for(tensor, shape):
            return parameter(graph, graph.unique_name("Identity"), shape, tensor.dtype)

        now = stands_for(time, ())
        states = [stands_for(t, t.shape) for t in self.state]
        slices = [stands_for(t, t.shape.as_list()[1:]) for t in self.inputs]
        self.parameters = [now, *states, *slices]
        before = self.rebuilt(states)
        output, after = self.cell(jax.tree.unflatten(self.tree, slices), before)
        if self.lengths is not None:
            output = keep_finished(now, self.lengths, output, None)
            after = keep_finished(now, self.lengths, after, before)
        leaves, self.outputs = jax.tree.flatten(output)
        new, rebuilt = flat_tensors(after)
        if rebuilt.shape != self.rebuilt.shape:
            raise TypeError(
                "The two structures don't have the same nested structure.\n"
                f"  First: {self.rebuilt.shape}\n  Second: {rebuilt.shape}"
            )
        following = operation_of(_increment, (now,), {}, public="add", name="add", type_="AddV2")
        return [following, *new, *(convert_to_tensor(x) for x in leaves)]

    def _make_operation(self, graph: Graph, carried: Sequence[Tensor], part) -> Operation:
        count, parameters = len(carried), self.parameters
        total = count + len(self.inputs)
        steps = self.inputs[0].shape.as_list()[0]
        specs = [
            ((steps, *x.shape.as_list()) if x.shape.rank is not None else None, x.dtype)
            for x in part.outputs[count:]
        ]

        def compute(run, op, values):
            begin(run, op)
            captured = dict(zip(op.inputs[total:], values[total:], strict=True))

            def body(state, item):
                known = dict(zip(parameters, [*state, *item], strict=True))
                found = part.compute(run, op, {**captured, **known})
                return found[:count], found[count:]

            # A state may hold a `TensorArray`, such as the history of an attention.
            start = [v if isinstance(v, TensorArray) else jnp.asarray(v) for v in values[:count]]
            given = [jnp.asarray(v) for v in values[count:total]]
            names = [t.name for t in carried]
            last, kept = staged(body, start, names, given, given[0].shape[0], "dynamic_rnn")
            finish(run, op)
            return [*last, *kept]

        outputs = [*((t.shape, t.dtype) for t in carried), *specs]
        name = graph.unique_name("LoopCond")
        op = add_outer(graph, "While", name, compute, [*carried, *self.inputs], outputs, [part])
        op.attributes["loop"] = ("dynamic_rnn", (tuple(parameters),))
        link(op, part, {t: i for i, t in enumerate(parameters)}, count=count)
        return op


def _increment(time):
    return time + jnp.int32(1)


def bidirectional_dynamic_rnn(
    cell_fw,
    cell_bw,
    inputs,
    sequence_length=None,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Run `dynamic_rnn` with two cells, one forward and one backward in time.

    Args:
      cell_fw: the cell that runs forward.
      cell_bw: the cell that runs backward.
      inputs: tensor `[batch, time, size]`, or several, nested.
      sequence_length: `[batch]`, see `dynamic_rnn`; the backward cell starts at the end of each
        example.
      initial_state_fw: the initial state of the forward cell.
      initial_state_bw: the initial state of the backward cell.
      dtype: the dtype of the zero states that replace a missing initial state.
      parallel_iterations: accepted and ignored.
      swap_memory: accepted and ignored.
      time_major: whether the inputs and outputs are `[time, batch, size]`.
      scope: the variable scope; `bidirectional_rnn` when `None`.

    Returns:
      A pair of outputs and a pair of final states, forward first.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/bidirectional_dynamic_rnn
    """
    _check_graph("bidirectional_dynamic_rnn")
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    options = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    axis = 0 if time_major else 1

    def turned(tensor):
        return reverse_time(tensor, sequence_length, axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            forward, last_fw = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=opened, **options
            )
        with variable_scope("bw") as opened:
            back = jax.tree.map(turned, jax.tree.map(convert_to_tensor, inputs))
            backward, last_bw = dynamic_rnn(
                cell_bw, back, initial_state=initial_state_bw, scope=opened, **options
            )
    return (forward, jax.tree.map(turned, backward)), (last_fw, last_bw)


def reverse_time(tensor: Tensor, lengths, axis: int) -> Tensor:
    """Reverse the time axis of a tensor; in each example only the steps up to its length."""
    if lengths is None:
        return operation_of(shims.reverse, (tensor, [axis]), {}, public="reverse", name="ReverseV2")
    return operation_of(
        shims.reverse_sequence,
        (tensor, lengths, axis, 1 - axis),
        {},
        public="reverse_sequence",
        name="ReverseSequence",
        type_="ReverseSequence",
    )
