"""Define the stacks of bidirectional cells of `contrib.rnn`."""

from __future__ import annotations

from shims._src.v1.graph.standard_operators import concat
from shims._src.v1.rnn.dynamic import bidirectional_dynamic_rnn
from shims._src.v1.rnn.static import static_bidirectional_rnn
from shims._src.v1.variables.variable_scope import variable_scope


def _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw) -> tuple:
    """Return the states of each layer, `None` where there are none; check the arguments."""
    for cells, kind in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not cells:
            raise ValueError(f"Must specify at least one {kind} cell for BidirectionalRNN.")
        if not isinstance(cells, list):
            raise ValueError(f"cells_{kind} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, kind in ((initial_states_fw, "fw"), (initial_states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(
                f"initial_states_{kind} must be a list of state tensors (one per layer)."
            )
    none = [None] * len(cells_fw)
    return initial_states_fw or none, initial_states_bw or none


def stack_bidirectional_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """Run layers of forward and backward cells over a list of inputs.

    Args:
      cells_fw: a list of cells that run forward, one for each layer.
      cells_bw: a list of cells that run backward.
      inputs: a list of tensors `[batch, size]`, one for each time step.
      initial_states_fw: a list of the initial states of the forward cells.
      initial_states_bw: a list of the initial states of the backward cells.
      dtype: the dtype of the zero states that replace missing ones.
      sequence_length: `[batch]`, the lengths of the examples.
      scope: the variable scope; `stack_bidirectional_rnn` when `None`.

    Returns:
      The outputs of the last layer, and the final states of all forward and of all backward cells.

    Raises:
      ValueError: the lists are empty, or not equally long.
    """
    first = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    found: list = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, row in enumerate(zip(cells_fw, cells_bw, *first, strict=True)):
            with variable_scope(f"cell_{number}") as opened:
                inputs, *states = static_bidirectional_rnn(
                    *row[:2], inputs, *row[2:], dtype, sequence_length, opened
                )
            found.append(states)
    forward, backward = zip(*found, strict=True)
    return inputs, forward, backward


def stack_bidirectional_dynamic_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    parallel_iterations=None,
    time_major=False,
    scope=None,
    swap_memory=False,
):
    """Run layers of forward and backward cells over a tensor; see `stack_bidirectional_rnn`.

    Args:
      cells_fw: a list of cells that run forward, one for each layer.
      cells_bw: a list of cells that run backward.
      inputs: `[batch, time, size]`.
      initial_states_fw: a list of the initial states of the forward cells.
      initial_states_bw: a list of the initial states of the backward cells.
      dtype: the dtype of the zero states that replace missing ones.
      sequence_length: `[batch]`, the lengths of the examples.
      parallel_iterations: accepted and ignored.
      time_major: whether the inputs and outputs are `[time, batch, size]`.
      scope: the variable scope; `stack_bidirectional_rnn` when `None`.
      swap_memory: accepted and ignored.
    """
    del parallel_iterations, swap_memory
    first = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    found: list = []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, row in enumerate(zip(cells_fw, cells_bw, *first, strict=True)):
            with variable_scope(f"cell_{number}"):
                outputs, states = bidirectional_dynamic_rnn(
                    *row[:2],
                    inputs,
                    sequence_length,
                    *row[2:],
                    dtype=dtype,
                    time_major=time_major,
                )
                inputs = concat(outputs, 2)
            found.append(states)
    forward, backward = zip(*found, strict=True)
    return inputs, forward, backward
