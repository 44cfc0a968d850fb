"""Find out whether code has changed objects of Python, and undo the changes.

A snapshot holds the contents of what functions reach: through their closures and the globals that they name,
containers, attributes of the program's objects and classes, methods and functions. Objects whose classes come
from a library, arrays and variables of this one among them, are left alone.
"""

from __future__ import annotations

import array
import collections
import dis
import functools
import itertools
import types
from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np

from shims._src.platform import user_frames
from shims._src.recording import reads

# Objects beyond this number are not looked at, and arrays with more bytes are not copied.
_MOST = 20_000
_MOST_BYTES = 1 << 24
# The most bytes of all arrays that a snapshot copies.
_MOST_IN_ALL = 1 << 26
_CONSTANTS = (str, bytes, int, float, complex, type(None), range, slice, np.generic)
# Modules whose classes hold nothing but attributes and items, so the program's classes may inherit from them.
_PLAIN_MODULES = ("builtins", "abc", "typing", "enum", "dataclasses", "collections", "contextlib")


class Snapshot:
    """The contents of the objects that functions reach, at one time.

    Args:
      functions: the functions, and other objects.
      has_variables: whether the variables of functions belong to it, `nonlocal` and `global` ones.
      leaves: tells which objects are left alone, with what only they hold.
    """

    def __init__(
        self,
        functions: Iterable[Any],
        *,
        has_variables: bool = False,
        leaves: Callable[[Any], bool] | None = None,
    ):
        self._kept: list[tuple[_Kind, Any, Any]] = []
        seen: dict[int, Any] = {}
        left: list[Any] = list(functions)
        copied = 0
        while left and len(seen) < _MOST:
            value = left.pop()
            if isinstance(value, _CONSTANTS) or id(value) in seen:
                continue
            if leaves is not None and leaves(value):
                continue
            seen[id(value)] = value
            kinds = _kinds_of(value)
            if has_variables and isinstance(value, types.FunctionType):
                kinds = [*kinds, _CELLS, _GLOBALS] if kinds else []
                left.extend(_passed_on(value))
            if _ARRAY in kinds:
                copied += value.nbytes
                kinds = kinds if copied <= _MOST_IN_ALL else []
            for kind in kinds:
                self._kept.append((kind, value, kind.read(value)))
            left.extend(held(value))
        self._seen = seen

    def reaches(self, value: Any) -> bool:
        """Return whether the functions reach an object."""
        return id(value) in self._seen

    def is_changed(self) -> bool:
        """Return whether the contents of an object have changed."""
        return bool(self._changed())

    def changed(self) -> list:
        """Return the objects whose contents have changed."""
        return [value for _, value, _ in self._changed()]

    def restore(self, *, keeps_created: bool = False) -> bool:
        """Give all objects the contents that they had; return whether any of them had others.

        Args:
          keeps_created: whether objects are left alone that hold new objects of libraries, such as variables.
        """
        changed = self._changed()
        if keeps_created:
            changed = [k for k in changed if not _holds_created(k[0].read(k[1]), k[2])]
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
    if isinstance(value, collections.OrderedDict):  # has an order of its own
        return list(itertools.chain.from_iterable(collections.OrderedDict.items(value)))
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


_MISSING = object()


def _read_cells(function: Any) -> list:
    return [_content(cell) for cell in function.__closure__ or ()]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable is not set yet
        return _MISSING


def _write_cells(function: Any, contents: list) -> None:
    for cell, content in zip(function.__closure__ or (), contents, strict=True):
        if content is _MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = content


@functools.lru_cache(maxsize=4096)
def _assigned_globals(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of the globals that a code object or those nested in it assign."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in _GLOBAL_STORES}
    nested = [_assigned_globals(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    return tuple(sorted(names.union(*nested)))


_GLOBAL_STORES = ("STORE_GLOBAL", "DELETE_GLOBAL")


def _read_globals(function: Any) -> list:
    names = _assigned_globals(function.__code__)
    return [function.__globals__.get(name, _MISSING) for name in names]


def _write_globals(function: Any, contents: list) -> None:
    for name, content in zip(_assigned_globals(function.__code__), contents, strict=True):
        if content is _MISSING:
            function.__globals__.pop(name, None)
        else:
            function.__globals__[name] = content


_CELLS = _Kind(_read_cells, _write_cells)
_GLOBALS = _Kind(_read_globals, _write_globals)
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


def held(value: Any) -> Iterable[Any]:
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
    found: list[Any] = []
    if isinstance(value, dict):
        found += dict.values(value)
    elif isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        found += value
    if _is_of_program(value) and not isinstance(value, type):
        found += [type(value), *_attributes(value).values()]
    return found


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


def _passed_on(function: types.FunctionType) -> list[Any]:
    """Return what a function of a library passes on to those of the program: lists of arguments in its closure."""
    if user_frames.is_unconverted_module(function.__globals__.get("__name__") or ""):
        contents = map(_content, function.__closure__ or ())
        return [x for c in contents if isinstance(c, (list, tuple)) for x in c]
    return []


def _holds_created(now: Any, before: Any) -> bool:
    """Return whether contents hold an object of a library that the contents before did not."""
    if isinstance(now, bytes):
        return False
    known = {id(x) for x in before}
    left = [x for x in now if id(x) not in known]
    seen: set[int] = set()
    while left and len(seen) < _MOST:
        value = left.pop()
        if isinstance(value, (*_CONSTANTS, jax.Array, np.ndarray, type)) or id(value) in seen:
            continue
        seen.add(id(value))
        if not _kinds_of(value) and not isinstance(value, (tuple, frozenset, *_CALLABLES)):
            return value is not _MISSING
        left.extend(held(value))
    return len(seen) >= _MOST
