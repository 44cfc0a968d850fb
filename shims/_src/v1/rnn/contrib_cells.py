"""Define cells and wrappers of `contrib.rnn`: projections, embeddings, normalization, the NAS cell."""

from __future__ import annotations

import math

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.standard_operators import bias_add, concat, matmul, sigmoid, split, tanh
from shims._src.v1.ops.dropout import dropout
from shims._src.v1.ops.embedding import embedding_lookup
from shims._src.v1.rnn.cell import LayerRNNCell, RNNCell, check_cell
from shims._src.v1.rnn.cells import LSTMStateTuple
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import (
    constant_initializer,
    random_uniform_initializer,
    zeros_initializer,
)
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope

_look_up = deferred(embedding_lookup, "nn.embedding_lookup")
_relu = deferred(shims.nn.relu, "nn.relu")


def linear(args, output_size: int, build_bias: bool):
    """Return `[*args] @ kernel + bias`, with variables of the present scope.

    Args:
      args: a tensor `[batch, size]`, or a list of several.
      output_size: the size of the result.
      build_bias: whether there is a bias.

    Raises:
      ValueError: an operand does not have two axes, or its size is unknown.
    """
    args = list(args) if isinstance(args, (list, tuple)) else [args]
    if any(a.shape.rank != 2 for a in args):
        raise ValueError(f"linear is expecting 2D arguments: {[a.shape for a in args]}")
    sizes = [a.shape[1].value for a in args]
    if None in sizes:
        raise ValueError(
            f"linear expects shape[1] to be provided for shape {args[sizes.index(None)].shape}"
        )
    dtype = args[0].dtype
    kernel = get_variable("kernel", [sum(sizes), output_size], dtype)
    found = matmul(args[0] if len(args) == 1 else concat(args, 1), kernel)
    if not build_bias:
        return found
    return bias_add(found, get_variable("bias", [output_size], dtype, constant_initializer(0.0)))


class _Wrapper(RNNCell):
    """The base class of cells that wrap a cell in a scope of their own."""

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell, reuse=None):
        super().__init__(_reuse=reuse)
        check_cell("cell", cell)
        self._cell = cell

    @property
    def state_size(self):
        """The state size of the wrapped cell."""
        return self._cell.state_size

    @property
    def output_size(self):
        """The output size of the wrapped cell."""
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        """Return a zero state of the wrapped cell."""
        return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(_Wrapper):
    """A cell whose inputs are classes, which are embedded.

    Args:
      cell: the wrapped cell.
      embedding_classes: the number of classes.
      embedding_size: the size of an embedding.
      initializer: the initializer of the embeddings; the initializer of the scope, or a uniform distribution
        with variance 1, when `None`.
      reuse: whether to reuse existing variables.

    Raises:
      ValueError: a size is not positive.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._sizes, self._initializer = [embedding_classes, embedding_size], initializer

    def call(self, inputs, state):
        """Compute one time step of the wrapped cell."""
        limit = math.sqrt(3)
        initializer = self._initializer or get_variable_scope().initializer
        initializer = initializer or random_uniform_initializer(-limit, limit)
        dtype = (state[0] if isinstance(state, tuple) else state).dtype
        table = get_variable("embedding", self._sizes, dtype, initializer)
        flat = operation_of(_flat, (convert_to_tensor(inputs),), {}, public="reshape")
        return self._cell(_look_up(table, flat), state)


def _flat(x):
    return shims.reshape(x, [-1])


class InputProjectionWrapper(_Wrapper):
    """A cell whose inputs are projected.

    Args:
      cell: the wrapped cell.
      num_proj: the size that the inputs are projected to.
      activation: a function of the projected inputs; `None` for none.
      input_size: accepted and ignored.
      reuse: whether to reuse existing variables.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs, state):
        """Compute one time step of the wrapped cell."""
        projected = linear(inputs, self._num_proj, True)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(_Wrapper):
    """A cell whose outputs are projected.

    Args:
      cell: the wrapped cell.
      output_size: the size that the outputs are projected to.
      activation: a function of the projected outputs; `None` for none.
      reuse: whether to reuse existing variables.

    Raises:
      ValueError: the size is not positive.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size, self._activation = output_size, activation

    @property
    def output_size(self):
        """The size that the outputs are projected to."""
        return self._output_size

    def call(self, inputs, state):
        """Compute one time step of the wrapped cell."""
        output, state = self._cell(inputs, state)
        projected = linear(output, self._output_size, True)
        return (self._activation(projected) if self._activation else projected), state


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM cell with layer normalization and dropout of the candidate.

    Args:
      num_units: the size of cell state and hidden state.
      forget_bias: added to the forget gate.
      input_size: accepted and ignored.
      activation: a function of the candidate and of the cell state.
      layer_norm: whether gates and cell state are normalized; if false, the gates have a bias
        instead.
      norm_gain: the initial value of `gamma`.
      norm_shift: the initial value of `beta`.
      dropout_keep_prob: the probability to keep an element of the candidate.
      dropout_prob_seed: the seed of the dropout.
      reuse: whether to reuse existing variables.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        input_size=None,
        activation=tanh,
        layer_norm=True,
        norm_gain=1.0,
        norm_shift=0.0,
        dropout_keep_prob=1.0,
        dropout_prob_seed=None,
        reuse=None,
    ):
        super().__init__(_reuse=reuse)
        self._num_units, self._activation, self._forget_bias = num_units, activation, forget_bias
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._layer_norm, self._first = layer_norm, (norm_gain, norm_shift)

    @property
    def state_size(self):
        """The sizes of cell state and hidden state."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units

    def _norm(self, x, scope: str):
        if not self._layer_norm:
            return x
        size, (gain, shift) = [x.shape[-1].value], self._first
        with variable_scope(scope):
            gamma = get_variable("gamma", size, x.dtype, constant_initializer(gain))
            beta = get_variable("beta", size, x.dtype, constant_initializer(shift))
        return operation_of(_normalized, (x, gamma, beta), {}, public="add")

    def call(self, inputs, state):
        """Compute one time step."""
        c, h = state
        gates = linear([inputs, h], 4 * self._num_units, False)
        if not self._layer_norm:
            gates = bias_add(gates, get_variable("bias", [4 * self._num_units], gates.dtype))
        i, j, f, o = split(gates, 4, axis=1)
        i, j, f = self._norm(i, "input"), self._norm(j, "transform"), self._norm(f, "forget")
        o, g = self._norm(o, "output"), self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = dropout(g, self._keep_prob, seed=self._seed)
        new_c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * g
        new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


def _normalized(x, gamma, beta):
    mean, variance = shims.nn.moments(x, [1], keepdims=True)
    return shims.nn.batch_normalization(x, mean, variance, beta, gamma, 1e-12)


class NASCell(LayerRNNCell):
    """The cell that Zoph and Le (2017) found by neural architecture search.

    Args:
      num_units: the size of the cell state.
      num_proj: the size that the output is projected to.
      use_bias: whether the recurrent product has a bias.
      reuse: whether to reuse existing variables.
      **kwargs: arguments of the base class.
    """

    __module__ = "shims.compat.v1.contrib.rnn"

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    @property
    def state_size(self):
        """The sizes of cell state and hidden state."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self):
        """The size of the output."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, input_shape) -> None:
        """Create the kernels, and optionally the bias and the projection."""
        columns = 8 * self._num_units
        self._recurrent = self.add_weight("recurrent_kernel", [self.output_size, columns])
        self._kernel = self.add_weight("kernel", [self._input_depth(input_shape), columns])
        if self._use_bias:
            self._bias = self.add_weight("bias", [columns], initializer=zeros_initializer())
        if self._num_proj is not None:
            self._projection = self.add_weight(
                "projection_weights", [self._num_units, self._num_proj]
            )
        self.built = True

    def call(self, inputs, state):
        """Compute one time step."""
        c, m = state
        recurrent = matmul(m, self._recurrent)
        if self._use_bias:
            recurrent = bias_add(recurrent, self._bias)
        y = split(recurrent, 8, axis=1)
        x = split(matmul(inputs, self._kernel), 8, axis=1)
        first = tanh(sigmoid(x[0] + y[0]) * _relu(x[1] + y[1]))
        second = tanh(sigmoid(x[2] + y[2]) + _relu(x[3] * y[3]))
        third = tanh(tanh(x[4] + y[4]) * sigmoid(x[5] + y[5]))
        fourth = sigmoid(tanh(x[6] + y[6]) + sigmoid(x[7] + y[7]))
        new_c = tanh(first + c) * second
        new_m = tanh(new_c * tanh(third + fourth))
        if self._num_proj is not None:
            new_m = matmul(new_m, self._projection)
        return new_m, LSTMStateTuple(new_c, new_m)
