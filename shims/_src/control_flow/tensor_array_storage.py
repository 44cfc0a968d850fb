"""Define the classes that store the elements of a `TensorArray`.

`Elements` holds separate arrays, if all positions are known. `Stacked` holds one array of all elements,
`ElementBuffer` one with spare capacity. `Unfilled` holds no array: the number of elements is unknown, and
nothing was written.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.array.scatter import placed
from shims._src.control_flow.element_buffer import ElementBuffer
from shims._src.control_flow.staging import is_staged
from shims._src.control_flow.tensor_array_checks import (
    check_place,
    check_shape_in_buffer,
    is_same_size,
    out_of_range_error,
)
from shims._src.sizes import primitives


@dataclasses.dataclass(eq=False)
class Elements:
    """Elements as separate arrays, `None` where nothing was written.

    Attributes:
      items: the elements.
      read: positions that were read and cleared.
    """

    items: list[jax.Array | None]
    read: set[int] = dataclasses.field(default_factory=set)

    @property
    def count(self) -> int:
        """The number of elements."""
        return len(self.items)

    @property
    def arrays(self) -> list:
        """The elements that were written."""
        return [e for e in self.items if e is not None]

    @property
    def shape(self) -> tuple | None:
        """The shape of an element, or `None` if nothing has been written."""
        return next((e.shape for e in self.items if e is not None), None)

    @property
    def is_ragged(self) -> bool:
        """Whether the elements have different shapes."""
        return len({tuple(map(str, e.shape)) for e in self.arrays}) > 1

    def copy(self) -> Elements:
        """Return a shallow copy, which can be modified on its own."""
        return Elements(list(self.items), set(self.read))

    def put(self, index: int, value, *, grows: bool) -> None:
        """Write an element in place; if the list `grows`, the position may be past the end."""
        if index < 0 or (index >= self.count and not grows):
            raise out_of_range_error("write", index, self.count)
        self.items += [None] * (index + 1 - self.count)
        self.items[index] = value

    def take(self, index: int, *, clear: bool):
        """Return an element, or `None` if it was not written; with `clear`, mark it as read."""
        if not 0 <= index < self.count:
            raise out_of_range_error("read", index, self.count)
        if index in self.read:
            raise checks.invalid(
                "TensorArray.read",
                f"could not read index {index} twice because it was cleared after a previous read.",
                do="create the `TensorArray` with `clear_after_read=False`",
            )
        value = self.items[index]
        if clear and value is not None and not is_staged(value):
            self.read.add(index)
        return value

    def filled(self, shape, dtype) -> list:
        """Return the elements, with zeros where nothing was written."""
        return [jnp.zeros(shape, dtype) if e is None else e for e in self.items]

    def stacked(self, shape, dtype):
        """Return all elements as one array."""
        if not self.arrays:
            return jnp.zeros((self.count, *shape), dtype)
        return jnp.stack(self.filled(shape, dtype))

    def in_buffer(self, shape, dtype, capacity) -> ElementBuffer:
        """Return all elements as an `ElementBuffer` with the given capacity."""
        if not self.arrays:
            return ElementBuffer.empty(self.count, shape, dtype, capacity)
        return ElementBuffer.of(self.stacked(shape, dtype), capacity)

    def gathered(self, indices):
        """Return the elements at known positions as one array, or `None` if one was not written."""
        picked = [int(i) for i in np.asarray(indices).ravel()]
        for i in picked:
            if not 0 <= i < self.count:
                raise out_of_range_error("gather", i, self.count)
        found = [self.items[i] for i in picked]
        return jnp.stack(found) if found and all(e is not None for e in found) else None

    def joined(self, shape, dtype):
        """Concatenate all elements along their first axis."""
        parts = self.filled(shape, dtype)
        if any(p.ndim == 0 for p in parts):
            raise checks.invalid("TensorArray.concat", "the elements are scalars.")
        if any(p.shape[1:] != parts[0].shape[1:] for p in parts):
            raise checks.invalid(
                "TensorArray.concat", "the shapes of the elements differ beyond their first axis."
            )
        return jnp.concatenate(parts)


@dataclasses.dataclass(frozen=True, eq=False)
class Stacked:
    """All elements in one array, along its leading axis."""

    array: Any

    @property
    def count(self):
        """The number of elements; `None` if `array` is a placeholder, as when a pytree is rebuilt."""
        return self.array.shape[0] if getattr(self.array, "ndim", 0) else None

    @property
    def arrays(self) -> list:
        """The one array that holds all elements, as a list."""
        return [self.array]

    @property
    def shape(self) -> tuple:
        """The shape of an element."""
        return self.array.shape[1:]

    def copy(self) -> Stacked:
        """Return this storage, which methods never change in place."""
        return self

    def stacked(self, shape, dtype):
        """Return all elements as one array."""
        return self.array

    def in_buffer(self, shape, dtype, capacity) -> ElementBuffer:
        """Return all elements as an `ElementBuffer` with the given capacity."""
        return ElementBuffer.of(self.array, capacity)

    def write(self, index, value, *, grows: bool) -> Stacked:
        """Return the storage with an element written at a position, which may be traced."""
        place = jnp.asarray(index, jnp.int32)
        array = _extend_to(self.array, index, place) if grows else self.array
        check_place("write", index, place, array.shape[0])
        check_shape_in_buffer(value.shape, self.shape)
        if is_same_size(
            array.shape[0], 0
        ):  # nothing can be written here, but the program must have matching types
            return Stacked(primitives.connected(array, jnp.expand_dims(value, 0)))
        return Stacked(lax.dynamic_update_index_in_dim(array, value, place, 0))

    def read(self, index):
        """Return the element at a position, which may be traced."""
        place = jnp.asarray(index, jnp.int32)
        check_place("read", index, place, self.array.shape[0])
        if is_same_size(self.array.shape[0], 0):
            return primitives.connected(jnp.zeros(self.shape, self.array.dtype), self.array)
        return jnp.take(self.array, place, axis=0, mode="clip")

    def gathered(self, indices):
        """Return the elements at some positions as one array."""
        indices = operand(indices)
        checks.check_positions("TensorArray.gather", "indices", indices, self.array.shape[0])
        return jnp.take(self.array, indices, axis=0, mode="clip")

    def joined(self):
        """Concatenate all elements along their first axis."""
        array = self.array
        if array.ndim < 2:
            raise checks.invalid("TensorArray.concat", "the elements are scalars.")
        return array.reshape((array.shape[0] * array.shape[1], *array.shape[2:]))

    def scatter(self, indices, value, *, grows: bool) -> Stacked:
        """Return the storage with the slices of an array written at some positions."""
        check_shape_in_buffer(value.shape[1:], self.shape)
        array = self.array
        if grows:
            highest = lax.reduce_max(indices, (0,)).astype(jnp.int32)
            array = _extend_to(array, highest, highest)
        checks.check_positions("TensorArray.scatter", "indices", indices, array.shape[0])
        return Stacked(placed(array, (indices,), value))


@dataclasses.dataclass(frozen=True, eq=False)
class Unfilled:
    """A storage in which no element was written; their number is known only at run time."""

    count: Any
    arrays: tuple = ()
    shape: None = None

    def copy(self) -> Unfilled:
        """Return this storage, which methods never change in place."""
        return self

    def stacked(self, shape, dtype):
        """Return all elements as one array."""
        return jnp.zeros((self.count, *shape), dtype)

    def in_buffer(self, shape, dtype, capacity) -> ElementBuffer:
        """Return all elements as an `ElementBuffer` with the given capacity."""
        return ElementBuffer.empty(self.count, shape, dtype, capacity)


Storage = Elements | Stacked | ElementBuffer | Unfilled


def unwritten(count) -> Elements | Unfilled:
    """Return a storage of `count` unwritten elements."""
    return Elements([None] * count) if is_known(count) else Unfilled(count)


def parts_of(value, lengths: list[int]) -> list:
    """Split an array into consecutive parts of the given lengths."""
    ends = itertools.accumulate([0, *lengths])
    return [lax.slice_in_dim(value, a, b) for a, b in itertools.pairwise(ends)]


def _extend_to(array, index, place):
    """Append zeros to the stacked elements so that the position `index` is in range."""
    count = array.shape[0]
    if not is_staged(index) and is_known(index) and is_known(count):
        more = max(int(index) + 1 - count, 0)
        return jnp.pad(array, [(0, more)] + [(0, 0)] * (array.ndim - 1))
    needed = jnp.maximum(primitives.as_size(count), place + 1)
    longer = primitives.to_dim(needed, label="TensorArray.write")
    return (
        jnp.zeros((longer, *array.shape[1:]), array.dtype)
        .at[jnp.arange(count, dtype=jnp.int32)]
        .set(array, mode="drop")
    )
