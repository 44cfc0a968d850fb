"""Flatten and pack the structures of arrays and variables that a tape accepts and returns."""

from __future__ import annotations

from collections.abc import Sequence

import jax

from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.variables.variable import Variable


def _is_leaf(x) -> bool:
    return isinstance(x, (Variable, IndexedSlices))


def is_leaf_or_none(x) -> bool:
    """Return whether a value counts as a leaf of a tape's structures, or is `None`."""
    return x is None or _is_leaf(x)


def flattened(structure):
    """Flatten a structure to `(leaves, tree)`."""
    return jax.tree.flatten(structure, is_leaf=_is_leaf)


def packed(template, tree, results):
    """Pack flat results into the structure of `template`; dictionaries keep the order of their keys."""
    return _in_order(template, jax.tree.unflatten(tree, results))


def _in_order(template, value):
    if type(template) is dict:
        return {key: _in_order(inner, value[key]) for key, inner in template.items()}
    if type(template) in (list, tuple):
        return type(template)(map(_in_order, template, value))
    return value


def flat_leaves(structure) -> Sequence:
    """Return the leaves of a structure, in order."""
    return flattened(structure)[0]
