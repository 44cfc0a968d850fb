"""Flatten and map the structures of dataset elements.

Unlike in `tf.nest`, lists are not containers: a list is a tensor. Ragged and sparse tensors and datasets
are leaves.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator
from typing import Any

_Mapping = collections.abc.Mapping


def is_container(x) -> bool:
    """Return whether a value is a tuple, a dictionary, or an object of an `attrs` class."""
    return isinstance(x, (tuple, _Mapping)) or hasattr(type(x), "__attrs_attrs__")


def children(x) -> list:
    """Return the values in a container; those of a dictionary in the order of its keys."""
    if isinstance(x, _Mapping):
        return [x[key] for key in sorted(x)]
    if isinstance(x, tuple):
        return list(x)
    return [getattr(x, field.name) for field in type(x).__attrs_attrs__]


def rebuild(like, values: list) -> Any:
    """Create a container of the type and keys of `like` that holds `values`."""
    if isinstance(like, _Mapping):
        found = dict(zip(sorted(like), values, strict=True))
        items = [(key, found[key]) for key in like]
        if isinstance(like, collections.defaultdict):
            return type(like)(like.default_factory, items)
        kind: Any = type(like)
        return kind(items)
    if isinstance(like, tuple) and not hasattr(like, "_fields"):
        return tuple(values)
    return type(like)(*values)


def flatten(structure) -> list:
    """Return the leaves of a structure."""
    if not is_container(structure):
        return [structure]
    return [leaf for child in children(structure) for leaf in flatten(child)]


def pack(structure, leaves: Iterator) -> Any:
    """Replace the leaves of a structure, in the order of `flatten`."""
    if not is_container(structure):
        return next(leaves)
    return rebuild(structure, [pack(child, leaves) for child in children(structure)])


def map_leaves(function: Callable[..., Any], structure, *others) -> Any:
    """Apply a function to the corresponding leaves of structures that are nested alike."""
    if not is_container(structure):
        return function(structure, *others)
    columns = [children(structure), *map(children, others)]
    return rebuild(structure, [map_leaves(function, *row) for row in zip(*columns, strict=True)])


def are_alike(a, b) -> bool:
    """Return whether two structures are nested in the same way."""
    if is_container(a) != is_container(b):
        return False
    if not is_container(a):
        return True
    if isinstance(a, _Mapping) != isinstance(b, _Mapping):
        return False
    if isinstance(a, _Mapping) and set(a) != set(b):
        return False
    first, second = children(a), children(b)
    return len(first) == len(second) and all(map(are_alike, first, second))
