"""Define the basic, GRU and LSTM cells."""

from __future__ import annotations

import collections

from shims._src.v1.graph.standard_operators import (
    add,
    bias_add,
    clip_by_value,
    concat,
    matmul,
    multiply,
    sigmoid,
    slice_,
    split,
    tanh,
)
from shims._src.v1.layers.options import activation_of, initializer_of
from shims._src.v1.rnn.cell import LayerRNNCell
from shims._src.v1.variables.initializers import constant_initializer, zeros_initializer
from shims._src.v1.variables.partitioned_variables import fixed_size_partitioner


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM: cell state `c` and hidden state `h`.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     state = tf.nn.rnn_cell.LSTMStateTuple(tf.zeros([2, 3]), tf.ones([2, 3]))
      ...     print(state.c.shape, state.h.shape)
      (2, 3) (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/LSTMStateTuple
    """

    __slots__ = ()
    __module__ = "shims.compat.v1.nn.rnn_cell"

    @property
    def dtype(self):
        """The common dtype of cell state and hidden state.

        Raises:
          TypeError: the dtypes differ.
        """
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent dtypes for internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


class BasicRNNCell(LayerRNNCell):
    """The basic recurrent cell: `activation([inputs, state] @ kernel + bias)`.

    Args:
      num_units: the size of state and output.
      activation: a function; `tanh` when `None`.
      reuse: whether to reuse existing variables.
      name: its name.
      dtype: the dtype of the cell's variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/BasicRNNCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self):
        """The size of the state."""
        return self._num_units

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units

    def build(self, input_shape) -> None:
        """Create the kernel and the bias."""
        rows = self._input_depth(input_shape) + self._num_units
        self._kernel = self.add_weight("kernel", [rows, self._num_units])
        zeros = zeros_initializer(self.dtype)
        self._bias = self.add_weight("bias", [self._num_units], initializer=zeros)
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


class GRUCell(LayerRNNCell):
    """The gated recurrent unit of Cho et al. (2014).

    Args:
      num_units: the size of state and output.
      activation: a function; `tanh` when `None`.
      reuse: whether to reuse existing variables.
      kernel_initializer: the initializer of the kernels.
      bias_initializer: the initializer of the biases. `None` means ones for the gates and zeros for the candidate.
      name: its name.
      dtype: the dtype of the cell's variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/GRUCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(
        self,
        num_units,
        activation=None,
        reuse=None,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self):
        """The size of the state."""
        return self._num_units

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units

    def build(self, input_shape) -> None:
        """Create the kernels and biases of the gates and of the candidate."""
        units = self._num_units
        rows = self._input_depth(input_shape) + units
        kernel, bias = self._kernel_initializer, self._bias_initializer
        ones = constant_initializer(1.0, self.dtype) if bias is None else bias
        zeros = zeros_initializer(self.dtype) if bias is None else bias
        self._gate_kernel = self.add_weight("gates/kernel", [rows, 2 * units], initializer=kernel)
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=ones)
        self._candidate_kernel = self.add_weight(
            "candidate/kernel", [rows, units], initializer=kernel
        )
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=zeros)
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        r, u = split(sigmoid(gates), 2, axis=1)
        both = concat([inputs, r * state], 1)
        candidate = bias_add(matmul(both, self._candidate_kernel), self._candidate_bias)
        new = u * state + (1 - u) * self._activation(candidate)
        return new, new


class BasicLSTMCell(LayerRNNCell):
    """The LSTM cell of Zaremba et al. (2014), without peepholes.

    Args:
      num_units: the size of cell state and hidden state.
      forget_bias: added to the bias of the forget gate.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or one tensor with both parts
        concatenated.
      activation: a function; `tanh` when `None`.
      reuse: whether to reuse existing variables.
      name: its name.
      dtype: the dtype of the cell's variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/BasicLSTMCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self):
        """The sizes of cell state and hidden state; their sum if the state is one tensor."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units

    def build(self, input_shape) -> None:
        """Create the kernel and the bias."""
        units = self._num_units
        rows = self._input_depth(input_shape) + units
        self._kernel = self.add_weight("kernel", [rows, 4 * units])
        zeros = zeros_initializer(self.dtype)
        self._bias = self.add_weight("bias", [4 * units], initializer=zeros)
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        c, h = state if self._state_is_tuple else split(state, 2, axis=1)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, axis=1)
        kept = multiply(c, sigmoid(add(f, float(self._forget_bias))))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        new = LSTMStateTuple(new_c, new_h)
        return new_h, new if self._state_is_tuple else concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """The LSTM cell of Sak et al. (2014), with optional peepholes and projection.

    Args:
      num_units: the size of the cell state.
      use_peepholes: whether the gates also depend on the cell state.
      cell_clip: the limit that the cell state is clipped to.
      initializer: the initializer of kernels and peepholes.
      num_proj: the size that the output is projected to.
      proj_clip: the limit that the projected output is clipped to.
      num_unit_shards: the number of partitions of the kernel.
      num_proj_shards: the number of partitions of the projection.
      forget_bias: added to the bias of the forget gate.
      state_is_tuple: whether the state is an `LSTMStateTuple`, or one tensor with both parts
        concatenated.
      activation: a function; `tanh` when `None`.
      reuse: whether to reuse existing variables.
      name: its name.
      dtype: the dtype of the cell's variables.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/LSTMCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        cell_clip=None,
        initializer=None,
        num_proj=None,
        proj_clip=None,
        num_unit_shards=None,
        num_proj_shards=None,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._cell_clip, self._proj_clip = cell_clip, proj_clip
        self._initializer = initializer_of(initializer)
        self._num_proj = num_proj
        self._shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self):
        """The sizes of cell state and hidden state; their sum if the state is one tensor."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_proj or self._num_units

    def build(self, input_shape) -> None:
        """Create the kernel and the bias, and optionally peephole and projection weights."""
        units, given = self._num_units, {"initializer": self._initializer}
        rows = self._input_depth(input_shape) + self.output_size
        of_kernel, of_projection = (
            None if n is None else fixed_size_partitioner(n) for n in self._shards
        )
        self._kernel = self.add_weight("kernel", [rows, 4 * units], partitioner=of_kernel, **given)
        zeros = zeros_initializer(self.dtype)
        self._bias = self.add_weight("bias", [4 * units], initializer=zeros)
        if self._use_peepholes:
            self._w_f_diag = self.add_weight("w_f_diag", [units], **given)
            self._w_i_diag = self.add_weight("w_i_diag", [units], **given)
            self._w_o_diag = self.add_weight("w_o_diag", [units], **given)
        if self._num_proj is not None:
            shape = [units, self._num_proj]
            self._proj_kernel = self.add_weight(
                "projection/kernel", shape, partitioner=of_projection, **given
            )
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        units = self._num_units
        if self._state_is_tuple:
            before, output = state
        else:
            before = slice_(state, [0, 0], [-1, units])
            output = slice_(state, [0, units], [-1, self.output_size])
        gates = bias_add(matmul(concat([inputs, output], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, axis=1)
        f = f + float(self._forget_bias)
        if self._use_peepholes:
            f, i = f + self._w_f_diag * before, i + self._w_i_diag * before
        c = sigmoid(f) * before + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            o = o + self._w_o_diag * c
        m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1)
