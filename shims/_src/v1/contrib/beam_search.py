"""Provide `contrib.seq2seq.BeamSearchDecoder`, which keeps the most probable sequences."""

from __future__ import annotations

import collections
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import shims
from shims._src.types.dtypes import int32, int64
from shims._src.v1.contrib.attention_wrapper import AttentionWrapperState
from shims._src.v1.contrib.beam_paths import gather_tree, sort_by_beam
from shims._src.v1.contrib.decoder_inputs import check_tokens, embedding_of
from shims._src.v1.contrib.decoding import Decoder, count_of, dtype_of
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.flat_structures import is_list
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.layers.base import Layer
from shims._src.v1.rnn.cell import check_cell

_all = deferred(shims.reduce_all, "reduce_all")

BeamSearchDecoderState = collections.namedtuple(
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
BeamSearchDecoderOutput = collections.namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
FinalBeamSearchDecoderOutput = collections.namedtuple(
    "FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)


class BeamSearchDecoder(Decoder):
    """A decoder that extends the most probable sequences of each example by all classes.

    Args:
      cell: an `RNNCell`.
      embedding: the table of the embeddings, or a function of the classes.
      start_tokens: `[batch]`, the classes that are embedded as first inputs.
      end_token: the class that ends a sequence.
      initial_state: the first state of the cell, for `batch * beam_width` examples (see `tile_batch`).
      beam_width: the number of sequences that are kept for each example.
      output_layer: a layer that is applied to the outputs of the cell.
      length_penalty_weight: the exponent of the length by which scores are divided.
      coverage_penalty_weight: the weight of the penalty for steps of a memory without attention.
      reorder_tensor_arrays: whether histories in the state are returned in the order of the final
        sequences, as tensors.

    Raises:
      TypeError: `cell` is not a cell, or `output_layer` is not a layer.
      ValueError: `start_tokens` is not a vector, `end_token` not a scalar, or the state is not that of
        `batch * beam_width` examples.

    Differs from TensorFlow:
      Nothing.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        cell,
        embedding,
        start_tokens,
        end_token,
        initial_state,
        beam_width,
        output_layer=None,
        length_penalty_weight=0.0,
        coverage_penalty_weight=0.0,
        reorder_tensor_arrays=True,
    ):
        check_cell("cell", cell)
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._output_layer, self._beam_width = cell, output_layer, beam_width
        self._embedding_fn = embedding_of(embedding)
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._weights = (length_penalty_weight, coverage_penalty_weight)
        start = convert_to_tensor(start_tokens, int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, int32, name="end_token")
        check_tokens(start, self._end_token)
        self._batch_size = count_of(start)
        self._initial_cell_state = jax.tree.map(self._split, initial_state, is_leaf=is_list)
        self._start_tokens = operation_of(_per_beam, (start, beam_width), {}, public="tile")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        """The number of examples."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True, as sequences change their positions."""
        return True

    @property
    def output_size(self):
        """The number of sequences, for each output."""
        return BeamSearchDecoderOutput(*[GraphShape([self._beam_width])] * 3)

    @property
    def output_dtype(self):
        """The dtypes of scores, classes and parents."""
        return BeamSearchDecoderOutput(dtype_of(self._initial_cell_state), int32, int32)

    def initialize(self, name=None):
        """Return which sequences are finished (all but the first), the inputs and the state."""
        dtype = dtype_of(self._initial_cell_state)
        given = (self._start_tokens, dtype)
        finished, log_probs, lengths = operation_of(_start, given, {}, public="one_hot")
        attention = attention_of(self._initial_cell_state, self._weights[1])
        state = BeamSearchDecoderState(
            self._initial_cell_state, log_probs, finished, lengths, attention
        )
        return finished, self._start_inputs, state

    def step(self, time, inputs, state, name=None):
        """Extend each sequence by all classes, and keep the best; see `Decoder`."""
        with name_scope(name, "BeamSearchDecoderStep"):
            merged = jax.tree.map(self._merge, state.cell_state, is_leaf=is_list)
            outputs, after = self._cell(jax.tree.map(_merge_beams, inputs), merged)
            outputs = jax.tree.map(self._split, outputs)
            after = jax.tree.map(self._split, after, is_leaf=is_list)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            found, following = self._keep_best(outputs, after, state)
            start, embed = self._start_inputs, self._embedding_fn
            ids = found.predicted_ids
            inputs = cond(_all(following.finished), lambda: start, lambda: embed(ids))
        return found, following, inputs, following.finished

    def _keep_best(self, logits, after, state):
        attention = attention_of(after, self._weights[1])
        given = (logits, state._replace(cell_state=()), attention, self._end_token, *self._weights)
        scores, ids, parents, new = operation_of(_best, given, {}, public="nn.top_k")
        for tensor in jax.tree.leaves((scores, ids, parents)):
            tensor.set_shape([constant_value(self._batch_size), self._beam_width])

        def chosen(tensor):
            if is_list(tensor) or tensor.shape.rank < 2:
                return tensor
            found = operation_of(_beams_at, (tensor, parents), {}, public="gather")
            found.set_shape(tensor.shape)
            return found

        cell_state = jax.tree.map(chosen, after, is_leaf=is_list)
        return BeamSearchDecoderOutput(scores, ids, parents), new._replace(cell_state=cell_state)

    def finalize(self, outputs, final_state, sequence_lengths):
        """Return the classes of the final sequences, and the state with sorted histories."""
        del sequence_lengths
        lengths = final_state.lengths
        longest = operation_of(_longest, (lengths,), {}, public="reduce_max")
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorder_tensor_arrays:
            ordered = functools.partial(self._sort, parents=outputs.parent_ids, lengths=lengths)
            state = jax.tree.map(ordered, final_state.cell_state, is_leaf=is_list)
            final_state = final_state._replace(cell_state=state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _sort(self, value, parents, lengths):
        """Return a list of the state as a sorted tensor, and anything else as it is."""
        if not is_list(value) or not self._is_sortable(value.element_shape):
            return value
        known = [constant_value(self._batch_size), self._beam_width]
        is_split = value.element_shape.as_list()[:2] == known
        return sort_by_beam(value.stack(), parents, lengths, is_split)

    def _is_sortable(self, shape: GraphShape) -> bool:
        """Return whether TensorFlow sorts a list: by static sizes, of which it misreads some."""
        if not shape.rank:
            return False
        sizes, width = shape.as_list(), self._beam_width
        batch = constant_value(self._batch_size)
        if batch is None or sizes[0] is None:
            return True
        second = sizes[1] if shape.rank > 1 else None
        return (sizes[0] == batch * width and second is None) or sizes[:2] == [batch, width]

    def _split(self, tensor):
        """Split the first axis of a tensor into examples and their sequences."""
        if is_list(tensor):
            return tensor
        tensor = convert_to_tensor(tensor)
        if tensor.shape.rank == 0:
            return tensor
        first, *rest = tensor.shape.as_list()
        known, width = constant_value(self._batch_size), self._beam_width
        if None not in (first, known) and first != known * width:
            raise ValueError(
                f"The tensor has the shape {tensor.shape}, and its first size must be batch_size * "
                f"beam_width = {known * width}.  Perhaps you forgot to create a zero_state with "
                "batch_size=encoder_batch_size * beam_width?"
            )
        given = (tensor, self._batch_size, width)
        found = operation_of(_split_beams, given, {}, public="reshape", name="Reshape")
        found.set_shape([known, width, *rest])
        return found

    def _merge(self, tensor):
        if is_list(tensor) or tensor.shape.rank < 2:
            return tensor
        return _merge_beams(tensor)


def _split_beams(x, batch, width):
    return shims.reshape(x, [batch, width, *_sizes(x)[1:]])


def _merge_beams(tensor: Tensor) -> Tensor:
    """Merge the first two axes, those of examples and their sequences."""
    return operation_of(_merged, (tensor,), {}, public="reshape", name="Reshape")


def _merged(x):
    batch, width, *rest = _sizes(x)
    return shims.reshape(x, [batch * width, *rest])


def _sizes(x) -> list:
    shape = shims.shape(x)
    return [shape[i] for i in range(x.ndim)]


def _per_beam(tokens, width):
    return shims.tile(tokens[:, None], [1, width])


def _start(tokens, dtype):
    first = shims.equal(shims.cumsum(shims.ones_like(tokens), 1, exclusive=True), 0)
    log_probs = shims.where(first, shims.cast(0.0, dtype), shims.cast(-np.inf, dtype))
    return ~first, log_probs, shims.zeros_like(tokens, dtype=int64)


def _longest(lengths):
    return shims.cast(shims.reduce_max(lengths, 1), int32)


def _beams_at(x, parents):
    return shims.gather(x, parents, batch_dims=1)


# ---- one step ------------------------------------------------------------------------------------


def attention_of(state, weight):
    """Return the mean alignments of all attentions in a state; `()` if there is no penalty.

    Raises:
      ValueError: there is a penalty, but no attention.
    """
    if isinstance(weight, (int, float)) and weight == 0.0:
        return ()
    states = [state] if isinstance(state, AttentionWrapperState) else state
    found = [s.alignments for s in states if isinstance(s, AttentionWrapperState)]
    if not found:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    means = [operation_of(_mean, (a,), {}, public="reduce_mean") for a in found]
    return operation_of(_mean, (tuple(means),), {}, public="reduce_mean")


def _mean(alignments):
    if not isinstance(alignments, tuple):
        return alignments
    return (
        shims.reduce_mean(shims.stack(alignments, -1), -1) if len(alignments) > 1 else alignments[0]
    )


def _best(logits, state, attention, end, length_weight, coverage_weight):
    """Return the scores, classes and parents of the best sequences, and their state."""
    batch, beams, classes = _sizes(logits)
    is_end = shims.range(classes) == end
    over, lowest = state.finished[:, :, None], shims.cast(jnp.finfo(logits.dtype).min, logits.dtype)
    # A finished sequence is extended by the class of the end alone.
    extension = shims.where(is_end, shims.zeros_like(lowest), lowest)
    steps = shims.where(over, extension, shims.nn.log_softmax(logits))
    totals = state.log_probs[:, :, None] + steps
    longer = shims.cast(~(over | is_end), int64) + state.lengths[:, :, None]
    scores = totals / _length_penalty(longer, length_weight, totals.dtype)
    accumulated: Any = ()
    if not isinstance(attention, tuple):
        attended = attention * shims.cast(~over, attention.dtype)
        accumulated = state.accumulated_attention_probs + attended
        scores = scores + coverage_weight * _coverage(accumulated, state.finished)
    flat = shims.reshape(scores, [batch, beams * classes])
    best, places = shims.math.top_k(flat, beams)
    ids, parents = places % classes, places // classes
    was_over = _beams_at(state.finished, parents)
    kept = accumulated if isinstance(accumulated, tuple) else _beams_at(accumulated, parents)
    new = BeamSearchDecoderState(
        cell_state=(),
        log_probs=shims.gather(shims.reshape(totals, shims.shape(flat)), places, batch_dims=1),
        finished=was_over | (ids == end),
        lengths=_beams_at(state.lengths, parents) + shims.cast(~was_over, int64),
        accumulated_attention_probs=kept,
    )
    return best, ids, parents, new


def _length_penalty(lengths, weight, dtype):
    if isinstance(weight, (int, float)) and weight == 0:
        return shims.ones([], dtype)
    six = shims.cast(6.0, jnp.float32)
    return shims.cast((5.0 + shims.cast(lengths, jnp.float32)) ** weight / six**weight, dtype)


def _coverage(accumulated, finished):
    """Return the penalty of finished sequences for steps of the memory with little attention."""
    used = shims.where(accumulated == 0.0, shims.ones_like(accumulated), accumulated)
    total = shims.reduce_sum(shims.math.log(shims.minimum(used, 1.0)), 2)
    return (total * shims.cast(finished, total.dtype))[:, :, None]
