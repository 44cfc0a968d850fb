"""Flatten, pack and map nested structures of lists, tuples, dictionaries and `attrs` classes.

Unlike in JAX's pytrees, `None` is an element here, and so is a registered class that is not a container.
"""

from __future__ import annotations

import collections
import collections.abc
from collections.abc import Iterator
from typing import Any

import jax

_Mapping = collections.abc.Mapping


def is_nested(seq):
    """Return whether a value is a container of elements.

    Args:
      seq: any value.

    Returns:
      True for lists, tuples, named tuples, dictionaries and their views, and `attrs` classes; False
      for arrays, strings, sets and everything else.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Structures are Python objects; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/nest/is_nested
    """
    if isinstance(seq, (str, bytes, bytearray)):
        return False
    return isinstance(
        seq, (_Mapping, collections.abc.MappingView, collections.abc.Sequence)
    ) or _is_attrs(seq)


def _is_attrs(x) -> bool:
    return hasattr(type(x), "__attrs_attrs__")


def _is_namedtuple(x) -> bool:
    return isinstance(x, tuple) and hasattr(x, "_fields")


def _sorted_keys(x) -> list:
    try:
        return sorted(x)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _children(x) -> list:
    """Return the elements of a container as a list; those of a dictionary are sorted by key."""
    if isinstance(x, _Mapping):
        return [x[key] for key in _sorted_keys(x)]
    if _is_attrs(x):
        return [getattr(x, field.name) for field in type(x).__attrs_attrs__]
    return list(x)


def _rebuild(like, children):
    """Create a container of the type and keys of `like` with new elements."""
    if isinstance(like, _Mapping):
        found = dict(zip(_sorted_keys(like), children, strict=True))
        items = [(key, found[key]) for key in like]
        if isinstance(like, collections.defaultdict):
            return type(like)(like.default_factory, items)
        return type(like)(items)
    if isinstance(like, collections.abc.MappingView):
        return list(children)
    if _is_namedtuple(like) or _is_attrs(like):
        return type(like)(*children)
    return list(children) if isinstance(like, range) else type(like)(children)


def _is_composite(x, expand: bool) -> bool:
    """Return whether a value is a pytree to be expanded into its arrays."""
    return expand and x is not None and not jax.tree_util.all_leaves([x])


def _elements(structure, expand: bool) -> Iterator:
    if is_nested(structure):
        for child in _children(structure):
            yield from _elements(child, expand)
    elif _is_composite(structure, expand):
        yield from jax.tree.leaves(structure)
    else:
        yield structure


def flatten(structure, expand_composites=False):
    """Return the elements of a structure as a list.

    Args:
      structure: a structure, or a single element.
      expand_composites: whether composites count as containers of their arrays.

    Returns:
      The elements in order; the elements of a dictionary are in the order of its keys.

    Raises:
      TypeError: the keys of a dictionary cannot be sorted.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Structures are Python objects; nothing is traced.

    Example:
      >>> from shims import nest
      >>> nest.flatten({"b": [2, 3], "a": 1})
      [1, 2, 3]

    https://www.tensorflow.org/api_docs/python/tf/nest/flatten
    """
    return list(_elements(structure, expand_composites))


def _pack(structure, elements: Iterator, expand: bool):
    if is_nested(structure):
        return _rebuild(structure, [_pack(c, elements, expand) for c in _children(structure)])
    if _is_composite(structure, expand):
        leaves, tree = jax.tree.flatten(structure)
        return jax.tree.unflatten(tree, [next(elements) for _ in leaves])
    return next(elements)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """Pack a flat sequence into a structure.

    Args:
      structure: the structure, or a single element.
      flat_sequence: the elements in the order of `flatten`.
      expand_composites: whether composites count as containers of their arrays.

    Returns:
      A structure like `structure`.

    Raises:
      TypeError: `flat_sequence` is not a sequence.
      ValueError: the number of elements differs.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Structures are Python objects; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/nest/pack_sequence_as
    """
    if not is_nested(flat_sequence):
        raise TypeError(
            "Attempted to pack value into a structure, but found an incompatible type "
            f"`{type(flat_sequence)}` instead of a sequence: {flat_sequence}"
        )
    elements = list(_children(flat_sequence))
    wanted = len(flatten(structure, expand_composites))
    if len(elements) != wanted:
        raise ValueError(
            f"Could not pack sequence. Structure had {wanted} atoms, but flat_sequence had "
            f"{len(elements)} items. Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(elements), expand_composites)


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raise an error unless two structures are nested in the same way.

    Args:
      nest1: a structure.
      nest2: another structure.
      check_types: whether their containers must have the same types; two dictionaries always match.
      expand_composites: whether composites count as containers of their arrays.

    Raises:
      ValueError: the structures differ in nesting, in the number of elements or in keys.
      TypeError: the structures differ in a type.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Structures are Python objects; nothing is traced.

    https://www.tensorflow.org/api_docs/python/tf/nest/assert_same_structure
    """
    counts = [len(flatten(n, expand_composites)) for n in (nest1, nest2)]
    nested = [is_nested(n) for n in (nest1, nest2)]
    if counts[0] != counts[1] and all(nested):
        raise ValueError(
            _mismatch_message(nest1, nest2, f"{counts[0]} elements are not {counts[1]}")
        )
    _check_alike(nest1, nest2, check_types, expand_composites, (nest1, nest2))


def _mismatch_message(nest1, nest2, why: str) -> str:
    return (
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {nest1}\n\nSecond structure: {nest2}\n\nMore specifically: {why}"
    )


def _check_alike(a, b, check_types, expand, whole: tuple[Any, Any]) -> None:
    if is_nested(a) != is_nested(b):
        which, other = (a, b) if is_nested(a) else (b, a)
        raise ValueError(_mismatch_message(*whole, f"{which} is a container and {other} is not"))
    if not is_nested(a):
        if _is_composite(a, expand) or _is_composite(b, expand):
            trees: list[Any] = [jax.tree.structure(x) for x in (a, b)]
            if trees[0] != trees[1]:
                raise ValueError(_mismatch_message(*whole, f"{type(a)} is not {type(b)}"))
        return
    if check_types and not _same_type(a, b):
        raise TypeError(_mismatch_message(*whole, f"{type(a)} is not {type(b)}"))
    if check_types and isinstance(a, _Mapping) and set(a) != set(b):
        raise ValueError(_mismatch_message(*whole, f"the keys {list(a)} are not {list(b)}"))
    first, second = _children(a), _children(b)
    if len(first) != len(second):
        raise ValueError(_mismatch_message(*whole, f"{len(first)} elements are not {len(second)}"))
    for x, y in zip(first, second, strict=True):
        _check_alike(x, y, check_types, expand, whole)


def _same_type(a, b) -> bool:
    if _is_namedtuple(a) and _is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    return type(a) is type(b) or (isinstance(a, _Mapping) and isinstance(b, _Mapping))


def map_structure(func, *structure, **kwargs):
    """Apply a function to the corresponding elements of structures.

    Args:
      func: a function of one element of each structure.
      *structure: structures that are nested in the same way.
      **kwargs: `check_types` (True by default) and `expand_composites` (False by default), as in
        `assert_same_structure`.

    Returns:
      A structure like the first structure, with the results of `func`.

    Raises:
      TypeError: `func` is not callable, or types differ.
      ValueError: no structure is given, the structures are nested differently, or a keyword is
        unknown.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Structures are Python objects; only what `func` computes is traced.

    Example:
      >>> from shims import nest
      >>> nest.map_structure(lambda a, b: a + b, {"x": 1, "y": (2,)}, {"x": 10, "y": (20,)})
      {'x': 11, 'y': (22,)}

    https://www.tensorflow.org/api_docs/python/tf/nest/map_structure
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: "
            f"`{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand)
    columns = [flatten(s, expand) for s in structure]
    return _pack(structure[0], iter([func(*row) for row in zip(*columns)]), expand)
