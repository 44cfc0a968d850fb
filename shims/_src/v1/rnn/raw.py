"""Define `raw_rnn`, which applies a cell in a loop that a function of the caller controls."""

from __future__ import annotations

import jax

import shims
from shims._src.v1.control_flow.loops import while_loop
from shims._src.v1.control_flow.tensor_arrays import TensorArray
from shims._src.v1.graph.conversion import constant, convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.flat_structures import is_list
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import add
from shims._src.v1.rnn.cell import batch_size_of, check_cell, sizes_after_batch, zeros
from shims._src.v1.variables.variable_scope import variable_scope

_all = deferred(shims.reduce_all, "reduce_all")
_not = deferred(shims.logical_not, "logical_not")
_or = deferred(shims.logical_or, "logical_or")


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Run a cell in a loop in which `loop_fn` chooses the inputs and when to stop.

    Args:
      cell: an `RNNCell`.
      loop_fn: a function of the time, the last output, the last state and the loop state. Before
        the first step, the output and both states are `None`. The function returns which examples
        are finished, the next input, the next state, the value to emit, and the next loop state.
      parallel_iterations: accepted and ignored.
      swap_memory: accepted and ignored.
      scope: the variable scope; `rnn` when `None`.

    Returns:
      A `TensorArray` of the emitted values, the final state, and the final loop state.

    Raises:
      TypeError: `cell` is not a cell, or `loop_fn` is not callable.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/raw_rnn
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn"):
        time = constant(0)
        finished, given, state, emitted, own = loop_fn(time, None, None, None)
        first = convert_to_tensor(jax.tree.leaves(given)[0])
        state = jax.tree.map(_to_tensor, state, is_leaf=is_list)
        nothing = _make_zeros(cell, emitted, first, jax.tree.leaves(state)[0].dtype)
        arrays = jax.tree.map(_array, nothing)

        def body(time, finished, given, arrays, state, own):
            output, after = cell(given, state)
            following = add(time, 1)
            over, given, after, emitted, new_own = loop_fn(following, output, after, own)
            emitted = output if emitted is None else emitted
            emitted = keep_finished_examples(finished, nothing, emitted)
            after = keep_finished_examples(finished, state, after)
            written = jax.tree.map(
                lambda array, value: array.write(time, value), arrays, emitted, is_leaf=is_list
            )
            own = own if new_own is None else new_own
            return following, _or(finished, over), given, written, after, own

        loop_state = constant(0) if own is None else own
        variables = (time, finished, given, arrays, state, loop_state)
        found = while_loop(
            lambda time, finished, *rest: _not(_all(finished)),
            body,
            variables,
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        _, _, _, arrays, state, loop_state = found
        return arrays, state, None if own is None else loop_state


def _to_tensor(value):
    return value if is_list(value) else convert_to_tensor(value)


def _make_zeros(cell, emitted, first: Tensor, dtype):
    """Create the zeros that are emitted for examples of the batch that are already finished."""
    batch = batch_size_of(first)
    if emitted is None:
        return jax.tree.map(lambda size: zeros(batch, size, dtype), cell.output_size)
    return jax.tree.map(lambda e: zeros(batch, sizes_after_batch(e.shape), e.dtype), emitted)


def _array(nothing: Tensor) -> TensorArray:
    return TensorArray(nothing.dtype, size=0, dynamic_size=True, element_shape=nothing.shape)


def keep_finished_examples(finished, old, new):
    """Select the old tensors for finished examples of the batch, and the new tensors for the others."""

    def either(before, after):
        if is_list(after) or after.shape.rank == 0:
            return after
        found = operation_of(
            _select, (finished, before, after), {}, public="where", name="Select", type_="SelectV2"
        )
        found.set_shape(GraphShape(before.shape))
        return found

    return jax.tree.map(either, old, new, is_leaf=is_list)


def _select(finished, old, new):
    return shims.where(finished.reshape(-1, *[1] * (new.ndim - 1)), old, new)
