"""Provide the attention mechanisms of `contrib.seq2seq`: scores of a query over a memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import shims
from shims._src.types.dtypes import as_dtype, float32
from shims._src.v1.control_flow.assertions import Assert
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.standard_operators import identity
from shims._src.v1.layers.base import Layer
from shims._src.v1.layers.core import Dense
from shims._src.v1.rnn.cell import batch_size_of
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import constant_initializer, zeros_initializer
from shims._src.v1.variables.variable_scope import variable_scope

_softmax = deferred(shims.nn.softmax, "nn.softmax")


class AttentionMechanism:
    """The base class of attention mechanisms."""

    __module__ = "shims.compat.v1.contrib.seq2seq"

    @property
    def alignments_size(self):
        """The number of steps of the memory."""
        raise NotImplementedError

    @property
    def state_size(self):
        """The size of the state."""
        raise NotImplementedError


class BaseAttentionMechanism(AttentionMechanism):
    """A mechanism that keeps a memory, and the keys that a layer computes from it.

    Args:
      query_layer: the layer that is applied to the query; `None` for none.
      memory: `[batch, time, ...]`, the states to attend to.
      probability_fn: a function of scores and state that returns the alignments.
      memory_sequence_length: `[batch]`, the lengths of the examples; entries beyond the length are
        masked.
      memory_layer: the layer that makes the keys.
      check_inner_dims_defined: whether the sizes after the first two must be static.
      score_mask_value: the score of masked entries; negative infinity when `None`.
      custom_key_value_fn: a function from keys and values to the keys and values to use.
      name: the name scope.

    Raises:
      TypeError: an argument for a layer is not a layer, or `probability_fn` is not a function.
      ValueError: a size of the memory is not static.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        check_inner_dims_defined=True,
        score_mask_value=None,
        custom_key_value_fn=None,
        name=None,
    ):
        for title, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{title} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(
                f"probability_fn must be callable, saw type: {type(probability_fn).__name__}"
            )
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        mask_value = -np.inf if score_mask_value is None else score_mask_value
        with name_scope(name, "BaseAttentionMechanismInit"):
            memory = convert_to_tensor(memory, name="memory")
            if check_inner_dims_defined and None in memory.shape.as_list()[2:]:
                raise ValueError(
                    f"Expected memory {memory.name} to have fully defined inner dims, but saw shape: "
                    f"{memory.shape}"
                )
            lengths = memory_sequence_length
            if lengths is not None:
                lengths = convert_to_tensor(lengths, name="memory_sequence_length")
                memory = operation_of(_masked, (memory, lengths), {}, public="multiply", name="mul")
                lengths = _checked_lengths(lengths)
            self._values = memory
            self._keys = memory_layer(memory) if memory_layer else memory
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = batch_size_of(self._keys)
            self._alignments_size = batch_size_of(self._keys, 1)

        def probabilities(score, state):
            if lengths is not None:
                score = operation_of(
                    _masked_scores, (score, lengths, mask_value), {}, public="where", name="Select"
                )
            return probability_fn(score, state)

        self._probability_fn: Callable = probabilities

    @property
    def memory_layer(self):
        """The layer that makes the keys."""
        return self._memory_layer

    @property
    def query_layer(self):
        """The layer that is applied to the query."""
        return self._query_layer

    @property
    def values(self) -> Tensor:
        """The masked memory."""
        return self._values

    @property
    def keys(self) -> Tensor:
        """The keys with which queries are compared: the memory, or the output of the layer for it."""
        return self._keys

    @property
    def batch_size(self):
        """The number of examples: an `int` if it is static."""
        return self._batch_size

    @property
    def alignments_size(self):
        """The number of steps of the memory: an `int` if it is static."""
        return self._alignments_size

    @property
    def state_size(self):
        """The size of the state: that of the alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size, dtype) -> Tensor:
        """Return the alignments before the first step: zeros."""
        return operation_of(
            _zeros, (batch_size, self._alignments_size, as_dtype(dtype)), {}, public="zeros"
        )

    def initial_state(self, batch_size, dtype) -> Any:
        """Return the state before the first step: the alignments."""
        return self.initial_alignments(batch_size, dtype)


def _zeros(batch_size, steps, dtype):
    return shims.zeros([batch_size, steps], dtype)


def _checked_lengths(lengths: Tensor) -> Tensor:
    """Return the lengths; reading them fails unless all are positive."""
    holds = operation_of(_positive, (lengths,), {}, public="reduce_all")
    text = "All values in memory_sequence_length must be greater than zero."
    with get_default_graph().control_dependencies([Assert(holds, [text])]):
        return identity(lengths)


def _positive(lengths):
    return shims.reduce_all(lengths > 0)


def _masked(memory, lengths):
    # A trace does not know that the batches are equally large: the mask takes the sizes of the memory.
    sizes, mask = shims.shape(memory), shims.sequence_mask(lengths, shims.shape(memory)[1])
    ones = [1] * (memory.ndim - 2)
    return memory * shims.cast(shims.reshape(mask, [sizes[0], sizes[1], *ones]), memory.dtype)


def _masked_scores(score, lengths, mask_value):
    mask = shims.reshape(shims.sequence_mask(lengths, shims.shape(score)[1]), shims.shape(score))
    return shims.where(mask, score, mask_value * shims.ones_like(score))


# ---- scores --------------------------------------------------------------------------------------


def dense_of(units, name: str, dtype) -> Dense:
    """Return the layer of a mechanism: a matrix without a bias."""
    return Dense(units, name=name, use_bias=False, dtype=dtype)


def luong_score(query: Tensor, keys: Tensor, scale) -> Tensor:
    """Return the product of a query with each key, times a scale if there is one: `[batch, time]`."""
    depth, units = query.shape[-1].value, keys.shape[-1].value
    if depth != units:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  "
            f"Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    return operation_of(_luong, (query, keys, scale), {}, public="squeeze", name="Squeeze")


def _luong(query, keys, scale):
    score = shims.squeeze(shims.matmul(query[:, None], keys, transpose_b=True), 1)
    return score if scale is None else scale * score


def bahdanau_score(
    processed_query, keys, attention_v, attention_g=None, attention_b=None
) -> Tensor:
    """Return `sum(v * tanh(keys + query))`, with a normalized `v` and a bias if they are given."""
    given = (processed_query, keys, attention_v, attention_g, attention_b)
    return operation_of(_bahdanau, given, {}, public="reduce_sum", name="Sum")


def _bahdanau(query, keys, v, g, b):
    total = keys + query[:, None]
    if g is not None and b is not None:
        v = g * v * shims.math.rsqrt(shims.reduce_sum(shims.square(v)))
        total = total + b
    return shims.reduce_sum(v * shims.tanh(total), 2)


class LuongAttention(BaseAttentionMechanism):
    """Attention whose scores are products of query and keys.

    Args:
      num_units: the size of the keys.
      memory: see `AttentionMechanism`.
      memory_sequence_length: the lengths of the examples.
      scale: whether a variable scales the scores.
      probability_fn: a function from scores to alignments; softmax when `None`.
      score_mask_value: the score of masked elements.
      dtype: the dtype of the variables; float32 when `None`.
      custom_key_value_fn: a function from keys and values to the keys and values to use.
      name: the name scope.

    Differs from TensorFlow:
      Nothing.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        function = probability_fn or _softmax
        super().__init__(
            None,
            memory,
            lambda score, _: function(score),
            memory_sequence_length,
            dense_of(num_units, "memory_layer", dtype or float32),
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name

    def __call__(self, query, state):
        """Return the alignments of a query, and the next state, which equals them."""
        with variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, scale_of(self._scale, query.dtype))
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def scale_of(wanted: bool, dtype):
    """Return the variable that scales the scores of `LuongAttention`; `None` if there is none."""
    if not wanted:
        return None
    return get_variable("attention_g", [], dtype, constant_initializer(1.0))


class BahdanauAttention(BaseAttentionMechanism):
    """Attention whose scores are sums of `tanh` of query and keys.

    Args:
      num_units: the size of the keys and of the processed query.
      memory: see `AttentionMechanism`.
      memory_sequence_length: the lengths of the examples.
      normalize: whether the weights of the sum are normalized.
      probability_fn: a function from scores to alignments; softmax when `None`.
      score_mask_value: the score of masked elements.
      dtype: the dtype of the variables; float32 when `None`.
      custom_key_value_fn: a function from keys and values to the keys and values to use.
      name: the name scope.

    Differs from TensorFlow:
      Nothing.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="BahdanauAttention",
    ):
        function = probability_fn or _softmax
        super().__init__(
            dense_of(num_units, "query_layer", dtype or float32),
            memory,
            lambda score, _: function(score),
            memory_sequence_length,
            dense_of(num_units, "memory_layer", dtype or float32),
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name

    def __call__(self, query, state):
        """Return the alignments of a query, and the next state, which equals them."""
        with variable_scope(None, "bahdanau_attention", [query]):
            score = additive_score(self, query, self._num_units, self._normalize)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def additive_score(mechanism, query: Tensor, units: int, normalize: bool) -> Tensor:
    """Create the variables of `BahdanauAttention`, and return the scores of a query."""
    processed = mechanism.query_layer(query) if mechanism.query_layer else query
    dtype = query.dtype
    v = get_variable("attention_v", [units], dtype)
    g = b = None
    if normalize:
        g = get_variable("attention_g", [], dtype, constant_initializer(math.sqrt(1.0 / units)))
        b = get_variable("attention_b", [units], dtype, zeros_initializer())
    return bahdanau_score(processed, mechanism.keys, v, g, b)
