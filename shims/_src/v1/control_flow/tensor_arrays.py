"""Provide `TensorArray` for graphs: each method adds an operation that returns a new state."""

from __future__ import annotations

from typing import Any

import numpy as np

import shims
from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype, float32, int32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.output_specs import constant_value
from shims._src.v1.graph.shapes import GraphShape


class TensorArray:
    """A list of tensors of the same dtype, read and written by index.

    Args:
      dtype: the dtype of the elements.
      size: the number of elements.
      dynamic_size: whether writing past the end extends the list.
      clear_after_read: accepted and ignored; an element can be read again.
      tensor_array_name: accepted and ignored.
      handle: not supported.
      flow: not supported.
      infer_shape: whether all elements must have the same shape.
      element_shape: the static shape of the elements.
      colocate_with_first_write_call: accepted and ignored.
      name: the name of the operation.

    Raises:
      ValueError: `size` is missing, or `handle` is given.

    Differs from TensorFlow:
      An earlier state of the list can be read. `handle` and `grad` are not supported: gradients
      flow through all methods.

    https://www.tensorflow.org/api_docs/python/tf/TensorArray
    """

    __module__ = "shims.compat.v1"

    def __new__(cls, *args, **kwargs):
        """Create the list; in eager execution, create a list of arrays instead."""
        return shims.TensorArray(*args, **kwargs) if executing_eagerly() else super().__new__(cls)

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        del clear_after_read, tensor_array_name, flow, colocate_with_first_write_call
        if handle is not None:
            raise ValueError(
                "TensorArray: a `handle` is not supported; pass the `TensorArray` itself."
            )
        if size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = bool(infer_shape)
        self._size = convert_to_tensor(size, int32 if isinstance(size, int) else None)
        # Shared by all states of the list: the first write sets it for all of them.
        self._element_shape = [GraphShape(element_shape)]
        settings = {
            "dynamic_size": self._dynamic_size,
            "clear_after_read": False,
            "infer_shape": self._infer_shape,
        }

        def compute(run, op, values):
            del run, op
            known = self._element_shape[0]
            count = values[0] if self._static_size() is None else self._static_size()
            shape = known.as_list() if known.rank is not None else None
            return [shims.TensorArray(self._dtype, count, element_shape=shape, **settings)]

        self._flow = _add_operation("TensorArrayV3", name or "TensorArray", compute, [self._size])

    def _static_size(self) -> int | None:
        value = constant_value(self._size)
        return None if value is None else int(value)

    def with_flow(self, flow: Tensor) -> TensorArray:
        """Return the list in the state that a flow tensor (see `flow`) represents."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new._flow = flow
        return new

    # ---- properties ------------------------------------------------------------------------------

    @property
    def flow(self) -> Tensor:
        """The tensor that represents the current state of the list."""
        return self._flow

    @property
    def handle(self) -> Tensor:
        """The tensor `flow`, as there are no handles."""
        return self._flow

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end extends the list."""
        return self._dynamic_size

    @property
    def element_shape(self) -> GraphShape:
        """The static shape of the elements."""
        return self._element_shape[0]

    def size(self, name=None) -> Tensor:
        """Return the number of elements."""
        if not self._dynamic_size:
            return self._size if self._size.dtype == int32 else convert_to_tensor(self._size)
        return self._read("TensorArraySizeV3", name, lambda a: a.size(), [], (), int32)

    # ---- elements --------------------------------------------------------------------------------

    def read(self, index, name=None) -> Tensor:
        """Return the element at an index.

        Args:
          index: an int scalar.
          name: the name of the operation.
        """
        f = lambda array, i: array.read(i)
        return self._read("TensorArrayReadV3", name, f, [index], self.element_shape)

    def write(self, index, value, name=None) -> TensorArray:
        """Return the list with an element replaced.

        Args:
          index: an int scalar.
          value: the element.
          name: the name of the operation.

        Raises:
          ValueError: the shape or dtype differs from the other elements.
        """
        value = self._check_value(value)
        self._check_shape(value.shape)
        return self._write("TensorArrayWrite", name, "write", [index, value])

    def stack(self, name=None) -> Tensor:
        """Stack all elements along a new first axis."""
        count = None if self._dynamic_size else self._static_size()
        shape = GraphShape([count]).concatenate(self.element_shape)
        with get_default_graph().name_scope("TensorArrayStack"):
            f = lambda array: array.stack()
            return self._read("TensorArrayGatherV3", name, f, [], shape)

    def gather(self, indices, name=None) -> Tensor:
        """Stack the elements at given indices.

        Args:
          indices: an int vector.
          name: the name of the operation.
        """
        indices = convert_to_tensor(indices)
        shape = indices.shape.with_rank(1).concatenate(self.element_shape)
        f = lambda array, i: array.gather(i)
        return self._read("TensorArrayGatherV3", name, f, [indices], shape)

    def concat(self, name=None) -> Tensor:
        """Concatenate all elements along their first axis."""
        known, shape = self.element_shape, GraphShape(None)
        if known.rank:
            sizes = known.as_list()
            count = None if self._dynamic_size else self._static_size()
            joined = (
                None if None in (count, sizes[0]) or not self._infer_shape else count * sizes[0]
            )
            shape = GraphShape([joined, *sizes[1:]])
        return self._read("TensorArrayConcatV3", name, lambda array: array.concat(), [], shape)

    def unstack(self, value, name=None) -> TensorArray:
        """Return the list with the slices of a tensor as its elements.

        Args:
          value: a tensor.
          name: the name of the operation.
        """
        value = self._check_value(value)
        self._check_shape(value.shape[1:])
        return self._write("TensorArrayUnstack", name, "unstack", [value])

    def scatter(self, indices, value, name=None) -> TensorArray:
        """Return the list with the slices of a tensor written at given indices.

        Args:
          indices: an int vector.
          value: a tensor with a slice for each index.
          name: the name of the operation.
        """
        value = self._check_value(value)
        self._check_shape(value.shape[1:])
        return self._write("TensorArrayScatter", name, "scatter", [indices, value])

    def split(self, value, lengths, name=None) -> TensorArray:
        """Return the list with consecutive parts of a tensor as its elements.

        Args:
          value: a tensor.
          lengths: the length of each part; must be static.
          name: the name of the operation.

        Raises:
          ValueError: the lengths are not static, or they differ although `infer_shape` is set.
        """
        value = self._check_value(value)
        known = constant_value(lengths)
        if known is None:
            raise ValueError("TensorArray.split: `lengths` must be known while the graph is built.")
        sizes = [int(n) for n in np.ravel(known)]
        if len(set(sizes)) > 1 and self._infer_shape:
            raise ValueError(
                "TensorArray.split: parts of different lengths have different shapes; set "
                "`infer_shape=False`."
            )
        if sizes and len(set(sizes)) == 1:
            self._check_shape(GraphShape([sizes[0]]).concatenate(value.shape[1:]))
        return self._write("TensorArraySplit", name, "split", [value], sizes)

    pack, unpack = stack, unstack

    def identity(self) -> TensorArray:
        """Return the same list; a new identity operation passes its state on."""
        return self.with_flow(self._read("Identity", None, lambda array: array, [], (), float32))

    def close(self, name=None) -> Operation:
        """Create an operation that does nothing: memory is released automatically."""
        return _add_operation("TensorArrayCloseV3", name, lambda *_: [], [self._flow], outputs=())

    def grad(self, source, flow=None, name=None):
        """Raise an error: gradients pass through the other methods, so `grad` is not supported."""
        raise errors.UnimplementedError(
            errors.message(
                "TensorArray.grad",
                "the `TensorArray` of gradients is not supported.",
                do="differentiate with respect to the written values: `tf.gradients(y, value)`",
            )
        )

    # ---- operations ------------------------------------------------------------------------------

    def _check_value(self, value) -> Tensor:
        value = convert_to_tensor(value, preferred_dtype=self._dtype)
        if value.dtype != self._dtype:
            raise ValueError(
                f"TensorArray dtype is {self._dtype.name}, and the value has the dtype "
                f"{value.dtype.name}."
            )
        return value

    def _check_shape(self, shape: GraphShape) -> None:
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self.element_shape} ")
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(shape)

    def _read(self, type_, name, f, operands, shape, dtype=None) -> Tensor:
        def compute(run, op, values):
            del run, op
            return [f(*values)]

        given = [convert_to_tensor(x) for x in operands]
        outputs = [(shape, dtype or self._dtype)]
        return _add_operation(type_, name, compute, [self._flow, *given], outputs)

    def _write(self, scope, name, method: str, operands, *numbers) -> TensorArray:
        def compute(run, op, values):
            del run, op
            return [getattr(values[0], method)(*values[1:], *numbers)]

        with get_default_graph().name_scope(name or scope):
            given = [convert_to_tensor(x) for x in operands]
            type_ = "TensorArrayScatterV3" if scope == "TensorArrayUnstack" else f"{scope}V3"
            return self.with_flow(_add_operation(type_, None, compute, [self._flow, *given]))


def _add_operation(type_: str, name, compute, inputs, outputs: Any = None):
    """Add an operation on a `TensorArray`; return its first output, or the operation if it has none.

    outputs: `(shape, dtype)` of each output; if `None`, the output is the next state of the list.
    """
    graph = get_default_graph()
    op = Operation(
        graph,
        type_,
        graph.unique_name(name or type_),
        compute,
        inputs,
        [((), float32)] if outputs is None else outputs,
        graph.present_control_inputs(),
    )
    return op.outputs[0] if op.outputs else op
