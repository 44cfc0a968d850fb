"""Provide the monotonic attention mechanisms of `contrib.seq2seq`."""

from __future__ import annotations

import functools

import numpy as np

import shims
from shims._src.random import stateful
from shims._src.types.dtypes import float32, int32
from shims._src.v1.contrib.attention import (
    BaseAttentionMechanism,
    additive_score,
    dense_of,
    luong_score,
    scale_of,
)
from shims._src.v1.control_flow.map_and_scan import scan
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.standard_operators import add, cast, shape, sigmoid
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import constant_initializer
from shims._src.v1.variables.variable_scope import variable_scope

_greater = deferred(shims.greater, "greater")
_normal = deferred(stateful.normal, "random.normal")


def safe_cumprod(x, *args, **kwargs):
    """Return the cumulative product of numbers between 0 and 1, as the exponential of a sum.

    Args:
      x: a tensor; numbers are clipped to the range from 0 to 1.
      *args: arguments of `tf.cumsum`.
      **kwargs: arguments of `tf.cumsum`.
    """
    with name_scope(None, "SafeCumprod"):
        x = convert_to_tensor(x, name="x")
        return operation_of(_safe_cumprod, (x, args, kwargs), {}, public="exp", name="Exp")


def _safe_cumprod(x, args, kwargs):
    tiny = np.finfo(x.dtype).tiny
    return shims.exp(
        shims.cumsum(shims.math.log(shims.clip_by_value(x, tiny, 1.0)), *args, **kwargs)
    )


def monotonic_attention(p_choose_i, previous_attention, mode):
    """Return, for each step of the memory, the probability that attention stops there.

    Args:
      p_choose_i: `[batch, time]`, the probability of stopping at each step of the memory.
      previous_attention: `[batch, time]`, the attention at the previous output.
      mode: `"recursive"` computes one step after the other, `"parallel"` computes cumulative sums,
        and `"hard"` requires probabilities that are 0 or 1.

    Raises:
      ValueError: the mode is unknown.
    """
    given = [convert_to_tensor(x) for x in (p_choose_i, previous_attention)]
    if mode == "recursive":
        return _recursive(*given)
    if mode not in ("parallel", "hard"):
        raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")
    function = _parallel if mode == "parallel" else _hard
    return operation_of(function, given, {}, public="multiply", name="mul")


def _recursive(p, previous):
    steps = operation_of(_steps_first, (p, previous), {}, public="transpose")
    start = operation_of(_zeros_of_batch, (p,), {}, public="zeros")

    def advance(x, given):
        return operation_of(_advance, (x, *given), {}, public="reshape", name="Reshape")

    return operation_of(_times, (p, scan(advance, steps, start)), {}, public="multiply", name="mul")


def _steps_first(p, previous):
    stayed = shims.concat([shims.ones_like(p[:, :1]), 1 - p[:, :-1]], 1)
    return shims.transpose(stayed), shims.transpose(previous)


def _zeros_of_batch(p):
    return shims.zeros([shims.shape(p)[0]], p.dtype)


def _advance(x, stayed, previous):
    return stayed * x + previous


def _times(p, steps):
    return p * shims.transpose(steps)


def _parallel(p, previous):
    left = _safe_cumprod(1 - p, (), {"axis": 1, "exclusive": True})
    return p * left * shims.cumsum(previous / shims.clip_by_value(left, 1e-10, 1.0), axis=1)


def _hard(p, previous):
    p = p * shims.cumsum(previous, axis=1)
    return p * shims.math.cumprod(1 - p, axis=1, exclusive=True)


def _probabilities(score, previous, sigmoid_noise, mode, seed):
    if sigmoid_noise > 0:
        noise = _normal(shape(score), dtype=score.dtype, seed=seed)
        score = add(score, noise * sigmoid_noise)
    if mode == "hard":
        # Two operations: no gradient passes a comparison.
        chosen = cast(_greater(score, 0.0), score.dtype)
    else:
        chosen = sigmoid(score)
    return monotonic_attention(chosen, previous, mode)


class _MonotonicAttention(BaseAttentionMechanism):
    """The base class of mechanisms that start at the first step of the memory."""

    _score_bias_init: float

    def initial_alignments(self, batch_size, dtype):
        """Return the alignments before the first step: all at the first step of the memory."""
        given = (batch_size, self._alignments_size, dtype)
        return operation_of(_first_of, given, {}, public="one_hot")

    def _with_bias(self, score, dtype):
        initializer = constant_initializer(self._score_bias_init)
        return add(score, get_variable("attention_score_bias", [], dtype, initializer))


def _first_of(batch_size, steps, dtype):
    return shims.one_hot(shims.zeros([batch_size], int32), steps, dtype=dtype)


class BahdanauMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the scores of `BahdanauAttention`.

    Args:
      num_units: the size of the keys and of the processed query.
      memory: `[batch, time, ...]`, the states to attend to.
      memory_sequence_length: the lengths of the examples.
      normalize: whether the weights of the sum are normalized.
      score_mask_value: the score of masked elements.
      sigmoid_noise: the standard deviation of the noise that is added to the scores.
      sigmoid_noise_seed: the seed of the noise.
      score_bias_init: the initial value of the bias of the scores.
      mode: see `monotonic_attention`.
      dtype: the dtype of the variables; float32 when `None`.
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
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="BahdanauMonotonicAttention",
    ):
        options = {"sigmoid_noise": sigmoid_noise, "mode": mode, "seed": sigmoid_noise_seed}
        super().__init__(
            dense_of(num_units, "query_layer", dtype or float32),
            memory,
            functools.partial(_probabilities, **options),
            memory_sequence_length,
            dense_of(num_units, "memory_layer", dtype or float32),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._normalize, self._name = num_units, normalize, name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """Return the alignments of a query, and the next state, which equals them."""
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = additive_score(self, query, self._num_units, self._normalize)
            score = self._with_bias(score, query.dtype)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the scores of `LuongAttention`.

    Args:
      num_units: the size of the keys.
      memory: `[batch, time, ...]`, the states to attend to.
      memory_sequence_length: the lengths of the examples.
      scale: whether a variable scales the scores.
      score_mask_value: the score of masked elements.
      sigmoid_noise: the standard deviation of the noise that is added to the scores.
      sigmoid_noise_seed: the seed of the noise.
      score_bias_init: the initial value of the bias of the scores.
      mode: see `monotonic_attention`.
      dtype: the dtype of the variables; float32 when `None`.
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
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="LuongMonotonicAttention",
    ):
        options = {"sigmoid_noise": sigmoid_noise, "mode": mode, "seed": sigmoid_noise_seed}
        super().__init__(
            None,
            memory,
            functools.partial(_probabilities, **options),
            memory_sequence_length,
            dense_of(num_units, "memory_layer", dtype or float32),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units, self._scale, self._name = num_units, scale, name
        self._score_bias_init = score_bias_init

    def __call__(self, query, state):
        """Return the alignments of a query, and the next state, which equals them."""
        with variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, scale_of(self._scale, query.dtype))
            score = self._with_bias(score, query.dtype)
        alignments = self._probability_fn(score, state)
        return alignments, alignments
