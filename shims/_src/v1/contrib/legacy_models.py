"""Provide the models of `contrib.legacy_seq2seq`: lists of inputs, decoders with attention, buckets."""

from __future__ import annotations

import copy

import shims
from shims._src.types.dtypes import float32
from shims._src.v1.contrib.legacy_attention import attention_decoder
from shims._src.v1.contrib.legacy_sequences import (
    rnn_decoder,
    sequence_loss,
    sequence_loss_by_example,
)
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.ops.embedding import embedding_lookup
from shims._src.v1.ops.xw_plus_b import xw_plus_b
from shims._src.v1.rnn.contrib_cells import EmbeddingWrapper, OutputProjectionWrapper
from shims._src.v1.rnn.static import static_rnn
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope

_look_up = deferred(embedding_lookup, "nn.embedding_lookup")

_largest = deferred(shims.argmax, "argmax")
_constant = deferred(shims.stop_gradient, "stop_gradient")


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=float32, scope=None):
    """Run a cell over an encoder's inputs, then, from its last state, a second cell over a decoder's inputs.

    Args:
      encoder_inputs: a list of tensors `[batch, size]`.
      decoder_inputs: a list of tensors `[batch, size]`.
      cell: the cell; the encoder has a copy with variables of its own.
      dtype: the dtype of the first state.
      scope: the variable scope; `basic_rnn_seq2seq` when `None`.

    Returns:
      The list of outputs of the decoder, and its last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def _table_and_loop(symbols, size, projection, feeds: bool, updates: bool):
    """Create the embeddings of a decoder; return them and the function that feeds outputs, or `None`."""
    table = get_variable("embedding", [symbols, size])

    def feed(previous, step):
        del step
        if projection is not None:
            previous = xw_plus_b(previous, *projection)
        found = _look_up(table, _largest(previous, 1))
        return found if updates else _constant(found)

    return table, feed if feeds else None


def embedding_rnn_decoder(
    decoder_inputs,
    initial_state,
    cell,
    num_symbols,
    embedding_size,
    output_projection=None,
    feed_previous=False,
    update_embedding_for_previous=True,
    scope=None,
):
    """Run a cell over embedded classes; see `rnn_decoder`.

    Args:
      decoder_inputs: a list of int32 tensors `[batch]`.
      initial_state: the first state.
      cell: the cell.
      num_symbols: the number of classes.
      embedding_size: the size of an embedding.
      output_projection: the weights and the bias that map outputs to classes; `None` for none.
      feed_previous: whether the most probable class is fed instead of the inputs after the first.
      update_embedding_for_previous: whether embeddings of fed classes are trained.
      scope: the variable scope; `embedding_rnn_decoder` when `None`.

    Returns:
      The list of outputs, and the last state.
    """
    with variable_scope(scope or "embedding_rnn_decoder"):
        table, loop = _table_and_loop(
            num_symbols,
            embedding_size,
            output_projection,
            feed_previous,
            update_embedding_for_previous,
        )
        inputs = (_look_up(table, x) for x in decoder_inputs)
        return rnn_decoder(inputs, initial_state, cell, loop)


def embedding_rnn_seq2seq(
    encoder_inputs,
    decoder_inputs,
    cell,
    num_encoder_symbols,
    num_decoder_symbols,
    embedding_size,
    output_projection=None,
    feed_previous=False,
    dtype=None,
    scope=None,
):
    """Embed and encode classes, and decode from the last state.

    Args:
      encoder_inputs: a list of int32 tensors `[batch]`.
      decoder_inputs: a list of int32 tensors `[batch]`.
      cell: the cell; the encoder has a copy with variables of its own.
      num_encoder_symbols: the number of classes of the encoder.
      num_decoder_symbols: the number of classes of the decoder.
      embedding_size: the size of an embedding.
      output_projection: see `embedding_rnn_decoder`. If `None`, the cell projects its outputs itself.
      feed_previous: a bool, or a bool tensor; see `embedding_rnn_decoder`.
      dtype: the dtype of the first state.
      scope: the variable scope; `embedding_rnn_seq2seq` when `None`.

    Returns:
      The list of outputs, and the last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as opened:
        if dtype is not None:
            opened.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feeds: bool, updates: bool):
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection,
                feeds,
                updates,
            )

        return _decoded(decode, feed_previous)


def _decoded(decode, feed_previous):
    """Call a decoder, both ways in a conditional if a tensor says which outputs are fed."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(feeds: bool):
        with variable_scope(get_variable_scope(), reuse=None if feeds else True):
            return decode(feeds, False)

    return cond(feed_previous, lambda: branch(True), lambda: branch(False), strict=True)


def embedding_attention_decoder(
    decoder_inputs,
    initial_state,
    attention_states,
    cell,
    num_symbols,
    embedding_size,
    num_heads=1,
    output_size=None,
    output_projection=None,
    feed_previous=False,
    update_embedding_for_previous=True,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """Run a cell with attention over embedded classes.

    The arguments are those of `embedding_rnn_decoder` and `attention_decoder`.

    Returns:
      The list of outputs, and the last state.
    """
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        table, loop = _table_and_loop(
            num_symbols,
            embedding_size,
            output_projection,
            feed_previous,
            update_embedding_for_previous,
        )
        return attention_decoder(
            [_look_up(table, x) for x in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size or cell.output_size,
            num_heads,
            loop,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs,
    decoder_inputs,
    cell,
    num_encoder_symbols,
    num_decoder_symbols,
    embedding_size,
    num_heads=1,
    output_projection=None,
    feed_previous=False,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """Embed and encode classes, and decode with attention to all outputs of the encoder.

    The arguments are those of `embedding_rnn_seq2seq` and `attention_decoder`.

    Returns:
      The list of outputs, and the last state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as opened:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        encoded, state = static_rnn(encoder, encoder_inputs, dtype=opened.dtype)
        states = operation_of(_stacked, (encoded,), {}, public="concat")
        size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            size = num_decoder_symbols

        def decode(feeds: bool, updates: bool):
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads,
                size,
                output_projection,
                feeds,
                updates,
                initial_state_attention=initial_state_attention,
            )

        return _decoded(decode, feed_previous)


def _stacked(outputs):
    return shims.stack(outputs, 1)


def model_with_buckets(
    encoder_inputs,
    decoder_inputs,
    targets,
    weights,
    buckets,
    seq2seq,
    softmax_loss_function=None,
    per_example_loss=False,
    name=None,
):
    """Build a model and its loss for each pair of lengths; all models share their variables.

    Args:
      encoder_inputs: a list of tensors, one for each time step.
      decoder_inputs: a list of tensors.
      targets: a list of tensors `[batch]`, the true classes.
      weights: a list of tensors `[batch]`.
      buckets: a list of pairs of the numbers of steps of the encoder and of the decoder.
      seq2seq: a function of the inputs of encoder and decoder that returns outputs and state.
      softmax_loss_function: see `sequence_loss`.
      per_example_loss: whether to return the loss of each example instead of the mean.
      name: the name scope.

    Returns:
      The outputs of each bucket, and its loss.

    Raises:
      ValueError: a list is shorter than the last bucket.
    """
    first, second = buckets[-1]
    rows = ("encoder_inputs", encoder_inputs, first), ("targets", targets, second)
    for title, values, least in (*rows, ("weights", weights, second)):
        if len(values) < least:
            raise ValueError(
                f"Length of {title} ({len(values)}) must be at least that of last bucket ({least})."
            )
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with name_scope(name, "model_with_buckets"):
        for number, (encoded, decoded) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number else None):
                found, _ = seq2seq(encoder_inputs[:encoded], decoder_inputs[:decoded])
                outputs.append(found)
                losses.append(
                    loss(
                        found,
                        targets[:decoded],
                        weights[:decoded],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
