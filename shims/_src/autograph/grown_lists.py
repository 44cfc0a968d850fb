"""Represent lists that a loop of unknown length fills with arrays, or with tuples, lists or dicts of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.autograph.iteration import Items, TracedIterable
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.sizes import trace
from shims._src.sizes.size_numbers import number_of
from shims._src.tracing.size_questions import depend_on_data

_AS_ARRAYS = "stack the list, `jnp.stack(values)`, and compute with the array."
_READS = ("index", "count", "copy")


@jax.tree_util.register_pytree_node_class
class GrownList(TracedIterable):
    """Stands for the list of the rows, whose parts are stacked; rows are formed where Python needs them.

    Args:
      stacked: a row, whose arrays have one more leading axis, of the number of rows.
    """

    label = "list"

    def __init__(self, stacked: Any):
        self._stacked = stacked

    def tree_flatten(self):
        """Return the stacked rows as the only child."""
        return (self._stacked,), None

    @classmethod
    def tree_unflatten(cls, _, children):
        """Return the list; outside of a trace the Python list if its length is known, else the stacked rows."""
        (stacked,) = children
        if trace.current() is not None:
            return cls(stacked)
        leaves = jax.tree.leaves(stacked, is_leaf=lambda x: x is None)
        if all(isinstance(x, (np.ndarray, jax.Array)) and not jp.is_tracer(x) for x in leaves):
            return cls(stacked).as_python()
        return stacked

    @property
    def _length(self):
        return jax.tree.leaves(self._stacked)[0].shape[0]

    def _row(self, i):
        row = jax.tree.map(lambda x: x[i], self._stacked)
        return row if trace.current() is None else fixed(row)

    def as_python(self) -> list:
        """Return the Python list, which needs the number of rows."""
        length, state = self._length, trace.current()
        if jp.is_symbolic(length) and state is not None:
            length = number_of(
                state, length, "converting the list to a Python list", _AS_ARRAYS, reports=True
            )
        return [self._row(i) for i in range(length)]

    def depends_on_sizes(self) -> bool:
        """Return whether the number of rows is a data-dependent size."""
        return depend_on_data([self._length])

    def known_length(self) -> int | None:
        """Return the number of rows, `None` if it is a size."""
        return None if jp.is_symbolic(self._length) else self._length

    def items(self) -> Items:
        """Return the rows for a staged loop."""
        return Items(self._stacked, self._length)

    def counters(self, item) -> list:
        """Return that no parts of a row are numbers: they are arrays."""
        del item
        return []

    def array(self):
        """Return what `jnp.array` makes of the list, an array of a row for each first index."""
        return _stacked_parts(self._stacked)

    __jax_array__ = array

    def has_one_part(self) -> bool:
        """Return whether the elements are arrays, not tuples, lists or dicts of arrays."""
        return isinstance(self._stacked, jax.Array)

    def duplicate(self) -> GrownList:
        """Return another list of the same rows."""
        return GrownList(self._stacked)

    def become(self, other: GrownList) -> None:
        """Take the rows of another list."""
        self._stacked = other._stacked

    def append(self, row) -> None:
        """Append a row."""
        self._stacked = self.__add__([row])._stacked

    def __iadd__(self, other):
        joined = self.__add__(list(other))
        self._stacked = joined._stacked
        return self

    def __add__(self, other):
        if isinstance(other, list):
            if not other:
                return self
            other = GrownList(jax.tree.map(lambda *parts: jnp.stack(parts), *other))
        if not isinstance(other, GrownList):
            return NotImplemented
        return GrownList(jax.tree.map(_joined, self._stacked, other._stacked))

    def __radd__(self, other):
        if not isinstance(other, list):
            return NotImplemented
        if not other:
            return self
        return GrownList(jax.tree.map(lambda *parts: jnp.stack(parts), *other)) + self

    def __mul__(self, times):
        return self._in_python() * times

    __rmul__ = __mul__

    def __getitem__(self, place):
        if isinstance(place, int) and not (
            self._length > place if place >= 0 else self._length >= -place
        ):
            raise IndexError("list index out of range")
        row = self._row(place)
        return GrownList(row) if isinstance(place, slice) else row

    def __contains__(self, row) -> bool:
        return row in self._in_python()

    def __bool__(self) -> bool:
        return bool(self._length > 0)

    def __eq__(self, other):
        return self._in_python() == other

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str):
        if name in _READS:
            return getattr(self._in_python(), name)
        if hasattr(list, name) and not name.startswith("__"):
            raise errors.UnimplementedError(
                errors.message(
                    name,
                    "a loop of unknown length has filled this list, so the list cannot be changed in place.",
                    required="`append`, or `+`",
                    do=_AS_ARRAYS,
                )
            )
        raise AttributeError(f"'list' object has no attribute '{name}'")


def _refuse(self, *args, **kwargs):
    del self, args, kwargs
    raise errors.UnimplementedError(
        errors.message(
            "list",
            "a loop over traced data has filled this list, so the elements of the list cannot be changed.",
            required="elements that are not changed",
            do="collect each part in a separate list, or make a new list: `[[a, 0.0] for a, _ in values]`.",
        )
    )


class _FixedList(list):
    """A list in a row, which only stands for those in the array of all rows."""

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = extend = insert = _refuse
    pop = remove = clear = sort = reverse = _refuse


class _FixedDict(dict):
    """A dict in a row, which only stands for those in the arrays of all rows."""

    __setitem__ = __delitem__ = __ior__ = pop = popitem = clear = update = setdefault = _refuse


def _children_of_list(row):
    return tuple(row), None


def _children_of_dict(row):
    return tuple(row[key] for key in sorted(row)), tuple(sorted(row))


def _list_of(_: Any, parts: Any) -> Any:
    return list(parts)  # what JAX makes of it is the program's own


def _dict_of(keys: Any, parts: Any) -> Any:
    return dict(zip(keys, parts, strict=True))


jax.tree_util.register_pytree_node(_FixedList, _children_of_list, _list_of)
jax.tree_util.register_pytree_node(_FixedDict, _children_of_dict, _dict_of)


def fixed(row):
    """Return a row whose lists and dicts cannot be changed."""
    if type(row) is list:
        return _FixedList(map(fixed, row))
    if type(row) is tuple:
        return tuple(map(fixed, row))
    return _FixedDict({k: fixed(v) for k, v in row.items()}) if type(row) is dict else row


def _joined(x, y):
    return jnp.concatenate([x, y])


def _stacked_parts(parts):
    if isinstance(parts, (list, tuple)):
        return jnp.stack([_stacked_parts(part) for part in parts], 1)
    if isinstance(parts, dict):
        raise TypeError("a list of dictionaries is not an array")
    return parts


# Modules whose functions take lists apart.
_OF_LISTS = ("builtins", "functools", "itertools", "operator", "copy", "statistics", "random")
_OF_TREES = ("jax._src.tree", "jax.tree", "optax.tree", "equinox")


def as_array_of_numbers(value):
    """Return the array of a list whose elements have one part; other values unchanged."""
    return value.array() if isinstance(value, GrownList) and value.has_one_part() else value


def for_call(f: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Return the arguments of a call, in which a function of a library gets arrays or lists in place of these lists."""
    module = getattr(f, "__module__", None) or ""
    if not user_frames.is_unconverted_module(module):
        return args, kwargs
    if module.startswith(_OF_TREES):
        return jax.tree.map(_as_list, (args, kwargs), is_leaf=_is_grown)
    given = _as_list if module.split(".")[0] in _OF_LISTS else _as_array
    return tuple(map(given, args)), {name: given(v) for name, v in kwargs.items()}


def _is_grown(value) -> bool:
    return isinstance(value, GrownList)


def _as_list(value):
    return value.as_python() if _is_grown(value) else value


def _as_array(value):
    return value.array() if _is_grown(value) else value
