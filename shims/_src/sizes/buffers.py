"""Rooms: arrays of a fixed capacity that hold a value whose size changes.

What a branch returns and what a loop carries must have one type. A value whose size depends on the
branch, or grows from one iteration to the next, lives in a room: an array with space to spare and
the number of entries that count. The space follows from the inputs where it can; where it cannot,
it starts as a bucket that the top-level call lets grow.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, size_bounds, trace

FIRST_ROOM = 16


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass(eq=False)
class Room:
    """A value in a room.

    Attributes:
      array: the room.
      sizes: int32 scalar per entry of `axes`.
      axes: the axes along which the size changes.
      spaces: their capacities: numbers, or dimensions of the inputs.
    """

    array: object
    sizes: tuple
    axes: tuple[int, ...]
    spaces: tuple

    def tree_flatten(self):
        """The room and the sizes are carried; where they are is static."""
        return (self.array, self.sizes), (self.axes, self.spaces)

    @classmethod
    def tree_unflatten(cls, static, children):
        """The inverse of `tree_flatten`."""
        return cls(*children, *static)

    def value(self):
        """The value, of exactly its size."""
        x = self.array
        for axis, size, space in zip(self.axes, self.sizes, self.spaces, strict=True):
            places = primitives.fresh_range(size, bound=space, label="while_loop")
            x = jnp.take(x, places, axis=axis, mode="clip")
        return x


def put(x, axes, spaces) -> Room:
    """A value in a room; entries that do not fit are reported when the program runs."""
    sizes = []
    for axis, space in zip(axes, spaces, strict=True):
        size = primitives.as_size(x.shape[axis])
        if isinstance(space, Space):
            primitives.check_room(size, space.name, space.capacity)
        extent = space.capacity if isinstance(space, Space) else space
        places = jnp.arange(x.shape[axis], dtype=jnp.int32)
        moved = jnp.moveaxis(x, axis, 0)
        room = jnp.zeros((extent, *moved.shape[1:]), x.dtype)
        x = jnp.moveaxis(room.at[places].set(moved, mode="drop"), 0, axis)
        sizes.append(jnp.minimum(size, primitives.as_size(extent)))
    return Room(x, tuple(sizes), tuple(axes), tuple(_extent(s) for s in spaces))


@dataclasses.dataclass(frozen=True)
class Space:
    """A capacity that nothing bounds: a bucket of the top-level call."""

    name: str
    capacity: int


def _extent(space):
    return space.capacity if isinstance(space, Space) else space


def space_for(dims, label: str):
    """Space for any of these sizes: a bound that follows from the inputs, or a bucket.

    Raises:
      CapacityError: nothing bounds the size, and nothing can grow here.
    """
    state = trace.current()
    bounds = [size_bounds.upper_bound(state, d) for d in dims]
    if all(b is not None for b in bounds):
        space = bounds[0]
        for b in bounds[1:]:
            space = jp.core.max_dim(space, b)
        return space
    return bucket(label)


def bucket(label: str) -> Space:
    """A bucket of the top-level call.

    Raises:
      CapacityError: nothing can grow here.
    """
    state = trace.current()
    assert state is not None  # only a dynamic trace makes buckets
    if not state.may_assume:
        raise errors.CapacityError(
            errors.message(
                label,
                "nothing bounds how far this value grows, and inside somebody else's trace "
                "nothing can grow.",
                required="a bound on the number of iterations",
                do="give `maximum_iterations`, or call the function through `shims.function` at "
                "the top level",
            )
        )
    name = state.new_room()
    return Space(name, state.pinned(name, FIRST_ROOM))
