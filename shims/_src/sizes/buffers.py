"""Store arrays whose size changes during a loop or a conditional in buffers of a fixed capacity.

The results of the branches of a conditional, and the carry of a loop, must have the same type. A value
whose size depends on the branch, or grows from one iteration to the next, is stored in a buffer: an
array of a fixed capacity, and the number of valid entries. The capacity is derived from the inputs
if possible; otherwise it starts as a bucket, which a top-level call can grow.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, size_bounds, trace
from shims._src.sizes.sites import Site

FIRST_CAPACITY = 16
_HAS_LIMIT = "a bound on the number of iterations, or of elements of a `TensorArray`"
_WITHOUT_LIMIT = (
    "pass `maximum_iterations` to `while_loop`; create a growing `TensorArray` with its largest size and cut the "
    "result, as in `TensorArray(dtype, n)` and `.stack()[:k]`; or call the function through `shims.function` at the top "
    "level"
)
_GROWS_BY_LITTLE = "a value to which every iteration adds at most the same number of elements"
_WITH_LIMIT = (
    "write into an array of fixed size, with the number of valid elements as another loop variable; or call the "
    "function through `shims.function` at the top level"
)


@jax.tree_util.register_pytree_node_class
@dataclasses.dataclass(eq=False)
class Buffer:
    """An array whose size changes, stored in a padded array of fixed capacity.

    Attributes:
      array: the entries, with padding up to the capacity.
      sizes: for each of `axes`, the current size, an int32 scalar.
      axes: the axes along which the size changes.
      capacities: the capacity of each of these axes: a number, or a dimension of the inputs.
    """

    array: object
    sizes: tuple
    axes: tuple[int, ...]
    capacities: tuple

    def tree_flatten(self):
        """Return `(array, sizes)` as children and `(axes, capacities)` as static data."""
        return (self.array, self.sizes), (self.axes, self.capacities)

    @classmethod
    def tree_unflatten(cls, static, children):
        """Create a buffer from the static data and children that `tree_flatten` returned."""
        return cls(*children, *static)

    def value(self):
        """Return the stored array without padding; its changing axes have data-dependent sizes."""
        x = self.array
        for axis, size, capacity in zip(self.axes, self.sizes, self.capacities, strict=True):
            places = primitives.fresh_range(size, bound=capacity, label="while_loop")
            x = jnp.take(x, places, axis=axis, mode="clip")
        return x


@dataclasses.dataclass(frozen=True)
class Capacity:
    """The capacity of a buffer for a size without a bound; a top-level call can raise it.

    Attributes:
      site: identifies the buffer in the program and in messages.
      slots: the capacity in the current trace.
    """

    site: Site
    slots: int


def put(x, axes, capacities) -> Buffer:
    """Store an array in a new buffer; check at run time that it fits if the capacity can grow."""
    sizes = []
    for axis, capacity in zip(axes, capacities, strict=True):
        size = primitives.as_size(x.shape[axis])
        if isinstance(capacity, Capacity):
            primitives.check_capacity(size, capacity.site, capacity.slots)
        extent = _slots_of(capacity)
        places = jnp.arange(x.shape[axis], dtype=jnp.int32)
        moved = jnp.moveaxis(x, axis, 0)
        empty = jnp.zeros((extent, *moved.shape[1:]), x.dtype)
        x = jnp.moveaxis(empty.at[places].set(moved, mode="drop"), 0, axis)
        sizes.append(jnp.minimum(size, primitives.as_size(extent)))
    return Buffer(x, tuple(sizes), tuple(axes), tuple(map(_slots_of, capacities)))


def _slots_of(capacity):
    return capacity.slots if isinstance(capacity, Capacity) else capacity


def capacity_for(dims, label: str):
    """Return a buffer capacity that suffices for each of the sizes `dims`.

    It is the largest bound of these sizes in terms of the inputs; if one has no bound, a growable
    `Capacity`.

    Raises:
      CapacityError: a size has no bound, and an enclosing JAX trace prevents growth.
    """
    state = trace.current()
    bounds = [size_bounds.upper_bound(state, d) for d in dims]
    if all(b is not None for b in bounds):
        capacity = bounds[0]
        for b in bounds[1:]:
            capacity = jp.core.max_dim(capacity, b)
        return capacity
    return growable(label)


def growable(label: str, *, has_limit: bool = False) -> Capacity:
    """Create a buffer capacity that a top-level call can grow.

    Args:
      label: the name of the operator in messages.
      has_limit: whether the number of iterations has a limit, which does not limit the size of the value.

    Raises:
      CapacityError: an enclosing JAX trace prevents growth.
    """
    state = trace.current()
    assert state is not None  # only a dynamic trace makes buckets
    if not state.may_assume:
        raise errors.CapacityError(
            errors.message(
                label,
                "the size of this value has no bound, and inside an enclosing JAX trace no buffer can grow.",
                required=_GROWS_BY_LITTLE if has_limit else _HAS_LIMIT,
                do=_WITH_LIMIT if has_limit else _WITHOUT_LIMIT,
            )
        )
    return Capacity(*state.new_buffer(FIRST_CAPACITY))
