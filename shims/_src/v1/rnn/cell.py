"""Define `RNNCell`, the base class of recurrent cells."""

from __future__ import annotations

import jax

import shims
from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.shapes import GraphShape, dimension_value
from shims._src.v1.layers.base import Layer, parts_of
from shims._src.v1.variables.initializers import filled
from shims._src.v1.variables.variable_lists import trainable_variables
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope


class RNNCell(Layer):
    """A layer that maps an input and a state to an output and the next state.

    A subclass defines `state_size`, `output_size` and `call(inputs, state)`. Variables that `call`
    creates by `get_variable` belong to the cell.

    Args:
      trainable: whether the variables of the layer are added to the collection of trainable
        variables.
      name: the name of the cell; derived from the class name when `None`.
      dtype: the dtype of the layer's variables; the dtype of the first input when `None`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/rnn_cell/RNNCell
    """

    __module__ = "shims.compat.v1.nn.rnn_cell"

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._cell_scope: variable_scope | None = None

    def __call__(self, inputs, state, scope=None):
        """Compute one time step.

        Args:
          inputs: tensor `[batch, size]`.
          state: tensors with the structure of `state_size`.
          scope: the scope of the variables.

        Returns:
          The output, and the next state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._track_variable) as opened:
                return super().__call__(inputs, state, scope=opened)
        cached = getattr(self, "_cell_scope", None)
        if cached is None:
            cached = variable_scope(get_variable_scope(), custom_getter=self._track_variable)
            self._cell_scope = cached
        with cached:
            return super().__call__(inputs, state)

    def _track_variable(self, getter, *args, **kwargs):
        """Create a variable by calling `getter`, and add it to the variables of the cell."""
        variable = getter(*args, **kwargs)
        counts = set(trainable_variables()).issuperset(parts_of(variable))
        kept = self._trainable_weights if counts else self._non_trainable_weights
        kept.extend(v for v in parts_of(variable) if all(v is not w for w in kept))
        return variable

    @property
    def state_size(self):
        """The size of the state, or a nested structure of sizes."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self):
        """The size of the output."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Return a zero state for `batch_size`, or for the batch size of `inputs`."""
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            batch_size, dtype = batch_size_of(inputs), inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """Return a zero state.

        Args:
          batch_size: a number or a scalar tensor.
          dtype: the dtype of the state.
        """
        with get_default_graph().name_scope(f"{type(self).__name__}ZeroState"):
            return jax.tree.map(lambda size: zeros(batch_size, size, dtype), self.state_size)


class LayerRNNCell(RNNCell):
    """A cell that creates its variables in `build`."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        """Compute one time step; see `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def check(self, inputs) -> None:
        """Raise `ValueError` unless the inputs are floating-point or complex with two axes."""
        self._check_rank(inputs, exact=2)
        if not (inputs.dtype.is_floating or inputs.dtype.is_complex):
            raise ValueError(
                "RNN cell only supports floating point inputs, but received dtype: "
                f"<dtype: '{inputs.dtype.name}'>"
            )

    def _input_depth(self, input_shape) -> int:
        """Return the size of the last axis of the inputs, which must be static."""
        size = dimension_value(input_shape[-1]) if input_shape.rank else None
        if size is None:
            raise ValueError(
                f"Expected inputs.shape[-1] to be known, received shape: {input_shape}"
            )
        return size


def sizes_after_batch(size) -> list[int]:
    """Return the sizes after the batch axis as a list, given one size or a shape without that axis."""
    if isinstance(size, GraphShape):
        return size.as_list()
    if isinstance(size, (list, tuple)):
        return [int(d) for d in size]
    return [int(dimension_value(size))]


def zeros(batch_size, size, dtype) -> Tensor:
    """Create zeros of shape `[batch_size, *size]`."""
    sizes = sizes_after_batch(size)
    known = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
    if known is not None:
        return filled("zeros", [int(known), *sizes], 0, dtype)
    found = operation_of(
        _zeros,
        (batch_size, sizes, as_dtype(dtype)),
        {},
        public="zeros",
        name="zeros",
        type_="Fill",
    )
    found.set_shape([None, *sizes])
    return found


def _zeros(batch_size, sizes, dtype):
    return shims.zeros([batch_size, *sizes], dtype)


def batch_size_of(tensor: Tensor, axis: int = 0):
    """Return the batch size of a tensor: an `int` if it is static, otherwise a scalar tensor."""
    known = tensor.shape.as_list()[axis]
    if known is not None:
        return known
    return operation_of(
        _size_of_axis, (tensor, axis), {}, public="strided_slice", name="strided_slice"
    )


def _size_of_axis(x, axis):
    return shims.shape(x)[axis]


def check_cell(name: str, cell) -> None:
    """Raise `TypeError` if the argument lacks the methods of a cell."""
    wrong = [
        f"'{attribute}' property is missing"
        for attribute in ("output_size", "state_size")
        if not _has_attribute(cell, attribute)
    ]
    if not (_has_attribute(cell, "zero_state") or _has_attribute(cell, "get_initial_state")):
        wrong.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        wrong.append("is not callable")
    if wrong:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(wrong)}.")


def _has_attribute(cell, attribute: str) -> bool:
    try:
        getattr(cell, attribute)
    except AttributeError:
        return False
    except NotImplementedError:
        return True
    return True
