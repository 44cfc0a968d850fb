"""Call operators on arrays of explicit meshes, whose types hold their shardings."""

from __future__ import annotations

import jax

from shims._src.platform import jax_private as jp
from shims._src.platform import meshes
from shims._src.sizes.padded import Padded
from shims._src.tracing import keras_tensors


def are_among(args, kwargs) -> bool:
    """Return whether an argument, or a variable among them, is an array of an explicit mesh."""
    if keras_tensors.are_among(args, kwargs):  # they have no values
        return False
    return meshes.explicit_mesh(map(_value, _leaves((args, kwargs))[0])) is not None


def call(operator, args, kwargs):
    """Call an operator outside of a dynamic trace, computed as XLA would place it.

    JAX derives no sharding for many of the operations of which operators consist, some of them only when a
    program is lowered.
    """
    leaves, tree = _leaves((args, kwargs))
    places = [i for i, x in enumerate(leaves) if meshes.explicit_mesh((_value(x),)) is not None]

    def on_automatic(arrays):
        full = list(leaves)
        for i, x in zip(places, arrays, strict=True):
            full[i] = x
        given_args, given_kwargs = jax.tree.unflatten(tree, full)
        return operator(*given_args, **given_kwargs)

    return meshes.with_automatic_axes(on_automatic, [_value(leaves[i]) for i in places])


def _leaves(tree):
    return jax.tree.flatten(tree, is_leaf=lambda x: isinstance(x, Padded))


def _value(x):
    """Return the value of a variable, and anything else unchanged."""
    if isinstance(x, (jax.Array, Padded)) or not hasattr(x, "__jax_array__") or jp.is_symbolic(x):
        return x
    return x.__jax_array__()
