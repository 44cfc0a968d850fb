"""Provide `contrib.seq2seq.dynamic_decode` and the decoder that samples from the outputs of a cell."""

from __future__ import annotations

import collections
import contextlib

import jax

import shims
from shims._src.types.dtypes import int32
from shims._src.v1.control_flow.loops import while_loop
from shims._src.v1.control_flow.tensor_arrays import TensorArray
from shims._src.v1.graph.conversion import constant, convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.flat_structures import flat_tensors, is_list
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import add
from shims._src.v1.layers.base import Layer
from shims._src.v1.rnn.cell import check_cell, zeros
from shims._src.v1.rnn.finished_examples import swap_batch_and_time
from shims._src.v1.rnn.raw import keep_finished_examples
from shims._src.v1.variables.variable_scope import variable_scope

_all = deferred(shims.reduce_all, "reduce_all")
_not = deferred(shims.logical_not, "logical_not")
_or = deferred(shims.logical_or, "logical_or")


class Decoder:
    """The base class of decoders, whose methods `dynamic_decode` calls before, in and after its loop."""

    __module__ = "shims.compat.v1.contrib.seq2seq"

    @property
    def batch_size(self):
        """The number of examples."""
        raise NotImplementedError

    @property
    def output_size(self):
        """The sizes of the outputs of a step, without the batch axis."""
        raise NotImplementedError

    @property
    def output_dtype(self):
        """The dtypes of the outputs of a step."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` returns all finished examples, also those of earlier steps."""
        return False

    def initialize(self, name=None):
        """Return which examples are finished at the start, the first inputs and the first state."""
        raise NotImplementedError

    def step(self, time, inputs, state, name=None):
        """Return the outputs, the next state, the next inputs, and which examples are finished."""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        """Return the outputs and the state of `dynamic_decode`, computed from those of the loop."""
        raise NotImplementedError


def dynamic_decode(
    decoder,
    output_time_major=False,
    impute_finished=False,
    maximum_iterations=None,
    parallel_iterations=32,
    swap_memory=False,
    scope=None,
    **kwargs,
):
    """Call the step of a decoder until all examples are finished.

    Args:
      decoder: a `Decoder`.
      output_time_major: whether the outputs are `[time, batch, ...]`.
      impute_finished: whether finished examples keep their state, and their outputs are 0.
      maximum_iterations: the maximum number of steps.
      parallel_iterations: accepted and ignored.
      swap_memory: accepted and ignored.
      scope: the variable scope; `decoder` when `None`.
      **kwargs: accepted and ignored.

    Returns:
      The outputs of all steps, the final state, and the length of each example.

    Raises:
      TypeError: `decoder` is not a decoder.
      ValueError: `maximum_iterations` is not a scalar.

    Differs from TensorFlow:
      Nothing.
    """
    del parallel_iterations, swap_memory, kwargs
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, int32)
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        arrays, state, lengths = _decode(decoder, impute_finished, maximum_iterations)
        outputs = jax.tree.map(lambda array: array.stack(), arrays, is_leaf=is_list)
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = jax.tree.map(swap_batch_and_time, outputs)
    return outputs, state, lengths


def _decode(decoder: Decoder, impute: bool, limit: Tensor | None):
    """Build the loop; return the arrays of the outputs, the final state and the lengths."""
    finished, inputs, state = decoder.initialize()
    finished = convert_to_tensor(finished)
    if limit is not None:
        finished = _or(finished, operation_of(_none_left, (limit,), {}, public="greater_equal"))
    batch = decoder.batch_size
    sizes, dtypes = decoder.output_size, decoder.output_dtype
    nothing = jax.tree.map(lambda size, d: zeros(batch, size, d), sizes, dtypes, is_leaf=_is_size)
    arrays = jax.tree.map(_array, nothing)
    lengths = operation_of(_lengths_of_none, (finished,), {}, public="zeros_like")

    def body(time, arrays, state, inputs, finished, lengths):
        outputs, after, following, over = decoder.step(time, inputs, state)
        if not decoder.tracks_own_finished:
            over = _or(over, finished)
        lengths = operation_of(
            _lengths_at, (finished, lengths, time), {}, public="where", name="Select"
        )
        _check_structures(state, after, arrays, outputs)
        if impute:
            outputs = keep_finished_examples(finished, nothing, outputs)
            after = keep_finished_examples(finished, state, after)
        written = jax.tree.map(lambda a, x: a.write(time, x), arrays, outputs, is_leaf=is_list)
        return add(time, 1), written, after, following, over, lengths

    found = while_loop(
        lambda time, arrays, state, inputs, finished, lengths: _not(_all(finished)),
        body,
        (constant(0), arrays, state, inputs, finished, lengths),
        maximum_iterations=limit,
    )
    return found[1], found[2], found[5]


def _none_left(limit):
    return limit <= 0


def _lengths_of_none(finished):
    return shims.zeros_like(finished, dtype=int32)


def _lengths_at(finished, lengths, time):
    return shims.where(finished, lengths, time + 1)


def _is_size(value) -> bool:
    return isinstance(value, GraphShape)


def _array(zero: Tensor) -> TensorArray:
    """Create an empty list for an output that has the shape of `zero`."""
    return TensorArray(zero.dtype, size=0, dynamic_size=True, element_shape=zero.shape)


def _check_structures(state, after, arrays, outputs) -> None:
    for before, now, leaf in ((state, after, None), (arrays, outputs, is_list)):
        first, second = (str(jax.tree.structure(x, is_leaf=leaf)) for x in (before, now))
        if first != second:
            raise ValueError(
                "The two structures don't have the same nested structure.\n"
                f"  First: {first}\n  Second: {second}"
            )


def count_of(tensor: Tensor) -> Tensor:
    """Return the number of elements of a vector, as a constant if it is static."""
    known = tensor.shape.as_list()[0] if tensor.shape.rank == 1 else None
    if known is not None:
        return constant(known)
    return operation_of(shims.size, (tensor,), {}, public="size", name="Size")


def output_size_of(cell, layer):
    """Return the size of the outputs of a cell, after a layer if there is one."""
    size = cell.output_size
    if layer is None:
        return size
    with_batch = GraphShape([None]).concatenate(
        size if isinstance(size, GraphShape) else GraphShape([size])
    )
    return layer.compute_output_shape(with_batch)[1:]


def dtype_of(state):
    """Return the dtype of the first tensor of a state."""
    return flat_tensors(state)[0][0].dtype


BasicDecoderOutput = collections.namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))


class BasicDecoder(Decoder):
    """A decoder that applies a cell, and lets a `Helper` choose samples and next inputs.

    Args:
      cell: an `RNNCell`.
      helper: a `Helper`.
      initial_state: the first state of the cell.
      output_layer: a layer that is applied to the outputs of the cell.

    Raises:
      TypeError: `cell`, `helper` or `output_layer` has a different type.

    Differs from TensorFlow:
      Nothing.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(self, cell, helper, initial_state, output_layer=None):
        check_cell("cell", cell)
        if not hasattr(helper, "next_inputs"):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self):
        """The batch size of the helper."""
        return self._helper.batch_size

    @property
    def output_size(self):
        """The sizes of the outputs of a step."""
        size = output_size_of(self._cell, self._output_layer)
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        """The dtypes of the outputs of a step: that of the state, and that of the samples."""
        dtype = dtype_of(self._initial_state)
        sizes = output_size_of(self._cell, self._output_layer)
        kinds = jax.tree.map(lambda _: dtype, sizes, is_leaf=_is_size)
        return BasicDecoderOutput(kinds, self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        """Return which examples are finished at the start, the first inputs and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        """Apply the cell and the layer, and sample; see `Decoder`."""
        with name_scope(name, "BasicDecoderStep", [time]):
            outputs, after = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample = self._helper.sample(time=time, outputs=outputs, state=after)
            finished, following, after = self._helper.next_inputs(
                time=time, outputs=outputs, state=after, sample_ids=sample
            )
        return BasicDecoderOutput(outputs, sample), after, following, finished
