"""Sort the elements of a list, and find the largest and the smallest, by keys that are traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.autograph.expressions import staged_number
from shims._src.control_flow.staging import current_value, is_array, is_number, is_staged


def traced_keys(elements: Sequence[Any], keys: Sequence[Any]) -> jax.Array | None:
    """Return the keys of elements as a vector, if they are scalars of which at least one is traced; else `None`.

    Elements must have one structure, of arrays of equal shapes and numbers.
    """
    keys = list(map(current_value, keys))
    if not any(map(is_staged, keys)) or not _are_alike(elements):
        return None
    keys = list(map(staged_number, keys))
    if not all(is_array(k) or is_number(k) for k in keys):
        return None
    if any(jnp.ndim(k) or jnp.iscomplexobj(k) for k in keys):
        return None
    return jnp.stack([jnp.asarray(k) for k in keys])


def _are_alike(elements: Sequence[Any]) -> bool:
    trees: list[Any] = [jax.tree.structure(e) for e in elements]
    leaves = [jax.tree.leaves(e) for e in elements]
    if any(tree != trees[0] for tree in trees):
        return False
    return all(_is_known_kind(x) for found in leaves for x in found) and all(
        jnp.shape(x) == jnp.shape(y) for found in leaves for x, y in zip(found, leaves[0])
    )


def _is_known_kind(value: Any) -> bool:
    return is_array(value) or is_number(value)


def in_order(elements: Sequence[Any], keys: jax.Array, *, reverse: bool) -> list:
    """Return the elements in the order of their keys; equal elements keep their order, as in Python."""
    places = jnp.argsort(keys, stable=True, descending=reverse)
    return [at(elements, places[i]) for i in range(len(elements))]


def at(elements: Sequence[Any], place: jax.Array) -> Any:
    """Return the element at a traced place."""
    return jax.tree.map(lambda *parts: jnp.stack([*map(jnp.asarray, parts)])[place], *elements)
