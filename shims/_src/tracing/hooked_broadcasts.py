"""Broadcast arrays of unknown sizes to shapes of unknown sizes; whether they fit is checked at run time."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def _broadcast_to(state, original, array, shape, *args, **kwargs):
    """Broadcast as `jnp.broadcast_to`; a data-dependent size is declared to be that of the shape."""
    dims = shape if isinstance(shape, (tuple, list)) else (shape,)
    have = np.shape(array)
    for back in range(1, min(len(have), len(dims)) + 1):
        size, target = have[-back], dims[-back]
        if _is_one(size) or not any(map(jp.is_symbolic, (size, target))):
            continue
        if any(jp.is_symbolic(d) and _is_of_data(state, d) for d in (size, target)):
            array = primitives.unify_axis(
                jnp.asarray(array), len(have) - back, target, label="broadcast_to", broadcasts=True
            )
    return original(array, shape, *args, **kwargs)


def _is_one(size) -> bool:
    return not jp.is_symbolic(size) and size == 1


def _is_of_data(state, size) -> bool:
    return state.owns(size) and not state.is_input_only(size)


FUNCTIONS = (("broadcast_to", _broadcast_to),)
