"""Assign items of NumPy arrays that may be traced values, which only JAX arrays can hold."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.autograph import aliases
from shims._src.autograph.lists import set_item
from shims._src.control_flow.staging import is_staged
from shims._src.errors import errors
from shims._src.sizes import primitives, trace


def set_array_item(target, value, owner, key):
    """Execute `owner[key] = value` for a variable that holds an array of NumPy; return its new value.

    An array of JAX takes the place of the array if that would get a traced value.
    """
    if owner is not target or not (type(owner) is np.ndarray or isinstance(owner, jax.Array)):
        return set_item(target, value, owner, key)
    if type(owner) is np.ndarray:
        # Without a trace of ours, nothing could check a position.
        if not _any_staged(key, value) or (_any_staged(key) and trace.current() is None):
            return set_item(target, value, owner, key)
        aliases.note_replaced(owner)
    new = jnp.asarray(owner)
    _check_in_bounds(new, key)
    return new.at[key].set(jnp.asarray(value).astype(new.dtype))


def _check_in_bounds(array, key) -> None:
    """Check the positions that an assignment names, which JAX ignores if they are out of bounds."""
    if not _any_staged(key):
        np.broadcast_to(np.zeros(()), array.shape)[key]  # raises NumPy's error
        return
    for part, size in zip(key if isinstance(key, tuple) else (key,), array.shape):
        if is_staged(part) and jnp.issubdtype(part.dtype, jnp.integer):
            text = errors.message(
                "ndarray.__setitem__",
                "an index is out of bounds.",
                required=f"-{size} <= index < {size}",
                do="test the index before the assignment",
            )
            bad = jnp.any((part < -size) | (part >= size))
            primitives.check(bad, text, error=errors.OutOfBoundsError)


def _any_staged(*values) -> bool:
    return any(map(is_staged, jax.tree.leaves(values)))
