"""Provide `contrib.seq2seq.AttentionWrapper`, a cell that attends to memories in each step."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax

import shims
from shims._src.types.dtypes import int32
from shims._src.v1.contrib.attention import AttentionMechanism
from shims._src.v1.control_flow.assertions import Assert
from shims._src.v1.control_flow.tensor_arrays import TensorArray
from shims._src.v1.graph.conversion import constant
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.flat_structures import flat_tensors
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.scope_functions import name_scope
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.standard_operators import add, concat, equal, identity
from shims._src.v1.layers.core import Dense
from shims._src.v1.rnn.cell import RNNCell, batch_size_of, check_cell, zeros

_all = deferred(shims.reduce_all, "reduce_all")

_TILE = (
    "Are you using the BeamSearchDecoder?  Tile the memory, its lengths and the state of the encoder "
    "with tf.contrib.seq2seq.tile_batch(x, multiplier=beam_width), and take batch_size * beam_width "
    "as the batch size of zero_state."
)


class _Fields(NamedTuple):
    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any


class AttentionWrapperState(_Fields):
    """The state of an `AttentionWrapper`.

    Its fields are the state of the wrapped cell, the attention, the time, the alignments, their
    history (lists, or empty tuples), and the states of the mechanisms.
    """

    __slots__ = ()

    def clone(self, **kwargs):
        """Return a copy with other fields; new tensors take the static shapes of the old tensors."""
        new = self._replace(**kwargs)

        def shaped(old, other):
            if isinstance(old, Tensor) and isinstance(other, Tensor):
                if not other.shape.is_compatible_with(old.shape):
                    raise ValueError(
                        f"The shape of the AttentionWrapperState is expected to be {old.shape}, but "
                        f"the new tensor has the shape {other.shape}."
                    )
                other.set_shape(old.shape)
            return other

        return jax.tree.map(shaped, self, new)


def compute_attention(mechanism, cell_output, attention_state, attention_layer):
    """Return the attention, the alignments and the next state of one mechanism."""
    alignments, following = mechanism(cell_output, state=attention_state)
    context = operation_of(
        _context, (alignments, mechanism.values), {}, public="squeeze", name="Squeeze"
    )
    if attention_layer is None:
        return context, alignments, following
    return attention_layer(concat([cell_output, context], 1)), alignments, following


def _context(alignments, values):
    return shims.squeeze(shims.matmul(alignments[:, None], values), 1)


class AttentionWrapper(RNNCell):
    """A cell that appends the previous attention to its inputs, and computes the next attention.

    Args:
      cell: the wrapped cell.
      attention_mechanism: a mechanism, or a list of several.
      attention_layer_size: the size of the attention, which a layer without bias computes from the
        output of the cell and the context. If `None`, the attention is the context. For several
        mechanisms, a list of sizes.
      alignment_history: whether the state keeps the alignments of all steps.
      cell_input_fn: a function of inputs and attention; concatenation when `None`.
      output_attention: whether the output is the attention instead of the output of the cell.
      initial_cell_state: the state of the cell that `zero_state` returns.
      name: the name of the cell.
      attention_layer: layers that make the attention, instead of `attention_layer_size`.
      attention_fn: a function that replaces the computation of the attention.
      dtype: the dtype of the cell.

    Raises:
      TypeError: an argument is not a cell, a mechanism or a function.
      ValueError: the numbers of mechanisms and layers differ, or layers are given twice.

    Differs from TensorFlow:
      Nothing.
    """

    __module__ = "shims.compat.v1.contrib.seq2seq"

    def __init__(
        self,
        cell,
        attention_mechanism,
        attention_layer_size=None,
        alignment_history=False,
        cell_input_fn=None,
        output_attention=True,
        initial_cell_state=None,
        name=None,
        attention_layer=None,
        attention_fn=None,
        dtype=None,
    ):
        super().__init__(name=name, dtype=dtype)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        _check_mechanisms(mechanisms, cell_input_fn)
        self._cell, self._attention_mechanisms = cell, mechanisms
        self._cell_input_fn = cell_input_fn or (lambda inputs, a: concat([inputs, a], -1))
        self._output_attention, self._alignment_history = output_attention, alignment_history
        self._attention_fn = attention_fn or compute_attention
        self._attention_layers = _layers(mechanisms, attention_layer_size, attention_layer)
        self._attention_layer_size = self._size_of_attention(attention_layer_size)
        self._initial_cell_state: Any = None
        if initial_cell_state is not None:
            with name_scope(name, "AttentionWrapperInit"):
                last = flat_tensors(initial_cell_state)[0][-1]
                self._initial_cell_state = self._checked(
                    initial_cell_state, batch_size_of(last), "the initial_cell_state"
                )

    def _size_of_attention(self, sizes) -> int:
        if sizes is not None:
            return sum(sizes) if isinstance(sizes, (list, tuple)) else sizes
        depths = [m.values.shape[-1].value for m in self._attention_mechanisms]
        if self._attention_layers is None:
            return sum(depths)
        return sum(
            layer.compute_output_shape([None, self._cell.output_size + depth])[-1].value
            for layer, depth in zip(self._attention_layers, depths, strict=True)
        )

    def _checked(self, structure, batch_size, what: str):
        """Return tensors; computing them fails unless the batch size is that of each memory."""
        checks = []
        for mechanism in self._attention_mechanisms:
            text = (
                f"AttentionWrapper {self.name}: the batch sizes of the memory and of {what} differ."
            )
            known = [_static(x) for x in (batch_size, mechanism.batch_size)]
            if None in known:
                same = equal(batch_size, mechanism.batch_size)
                checks.append(Assert(same, [f"{text}  {_TILE}"]))
            elif known[0] != known[1]:
                raise ValueError(f"{text}  Received: {known[1]} and {known[0]}.  {_TILE}")
        with get_default_graph().control_dependencies(checks):
            return jax.tree.map(identity, structure)

    def _one_or_all(self, values):
        found = tuple(values)
        return found if self._is_multi else found[0]

    @property
    def output_size(self):
        """The size of the attention, or of the output of the cell."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        """The sizes of the fields of the state."""
        mechanisms = self._attention_mechanisms
        steps = [m.alignments_size for m in mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=GraphShape([]),
            attention=self._attention_layer_size,
            alignments=self._one_or_all(steps),
            attention_state=self._one_or_all(m.state_size for m in mechanisms),
            alignment_history=self._one_or_all(
                steps if self._alignment_history else [()] * len(steps)
            ),
        )

    def zero_state(self, batch_size, dtype):
        """Return the state before the first step.

        Args:
          batch_size: the number of examples, which must be that of the memories.
          dtype: the dtype of the state.
        """
        with name_scope(f"{type(self).__name__}ZeroState"):
            state = self._initial_cell_state
            if state is None:
                state = self._cell.zero_state(batch_size, dtype)
            mechanisms = self._attention_mechanisms
            alignments = [m.initial_alignments(batch_size, dtype) for m in mechanisms]
            return AttentionWrapperState(
                cell_state=self._checked(state, batch_size, "zero_state"),
                time=constant(0, int32),
                attention=zeros(batch_size, self._attention_layer_size, dtype),
                alignments=self._one_or_all(alignments),
                attention_state=self._one_or_all(
                    m.initial_state(batch_size, dtype) for m in mechanisms
                ),
                alignment_history=self._one_or_all(map(self._empty_history, alignments)),
            )

    def _empty_history(self, alignments: Tensor):
        if not self._alignment_history:
            return ()
        shape = alignments.shape
        return TensorArray(alignments.dtype, size=0, dynamic_size=True, element_shape=shape)

    def call(self, inputs, state):
        """Compute one time step: the cell, and the attention of each mechanism."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        output, cell_state = self._cell(
            self._cell_input_fn(inputs, state.attention), state.cell_state
        )
        output = self._checked(output, batch_size_of(output), "the query")
        states, histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            states, histories = [states], [histories]
        layers = self._attention_layers or [None] * len(self._attention_mechanisms)
        rows = zip(self._attention_mechanisms, states, layers, histories, strict=True)
        found = []
        for mechanism, before, layer, history in rows:
            attention, alignments, after = self._attention_fn(mechanism, output, before, layer)
            if self._alignment_history:
                history = history.write(state.time, alignments)
            found.append((attention, alignments, after, history))
        attentions, alignments, after, histories = zip(*found, strict=True)
        attention = concat(list(attentions), 1)
        following = AttentionWrapperState(
            time=add(state.time, 1),
            cell_state=cell_state,
            attention=attention,
            attention_state=self._one_or_all(after),
            alignments=self._one_or_all(alignments),
            alignment_history=self._one_or_all(histories),
        )
        return (attention if self._output_attention else output), following


def _static(size) -> int | None:
    known = constant_value(size) if isinstance(size, Tensor) else size
    return None if known is None else int(known)


def _check_mechanisms(mechanisms, cell_input_fn) -> None:
    for mechanism in mechanisms:
        if not isinstance(mechanism, AttentionMechanism):
            raise TypeError(
                "attention_mechanism must be an AttentionMechanism or list of multiple "
                f"AttentionMechanism instances, saw type: {type(mechanism).__name__}"
            )
    if cell_input_fn is not None and not callable(cell_input_fn):
        raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")


def _layers(mechanisms, sizes, layers):
    """Return the layers that make the attention of each mechanism; `None` if there are none."""
    if sizes is not None and layers is not None:
        raise ValueError("Only one of attention_layer_size and attention_layer should be set")
    given, title = (
        (sizes, "attention_layer_size") if layers is None else (layers, "attention_layer")
    )
    if given is None:
        return None
    given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if len(given) != len(mechanisms):
        raise ValueError(
            f"If provided, {title} must contain exactly one element per attention_mechanism, saw: "
            f"{len(given)} vs {len(mechanisms)}"
        )
    if layers is not None:
        return given
    return tuple(
        Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
        for size, mechanism in zip(given, mechanisms, strict=True)
    )
