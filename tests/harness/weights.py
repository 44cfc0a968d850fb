"""How does a result become one number on which each element has a slope of its own?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from .flatten import arrays


def jax_loss(results):
    """Sum the sines of all floating-point arrays of a result."""
    total = jnp.zeros(())
    for leaf in map(jnp.asarray, jax.tree.leaves(results)):
        if jnp.issubdtype(leaf.dtype, jnp.inexact):
            total = total + jnp.sum(jnp.sin(jnp.real(leaf)))
    return total


def polynomial_loss(library, results):
    """Sum a polynomial of all floating-point arrays of a result; `None` if there is none.

    Large numbers keep their relative accuracy, which they lose under a sine.
    """
    terms = [
        library.reduce_sum(x * (0.5 * x + (1 + i / 4)))
        for i, x in enumerate(map(library.convert_to_tensor, arrays(results)))
        if library.as_dtype(x.dtype).is_floating
    ]
    return sum(terms[1:], terms[0]) if terms else None


def cotangent(array) -> np.ndarray:
    """Make a cotangent in which each element has its own weight, so that a permutation is seen.

    In steps that half precision has exactly: they are not what is compared.
    """
    array = np.asarray(array)
    found = np.full(array.shape, 1.5)
    for axis, size in enumerate(array.shape):
        along = [1] * array.ndim
        along[axis] = size
        steps = np.round(64 * np.cos((axis + 1) * np.arange(size))) / 64
        found = found + 0.5 * steps.reshape(along)
    return found.astype(array.dtype)


def traced_cotangent(value):
    """Make the same cotangent inside of a program, where sizes may be symbols."""
    found = jnp.full((), 1.5, value.dtype)
    for axis, size in enumerate(value.shape):
        along = [1] * value.ndim
        along[axis] = size
        steps = jnp.round(64 * jnp.cos((axis + 1.0) * jnp.arange(size))) / 64
        found = found + jnp.asarray(0.5, value.dtype) * steps.astype(value.dtype).reshape(along)
    return found


def is_floating(value) -> bool:
    """Tell whether an array of JAX has a gradient."""
    return jnp.issubdtype(jnp.result_type(value), jnp.floating)
