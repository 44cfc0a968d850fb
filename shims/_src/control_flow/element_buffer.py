"""Store a list that grows at run time in an array with spare capacity, and its length."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.control_flow.tensor_array_checks import check_place
from shims._src.sizes import buffers, primitives, trace


def capacity_of_list() -> buffers.Capacity | None:
    """Return the capacity of a buffer that can grow, for a list of unknown length.

    `None` outside of a dynamic trace, or inside an enclosing JAX trace, where no capacity can grow.
    """
    state = trace.current()
    return buffers.growable("TensorArray") if state is not None and state.may_assume else None


@dataclasses.dataclass(frozen=True, eq=False)
class ElementBuffer:
    """The elements of a list, stored along the leading axis of an array with spare capacity.

    In contrast to an array of exactly the right length, the buffer has the same type in every
    iteration of a loop. So a loop that writes to the list supports reverse-mode differentiation.

    Attributes:
      array: the elements, zero where nothing was written.
      count: int32 scalar, the number of elements.
      capacity: the number of elements that fit; a top-level call of a `shims.function` can increase it and
        run again.
    """

    array: jax.Array
    count: jax.Array
    capacity: buffers.Capacity

    @property
    def arrays(self) -> list:
        """The arrays that hold the elements."""
        return [self.array]

    @property
    def shape(self) -> tuple:
        """The shape of an element."""
        return self.array.shape[1:]

    @classmethod
    def of(cls, stacked, capacity: buffers.Capacity) -> ElementBuffer:
        """Create a buffer whose elements are the slices of an array along its leading axis."""
        buffer = buffers.put(stacked, (0,), (capacity,))
        return cls(jnp.asarray(buffer.array), buffer.sizes[0], capacity)

    @classmethod
    def empty(cls, count, shape, dtype, capacity: buffers.Capacity) -> ElementBuffer:
        """Return a buffer with `count` unwritten elements."""
        count = primitives.as_size(count)
        primitives.check_capacity(count, capacity.site, capacity.slots)
        return cls(jnp.zeros((capacity.slots, *shape), dtype), count, capacity)

    def write(self, place, value) -> ElementBuffer:
        """Return the buffer with an element written at a position, which may be past the end."""
        count = jnp.maximum(self.count, place + 1)
        primitives.check_capacity(count, self.capacity.site, self.capacity.slots)
        array = lax.dynamic_update_index_in_dim(self.array, value, place, 0)
        return ElementBuffer(array, count, self.capacity)

    def read(self, index):
        """Read an element at a position that may be known only at run time."""
        place = jnp.asarray(index, jnp.int32)
        check_place("read", place, place, self.count)
        return jnp.take(self.array, place, axis=0, mode="clip")

    def copy(self) -> ElementBuffer:
        """Return this buffer, which methods never change in place."""
        return self

    def stacked(self, shape, dtype):
        """Return all elements as one array without spare capacity."""
        buffer = buffers.Buffer(self.array, (self.count,), (0,), (self.capacity.slots,))
        return buffer.value()

    def in_buffer(self, shape, dtype, capacity) -> ElementBuffer:
        """Return the buffer itself; other storages of elements convert themselves to a buffer."""
        return self
