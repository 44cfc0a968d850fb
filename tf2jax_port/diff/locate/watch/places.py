"""Find the line of the user's program that is running, by inspecting the call stack."""

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
    """A source line of a program.

    Attributes:
      file: the path of the file.
      line: the line number from 1; 0 if unknown.
      function: the name of the function that contains the line.
    """

    file: str
    line: int
    function: str = ""

    @property
    def shown(self) -> str:
        """The file's path, relative to the current directory if the file is inside it."""
        here = os.getcwd() + os.sep
        return self.file.removeprefix(here)

    @property
    def text(self) -> str:
        """The source text of the line, without surrounding whitespace."""
        return linecache.getline(self.file, self.line).strip()


@dataclass(frozen=True, slots=True)
class Where:
    """The position of a running program on its call stack.

    Attributes:
      places: the user's lines on the call stack, innermost first.
      key: identifies the whole call stack; equal in all iterations of a loop.
      part: identifies the position in the innermost user function, whatever called that function.
      instruction: the bytecode offset in the innermost user function.
    """

    places: tuple[Place, ...]
    key: tuple[int, ...]
    part: tuple[int, ...]
    instruction: int


T = TypeVar("T")

NOWHERE = Place("", 0)


def entered(run: Callable[[], T]) -> T:
    """Call the user's program, marking its outermost frame, so that outer frames are ignored."""
    return run()


class Stack:
    """Reads the user's lines from the call stack.

    Create one for each run, because it caches which files belong to the user's program.

    Args:
      own: files that belong to the user's program even if they are among installed packages.
    """

    def __init__(self, own: tuple[str, ...] = ()) -> None:
        self._own = frozenset(own)
        self._known: dict[str, bool] = {}

    def here(self, frame: FrameType | None) -> Where:
        """Return the current position of the program.

        Args:
          frame: the innermost frame to consider.
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
        """Return the innermost line of the user's program in an error's traceback, or `None`."""
        found = None
        for frame in traceback.extract_tb(error.__traceback__):
            if self.is_users(frame.filename):
                found = Place(frame.filename, frame.lineno or 0, frame.name)
        return found

    def is_users(self, file: str) -> bool:
        """Return whether a file is part of the user's program."""
        if file not in self._known:
            self._known[file] = user_files.is_users(file, self._own)
        return self._known[file]


class Counter:
    """Counts how often a program executes each position."""

    def __init__(self) -> None:
        self._passed: dict[tuple[int, ...], int] = {}

    def next(self, key: tuple[int, ...]) -> int:
        """Count one more execution of a position and return its number, from 0."""
        number = self._passed.get(key, -1) + 1
        self._passed[key] = number
        return number

    def total(self, key: tuple[int, ...]) -> int:
        """Return how often a position was executed."""
        return self._passed[key] + 1
