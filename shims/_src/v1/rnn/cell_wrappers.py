"""Define cells that wrap other cells: stacks, dropout, residual connections, devices."""

from __future__ import annotations

import hashlib

import jax

import shims
from shims._src.random import stateful
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.standard_operators import concat, slice_
from shims._src.v1.layers.base import Layer
from shims._src.v1.ops.dropout import dropout
from shims._src.v1.rnn.cell import RNNCell, check_cell, sizes_after_batch
from shims._src.v1.rnn.cells import LSTMStateTuple
from shims._src.v1.variables.variable_scope import variable_scope

_uniform = deferred(stateful.uniform, "random.uniform")
_add = deferred(shims.add, "add")


class MultiRNNCell(RNNCell):
    """A stack of cells, in which each cell receives the output of the previous cell.

    Args:
      cells: the cells.
      state_is_tuple: whether the state is a tuple of the states, or one tensor with all
        concatenated.

    Raises:
      ValueError: there are no cells, or `state_is_tuple` is false and a cell has a tuple as state.
      TypeError: `cells` is not a list.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/MultiRNNCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but received: {cells}.")
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(isinstance(c.state_size, tuple) for c in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set. State "
                f"sizes are: {[c.state_size for c in cells]}"
            )

    @property
    def state_size(self):
        """The state sizes of the cells: a tuple, or their sum if the state is one tensor."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        """The output size of the last cell."""
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list:
        """The variables of all cells that optimizers update."""
        layers = [c for c in self._cells if isinstance(c, Layer)]
        return [w for c in layers for w in c.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self) -> list:
        """The variables of all cells that optimizers do not update."""
        layers = [c for c in self._cells if isinstance(c, Layer)]
        rest = [w for c in layers for w in c.non_trainable_weights]
        return rest if self.trainable else [w for c in layers for w in c.trainable_weights] + rest

    def zero_state(self, batch_size, dtype):
        """Return a zero state for all cells."""
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs, state):
        """Compute one time step; the output of each cell is the input of the next."""
        new, place = [], 0
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    if not isinstance(state, (list, tuple)):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but "
                            f"received: {state}"
                        )
                    own = state[number]
                else:
                    own = slice_(state, [0, place], [-1, cell.state_size])
                    place += cell.state_size
                inputs, after = cell(inputs, own)
                new.append(after)
        return inputs, tuple(new) if self._state_is_tuple else concat(new, 1)


class _Wrapper(RNNCell):
    """The base class of cells that wrap a single cell."""

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, cell, **kwargs):
        super().__init__(**kwargs)
        check_cell("cell", cell)
        self.cell = cell

    def __call__(self, inputs, state, scope=None):
        """Compute one time step of the wrapped cell, modified by the wrapper."""
        named = {} if scope is None else {"scope": scope}
        return self._wrap_step(inputs, state, lambda i, s: self.cell(i, s, **named))

    def _wrap_step(self, inputs, state, step):
        raise NotImplementedError

    @property
    def wrapped_cell(self):
        """The wrapped cell."""
        return self.cell

    @property
    def state_size(self):
        """The state size of the wrapped cell."""
        return self.cell.state_size

    @property
    def output_size(self):
        """The output size of the wrapped cell."""
        return self.cell.output_size

    @property
    def trainable_weights(self) -> list:
        """The variables of the wrapped cell that optimizers update."""
        return self.cell.trainable_weights if isinstance(self.cell, Layer) else []

    @property
    def non_trainable_weights(self) -> list:
        """The variables of the wrapped cell that optimizers do not update."""
        return self.cell.non_trainable_weights if isinstance(self.cell, Layer) else []

    def zero_state(self, batch_size, dtype):
        """Return a zero state of the wrapped cell."""
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            return self.cell.zero_state(batch_size, dtype)


class DropoutWrapper(_Wrapper):
    """A cell that applies dropout to the inputs, states and outputs of another cell.

    Args:
      cell: the cell to wrap.
      input_keep_prob: the probability of keeping an element of the inputs, a number or a scalar tensor.
      output_keep_prob: the probability of keeping an element of the outputs.
      state_keep_prob: the probability of keeping an element of the states; the cell state of an LSTM is never dropped.
      variational_recurrent: whether all steps and examples share the same dropout mask.
      input_size: the size of the inputs, for `variational_recurrent`.
      dtype: the dtype, for `variational_recurrent`.
      seed: the seed from which the seeds of the operations are derived.
      dropout_state_filter_visitor: a function of a part of the state, which returns a bool, or a
        structure of bools, that says whether dropout applies to this part.

    Raises:
      ValueError: a probability is not in `[0, 1]`, or `variational_recurrent` lacks an argument.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/DropoutWrapper
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(
        self,
        cell,
        input_keep_prob=1.0,
        output_keep_prob=1.0,
        state_keep_prob=1.0,
        variational_recurrent=False,
        input_size=None,
        dtype=None,
        seed=None,
        dropout_state_filter_visitor=None,
        **kwargs,
    ):
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {visitor}")
        self._filter = visitor or _all_but_cell_state
        with get_default_graph().name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _check_probability(input_keep_prob, "input_keep_prob")
            self._state_keep_prob = _check_probability(state_keep_prob, "state_keep_prob")
            self._output_keep_prob = _check_probability(output_keep_prob, "output_keep_prob")
            self._seed, self._variational = seed, variational_recurrent
            self._noise: dict = {"input": None, "state": None, "output": None}
            if variational_recurrent:
                self._make_noise(input_size, dtype)

    def _make_noise(self, input_size, dtype) -> None:
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _may_drop(self._input_keep_prob):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        for salt, size in sizes.items():
            leaves, tree = jax.tree.flatten(size)
            made = [
                _uniform([1, *sizes_after_batch(s)], dtype=dtype, seed=self._seed_of(salt, i))
                for i, s in enumerate(leaves)
            ]
            self._noise[salt] = jax.tree.unflatten(tree, made)

    def _seed_of(self, salt: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _apply_dropout(self, values, salt: str, keep_prob, chosen=None):
        leaves, tree = jax.tree.flatten(values)
        noise = jax.tree.leaves(self._noise[salt]) or [None] * len(leaves)
        chosen = [True] * len(leaves) if chosen is None else jax.tree.leaves(chosen)
        if len(chosen) == 1:
            chosen = chosen * len(leaves)
        found = []
        for i, (value, is_chosen, n) in enumerate(zip(leaves, chosen, noise, strict=True)):
            if isinstance(is_chosen, bool) and not is_chosen:
                found.append(value)
            elif self._variational:
                found.append(_add_mask(value, n, keep_prob))
            else:
                seed = self._seed_of(salt, i)
                found.append(dropout(value, rate=1.0 - keep_prob, seed=seed))
        return jax.tree.unflatten(tree, found)

    def _wrap_step(self, inputs, state, step):
        if _may_drop(self._input_keep_prob):
            inputs = self._apply_dropout(inputs, "input", self._input_keep_prob)
        output, new = step(inputs, state)
        if _may_drop(self._state_keep_prob):
            chosen = _select_for_dropout(self._filter, new)
            new = self._apply_dropout(new, "state", self._state_keep_prob, chosen)
        if _may_drop(self._output_keep_prob):
            output = self._apply_dropout(output, "output", self._output_keep_prob)
        return output, new


def _check_probability(value, name: str):
    """Check a probability; return a `float` if it is static, otherwise a tensor."""
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1. Received {known}")
    return float(known)


def _may_drop(keep_prob) -> bool:
    return not isinstance(keep_prob, float) or keep_prob < 1


def _add_mask(value, noise, keep_prob):
    return operation_of(_mask, (value, noise, keep_prob), {}, public="multiply", name="mul")


def _mask(value, noise, keep_prob):
    return shims.divide(value, keep_prob) * shims.floor(keep_prob + noise)


def _all_but_cell_state(state):
    """Select the parts of a state that dropout applies to by default: all but an LSTM's cell state."""
    return LSTMStateTuple(c=False, h=True) if isinstance(state, LSTMStateTuple) else True


def _select_for_dropout(visit, state):
    """Return one bool for each tensor of a state: whether dropout applies to the tensor.

    visit: a function that maps a part of the state to a bool, or to a structure of bools.
    """
    answer = visit(state)
    if not isinstance(answer, bool):
        return answer
    if answer and isinstance(state, (list, tuple)):
        return [_select_for_dropout(visit, s) for s in state]
    return [answer] * len(jax.tree.leaves(state))


class ResidualWrapper(_Wrapper):
    """A cell that adds the inputs to the outputs of another cell.

    Args:
      cell: the cell to wrap.
      residual_fn: a function of inputs and outputs to use instead of the sum.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/ResidualWrapper
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _wrap_step(self, inputs, state, step):
        outputs, new = step(inputs, state)
        if self._residual_fn is not None:
            return self._residual_fn(inputs, outputs), new
        for x, y in zip(jax.tree.leaves(inputs), jax.tree.leaves(outputs), strict=True):
            x.shape.assert_is_compatible_with(y.shape)
        return jax.tree.map(lambda x, y: x + y, inputs, outputs), new


class DeviceWrapper(_Wrapper):
    """A cell that records a device on the operations of another cell; JAX decides the placement.

    Args:
      cell: the cell to wrap.
      device: the name of the device.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/DeviceWrapper
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, cell, device, **kwargs):
        super().__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        """Return a zero state of the wrapped cell."""
        with get_default_graph().device(self._device):
            return super().zero_state(batch_size, dtype)

    def _wrap_step(self, inputs, state, step):
        with get_default_graph().device(self._device):
            return step(inputs, state)
