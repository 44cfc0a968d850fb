"""Define `HostTensor`: a NumPy array with the methods and operators of TensorFlow's tensors.

Elements of datasets and strings live on the host: nothing is transferred or compiled for them, 64-bit
dtypes keep their width, and JAX takes them wherever it takes a NumPy array.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shims._src.errors import errors
from shims._src.platform import user_frames
from shims._src.types.composite import is_composite
from shims._src.types.dtypes import as_dtype
from shims._src.types.shape import Shape
from shims._src.types.tensor_shape import TensorShape


class HostTensor(np.ndarray):
    """A tensor on the host: numbers of any width, or strings, which are `bytes` in an object array.

    Differs from TensorFlow:
      A `HostTensor` is also a NumPy array: it has NumPy's methods, and an operator with a JAX array
      returns a JAX array.

    Under jit:
      An argument of this class is traced like a NumPy array: 64-bit numbers become 32-bit ones
      unless `jax_enable_x64` is on.

    https://www.tensorflow.org/api_docs/python/tf/Tensor
    """

    __hash__ = None

    @property
    def shape(self) -> Any:
        """The shape: a tuple that has the methods of `TensorShape` in a program's own code."""
        found = _SHAPE.__get__(self)
        if user_frames.runs_unconverted_library(sys._getframe(1)):
            return found
        return Shape(found)

    @shape.setter
    def shape(self, value) -> None:
        _SHAPE.__set__(self, tuple(value))

    @property
    def dtype(self) -> Any:
        """The dtype: TensorFlow's in a program's own code, NumPy's elsewhere."""
        found = _DTYPE.__get__(self)
        if user_frames.runs_unconverted_library(sys._getframe(1)):
            return found
        return as_dtype(found)

    def numpy(self) -> Any:
        """Return the values as a NumPy array, or as a scalar or `bytes` if there are no axes."""
        return np.array(self)[()]

    def get_shape(self) -> Shape:
        """Return the shape."""
        return Shape(_SHAPE.__get__(self))

    def set_shape(self, shape) -> None:
        """Check that the shape is compatible with `shape`.

        Raises:
          ValueError: it is not.
        """
        if not TensorShape(self.get_shape()).is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {tuple(self.get_shape())} is not compatible with supplied shape "
                f"{shape}."
            )

    def ref(self) -> HostReference:
        """Return a hashable reference to this tensor, for use as a key."""
        return HostReference(self)

    experimental_ref = ref

    @property
    def device(self) -> Any:
        """The device, by TensorFlow's name."""
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    def __getitem__(self, key) -> Any:
        try:
            return host(super().__getitem__(key))
        except IndexError as error:
            raise errors.OutOfBoundsError(f"slice index out of bounds: {error}") from None

    def __iter__(self) -> Iterator[HostTensor]:
        if not self.ndim:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return super().__len__()

    def __array_ufunc__(self, ufunc, method, *inputs, **options) -> Any:
        first = inputs[0]
        name = _UFUNCS.get(ufunc.__name__) if isinstance(first, np.generic) else None
        if name is not None and method == "__call__" and not options:
            return _applied(name, True, inputs[1], first)  # a NumPy scalar before an operator
        if "out" in options:
            options["out"] = tuple(map(np.asarray, options["out"]))
        plain = [np.asarray(x) if isinstance(x, HostTensor) else x for x in inputs]
        found = getattr(ufunc, method)(*plain, **options)
        wraps = isinstance(found, (np.ndarray, np.generic))
        return host(found) if wraps else found

    def __str__(self) -> str:
        line = "\n" if self.ndim > 1 else ""
        return f"tf.Tensor({line}{_text(self)}, shape={_size_text(self)}, dtype={_name(self)})"

    def __repr__(self) -> str:
        values = np.asarray(self)[()] if not self.ndim else np.asarray(self)
        numbers = repr(values.item() if isinstance(values, np.generic) else values)
        return f"<tf.Tensor: shape={_size_text(self)}, dtype={_name(self)}, numpy={numbers}>"

    def __format__(self, spec: str) -> str:
        value = np.asarray(self)[()]
        return format(value if not self.ndim else str(value), spec)


class HostReference:
    """A hashable reference to a tensor: equal to the references to the same tensor."""

    def __init__(self, tensor: HostTensor):
        self._tensor = tensor

    def deref(self) -> HostTensor:
        """Return the tensor."""
        return self._tensor

    def __eq__(self, other) -> bool:
        return isinstance(other, HostReference) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return id(self._tensor)


_SHAPE: Any = np.ndarray.shape
_DTYPE: Any = np.ndarray.dtype


def host(values) -> HostTensor:
    """View a NumPy array or scalar, or the values of a JAX array, as a `HostTensor`."""
    if type(values) is HostTensor:
        return values
    if isinstance(values, (bytes, str)):
        return _strings(np.array(values, object))
    found = np.asarray(values)
    return _strings(found) if found.dtype.kind in "SUO" else found.view(HostTensor)


def _strings(array: np.ndarray) -> HostTensor:
    """Convert an array of strings to `bytes` in UTF-8."""
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = [_encoded(x) for x in array.reshape(-1).tolist()]
    return out.view(HostTensor)


def _encoded(x) -> bytes:
    if isinstance(x, bytes):
        return x
    if isinstance(x, str):
        return x.encode()
    raise ValueError(
        f"Failed to convert a NumPy array to a Tensor: unsupported {type(x).__name__}."
    )


def _name(x: HostTensor) -> str:
    dtype = _DTYPE.__get__(x)
    return "string" if dtype.hasobject else dtype.name


def _size_text(x: HostTensor) -> str:
    return str(tuple(_SHAPE.__get__(x)))


def _text(x: HostTensor) -> str:
    return str(np.asarray(x)[()])


# ---- operators -----------------------------------------------------------------------------------

_DIVIDED_AS: dict[np.dtype, np.dtype] = {  # the dtype in which TensorFlow divides integers
    **{np.dtype(n): np.dtype(np.float32) for n in ("int8", "uint8", "int16", "uint16")},
    **{np.dtype(n): np.dtype(np.float64) for n in ("int32", "uint32", "int64", "uint64")},
}
_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_NOT_OF_BOOL = frozenset({"add", "sub", "truediv", "floordiv", "mod", "pow", "matmul"})
_LOGICAL = ("and", "or", "xor")
_ORDER = ("lt", "le", "gt", "ge")
_EQUALITY = ("eq", "ne")
_OF_STRINGS = ("add", *_EQUALITY)
_COMPUTED = {
    name: getattr(operator, f"{name}_" if name in ("and", "or") else name)
    for name in (*_ARITHMETIC, *_LOGICAL, *_ORDER, *_EQUALITY)
}
# The names of NumPy's functions behind the operators whose first operand is a scalar of NumPy.
_UFUNCS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "equal": "eq",
    "not_equal": "ne",
}


def _operand(x: HostTensor, other, name: str) -> Any:
    """Convert the other operand to the dtype of a tensor; `NotImplemented` leaves it to its class."""
    dtype = _DTYPE.__get__(x)
    if isinstance(other, HostTensor):
        found = np.asarray(other)
        if found.dtype != dtype:
            raise _mismatch(x, _name(other), name)
        return found
    if isinstance(other, (np.ndarray, np.generic)):
        return np.asarray(host(other)).astype(dtype) if dtype.hasobject else other.astype(dtype)
    if isinstance(other, (bool, int, float, complex, str, bytes, list, tuple)):
        return _converted(x, other, name)
    return NotImplemented


def _converted(x: HostTensor, other, name: str) -> Any:
    dtype = _DTYPE.__get__(x)
    if isinstance(other, (list, tuple)) and any(is_composite(o) for o in other):
        return NotImplemented
    found = np.asarray(other)
    if dtype.hasobject and found.dtype.kind in "SUO":
        return np.asarray(host(found))
    number = np.dtype("int64") if found.dtype.kind == "b" else found.dtype
    if dtype.hasobject or found.dtype.kind in "SUO":
        raise _mismatch(x, "string" if found.dtype.kind in "SUO" else found.dtype.name, name)
    if found.size and not np.can_cast(number, dtype, "same_kind") and number.kind != "i":
        raise _mismatch(x, found.dtype.name, name)
    return found.astype(dtype)


def _mismatch(x: HostTensor, other: str, name: str) -> errors.DtypeMismatchError:
    return errors.DtypeMismatchError(
        errors.message(
            f"`{name}` of tensors",
            f"the operands have different dtypes, {_name(x)} and {other}.",
            required="operands of the same dtype",
            received=f"{_name(x)}, {other}",
            do="convert one of the operands with `shims.cast`",
        )
    )


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    of_array = getattr(np.ndarray, f"__{'r' if reflected else ''}{name}__")

    def method(self, other):
        if user_frames.runs_unconverted_library(sys._getframe(1)):
            return of_array(self, other)
        return _applied(name, reflected, self, other)

    method.__name__ = f"__{'r' if reflected else ''}{name}__"
    return method


def _applied(name: str, reflected: bool, tensor: HostTensor, other) -> Any:
    """Compute an operator as TensorFlow does; `NotImplemented` leaves it to the other operand."""
    if name in _EQUALITY and other is None:
        return name == "ne"
    y = _operand(tensor, other, name)
    if y is NotImplemented:
        return y
    x = np.asarray(tensor)
    if x.dtype.hasobject and name not in _OF_STRINGS:
        raise errors.MissingKernelError(
            errors.message(f"`{name}` of tensors", "there is no kernel for strings.")
        )
    if x.dtype == np.bool_ and name in _NOT_OF_BOOL:
        raise _mismatch(tensor, "bool", name)
    a, b = (y, x) if reflected else (x, y)
    if name in _EQUALITY and not _broadcast(a, b):
        return host(np.bool_(name == "ne"))
    return host(_computed(name, _COMPUTED[name], a, b))


def _broadcast(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether two shapes fit together."""
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a.shape), reversed(b.shape)))


def _computed(name: str, compute, a: np.ndarray, b: np.ndarray) -> Any:
    whole = a.dtype.kind in "iu"
    if name == "truediv" and whole:
        wide = _DIVIDED_AS[a.dtype]
        a, b = a.astype(wide), b.astype(wide)
    elif name in ("floordiv", "mod") and whole and not np.all(b):
        raise errors.InvalidArgumentError("Integer division by zero")
    elif name == "pow" and whole and np.any(b < 0):
        raise errors.InvalidArgumentError("Integers to negative integer powers are not allowed")
    if not _broadcast(a, b) and name != "matmul":
        raise errors.InvalidArgumentError(f"Incompatible shapes: {[*a.shape]} vs. {[*b.shape]}")
    with np.errstate(all="ignore"):
        found = compute(a, b)
    return np.asarray(found, bool) if name in (*_ORDER, *_EQUALITY) else found


def _unary(name: str) -> Callable[[Any], Any]:
    compute = getattr(operator, name)

    def method(self):
        return host(compute(np.asarray(self)))

    method.__name__ = f"__{name}__"
    return method


for _operator in (*_ARITHMETIC, *_LOGICAL):
    setattr(HostTensor, f"__{_operator}__", _binary(_operator, False))
    setattr(HostTensor, f"__r{_operator}__", _binary(_operator, True))
for _operator in (*_ORDER, *_EQUALITY):
    setattr(HostTensor, f"__{_operator}__", _binary(_operator, False))
for _operator in ("neg", "abs", "invert"):
    setattr(HostTensor, f"__{_operator}__", _unary(_operator))
