"""Hold the state of a `TensorArray`: its settings and elements, and its pytree form."""

from __future__ import annotations

import dataclasses
from typing import Self

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.control_flow.element_buffer import ElementBuffer, capacity_of_list
from shims._src.control_flow.staging import ambient_is_staging, is_staged
from shims._src.control_flow.tensor_array_checks import check_element, check_shape_in_buffer
from shims._src.control_flow.tensor_array_storage import (
    Elements,
    Stacked,
    Storage,
    Unfilled,
    unwritten,
)
from shims._src.control_flow.undefined import Unwritten
from shims._src.sizes import primitives
from shims._src.sizes.buffers import Capacity
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


@dataclasses.dataclass(frozen=True)
class Settings:
    """The properties of a `TensorArray` that writes do not change.

    Attributes:
      dtype: the dtype of the elements.
      dynamic_size: whether writing past the end makes the list longer.
      clear_after_read: whether an element can be read only once, eagerly.
      infer_shape: whether all elements must have the same shape.
      element_shape: the shape of the elements, as far as the caller gave it.
      capacity: the capacity of a list that may grow during a trace.
    """

    dtype: np.dtype
    dynamic_size: bool
    clear_after_read: bool
    infer_shape: bool
    element_shape: tuple | None
    capacity: Capacity | None

    @classmethod
    def of(cls, dtype, dynamic_size, clear_after_read, infer_shape, element_shape) -> Settings:
        """Build the settings from the arguments of `TensorArray`."""
        dtype = np.dtype(array_dtype(dtype, "TensorArray"))
        shape = TensorShape(element_shape)
        return cls(
            dtype=dtype,
            dynamic_size=bool(dynamic_size),
            clear_after_read=clear_after_read is None or bool(clear_after_read),
            infer_shape=bool(infer_shape),
            element_shape=None if shape.dims is None else tuple(shape.as_list()),
            capacity=capacity_of_list() if dynamic_size else None,
        )


class ListState:
    """The base class of `TensorArray`: a list of arrays of the same dtype that is a pytree.

    So loops can carry it.
    """

    _settings: Settings
    _storage: Storage

    def tree_flatten(self):
        storage, capacity = self._storage, self._settings.capacity
        if isinstance(storage, Elements) and storage.is_ragged:
            there = tuple(e is not None for e in storage.items)
            return tuple(storage.arrays), (self._settings, Elements, there)
        if capacity is not None:
            return self._flattened_buffer(), (self._settings, ElementBuffer, None)
        if isinstance(storage, Stacked):
            return (storage.array,), (self._settings, Stacked, None)
        known = self._zero_shape() is not None
        leaf = self._stacked() if known else Unwritten("TensorArray", storage.count)
        return (leaf,), (self._settings, Stacked, None)

    def _flattened_buffer(self) -> tuple:
        """Return the pytree leaves of a list that may grow: its buffer and its length."""
        storage, capacity = self._storage, self._settings.capacity
        assert capacity is not None
        if not isinstance(storage, ElementBuffer):
            if self._zero_shape() is None:
                nothing = Unwritten("TensorArray", capacity.slots)
                return nothing, primitives.as_size(storage.count)
            storage = self._in_buffer()
        return storage.array, storage.count

    @classmethod
    def tree_unflatten(cls, aux, leaves):
        settings, kind, there = aux
        storage: Storage
        if kind is Elements:
            rest = iter(leaves)
            storage = Elements([next(rest) if one else None for one in there])
        elif kind is ElementBuffer:
            array, count = leaves
            buffer = ElementBuffer(array, count, settings.capacity)
            storage = Unfilled(count) if isinstance(array, Unwritten) else buffer
        else:
            (array,) = leaves
            nothing = isinstance(array, Unwritten)
            storage = unwritten(array.count) if nothing else Stacked(array)
        return cls._made(settings, storage)

    @classmethod
    def _made(cls, settings: Settings, storage: Storage) -> Self:
        """Create a list from settings and storage."""
        new = cls.__new__(cls)
        new._settings, new._storage = settings, storage
        return new

    def _target(self, *values) -> Self:
        """Return the list to modify: eagerly the object itself, in a trace a copy of it."""
        given = (*values, *self._storage.arrays)
        if not ambient_is_staging() and not any(is_staged(v) for v in given):
            return self
        return self._made(self._settings, self._storage.copy())

    def _zero_shape(self) -> tuple | None:
        """Return the shape of an unwritten element, or `None` if it is not known."""
        if self._storage.shape is not None:
            return self._storage.shape
        given = self._settings.element_shape
        return None if given is None or None in given else given

    def _stacked(self):
        """Return all elements stacked in one array; the shape of an element must be known."""
        return self._storage.stacked(self._zero_shape(), self._settings.dtype)

    def _in_buffer(self) -> ElementBuffer:
        """Return all elements in a padded buffer; the shape of an element must be known."""
        return self._storage.in_buffer(
            self._zero_shape(), self._settings.dtype, self._settings.capacity
        )

    def _need_stacked(self, method: str) -> Stacked:
        """Return all elements stacked in one array, or raise an error.

        Raises:
          InvalidArgumentError: the shapes of elements differ or are not known.
        """
        storage = self._storage
        if isinstance(storage, Elements) and storage.is_ragged:
            raise checks.invalid(
                f"TensorArray.{method}",
                "the elements have different shapes.",
                required="elements of the same shape",
                received=", ".join(str(e.shape) for e in storage.arrays),
            )
        if self._zero_shape() is not None:
            return Stacked(self._stacked())
        if isinstance(storage, Elements) and not storage.items and not ambient_is_staging():
            return Stacked(jnp.zeros((0,), self._settings.dtype))  # as TensorFlow returns eagerly
        raise checks.invalid(
            f"TensorArray.{method}",
            "the shape of the elements is not known, and nothing was written.",
            do="give `element_shape`",
        )

    def _operand(self, value):
        """Convert an argument to an array; numbers get the dtype of the list."""
        return operand(value, None if isinstance(value, jax.Array) else self._settings.dtype)

    def _check_element(self, method: str, shape, dtype) -> None:
        """Raise an error for an element whose dtype or shape differs from that of the list."""
        expected = self._settings.element_shape
        if self._settings.infer_shape and expected is None:
            expected = self._zero_shape()
        check_element(method, shape, dtype, expected, self._settings.dtype)

    def _stacked_to_write(self, method: str, shape) -> Stacked:
        """Return all elements stacked; if no shape is known, unwritten elements get `shape`."""
        if self._zero_shape() is None:
            return Stacked(jnp.zeros((self._storage.count, *shape), self._settings.dtype))
        return self._need_stacked(method)

    def _written_in_buffer(self, place, value) -> ElementBuffer:
        """Write an element into the buffer of a list that may grow in a trace; return the buffer."""
        checks.check_data(
            place < 0, "TensorArray.write", "there is no such element.", required="a position >= 0"
        )
        shape = value.shape if self._zero_shape() is None else self._zero_shape()
        buffer = self._storage.in_buffer(shape, self._settings.dtype, self._settings.capacity)
        check_shape_in_buffer(value.shape, buffer.shape)
        return buffer.write(place, value)
