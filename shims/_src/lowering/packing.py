"""Move the valid slots of an axis to the front (pack it), fastest for each back end."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import accelerators
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sizes.on_device import scattered_to_front


# Functions with loops are jitted: eagerly, JAX would compile a loop at every call.
@functools.partial(jax.jit, static_argnums=1)
def positions(valid, capacity: int):
    """Return, for each slot of the packed axis, its source position: int32[capacity].

    Padding also gets positions in range. On CPU one sequential loop is faster than every parallel
    algorithm. Elsewhere a scatter to unique positions is faster than one that adds, and than a sort.
    """
    extent = valid.shape[0]
    if extent == 0:
        return jnp.zeros((capacity,), jnp.int32)
    return accelerators.chosen(
        valid,
        cpu=lambda valid: _cut(_by_loop(valid, max(extent, capacity)), capacity),
        default=lambda valid: scattered_to_front(valid, capacity),
    )


def _cut(packed, capacity):
    return packed if len(packed) == capacity else lax.slice(packed, (0,), (capacity,))


_LONG = 1 << 16  # below it, all algorithms take less time than a larger program takes to compile
count_p = jp.Primitive("count_valid")  # a call of an inner `jit` takes longer to trace


def count(valid):
    """Count the valid slots of a mask, as an int32 scalar."""
    return count_p.bind(valid)


def _count(valid):
    """Count the true elements of a vector.

    XLA adds booleans one by one on CPU. Counting the bits of four at a time is ten times faster if the mask
    does not fit into a cache.
    """
    if valid.shape[0] < _LONG:
        return jnp.sum(valid, dtype=jnp.int32)
    whole = valid.shape[0] // 4 * 4
    words = lax.bitcast_convert_type(valid[:whole].astype(jnp.uint8).reshape(-1, 4), jnp.uint32)
    rest = jnp.sum(valid[whole:], dtype=jnp.int32)
    return jnp.sum(lax.population_count(words).astype(jnp.int32), dtype=jnp.int32) + rest


count_p.def_impl(jax.jit(_count))
count_p.def_abstract_eval(lambda valid: jp.shaped((), np.int32, valid))
jp.mlir.register_lowering(count_p, jp.mlir.lower_fun(_count, multiple_results=False))
jp.batching.primitive_batchers[count_p] = lambda args, dims: (jax.vmap(_count, dims)(*args), 0)
jp.ad.primitive_jvps[count_p] = lambda primals, tangents: (
    count(*primals),
    jp.ad.Zero(jp.shaped((), jax.dtypes.float0)),
)


_STEPS = 4  # slots per iteration: the cost of a loop in XLA is its bookkeeping


def _by_loop(valid, room, read=lambda slot: slot[None], dtype=jnp.int32, like=None):
    """Write `read(slot)` for one valid slot after another into a buffer, in a sequential loop.

    Under `shard_map`, the buffer varies over the same mesh axes as the mask and the array `like`.
    """
    extent = valid.shape[0]

    def write(slot, state):
        packed, filled = state
        packed = lax.dynamic_update_slice(
            packed, read(slot), (filled,), allow_negative_indices=False
        )
        return packed, filled + _slot(valid, slot)[0].astype(jnp.int32)

    def steps(first, number, state):
        for i in range(number):
            state = write(first + i, state)
        return state

    state = jp.varying_as((jnp.zeros((room,), dtype), jnp.int32(0)), (valid, like))
    counted = lambda i: lax.convert_element_type(
        i, jnp.int32
    )  # 64 bits wide under `jax_enable_x64`
    state = lax.fori_loop(
        0, extent // _STEPS, lambda i, s: steps(counted(i) * _STEPS, _STEPS, s), state
    )
    return steps(jnp.int32(extent // _STEPS * _STEPS), extent % _STEPS, state)[0]


def _slot(array, i):
    return lax.dynamic_slice(array, (i,), (1,), allow_negative_indices=False)


def ranks(valid):
    """Return, for each slot, its position after packing: the number of valid slots before it.

    An invalid slot gets the position of the valid slot before it, or 0 if there is none.
    """
    return lax.max(jnp.cumsum(valid, dtype=jnp.int32) - 1, jnp.int32(0))


def take(array, places, axis: int):
    """Gather the slots `places` of `array` along `axis`."""
    if array.shape[axis] == 0:
        # There is nothing to read, and every slot is padding, so zeros will do.
        shape = (*array.shape[:axis], *places.shape, *array.shape[axis + 1 :])
        return primitives.connected(jnp.zeros(shape, array.dtype), array)
    return jnp.take(array, places, axis=axis, mode="clip")


def is_direct(array) -> bool:
    """Return whether to move the elements of an array one by one, in a loop or by a scatter.

    Otherwise the positions are computed first, and then gathered: faster for elements that are rows.
    """
    return array.ndim == 1 and array.shape[0] > 0


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def direct(array, valid, capacity: int):
    """Pack the valid slots of a vector into a vector of length `capacity`.

    The padding after them is zeros, the first of which may be a copy of an invalid slot.
    """
    return _moved_directly(array, valid, capacity)


@functools.partial(jax.jit, static_argnums=2)
def _moved_directly(array, valid, capacity: int):
    def by_loop(array, valid):
        room = max(array.shape[0], capacity)
        packed = _by_loop(valid, room, lambda slot: _slot(array, slot), array.dtype, array)
        return _cut(packed, capacity)

    return accelerators.chosen(
        array,
        valid,
        cpu=by_loop,
        default=lambda array, valid: scattered_to_front(valid, capacity, array),
    )


@direct.defjvp
def _direct_jvp(capacity, primals, tangents):
    (array, valid), (tangent, _) = primals, tangents
    moved = take(tangent, positions(valid, capacity), 0)
    # The other slots are copies of a slot that may be valid.
    moved = jnp.where(lax.iota(jnp.int32, capacity) < count(valid), moved, 0)
    return direct(array, valid, capacity), moved
