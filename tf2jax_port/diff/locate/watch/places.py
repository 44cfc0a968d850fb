"""Which line of the user's program is running, read from the stack: nothing in it needs editing."""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

from tf2jax_port.diff.values import user_files


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a program.

    Attributes:
      file: its path.
      line: counted from 1; 0 where nobody knows.
      function: the function that it is in.
    """

    file: str
    line: int
    function: str = ""

    @property
    def shown(self) -> str:
        """The file as it is called from here."""
        here = os.getcwd() + os.sep
        return self.file.removeprefix(here)

    @property
    def text(self) -> str:
        """The line as it is written, without the space around it."""
        return linecache.getline(self.file, self.line).strip()


@dataclass(frozen=True, slots=True)
class Where:
    """Where a program is.

    Attributes:
      places: the user's lines, from the inside out.
      key: what a second pass through the same place, called in the same way, has too.
      part: what it has too if it was called from elsewhere.
      instruction: which part of the innermost line it is.
    """

    places: tuple[Place, ...]
    key: tuple[int, ...]
    part: tuple[int, ...]
    instruction: int


T = TypeVar("T")

NOWHERE = Place("", 0)


def entered(run: Callable[[], T]) -> T:
    """Call the user's program; lines outside of this call are not the program's."""
    return run()


class Stack:
    """Reads the stack. One per run, because it remembers which files are the user's.

    Args:
      own: files that are the user's even where they lie among installed packages.
    """

    def __init__(self, own: tuple[str, ...] = ()) -> None:
        self._own = frozenset(own)
        self._known: dict[str, bool] = {}

    def here(self, frame: FrameType | None) -> Where:
        """Where the program is.

        Args:
          frame: where to begin, going outwards.
        """
        key: list[int] = []
        places: list[Place] = []
        part: tuple[int, ...] = ()
        instruction = 0
        while frame is not None and frame.f_code is not entered.__code__:
            code = frame.f_code
            key += (id(code), frame.f_lasti)
            if self.is_users(code.co_filename):
                if not places:
                    part, instruction = tuple(key), frame.f_lasti
                places.append(Place(code.co_filename, frame.f_lineno, code.co_name))
            frame = frame.f_back
        return Where(tuple(places), tuple(key), part or tuple(key), instruction)

    def raised(self, error: BaseException) -> Place | None:
        """The innermost line of the user's that an error came through."""
        found = None
        for frame in traceback.extract_tb(error.__traceback__):
            if self.is_users(frame.filename):
                found = Place(frame.filename, frame.lineno or 0, frame.name)
        return found

    def is_users(self, file: str) -> bool:
        """Whether a file is part of the user's program."""
        if file not in self._known:
            self._known[file] = user_files.is_users(file, self._own)
        return self._known[file]


class Counter:
    """Counts how often each place was passed."""

    def __init__(self) -> None:
        self._passed: dict[tuple[int, ...], int] = {}

    def next(self, key: tuple[int, ...]) -> int:
        """The number of this pass, from 0."""
        number = self._passed.get(key, -1) + 1
        self._passed[key] = number
        return number

    def total(self, key: tuple[int, ...]) -> int:
        """How often a place was passed."""
        return self._passed[key] + 1
