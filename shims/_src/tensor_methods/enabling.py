"""Add TensorFlow's methods of tensors to JAX's arrays and tracers, and remove them again."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar

import jax
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.sizes.padded import Padded
from shims._src.tensor_methods import list_operands
from shims._src.tracing.static_results import StaticArray
from shims._src.types.dtypes import as_dtype
from shims._src.types.shape import Shape
from shims._src.types.tensor_shape import TensorShape
from shims._src.variables.variable import Reference

# Under `jit`, what operators compute from known numbers is a `StaticArray`.
_CLASSES = (jp.ArrayImpl, jp.Tracer, StaticArray)


def _numpy(self) -> np.ndarray | np.generic:
    """Return the values as a NumPy array, or as a NumPy scalar if there are no axes."""
    return np.array(self)[()]


def _get_shape(self) -> Shape:
    """Return the shape."""
    return Shape(self.shape)


def _set_shape(self, shape) -> None:
    """Check that the shape is compatible with `shape`.

    Raises:
      ValueError: it is not.
    """
    if not TensorShape(self.shape).is_compatible_with(shape):
        raise ValueError(
            f"Tensor's shape {tuple(self.shape)} is not compatible with supplied shape {shape}."
        )


def _ref(self) -> Reference:
    """Return a hashable reference to this array, for use as a key."""
    return Reference(self)


def _to_device(platform: str) -> Callable[[jax.Array], jax.Array]:
    def method(self):
        return jax.device_put(self, jax.devices(platform)[0])

    return method


def _device_name(device) -> Any:
    """Return TensorFlow's name of a device; the sharding of an array on several devices stays."""
    if not isinstance(device, jax.Device):
        return device
    return f"/job:localhost/replica:0/task:0/device:{device.platform.upper()}:{device.id}"


def _for_programs(original: Any, convert: Callable[[Any], Any]) -> property:
    """Return a property that converts its value, but not for the code of JAX and libraries of arrays."""
    read = original.__get__

    def value(self):
        found = read(self)
        return found if user_frames.runs_unconverted_library(sys._getframe(1)) else convert(found)

    return property(value)


def _added(cls) -> dict[str, object]:
    """Return the attributes that a class of arrays gets while the methods are enabled."""
    added = {
        "get_shape": _get_shape,
        "set_shape": _set_shape,
        "ref": _ref,
        "experimental_ref": _ref,
        "shape": _for_programs(inspect.getattr_static(cls, "shape"), Shape),
        "dtype": _for_programs(inspect.getattr_static(cls, "dtype"), _known_dtype),
        **list_operands.operators_of(cls),
    }
    if cls is jp.ArrayImpl:  # as in TensorFlow, a traced value has no numbers
        added["device"] = _for_programs(vars(cls)["device"], _device_name)
        added |= {"numpy": _numpy, "cpu": _to_device("cpu"), "gpu": _to_device("gpu")}
    return added


def _known_dtype(dtype):
    """Return TensorFlow's dtype of the same name; one that it lacks, such as that of keys, stays."""
    try:
        return as_dtype(dtype)
    except TypeError:
        return dtype


_CHANGES = threading.Lock()  # the arrays of all threads have the methods


class TensorMethods:
    """The state of `enable_tensor_methods`: a context manager whose end removes the methods again."""

    _enabled = 0
    _saved: ClassVar[list[tuple[type, str, object]]] = []

    def __init__(self):
        with _CHANGES:
            if not TensorMethods._enabled:
                _add()
            TensorMethods._enabled += 1

    def __enter__(self) -> TensorMethods:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with _CHANGES:
            TensorMethods._enabled -= 1
            if not TensorMethods._enabled:
                _remove()


def are_enabled() -> bool:
    """Return whether arrays have the methods of tensors now."""
    return TensorMethods._enabled > 0


def _add() -> None:
    read = inspect.getattr_static(Padded, "dtype")
    changed: dict[type, dict[str, object]] = {cls: _added(cls) for cls in _CLASSES}
    changed[Padded] = {"dtype": _for_programs(read, _known_dtype)}
    for cls, added in changed.items():
        for name, value in added.items():
            TensorMethods._saved.append((cls, name, vars(cls).get(name, _ABSENT)))
            setattr(cls, name, value)


def _remove() -> None:
    while TensorMethods._saved:
        cls, name, value = TensorMethods._saved.pop()
        if value is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, value)


_ABSENT = object()


def enable_tensor_methods() -> TensorMethods:
    """Give JAX arrays the methods of TensorFlow's tensors, for programs that call them.

    JAX arrays get the methods `numpy()`, `get_shape()`, `set_shape()`, `ref()`, `cpu()` and `gpu()`, and accept
    lists, tuples and integers beyond 32 bits as operands (`x * [3., 4.]`, `x * (-2 ** 32 + 1)`). In the program's
    own code, `shape` is still a tuple, but has the methods of `TensorShape`; so has the `shape` of a Keras variable.
    Likewise, `dtype` has the methods of `DType` (JAX and NumPy still accept it), and `device` is the name of a
    device, as in TensorFlow. For the code of JAX, NumPy, Flax, Optax, Keras and other libraries, arrays do not
    change.

    Returns:
      A context manager. At the end of a `with` block, the methods are removed. Without a `with`
      block, the methods are not removed.

    Differs from TensorFlow: TensorFlow's tensors always have these methods. In `x.shape.as_list()`,
      an unknown size is not `None`, but a symbolic size, which supports arithmetic.

    Under jit:
      As in TensorFlow's graphs, a traced value has no `numpy()`, and `set_shape` only checks the shape.

    Example:
      >>> import shims
      >>> with shims.enable_tensor_methods():
      ...     x = shims.constant([[1.0, 2.0]])
      ...     print(x.shape.as_list(), (x * [3.0, 4.0]).numpy())
      [1, 2] [[3. 8.]]

    https://www.tensorflow.org/api_docs/python/tf/Tensor
    """
    return TensorMethods()
