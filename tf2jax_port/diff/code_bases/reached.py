"""Record which lines and branches of the port a call reaches."""

from __future__ import annotations

import contextlib
import dis
import functools
import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

_TOOL = 3
_MONITORING: Any = getattr(sys, "monitoring", None)  # since Python 3.12
_CONVERTED = "ag__"  # begins the names of functions that AutoGraph has written
_NO_LINES = ("RESUME", "RETURN_GENERATOR", "COPY_FREE_VARS", "MAKE_CELL")

# By file: the lines, and the branches as texts.
Reached = dict[str, dict[str, list[Any]]]


class Watch:
    """Watches the files of a folder.

    Args:
      root: the folder.

    Attributes:
      converted: whether functions of the folder ran that AutoGraph had converted, whose branches may all run.
    """

    def __init__(self, root: str) -> None:
        self._root = root.rstrip("/") + "/"
        self._lines: dict[str, set[int]] = {}
        self._branches: dict[str, set[str]] = {}
        self.converted = False

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Record what the `with` block reaches; before Python 3.12, nothing."""
        if _MONITORING is None:
            yield
            return
        events = _MONITORING.events
        _MONITORING.use_tool_id(_TOOL, "tf2jax-port")
        _MONITORING.register_callback(_TOOL, events.LINE, self._line)
        _MONITORING.register_callback(_TOOL, events.BRANCH, self._branch)
        _MONITORING.restart_events()
        _MONITORING.set_events(_TOOL, events.LINE | events.BRANCH)
        try:
            yield
        finally:
            _MONITORING.set_events(_TOOL, 0)
            _MONITORING.free_tool_id(_TOOL)

    def found(self) -> Reached | None:
        """Return what was reached, by paths relative to the folder; `None` if it cannot be measured."""
        if _MONITORING is None:
            return None
        return {
            path: {"lines": sorted(lines), "branches": sorted(self._branches.get(path, ()))}
            for path, lines in self._lines.items()
        }

    def _line(self, code: CodeType, line: int) -> Any:
        if code.co_filename.startswith(self._root) and code.co_name != "<module>":
            if code.co_qualname.startswith(_CONVERTED):
                self.converted = True
            else:
                path = code.co_filename.removeprefix(self._root)
                self._lines.setdefault(path, set()).add(line)
        return _MONITORING.DISABLE

    def _branch(self, code: CodeType, offset: int, destination: int) -> Any:
        is_own = code.co_filename.startswith(self._root)
        if is_own and not code.co_qualname.startswith(_CONVERTED) and offset in branches_of(code):
            path = code.co_filename.removeprefix(self._root)
            self._branches.setdefault(path, set()).add(branch(code, offset, destination))
            return None
        return _MONITORING.DISABLE


def branch(code: CodeType, offset: int, destination: int) -> str:
    """Return the name of a branch; all in one function begin alike."""
    return f"{code.co_qualname} {code.co_firstlineno} {offset} {destination}"


@functools.cache
def branches_of(code: CodeType) -> frozenset[int]:
    """Return the places in a function's own instructions at which it goes one way or another."""
    found = set()
    last = ""
    for each in dis.get_instructions(code):
        if each.opname.startswith("POP_JUMP") and last != "WITH_EXCEPT_START":
            found.add(each.offset)
        if each.opname == "FOR_ITER":
            found.add(each.offset)
        if each.opname != "TO_BOOL":  # it stands between a question and its jump
            last = each.opname
    return frozenset(found)


def lines_of(code: CodeType) -> set[int]:
    """Return the lines of a function's own instructions."""
    return {
        found.positions.lineno
        for found in dis.get_instructions(code)
        if found.opname not in _NO_LINES and found.positions and found.positions.lineno
    }


def codes_in(code: CodeType) -> Iterable[CodeType]:
    """Yield all functions and classes that a module or function defines."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from codes_in(inner)
