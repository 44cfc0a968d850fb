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
      converted: whether functions of the folder ran after AutoGraph had converted them; then all their branches may
        run.
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
        if _MONITORING.get_tool(_TOOL) is None:
            _MONITORING.use_tool_id(_TOOL, "tf2jax-port")
        _MONITORING.register_callback(_TOOL, events.PY_START, self._start)
        _MONITORING.register_callback(_TOOL, events.LINE, self._line)
        _MONITORING.register_callback(_TOOL, events.BRANCH, self._branch)
        _MONITORING.set_events(_TOOL, events.PY_START)
        try:
            yield
        finally:
            _MONITORING.set_events(_TOOL, 0)
            for event in (events.PY_START, events.LINE, events.BRANCH):
                _MONITORING.register_callback(_TOOL, event, None)

    def found(self) -> Reached | None:
        """Return what was reached, by paths relative to the folder; `None` if it cannot be measured."""
        if _MONITORING is None:
            return None
        return {
            path: {"lines": sorted(lines), "branches": sorted(self._branches.get(path, ()))}
            for path, lines in self._lines.items()
        }

    def _start(self, code: CodeType, _: int) -> Any:
        """Watch a function of the folder from now on; code of libraries costs nothing."""
        if code.co_filename.startswith(self._root) and code.co_name != "<module>":
            events = _MONITORING.events
            _MONITORING.set_local_events(_TOOL, code, events.LINE | events.BRANCH)
        return _MONITORING.DISABLE

    def _line(self, code: CodeType, line: int) -> Any:
        if code.co_qualname.startswith(_CONVERTED):
            self.converted = True
        else:
            path = code.co_filename.removeprefix(self._root)
            self._lines.setdefault(path, set()).add(line)

    def _branch(self, code: CodeType, offset: int, destination: int) -> Any:
        if not code.co_qualname.startswith(_CONVERTED) and offset in branches_of(code):
            path = code.co_filename.removeprefix(self._root)
            self._branches.setdefault(path, set()).add(branch(code, offset, destination))


def branch(code: CodeType, offset: int, destination: int) -> str:
    """Return the name of a branch; the names of all branches in one function begin in the same way."""
    return f"{code.co_qualname} {code.co_firstlineno} {offset} {destination}"


@functools.cache
def branches_of(code: CodeType) -> frozenset[int]:
    """Return the branches in a function's own instructions."""
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
