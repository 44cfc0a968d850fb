"""Record the results of plain Python and NumPy statements.

JAX and TensorFlow do not see these computations, only their results, as constants.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.places import Place
from tf2jax_port.diff.locate.watch.reading import Statement, statement

# The most elements of an array, items of a list, and results that are kept.
_LARGE, _LONG, _MANY = 1 << 16, 64, 1 << 14
_EXACT = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A recorded result of a Python or NumPy statement.

    Attributes:
      place: the line of the statement.
      array: the result.
      written: a mask of the elements that the statement changed in place; `None` for a new value.
      operands: the numbers of the recorded results that the statement reads.
      name: the variable that holds the result; `""` for a returned value.
    """

    place: Place
    array: np.ndarray
    written: np.ndarray | None
    operands: tuple[int, ...]
    name: str = ""


class Host:
    """The recorded results of Python and NumPy statements, in order of execution."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def latest(self, array: np.ndarray) -> int | None:
        """Return the number of the last result with the same elements as an array, or `None`."""
        for number in range(len(self.told) - 1, -1, -1):
            other = self.told[number].array
            if other.size == array.size and np.allclose(
                other.ravel(), array.ravel(), rtol=_EXACT, atol=0.0, equal_nan=True
            ):
                return number
        return None

    def called(self, name: str, place: Place) -> Told | None:
        """Return the last result assigned to a name in the function that contains a line, or `None`."""
        inside = place.file, place.function
        for told in reversed(self.told):
            if told.name == name and inside == (told.place.file, told.place.function):
                return told
        return None

    def before(self, number: int) -> list[int]:
        """Return the numbers of a recorded result, first, and of all results on which it depends."""
        found = [number]
        for one in found:
            found += [o for o in self.told[one].operands if o not in found]
        return found


@contextmanager
def listening(host: Host, is_users: Callable[[str], bool]) -> Iterator[None]:
    """Record the results of the user's Python statements inside the `with` block.

    Nothing is recorded if another trace function, such as a debugger's, is active.

    Args:
      host: the object that collects the results.
      is_users: a function that returns whether a file is part of the user's program.
    """
    if sys.gettrace() is not None:  # a debugger is active
        yield
        return
    sys.settrace(_Listener(host, is_users).called)
    try:
        yield
    finally:
        sys.settrace(None)


@dataclass(slots=True)
class _Running:
    """The statement that a function is currently executing.

    Attributes:
      said: the statement.
      place: its line.
      read: the numbers of the recorded results that it reads, by name or as return values of calls.
      copies: a dict from variables to copies of their arrays, to detect changes in place.
    """

    said: Statement
    place: Place
    read: list[int]
    copies: dict[str, np.ndarray]


class _Listener:
    def __init__(self, host: Host, is_users: Callable[[str], bool]) -> None:
        self._host, self._is_users = host, is_users
        self._running: dict[int, _Running] = {}
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def called(self, frame: FrameType, event: str, given: Any) -> Any:
        """Return the local trace function for a call of a user's function, as `sys.settrace` requires."""
        return self._passed if self._is_users(frame.f_code.co_filename) else None

    def _passed(self, frame: FrameType, event: str, given: Any) -> Any:
        if len(self._host.told) > _MANY:
            return None
        if event == "line":
            self._at_line(frame)
        elif event == "return":
            self._returns(frame, given)
        return self._passed

    def _at_line(self, frame: FrameType) -> None:
        place = Place(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        said = statement(place)
        running = self._running.get(id(frame))
        if running is not None and running.said is said:
            return
        self._ended(frame)
        if said is not None:
            known = {name: self._value(frame, name) for name in said.names}
            copies = {
                name: value.copy()
                for name, value in known.items()
                if isinstance(value, np.ndarray) and value.size <= _LARGE
            }
            read = [n for value in known.values() for n in self._known(value)]
            self._running[id(frame)] = _Running(said, place, read, copies)

    def _ended(self, frame: FrameType) -> None:
        running = self._running.pop(id(frame), None)
        if running is None:
            return
        for name, before in running.copies.items():
            after = self._value(frame, name)
            if name in running.said.targets or not isinstance(after, np.ndarray):
                continue
            if after.shape == before.shape and not np.array_equal(after, before, equal_nan=True):
                self._tell(running, after, name, after != before)
        for name in running.said.targets:
            for one in _arrays(self._value(frame, name)):
                self._tell(running, one, name)

    def _returns(self, frame: FrameType, given: Any) -> None:
        running = self._running.get(id(frame))
        if running is not None:
            for one in _arrays(given):
                if id(one) not in self._numbers:
                    self._tell(running, one)
        self._ended(frame)
        caller = frame.f_back
        while caller is not None and id(caller) not in self._running:
            caller = caller.f_back
        if caller is not None:
            self._running[id(caller)].read += self._known(given)

    def _tell(
        self, running: _Running, one: Any, name: str = "", written: np.ndarray | None = None
    ) -> None:
        operands = tuple(dict.fromkeys(running.read))
        if not isinstance(one, int):  # two whole numbers may be one object
            self._numbers[id(one)] = len(self._host.told)
            self._alive.append(one)
        self._host.told.append(Told(running.place, np.array(one), written, operands, name))

    def _known(self, value: Any) -> list[int]:
        return [self._numbers[id(one)] for one in _arrays(value) if id(one) in self._numbers]

    @staticmethod
    def _value(frame: FrameType, name: str) -> Any:
        inside = frame.f_locals
        return inside[name] if name in inside else frame.f_globals.get(name)


def _arrays(value: Any) -> Iterator[Any]:
    """Yield the numeric arrays and numbers in a value or in nested lists of values."""
    if isinstance(value, (tuple, list)) and len(value) <= _LONG:
        for part in value:
            yield from _arrays(part)
    elif isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.kind in "biufc" and value.size <= _LARGE:
            yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
