"""Provide `contrib.legacy_seq2seq.attention_decoder`: a cell over lists, with attention."""

from __future__ import annotations

import jax

import shims
from shims._src.types.dtypes import float32
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.standard_operators import cast, concat
from shims._src.v1.rnn.contrib_cells import linear
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope


def attention_decoder(
    decoder_inputs,
    initial_state,
    attention_states,
    cell,
    output_size=None,
    num_heads=1,
    loop_function=None,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """Run a cell over inputs, with attention to given states.

    Args:
      decoder_inputs: a list of tensors `[batch, size]`.
      initial_state: the first state.
      attention_states: `[batch, length, size]`, the states to attend to.
      cell: the cell.
      output_size: the size of the outputs; the output size of the cell when `None`.
      num_heads: the number of attention heads.
      loop_function: see `rnn_decoder`.
      dtype: the dtype of the scope.
      scope: the variable scope; `attention_decoder` when `None`.
      initial_state_attention: whether the first step attends by the first state, not by zeros.

    Returns:
      The list of outputs, and the last state.

    Raises:
      ValueError: there are no inputs or no heads, or the last size of `attention_states` is unknown.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.shape[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    with variable_scope(scope or "attention_decoder", dtype=dtype) as opened:
        heads = _Heads(attention_states, num_heads, opened.dtype)
        state, outputs, last = initial_state, [], None
        attended = heads.none(decoder_inputs[0])
        if initial_state_attention:
            attended = heads(state)
        for step, given in enumerate(decoder_inputs):
            if step:
                get_variable_scope().reuse_variables()
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    given = loop_function(last, step)
            size = given.shape.with_rank(2)[1].value
            if size is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            output, state = cell(linear([cast(given, opened.dtype), *attended], size, True), state)
            again = True if step == 0 and initial_state_attention else None
            with variable_scope(get_variable_scope(), reuse=again):
                attended = heads(state)
            with variable_scope("AttnOutputProjection"):
                both = [cast(output, opened.dtype), *attended]
                last = linear(both, output_size or cell.output_size, True)
            outputs.append(last)
    return outputs, state


class _Heads:
    """The attentions of `attention_decoder`, with their variables.

    Args:
      states: the states to attend to.
      count: the number of attentions.
      dtype: the dtype of the variables.
    """

    def __init__(self, states, count: int, dtype):
        self._states, self._dtype, size = states, dtype, states.shape[2].value
        self._keys, self._weights = [], []
        for head in range(count):
            kernel = get_variable(f"AttnW_{head}", [1, 1, size, size], dtype)
            self._keys.append(operation_of(_keys, (states, kernel), {}, public="nn.conv2d"))
            self._weights.append(get_variable(f"AttnV_{head}", [size], dtype))

    def none(self, first) -> list:
        """Return the attended values before the first step: zeros."""
        given = (first, self._states.shape[2].value, self._dtype)
        zero = operation_of(_zeros, given, {}, public="zeros")
        zero.set_shape([None, self._states.shape[2].value])
        return [zero] * len(self._keys)

    def __call__(self, state) -> list:
        """Return the attended values of each head for a state."""
        leaves = jax.tree.leaves(state)
        query = leaves[0] if len(leaves) == 1 else concat(leaves, 1)
        found = []
        for head, (keys, weights) in enumerate(zip(self._keys, self._weights, strict=True)):
            with variable_scope(f"Attention_{head}"):
                projected = linear(query, self._states.shape[2].value, True)
                given = (cast(projected, self._dtype), keys, weights, self._states)
                found.append(operation_of(_attend, given, {}, public="reshape"))
        return found


def _keys(states, kernel):
    return shims.matmul(states, kernel[0, 0])


def _zeros(first, size, dtype):
    return shims.zeros([shims.shape(first)[0], size], dtype)


def _attend(query, keys, weights, states):
    scores = shims.reduce_sum(weights * shims.tanh(keys + query[:, None]), 2)
    found = shims.cast(shims.nn.softmax(shims.cast(scores, float32)), states.dtype)
    return shims.reduce_sum(found[:, :, None] * states, 1)
