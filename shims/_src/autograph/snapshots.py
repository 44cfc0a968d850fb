"""Find out whether code has changed objects of Python, and undo the changes.

A snapshot holds the contents of what functions reach: through their closures and the globals that they name,
containers, attributes of the program's objects and classes, methods and functions. Objects whose classes come
from a library, arrays and variables of this one among them, are left alone.
"""

from __future__ import annotations

import array
import collections
import functools
import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shims._src.autograph import reads
from shims._src.platform import user_frames

# Objects beyond this number are not looked at, and arrays with more bytes are not copied.
_MOST = 20_000
_MOST_BYTES = 1 << 24
_CONSTANTS = (str, bytes, int, float, complex, type(None), range, slice, np.generic)
# Modules whose classes hold nothing but attributes and items, so that the program's classes may inherit from them.
_PLAIN_MODULES = ("builtins", "abc", "typing", "enum", "dataclasses", "collections", "contextlib")


class Snapshot:
    """The contents of the objects that functions reach, at one time."""

    def __init__(self, functions: Iterable[Any]):
        self._kept: list[tuple[_Kind, Any, Any]] = []
        seen: dict[int, Any] = {}
        left: list[Any] = list(functions)
        while left and len(seen) < _MOST:
            value = left.pop()
            if isinstance(value, _CONSTANTS) or id(value) in seen:
                continue
            seen[id(value)] = value
            for kind in _kinds_of(value):
                self._kept.append((kind, value, kind.read(value)))
            left.extend(_held(value))
        self._seen = seen

    def reaches(self, value: Any) -> bool:
        """Return whether the functions reach an object."""
        return id(value) in self._seen

    def is_changed(self) -> bool:
        """Return whether an object has other contents than it had."""
        return bool(self._changed())

    def restore(self) -> bool:
        """Give all objects the contents that they had; return whether any of them had others."""
        changed = self._changed()
        for kind, value, contents in changed:
            kind.write(value, contents)
        return bool(changed)

    def _changed(self) -> list[tuple[_Kind, Any, Any]]:
        return [k for k in self._kept if not _is_same(k[0].read(k[1]), k[2])]


def _is_same(now: Any, before: Any) -> bool:
    if isinstance(before, bytes):
        return now == before
    return len(now) == len(before) and all(a is b for a, b in zip(now, before, strict=True))


# ---- what can change, as a flat list of objects, or as bytes ---------------------------------------


class _Kind:
    """One way in which objects hold others: how to read it, and how to write it back."""

    def __init__(self, read: Callable[[Any], Any], write: Callable[[Any, Any], object]):
        self.read, self.write = read, write


def _write_items(value: Any, contents: list) -> None:
    value.clear()
    value.extend(contents)


def _write_members(value: Any, contents: list) -> None:
    value.clear()
    value.update(contents)


def _write_pairs(value: Any, contents: list) -> None:
    dict.clear(value)
    dict.update(value, zip(contents[::2], contents[1::2], strict=True))


def _write_array(value: np.ndarray, contents: bytes) -> None:
    value[...] = np.frombuffer(contents, value.dtype).reshape(value.shape)


def _write_numbers(value: array.array, contents: bytes) -> None:
    del value[:]
    value.frombytes(contents)


def _write_bytes(value: bytearray, contents: bytes) -> None:
    value[:] = contents


def _read_pairs(value: dict) -> list:
    return list(itertools.chain.from_iterable(dict.items(value)))


def _slots_of(kind: type) -> dict[str, types.MemberDescriptorType]:
    members = itertools.chain.from_iterable(vars(k).items() for k in kind.__mro__)
    return {n: m for n, m in members if isinstance(m, types.MemberDescriptorType)}


def _attributes(value: Any) -> dict[str, Any]:
    slots: dict[str, Any] = {}
    if not isinstance(value, (type, types.FunctionType)):
        slots = {n: m for n, m in _slots_of(type(value)).items() if hasattr(value, n)}
    held = {**getattr(value, "__dict__", {}), **{n: m.__get__(value) for n, m in slots.items()}}
    return {name: v for name, v in held.items() if not name.startswith(("__", "_shims_"))}


def _read_attributes(value: Any) -> list:
    return list(itertools.chain.from_iterable(_attributes(value).items()))


def _write_attributes(value: Any, contents: list) -> None:
    before = dict(zip(contents[::2], contents[1::2], strict=True))
    base: Any = type if isinstance(value, type) else object
    for name in _attributes(value).keys() - before.keys():
        base.__delattr__(value, name)
    for name, held in before.items():
        base.__setattr__(value, name, held)


_ITEMS = _Kind(list, _write_items)
_MEMBERS = _Kind(lambda value: sorted(value, key=id), _write_members)
_PAIRS = _Kind(_read_pairs, _write_pairs)
_ARRAY = _Kind(np.ndarray.tobytes, _write_array)
_NUMBERS = _Kind(array.array.tobytes, _write_numbers)
_BYTES = _Kind(bytes, _write_bytes)
_ATTRIBUTES = _Kind(_read_attributes, _write_attributes)
_CONTAINERS: tuple[tuple[type, _Kind], ...] = (
    *((list, _ITEMS), (collections.deque, _ITEMS), (set, _MEMBERS), (dict, _PAIRS)),
    *((np.ndarray, _ARRAY), (bytearray, _BYTES), (array.array, _NUMBERS)),
)


def _kinds_of(value: Any) -> list[_Kind]:
    """Return the ways in which an object holds what may change."""
    if isinstance(value, np.ndarray) and not _can_be_copied(value):
        return []
    kinds = [kind for cls, kind in _CONTAINERS if isinstance(value, cls)]
    return [*kinds, _ATTRIBUTES] if _is_of_program(value) else kinds


def _can_be_copied(value: np.ndarray) -> bool:
    return value.nbytes <= _MOST_BYTES and value.flags.writeable and not value.dtype.hasobject


def _is_of_program(value: Any) -> bool:
    """Return whether an object is a function of the program, or of a class that it made from its own or plain ones."""
    if isinstance(value, types.FunctionType):
        return not user_frames.is_unconverted_module(value.__globals__.get("__name__") or "")
    kind = value if isinstance(value, type) else type(value)
    return _is_plain(kind) and (hasattr(value, "__dict__") or bool(_slots_of(kind)))


@functools.lru_cache(maxsize=4096)
def _is_plain(kind: type) -> bool:
    if user_frames.is_unconverted_module(kind.__module__) and kind not in _OF_COLLECTIONS:
        return False
    modules = {k.__module__.partition(".")[0] for k in kind.__mro__ if k is not kind}
    return all(
        name in _PLAIN_MODULES or not user_frames.is_unconverted_module(name) for name in modules
    )


_OF_COLLECTIONS = (collections.UserList, collections.UserDict, types.SimpleNamespace)


_CALLABLES = (types.FunctionType, types.MethodType, functools.partial)


# ---- what objects reach --------------------------------------------------------------------------


def _held(value: Any) -> Iterable[Any]:
    """Return the objects that an object holds."""
    if isinstance(value, types.FunctionType):
        return _held_by_function(value)
    if isinstance(value, types.MethodType):
        return (value.__self__, value.__func__)
    if isinstance(value, types.BuiltinMethodType):
        return (value.__self__,)
    if isinstance(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if isinstance(value, np.ndarray):
        return () if value.base is None else (value.base,)
    if isinstance(value, memoryview):
        return (value.obj,)
    held: list[Any] = []
    if isinstance(value, dict):
        held += dict.values(value)
    elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        held += value
    if _is_of_program(value) and not isinstance(value, type):
        held += [type(value), *_attributes(value).values()]
    return held


def _held_by_function(function: types.FunctionType) -> list[Any]:
    if not user_frames.is_unconverted_module(function.__globals__.get("__name__") or ""):
        held = [*vars(function).values(), *(function.__defaults__ or ())]
        return held + reads.values_of(function)
    held = []
    for cell in function.__closure__ or ():  # of a function that calls the program's
        try:
            found = cell.cell_contents
        except ValueError:  # the variable is not set yet
            continue
        if isinstance(found, _CALLABLES):  # containers are the library's own
            held.append(found)
    return held
