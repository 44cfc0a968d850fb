"""Define `static_rnn`, which applies a cell to a list of tensors, one per time step."""

from __future__ import annotations

import jax

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.standard_operators import concat, stack
from shims._src.v1.rnn.cell import batch_size_of, check_cell
from shims._src.v1.rnn.dynamic import initial_state_of, reverse_time
from shims._src.v1.rnn.finished_examples import keep_finished, lengths_of
from shims._src.v1.variables.variable_scope import variable_scope

_unstack = deferred(shims.unstack, "unstack")


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Run a cell over a list of inputs and return its outputs and its final state.

    Args:
      cell: an `RNNCell`.
      inputs: a list with a tensor `[batch, size]`, or a nested structure of such tensors, for each step.
      initial_state: the initial state; zeros when `None`.
      dtype: the dtype of the zero state.
      sequence_length: `[batch]`, the lengths of the examples; after the end of an example, the
        outputs are 0 and the state of the example stays unchanged.
      scope: the variable scope; `rnn` when `None`.

    Returns:
      A list of outputs, and the final state.

    Raises:
      TypeError: `cell` is not a cell, or `inputs` is not a list.
      ValueError: there are no inputs, or there is neither `initial_state` nor `dtype`.

    Differs from TensorFlow:
      All steps are computed, also those after the end of the longest example.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/static_rnn
    """
    check_cell("cell", cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    outputs = []
    with variable_scope(scope or "rnn") as opened:
        first = convert_to_tensor(jax.tree.leaves(inputs)[0])
        state = initial_state
        if state is None:
            if not dtype:
                raise ValueError(
                    "If no initial_state is provided, argument `dtype` must be specified"
                )
            state = initial_state_of(cell, batch_size_of(first), dtype)
        lengths = lengths_of(sequence_length)
        for time, given in enumerate(inputs):
            if time:
                opened.reuse_variables()
            output, new = cell(given, state)
            if lengths is not None:
                output = keep_finished(time, lengths, output, None)
                new = keep_finished(time, lengths, new, state)
            state = new
            outputs.append(output)
    return outputs, state


def static_bidirectional_rnn(
    cell_fw,
    cell_bw,
    inputs,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """Run `static_rnn` with two cells, one forward and one backward in time.

    Args:
      cell_fw: the cell that runs forward.
      cell_bw: the cell that runs backward.
      inputs: a list with a tensor `[batch, size]` per step.
      initial_state_fw: the initial state of the forward cell.
      initial_state_bw: the initial state of the backward cell.
      dtype: the dtype of the zero states that replace a missing initial state.
      sequence_length: `[batch]`, see `static_rnn`; the backward cell starts at the end of each
        example.
      scope: the variable scope; `bidirectional_rnn` when `None`.

    Returns:
      A list of the concatenated outputs of both cells, and the final state of each cell.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/static_bidirectional_rnn
    """
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as opened:
            forward, last_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, opened
            )
        with variable_scope("bw") as opened:
            back = _reverse_steps(inputs, sequence_length)
            backward, last_bw = static_rnn(
                cell_bw, back, initial_state_bw, dtype, sequence_length, opened
            )
    turned = _reverse_steps(backward, sequence_length)
    both = zip(forward, turned, strict=True)
    return [jax.tree.map(_concatenate, a, b) for a, b in both], last_fw, last_bw


def _concatenate(a, b):
    return concat([a, b], 1)


def _reverse_steps(steps, lengths) -> list:
    """Reverse a list of time steps; of each example, only the steps up to its length."""
    if lengths is None:
        return list(reversed(steps))
    rows = [jax.tree.flatten(step) for step in steps]
    tree = rows[0][1]
    columns = [
        _unstack(reverse_time(stack(list(column)), lengths, 0), num=len(steps))
        for column in zip(*(leaves for leaves, _ in rows), strict=True)
    ]
    return [jax.tree.unflatten(tree, step) for step in zip(*columns, strict=True)]
