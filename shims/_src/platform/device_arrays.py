"""Cut and pad arrays on the device that stores them, without a copy to the host and without compiling for each size.

The front of a buffer is a view of it, made through DLPack: an array of other sizes over the same memory. XLA
writes the result of a call to which a view is donated into that memory. The buffer behind a view that
is handed out must therefore belong to it alone, and only programs that keep their operands may read the
buffer.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import math
import weakref

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import accelerators, host_memory
from shims._src.platform import jax_private as jp

# An array with fewer bytes than this that is padded or cut goes over the host until its sizes have come so
# often that compiling would have taken less time: 65 ms, for 2 ms less in each call.
SMALL = 1 << 20
OFTEN = 32
# A view keeps its whole buffer; one that has this many times the slots of the view is not kept, unless it is
# so small that a program that copies its front would take more memory.
_MOST_WASTE, LEAST_WASTE = 4, 1 << 16
_MOST_SEEN = 4096


class _Tensor(ctypes.Structure):
    """The beginning of DLPack's `DLManagedTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Front:
    """The first elements of an array's memory, for `jax.dlpack.from_dlpack`."""

    def __init__(self, array, shape):
        self._array, self._shape = array, shape

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()

    def __dlpack__(self, **_):
        capsule = self._array.__dlpack__()
        tensor = ctypes.cast(_pointer_of(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
        if tensor.strides and tensor.strides[: tensor.ndim] != _strides(self._array.shape):
            raise BufferError("the elements are not contiguous in memory")
        for axis, size in enumerate(self._shape):
            tensor.shape[axis] = size
        if tensor.strides:
            for axis, stride in enumerate(_strides(self._shape)):
                tensor.strides[axis] = stride
        return capsule


def _strides(shape) -> list[int]:
    return [math.prod(shape[i + 1 :]) for i in range(len(shape))]


def _front(array, shape):
    """Return a view of the first elements of an array, or `None` where JAX has none."""
    if array.aval.weak_type or len(array.sharding.device_set) > 1:
        return None
    try:
        view = jax.dlpack.from_dlpack(_Front(array, shape))
    except (BufferError, TypeError, ValueError, RuntimeError):
        return None
    if view.dtype != array.dtype or view.shape != tuple(shape):
        return None
    return jp.placed_as(view, array)


# For the id of a view its buffer, whose rows go on after those of the view.
_buffers: dict[int, tuple[weakref.ref, jax.Array]] = {}


def buffer_of(array):
    """Return the buffer whose first rows an array views; `None` if it is not a view, or has been deleted."""
    found = _buffers.get(id(array))
    return None if found is None or array.is_deleted() else found[1]


def _remember(view, buffer) -> None:
    key = id(view)
    _buffers[key] = weakref.ref(view, lambda _: _buffers.pop(key, None)), buffer


def where_it_lies(array):
    """Return a concrete array as one of NumPy, unless it lies on an accelerator."""
    if isinstance(array, jax.Array) and not accelerators.on_cpu(array):
        return array
    return np.asarray(array)


def is_any(flags) -> bool:
    """Return whether any element of a concrete array is true; of an accelerator's, one bool is read."""
    flags = where_it_lies(flags)
    return bool(jnp.any(flags) if isinstance(flags, jax.Array) else np.any(flags))


def is_all(flags) -> bool:
    """Return whether all elements of a concrete array are true; of an accelerator's, one bool is read."""
    flags = where_it_lies(flags)
    return bool(jnp.all(flags) if isinstance(flags, jax.Array) else np.all(flags))


def sum_of_sizes(lengths) -> int:
    """Return the sum of a concrete vector of sizes; of an accelerator's, two numbers are read."""
    lengths = where_it_lies(lengths)
    if isinstance(lengths, jax.Array) and float(jnp.sum(lengths, dtype=np.float32)) < 2.0**30:
        return int(jnp.sum(lengths, dtype=np.int32))
    return int(np.sum(np.asarray(lengths), dtype=np.int64))


@jp.moving_data
def cut(array, sizes, *, is_own: bool):
    """Cut the axes of an array to their sizes.

    Args:
      array: a concrete array on any device.
      sizes: for each axis that is cut its size.
      is_own: whether nothing else refers to the array, as to a result of a program.
    """
    shape = tuple(sizes.get(axis, n) for axis, n in enumerate(array.shape))
    if shape == array.shape:
        return strongly_typed(array)
    rows = shape[1:] == array.shape[1:]
    if not rows and array.size >= np.iinfo(np.int32).max:
        return _cut_compiled(array, shape)
    buffer = array
    if not rows:
        numbers = np.asarray(shape, np.int32)
        buffer = _moved_to_front(array, numbers, _room(math.prod(shape), array.size))
    elif not is_own or (shape[0] * _MOST_WASTE < array.shape[0] and array.nbytes > LEAST_WASTE):
        buffer = _first_rows(array, _room(shape[0], array.shape[0]))
    view = _front(buffer, shape)
    if view is None:
        return _cut_compiled(array, shape)
    if rows:
        _remember(view, buffer)
    return view


def _room(size: int, most: int) -> int:
    """Return the number of slots to copy for a size, so that few numbers of slots occur."""
    return min(most, 1 << max(size - 1, 0).bit_length())


def strongly_typed(array):
    """Return an array whose dtype is not weak."""
    return lax.convert_element_type(array, array.dtype) if array.aval.weak_type else array


@functools.partial(jax.jit, static_argnums=1)
def _first_rows(array, count):
    return lax.slice_in_dim(array, 0, count)


@functools.partial(jax.jit, static_argnums=2)
def _moved_to_front(array, shape, count):
    """Move a block of an array, of a given shape, to the front: its elements in order along the first axis."""
    place, index = lax.iota(jnp.int32, count), []
    for axis in reversed(range(array.ndim)):
        size = jnp.maximum(shape[axis], 1)
        index.append(place if axis == 0 else place % size)
        place = place // size
    flat = array.at[tuple(reversed(index))].get(mode="clip")
    return flat.reshape(count, *[1] * (array.ndim - 1))


# How often conversions of shapes were made, to know those that come again.
_seen: collections.Counter[tuple] = collections.Counter()


def _is_worth_compiling(array, shape) -> bool:
    """Return whether to compile a conversion between two shapes: if arrays are large, or if it is frequent."""
    key = (array.shape, tuple(shape), array.dtype)
    if array.nbytes >= SMALL or _seen[key] >= OFTEN:
        return True
    if len(_seen) >= _MOST_SEEN:
        _seen.clear()
    _seen[key] += 1
    return False


@functools.partial(jax.jit, static_argnums=1)
def _sliced(array, shape):
    out = lax.slice(array, (0,) * array.ndim, shape)
    return lax.convert_element_type(out, out.dtype)


def _cut_compiled(array, shape):
    if _is_worth_compiling(array, shape) or not array.is_fully_addressable:
        return _sliced(array, shape)
    return jp.placed_as(
        jax.device_put(np.asarray(array)[tuple(map(slice, shape))], array.sharding), array
    )


@functools.partial(jax.jit, static_argnums=1)
def _padded(array, shape):
    widths = [(0, n - m, 0) for m, n in zip(array.shape, shape, strict=True)]
    return lax.pad(array, jnp.zeros((), array.dtype), widths)


@jp.moving_data
def filled_up(array, shape):
    """Extend a concrete array at the end of each axis, for a program that does not read what is added.

    On an accelerator the result lies there; elsewhere it is an array of NumPy.
    """
    shape = tuple(shape)
    if not isinstance(array, jax.Array) or accelerators.on_cpu(array):
        return host_memory.filled_up(np.asarray(array), shape)
    buffer = buffer_of(array)
    if buffer is not None and buffer.shape[1:] == shape[1:] and buffer.shape[0] >= shape[0]:
        found = buffer if buffer.shape == shape else _front(buffer, shape)
        if found is not None:
            return found
    if _is_worth_compiling(array, shape) or not array.is_fully_addressable:
        return _padded(array, shape)
    filled = host_memory.filled_up(np.asarray(array), shape)
    return jp.placed_as(jax.device_put(filled, array.sharding), array)
