"""Check in a dynamic trace that the masks and values of an index fit the indexed axes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def is_mask(item) -> bool:
    return jp.is_tracer(item) and item.dtype == bool and item.ndim > 0


def is_condition(item) -> bool:
    """Return whether an index is one traced truth value, which selects all of an array along a new axis, or nothing."""
    return jp.is_tracer(item) and item.dtype == bool and item.ndim == 0


def _is_constant_mask(item) -> bool:
    is_array = isinstance(item, (np.ndarray, jax.Array)) and not jp.is_tracer(item)
    return is_array and item.dtype == bool and item.ndim > 0


def has_constant_mask(array, items) -> bool:
    """Return whether an index has a concrete mask while sizes of the array are unknown.

    JAX would apply the mask without checking that it has the size of the axis.
    """
    has_unknown = any(map(jp.is_symbolic, np.shape(array)))
    return has_unknown and any(map(_is_constant_mask, items))


def axes_of(item) -> int:
    if item is None:
        return 0
    return np.ndim(item) if is_mask(item) else 1


def is_vector(item) -> bool:
    return getattr(item, "ndim", 0) == 1 and item.dtype != bool


def fit_masks(array, items):
    """Check that masks in an index have the shapes of their axes; concrete ones become positions.

    Raises:
      IndexError: the shapes are known to differ; at run time its subclass `OutOfBoundsError`.
    """
    axis, out = 0, []
    for item in items:
        if is_mask(item) or _is_constant_mask(item):
            shape = array.shape[axis : axis + item.ndim]
            axis += item.ndim
            mask = fit_mask(array, item, shape)
            places = np.nonzero(np.asarray(item)) if _is_constant_mask(item) else ()
            out += [p.astype(np.int32) for p in places] if places else [mask]
        else:
            axis += axes_of(item)
            out.append(item)
    return out


def fit_mask(array, mask, shape):
    """Check that a mask has the given shape of its axes in `array`; at run time if unknown."""
    if len(shape) < mask.ndim or any(map(_must_differ, shape, mask.shape)):
        raise IndexError(_misfit(array, mask, shape))
    given = mask
    for i, (have, target) in enumerate(zip(mask.shape, shape, strict=True)):
        if jp.is_symbolic(have) != jp.is_symbolic(target) or have != target:
            differ = primitives.as_size(have) != primitives.as_size(target)
            primitives.check(differ, _misfit(array, given, shape), error=errors.OutOfBoundsError)
            mask = primitives.unify_axis(jnp.asarray(mask), i, target, label="x[mask]")
    return mask


def _misfit(array, mask, shape) -> str:
    return errors.message(
        "x[mask]",
        "the shape of the mask must match the leading axes of the array.",
        required=f"bool{list(shape)}" if len(shape) == mask.ndim else f"rank {len(shape)} or less",
        received=f"bool{list(mask.shape)} for {array.dtype.name}{list(array.shape)}",
        do="build the mask from the array from which it selects",
    )


def select(array, mask, axis):
    """Select the entries of `array` where a mask is true; the mask covers the axes from `axis` on."""
    rank = mask.ndim
    if rank > 1:
        shape = (*array.shape[:axis], -1, *array.shape[axis + rank :])
        array, mask = array.reshape(shape), mask.reshape(-1)
    return primitives.compress(array, mask, axis)


def _must_differ(a, b) -> bool:
    return not jp.is_symbolic(a) and not jp.is_symbolic(b) and a != b


def fit_values(array, items, rest):
    """Check that an update has one value per position of its index, if these sizes are unknown.

    Args:
      array: the array that is updated.
      items: the index.
      rest: the arguments of JAX's function after the index; the values come first.

    Returns:
      `rest`, in which the size of the values is declared to be that of the positions.
    """
    places = [i for i, x in enumerate(items) if is_vector(x)]
    is_plain = all(is_vector(x) or isinstance(x, slice) for x in items)
    if not is_plain or not places or places[-1] - places[0] >= len(places):
        return rest
    values, *others = rest
    count, axis = items[places[-1]].shape[0], np.ndim(values) - (array.ndim - places[-1])
    if axis < 0 or not any(map(jp.is_symbolic, (count, np.shape(values)[axis]))):
        return rest
    if _is_one(count) or _is_one(np.shape(values)[axis]):
        return rest
    values = jnp.asarray(values)
    return primitives.unify_axis(values, axis, count, label="x.at[...]", broadcasts=True), *others


def _is_one(size) -> bool:
    return not jp.is_symbolic(size) and size == 1
