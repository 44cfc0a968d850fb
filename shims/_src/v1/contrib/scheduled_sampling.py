"""Provide the `Helper`s of `contrib.seq2seq` that sometimes feed outputs instead of given inputs."""

from __future__ import annotations

import jax

import shims
from shims._src.random import stateful
from shims._src.v1.contrib.decoder_inputs import (
    TrainingHelper,
    drawn_classes,
    embedding_of,
    unstacked,
)
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.standard_operators import add, concat
from shims._src.v1.rnn.finished_examples import swap_batch_and_time

_all = deferred(shims.reduce_all, "reduce_all")
_any = deferred(shims.reduce_any, "reduce_any")
_not = deferred(shims.logical_not, "logical_not")
_or = deferred(shims.logical_or, "logical_or")
_uniform = deferred(stateful.uniform, "random.uniform")


def _probability(value) -> Tensor:
    found = convert_to_tensor(value, name="sampling_probability")
    if found.shape.rank not in (0, 1):
        raise ValueError(
            f"sampling_probability must be either a scalar or a vector. saw shape: {found.shape}"
        )
    return found


def _chosen(helper, probability: Tensor, seed) -> Tensor:
    """Draw for each example whether its output is fed."""
    sizes = operation_of(_sizes, (helper.batch_size, probability), {}, public="concat")
    drawn = _uniform(sizes, dtype=probability.dtype, seed=seed)
    return operation_of(shims.less, (drawn, probability), {}, public="less")


def _sizes(batch, probability):
    return shims.concat([[batch], shims.shape(probability)], 0)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A helper that sometimes feeds the embedding of a drawn class instead of the given input.

    Args:
      inputs: see `TrainingHelper`.
      sequence_length: the lengths of the examples.
      embedding: the table of the embeddings, or a function of the classes.
      sampling_probability: the probability that a drawn class is fed.
      time_major: whether the inputs are `[time, batch, ...]`.
      seed: the seed of the classes.
      scheduling_seed: the seed of the decisions.
      name: the name scope.

    Differs from TensorFlow:
      A function `embedding` is called with all examples, also those that feed their given input.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        inputs,
        sequence_length,
        embedding,
        sampling_probability,
        time_major=False,
        seed=None,
        scheduling_seed=None,
        name=None,
    ):
        self._embedding_fn = embedding_of(embedding)
        self._sampling_probability = _probability(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state=None, name=None, **unused_kwargs):
        """Draw a class for each example, or return -1 where the given input is fed."""
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample"):
            chosen = _chosen(self, self._sampling_probability, self._scheduling_seed)
            drawn = drawn_classes(outputs, self._seed)
            return operation_of(_class_or_none, (chosen, drawn), {}, public="where", name="Select")

    def next_inputs(self, time, outputs, state, sample_ids=None, name=None, **unused_kwargs):
        """Return which examples end here, the next inputs, and the state."""
        finished, given, state = super().next_inputs(time, outputs, state)

        def mixed():
            ids = operation_of(_class_or_first, (sample_ids,), {}, public="maximum")
            embedded = self._embedding_fn(ids)
            return operation_of(_mixed, (sample_ids, embedded, given), {}, public="where")

        return finished, cond(_all(finished), lambda: given, mixed), state


def _class_or_none(chosen, drawn):
    return shims.where(chosen, drawn, -1)


def _class_or_first(ids):
    return shims.maximum(ids, 0)


def _mixed(ids, embedded, given):
    return shims.where(shims.reshape(ids > -1, [-1, *[1] * (given.ndim - 1)]), embedded, given)


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A helper that sometimes feeds the output of the step before instead of the given input.

    Args:
      inputs: see `TrainingHelper`.
      sequence_length: the lengths of the examples.
      sampling_probability: the probability that an output is fed.
      time_major: whether the inputs are `[time, batch, ...]`.
      seed: the seed of the decisions.
      next_inputs_fn: a function that is applied to outputs before they are fed.
      auxiliary_inputs: `[batch, time, ...]`, appended to all inputs.
      name: the name scope.

    Differs from TensorFlow:
      `next_inputs_fn` is called with all examples, also those that feed their given input.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        inputs,
        sequence_length,
        sampling_probability,
        time_major=False,
        seed=None,
        next_inputs_fn=None,
        auxiliary_inputs=None,
        name=None,
    ):
        self._sampling_probability = _probability(sampling_probability)
        self._auxiliary = None
        if auxiliary_inputs is not None:
            auxiliary = jax.tree.map(convert_to_tensor, auxiliary_inputs)
            inputs = _joined(jax.tree.map(convert_to_tensor, inputs), auxiliary)
            if not time_major:
                auxiliary = jax.tree.map(swap_batch_and_time, auxiliary)
            self._auxiliary = jax.tree.map(unstacked, auxiliary)
        self._seed, self._next_inputs_fn = seed, next_inputs_fn
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state=None, name=None, **unused_kwargs):
        """Draw for each example whether its output is fed: 1 or 0."""
        with name_scope(name, "ScheduledOutputTrainingHelperSample"):
            chosen = _chosen(self, self._sampling_probability, self._seed)
            return operation_of(_number, (chosen,), {}, public="cast", name="Cast")

    def next_inputs(self, time, outputs, state, sample_ids=None, name=None, **unused_kwargs):
        """Return which examples end here, the next inputs, and the state."""
        finished, given, state = super().next_inputs(time, outputs, state)

        def mixed():
            fed = outputs if self._next_inputs_fn is None else self._next_inputs_fn(outputs)
            if self._auxiliary is not None:
                following = add(time, 1)
                fed = _joined(fed, jax.tree.map(lambda a: a.read(following), self._auxiliary))
            return jax.tree.map(
                lambda x, y: operation_of(_fed, (sample_ids, x, y), {}, public="where"), fed, given
            )

        none = _not(_any(operation_of(_is_one, (sample_ids,), {}, public="cast")))
        return finished, cond(_or(_all(finished), none), lambda: given, mixed), state


def _joined(first, second):
    return jax.tree.map(lambda x, y: concat([x, y], -1), first, second)


def _number(chosen):
    return shims.cast(chosen, shims.int32)


def _is_one(ids):
    return shims.cast(ids, bool)


def _fed(ids, fed, given):
    return shims.where(shims.reshape(ids > 0, [-1, *[1] * (given.ndim - 1)]), fed, given)
