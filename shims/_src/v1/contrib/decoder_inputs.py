"""Provide the `Helper`s of `contrib.seq2seq`, which choose the samples and inputs of a decoder."""

from __future__ import annotations

import jax

import shims
from shims._src.types.dtypes import int32, int64
from shims._src.v1.contrib.decoding import count_of
from shims._src.v1.control_flow.branches import cond
from shims._src.v1.control_flow.tensor_arrays import TensorArray
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import add, cast, equal, greater_equal, zeros_like
from shims._src.v1.ops.embedding import embedding_lookup
from shims._src.v1.ops.multinomial import multinomial
from shims._src.v1.rnn.cell import batch_size_of
from shims._src.v1.rnn.finished_examples import swap_batch_and_time

_all = deferred(shims.reduce_all, "reduce_all")
_look_up = deferred(embedding_lookup, "nn.embedding_lookup")
_draw = deferred(multinomial, "multinomial")
_divide = deferred(shims.truediv, "truediv")


class Helper:
    """The base class of helpers; a subclass defines all methods and properties."""

    __module__ = "shims.compat.v1.contrib.seq2seq"

    @property
    def batch_size(self):
        """The number of examples."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self):
        """The shape of a sample, without the batch axis."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self):
        """The dtype of a sample."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name=None):
        """Return which examples are finished at the start, and the first inputs."""
        raise NotImplementedError

    def sample(self, time, outputs, state, name=None):
        """Return the samples of a step."""
        raise NotImplementedError

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Return which examples are finished, the next inputs, and the next state."""
        raise NotImplementedError


class _HelperOfNumbers(Helper):
    """The base class of helpers with one int32 number per example as sample."""

    _batch_size: Tensor

    @property
    def batch_size(self):
        """The number of examples."""
        return self._batch_size

    @property
    def sample_ids_shape(self):
        """The shape of a scalar."""
        return GraphShape([])

    @property
    def sample_ids_dtype(self):
        """The dtype int32."""
        return int32


class CustomHelper(Helper):
    """A helper that functions define.

    Args:
      initialize_fn: see `Helper.initialize`.
      sample_fn: see `Helper.sample`.
      next_inputs_fn: see `Helper.next_inputs`.
      sample_ids_shape: the shape of a sample, without the batch axis.
      sample_ids_dtype: the dtype of a sample; int32 when `None`.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        initialize_fn,
        sample_fn,
        next_inputs_fn,
        sample_ids_shape=None,
        sample_ids_dtype=None,
    ):
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Tensor | None = None
        self._sample_ids_shape = GraphShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or int32

    @property
    def batch_size(self):
        """The number of examples, known after `initialize`."""
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self):
        """The shape of a sample, without the batch axis."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        """The dtype of a sample."""
        return self._sample_ids_dtype

    def initialize(self, name=None):
        """Call `initialize_fn`."""
        with name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = count_of(convert_to_tensor(finished))
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        """Call `sample_fn`."""
        with name_scope(name, f"{type(self).__name__}Sample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Call `next_inputs_fn`."""
        with name_scope(name, f"{type(self).__name__}NextInputs"):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class TrainingHelper(_HelperOfNumbers):
    """A helper that feeds given inputs, whatever the outputs are.

    Args:
      inputs: `[batch, time, ...]`, or several, nested.
      sequence_length: `[batch]`, the lengths of the examples.
      time_major: whether the inputs are `[time, batch, ...]`.
      name: the name scope.

    Raises:
      ValueError: `sequence_length` is not a vector.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with name_scope(name, "TrainingHelper", [sequence_length]):
            inputs = jax.tree.map(convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = jax.tree.map(swap_batch_and_time, inputs)
            self._arrays = jax.tree.map(unstacked, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.rank != 1:
                raise ValueError(
                    "Expected sequence_length to be a vector, but received shape: "
                    f"{self._sequence_length.shape}"
                )
            self._zeros = jax.tree.map(lambda x: zeros_like(x[0]), inputs)
            self._batch_size = count_of(self._sequence_length)

    @property
    def inputs(self):
        """The inputs."""
        return self._inputs

    @property
    def sequence_length(self):
        """The lengths of the examples."""
        return self._sequence_length

    def initialize(self, name=None):
        """Return which examples have length 0, and the first inputs."""
        with name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._inputs_at(0, finished)

    def sample(self, time, outputs, name=None, **unused_kwargs):
        """Return the positions of the largest outputs."""
        with name_scope(name, "TrainingHelperSample"):
            return largest(outputs)

    def next_inputs(self, time, outputs, state, name=None, **unused_kwargs):
        """Return which examples end here, the inputs of the next step, and the state."""
        with name_scope(name, "TrainingHelperNextInputs"):
            following = add(time, 1)
            finished = greater_equal(following, self._sequence_length)
            return finished, self._inputs_at(following, finished), state

    def _inputs_at(self, time, finished):
        """Return the inputs of a step; zeros if all examples are finished, as there may be none."""

        def read():
            return jax.tree.map(lambda array: array.read(time), self._arrays)

        return cond(_all(finished), lambda: self._zeros, read)


def unstacked(inputs: Tensor) -> TensorArray:
    """Return the list of the slices of a tensor along its first axis."""
    steps = batch_size_of(inputs)
    return TensorArray(inputs.dtype, size=steps, element_shape=inputs.shape[1:]).unstack(inputs)


def largest(outputs) -> Tensor:
    """Return the place of the largest number of the last axis, as int32."""
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return operation_of(_largest, (outputs,), {}, public="argmax", name="ArgMax")


def _largest(outputs):
    return shims.argmax(outputs, -1, int32)


class GreedyEmbeddingHelper(_HelperOfNumbers):
    """A helper that feeds the embedding of the most probable class.

    Args:
      embedding: the table of the embeddings, or a function of the classes.
      start_tokens: `[batch]`, the classes that are embedded as first inputs.
      end_token: the class that ends an example.

    Raises:
      ValueError: `start_tokens` is not a vector, or `end_token` not a scalar.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding_of(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, int32, name="end_token")
        check_tokens(self._start_tokens, self._end_token)
        self._batch_size = count_of(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name=None):
        """Return that no example is finished, and the embedded start."""
        return none_finished(self._start_tokens), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        """Return the most probable classes."""
        return largest(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Return which examples end here, the embedded samples, and the state."""
        finished = equal(sample_ids, self._end_token)
        start, embed = self._start_inputs, self._embedding_fn
        inputs = cond(_all(finished), lambda: start, lambda: embed(sample_ids))
        return finished, inputs, state


def embedding_of(embedding):
    """Return the function of the classes that an argument `embedding` stands for."""
    return embedding if callable(embedding) else lambda ids: _look_up(embedding, ids)


def check_tokens(start: Tensor, end: Tensor) -> None:
    """Raise `ValueError` unless the start is a vector and the end a scalar."""
    if start.shape.rank != 1:
        raise ValueError("start_tokens must be a vector")
    if end.shape.rank != 0:
        raise ValueError("end_token must be a scalar")


def none_finished(examples: Tensor) -> Tensor:
    """Return a vector of `False` for each example."""
    return operation_of(_none_finished, (examples,), {}, public="tile", name="Tile")


def _none_finished(examples):
    return shims.zeros([shims.shape(examples)[0]], bool)


def drawn_classes(logits: Tensor, seed) -> Tensor:
    """Draw one class for each row of logits."""
    dtype = int64 if logits.dtype.size > 4 else int32
    draws = _draw(logits, 1, seed=seed, output_dtype=dtype)
    return cast(operation_of(_only, (draws,), {}, public="reshape", name="Reshape"), int32)


def _only(draws):
    return draws[:, 0]


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A helper that feeds the embedding of a class that is drawn by its probability.

    Args:
      embedding: the table of the embeddings, or a function of the classes.
      start_tokens: `[batch]`, the classes that are embedded as first inputs.
      end_token: the class that ends an example.
      softmax_temperature: a number that divides the logits.
      seed: the seed of the draws.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        """Draw the classes."""
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        if self._softmax_temperature is not None:
            outputs = _divide(outputs, self._softmax_temperature)
        return drawn_classes(outputs, self._seed)


class InferenceHelper(Helper):
    """A helper that functions of the outputs and the samples define.

    Args:
      sample_fn: a function of the outputs that returns the samples.
      sample_shape: the shape of a sample, without the batch axis.
      sample_dtype: the dtype of a sample.
      start_inputs: the first inputs.
      end_fn: a function of the samples that returns which examples are finished.
      next_inputs_fn: a function of the samples that returns the next inputs; the samples themselves
        when `None`.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn, next_inputs_fn=None
    ):
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self._sample_shape, self._sample_dtype = GraphShape(sample_shape), sample_dtype
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self):
        """The number of first inputs."""
        return batch_size_of(self._start_inputs)

    @property
    def sample_ids_shape(self):
        """The shape of a sample, without the batch axis."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        """The dtype of a sample."""
        return self._sample_dtype

    def initialize(self, name=None):
        """Return that no example is finished, and the first inputs."""
        return none_finished(self._start_inputs), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        """Call `sample_fn`."""
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Call `next_inputs_fn` and `end_fn`."""
        following = self._next_inputs_fn
        inputs = sample_ids if following is None else following(sample_ids)
        return self._end_fn(sample_ids), inputs, state
