"""Define the fused cells of `contrib.rnn`, which TensorFlow computes in one kernel."""

from __future__ import annotations

from typing import Any

import jax

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.standard_operators import stack
from shims._src.v1.layers.base import Layer
from shims._src.v1.rnn.cell import LayerRNNCell, batch_size_of, zeros
from shims._src.v1.rnn.cells import LSTMStateTuple
from shims._src.v1.rnn.dynamic import dynamic_rnn, reverse_time
from shims._src.v1.rnn.static import static_rnn
from shims._src.v1.variables.initializers import constant_initializer

_unstack = deferred(shims.unstack, "unstack")
_PEEPHOLES = ("w_i_diag", "w_f_diag", "w_o_diag")


def _add_weights(layer, depth: int, units: int, peepholes: bool) -> tuple:
    """Create the kernel, the bias and the peepholes of an LSTM."""
    kernel = layer.add_weight("kernel", [depth + units, 4 * units])
    bias = layer.add_weight("bias", [4 * units], initializer=constant_initializer(0.0))
    names = _PEEPHOLES if peepholes else ()
    return kernel, bias, *(layer.add_weight(name, [units]) for name in names)


def _lstm(x, c, h, weights, forget_bias, clip):
    """Compute a step of an LSTM; a clipped cell state has the gradient of one that is not."""
    kernel, bias, *peepholes = weights
    gates = shims.nn.bias_add(shims.matmul(shims.concat([x, h], 1), kernel), bias)
    i, j, f, o = shims.split(gates, 4, axis=1)
    f = f + forget_bias
    if peepholes:
        i, f = i + peepholes[0] * c, f + peepholes[1] * c
    new = shims.sigmoid(i) * shims.tanh(j) + shims.sigmoid(f) * c
    if clip is not None and clip > 0:
        new = new + shims.stop_gradient(shims.clip_by_value(new, -clip, clip) - new)
    if peepholes:
        o = o + peepholes[2] * new
    return new, shims.sigmoid(o) * shims.tanh(new)


class _LSTM(LayerRNNCell):
    """A cell with given weights, and the settings of `LSTMBlockCell`."""

    def __init__(self, num_units, forget_bias, cell_clip, use_peephole, **kwargs):
        super().__init__(**kwargs)
        self._num_units, self._use_peephole = num_units, use_peephole
        self._settings = float(forget_bias), cell_clip
        self._parts: tuple = ()

    @property
    def state_size(self):
        """The sizes of cell state and hidden state."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units

    def call(self, inputs, state):
        """Compute one time step."""
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        given = (inputs, *state, self._parts, *self._settings)
        c, h = operation_of(_lstm, given, {}, public="split", type_="LSTMBlockCell")
        return h, LSTMStateTuple(c, h)


class LSTMBlockCell(_LSTM):
    """An LSTM cell that computes the values of `BasicLSTMCell`, with optional peepholes.

    Args:
      num_units: the size of cell state and hidden state.
      forget_bias: added to the bias of the forget gate.
      cell_clip: the limit that the cell state is clipped to.
      use_peephole: whether the gates also depend on the cell state.
      dtype: the dtype of the cell's variables.
      reuse: whether to reuse existing variables.
      name: its name.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        dtype=None,
        reuse=None,
        name="lstm_cell",
    ):
        super().__init__(
            num_units, forget_bias, cell_clip, use_peephole, _reuse=reuse, dtype=dtype, name=name
        )

    def build(self, input_shape) -> None:
        """Create the kernel, the bias and the peepholes."""
        depth = self._input_depth(input_shape)
        self._parts = _add_weights(self, depth, self._num_units, self._use_peephole)
        self.built = True


class GRUBlockCell(LayerRNNCell):
    """A GRU cell that computes the values of `GRUCell`, with other names of variables.

    Args:
      num_units: the size of state and output.
      cell_size: an old name of `num_units`.
      reuse: whether to reuse existing variables.
      name: its name.

    Raises:
      ValueError: there is not exactly one size.
    """

    __module__ = "shims.compat.v1.contrib.rnn"
    _names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._units = cell_size if num_units is None else num_units

    @property
    def state_size(self):
        """The size of the state."""
        return self._units

    @property
    def output_size(self):
        """The size of the output."""
        return self._units

    def build(self, input_shape) -> None:
        """Create the kernels and biases of the gates and of the candidate."""
        units, rows = self._units, self._input_depth(input_shape) + self._units
        sizes = ([rows, 2 * units], [2 * units], [rows, units], [units])
        first = (None, constant_initializer(1.0), None, constant_initializer(0.0))
        self._parts = tuple(
            self.add_weight(name, size, initializer=initializer)
            for name, size, initializer in zip(self._names, sizes, first, strict=True)
        )
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        given = (inputs, state, *self._parts)
        new = operation_of(_gru, given, {}, public="add", type_="GRUBlockCell")
        return new, new


class GRUBlockCellV2(GRUBlockCell):
    """A GRU cell with the values and the variable names of `GRUCell`; see `GRUBlockCell`."""

    __module__ = "shims.compat.v1.contrib.rnn"
    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


def _gru(x, h, gate_kernel, gate_bias, kernel, bias):
    gates = shims.matmul(shims.concat([x, h], 1), gate_kernel) + gate_bias
    r, u = shims.split(shims.sigmoid(gates), 2, axis=1)
    candidate = shims.tanh(shims.matmul(shims.concat([x, r * h], 1), kernel) + bias)
    return u * h + (1 - u) * candidate


# ---- cells that take all steps at once -----------------------------------------------------------


class LSTMBlockFusedCell(Layer):
    """An LSTM that takes all time steps at once; see `LSTMBlockCell`.

    Args:
      num_units: the size of cell state and hidden state.
      forget_bias: added to the bias of the forget gate.
      cell_clip: the limit that the cell state is clipped to.
      use_peephole: whether the gates also depend on the cell state.
      reuse: whether to reuse existing variables.
      dtype: the dtype of the cell's variables.
      name: its name.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        reuse=None,
        dtype=None,
        name="lstm_fused_cell",
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._cell = _LSTM(num_units, forget_bias, cell_clip, use_peephole)
        self._cell.built = True

    @property
    def num_units(self):
        """The size of cell state and hidden state."""
        return self._cell.output_size

    def build(self, input_shape) -> None:
        """Create the kernel, the bias and the peepholes."""
        depth, units = input_shape[-1].value, self.num_units
        self._cell._parts = _add_weights(self, depth, units, self._cell._use_peephole)
        self.built = True

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        """Run over all time steps.

        Args:
          inputs: `[time, batch, size]`.
          initial_state: the cell state and the hidden state; zeros when `None`.
          dtype: the dtype of the zeros.
          sequence_length: `[batch]`, the lengths of the examples. After the end of an example, its outputs are 0.

        Returns:
          The outputs `[time, batch, num_units]`, and the final state.

        Raises:
          ValueError: there is neither `initial_state` nor `dtype`.
        """
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zero = zeros(batch_size_of(inputs, 1), self.num_units, dtype)
            initial_state = (zero, zero)
        return dynamic_rnn(
            self._cell,
            inputs,
            None if sequence_length is None else convert_to_tensor(sequence_length),
            LSTMStateTuple(*initial_state),
            time_major=True,
        )

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs are one tensor with three axes."""
        if isinstance(inputs, (list, tuple)):
            raise ValueError(
                f"Layer {self.name} expects 1 inputs, but it received {len(inputs)} input tensors. "
                "Stack them: `tf.stack(inputs)`."
            )
        self._check_rank(inputs, exact=3)


class FusedRNNCell:
    """The base class of cells that map the inputs of all steps to all outputs and the final state."""

    __module__ = "shims.compat.v1.contrib.rnn"

    def __call__(
        self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None
    ) -> Any:
        """Run over all time steps; see `LSTMBlockFusedCell`."""
        raise NotImplementedError


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell, run over all time steps.

    Args:
      cell: an `RNNCell`.
      use_dynamic_rnn: whether the steps are a loop.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Run over all time steps; see `LSTMBlockFusedCell`."""
        is_list, loops = isinstance(inputs, list), self._use_dynamic_rnn
        if is_list == loops:
            inputs = stack(inputs) if is_list else _unstack(inputs)
        given = (initial_state, dtype, sequence_length)
        if loops:
            lengths, order = given[2], given[:2]
            outputs, state = dynamic_rnn(
                self._cell, inputs, lengths, *order, time_major=True, scope=scope
            )
        else:
            outputs, state = static_rnn(self._cell, inputs, *given, scope)
        if is_list == loops:
            outputs = _unstack(outputs) if is_list else stack(outputs)
        return outputs, state


class TimeReversedFusedRNN(FusedRNNCell):
    """A cell that takes all time steps at once, from the last to the first.

    Args:
      cell: a `FusedRNNCell`.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell):
        self._cell = cell

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Run over all time steps; see `LSTMBlockFusedCell`."""
        options = {"scope": scope} if isinstance(self._cell, FusedRNNCell) else {}
        outputs, state = self._cell(
            _turned(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            **options,
        )
        return _turned(outputs, sequence_length), state


def _turned(x, lengths):
    if isinstance(x, list):
        return x[::-1]
    return jax.tree.map(lambda t: reverse_time(t, lengths, 0), x)
