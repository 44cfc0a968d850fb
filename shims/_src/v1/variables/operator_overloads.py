"""Define Python's operators for tensors and variables of a graph, with TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

import shims
from shims._src.types.dimension import Dimension
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import MODES
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.variables.variables import GraphVariable

_BINARY = {
    "add": (shims.add, "add", "AddV2"),
    "sub": (shims.subtract, "sub", "Sub"),
    "mul": (shims.multiply, "mul", "Mul"),
    "truediv": (shims.truediv, "truediv", "RealDiv"),
    "floordiv": (shims.math.floordiv, "floordiv", "FloorDiv"),
    "mod": (shims.math.floormod, "mod", "FloorMod"),
    "pow": (shims.pow, "pow", "Pow"),
    "matmul": (shims.matmul, "matmul", "MatMul"),
}
_LOGICAL = {
    "and": (shims.logical_and, "and", "LogicalAnd"),
    "or": (shims.logical_or, "or", "LogicalOr"),
    "xor": (shims.math.logical_xor, "LogicalXor", "LogicalXor"),
}
_COMPARISONS = {
    "lt": (shims.less, "Less", "Less"),
    "le": (shims.less_equal, "LessEqual", "LessEqual"),
    "gt": (shims.greater, "Greater", "Greater"),
    "ge": (shims.greater_equal, "GreaterEqual", "GreaterEqual"),
}
_UNARY = {
    "neg": (shims.negative, "Neg"),
    "abs": (shims.abs, "Abs"),
    "invert": (shims.logical_not, "LogicalNot"),
}


def bind_operators() -> None:
    """Define Python's operators, such as `+`, on the classes of tensors and variables."""
    classes: tuple[Any, ...] = (Tensor, GraphVariable)
    for cls in classes:
        for python, (f, name, type_) in {**_BINARY, **_LOGICAL}.items():
            setattr(cls, f"__{python}__", _binary(f, name, type_))
            setattr(cls, f"__r{python}__", _binary(f, name, type_, reverse=True))
        for python, (f, name, type_) in _COMPARISONS.items():
            setattr(cls, f"__{python}__", _binary(f, name, type_))
        for python, (f, name) in _UNARY.items():
            setattr(cls, f"__{python}__", _unary(f, name))
        cls.__div__ = cls.__truediv__
        cls.__getitem__ = _getitem
        cls.__eq__, cls.__ne__ = _equal, _not_equal
        cls.__hash__ = object.__hash__  # a run looks up each variable several times


def _binary(f, name, type_, reverse=False):
    def method(self, other):
        if other is None or isinstance(other, str):
            return NotImplemented
        operands = (other, self) if reverse else (self, other)
        return operation_of(f, operands, {}, public=f"operator {name}", name=name, type_=type_)

    return method


def _unary(f, name):
    def method(self):
        return operation_of(f, (self,), {}, public=f"operator {name}", name=name, type_=name)

    return method


def _equal(self, other):
    if not MODES.tensor_equality:
        return self is other
    if other is None:
        return False
    return operation_of(shims.equal, (self, other), {}, public="operator equal", name="equal")


def _not_equal(self, other):
    if not MODES.tensor_equality:
        return self is not other
    if other is None:
        return True
    return operation_of(
        shims.not_equal, (self, other), {}, public="operator not_equal", name="not_equal"
    )


def _getitem(self, key):
    """Index or slice a tensor, as in `x[1:, ..., tf.newaxis, i]`."""
    begin, end, strides = [], [], []
    masks = dict.fromkeys(
        ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0
    )
    for i, part in enumerate(key if isinstance(key, (list, tuple)) else (key,)):
        first, last, step, set_ = _parse_index_entry(part)
        begin.append(first)
        end.append(last)
        strides.append(step)
        for mask in set_:
            masks[mask] |= 1 << i
    return operation_of(
        _strided_slice,
        (self, begin, end, strides),
        masks,
        public="operator getitem",
        name="strided_slice",
        type_="StridedSlice",
    )


def _strided_slice(x, begin, end, strides, **masks):
    return shims.strided_slice(x, begin, end, strides, **masks)


def _parse_index_entry(part) -> tuple[Any, Any, Any, tuple[str, ...]]:
    """Convert one entry of an index, such as `1:`, to arguments of `strided_slice`.

    Returns begin, end, stride and the names of the masks in which to set the bit of this entry.
    """
    if part is Ellipsis:
        return 0, 0, 1, ("ellipsis_mask",)
    if part is None:
        return 0, 0, 1, ("new_axis_mask",)
    if isinstance(part, slice):
        masks = [m for m, v in (("begin_mask", part.start), ("end_mask", part.stop)) if v is None]
        start, stop, step = (_dimension_to_value(v) for v in (part.start, part.stop, part.step))
        return (
            0 if start is None else start,
            0 if stop is None else stop,
            1 if step is None else step,
            tuple(masks),
        )
    position = _dimension_to_value(part)
    if isinstance(position, (bool, np.bool_, float, np.floating, str)):
        raise TypeError(
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {part!r}"
        )
    if isinstance(position, Tensor):
        get_default_graph().unique_name("add")  # TensorFlow ends the slice at `position + 1`
    return position, 0, 1, ("shrink_axis_mask",)


def _dimension_to_value(value):
    return value.value if isinstance(value, Dimension) else value
