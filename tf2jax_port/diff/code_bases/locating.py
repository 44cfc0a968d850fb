"""Find the line of a port at which a call's values begin to differ from the original's values."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.call_file import Call
from tf2jax_port.diff.code_bases.outcomes import difference
from tf2jax_port.diff.code_bases.steps import Steps, decoded, parting

_TOOL = 4
_MONITORING: Any = getattr(sys, "monitoring", None)  # since Python 3.12


class _Follower:
    """Follows the last call of one function.

    Args:
      root: the folder of the port.
      name: the qualified name of the function.
    """

    def __init__(self, root: str, name: str) -> None:
        self._root, self._name = root.rstrip("/") + "/", name
        self._frame: FrameType | None = None
        self.steps = Steps(_array_of)
        self.path = ""
        self.last = 0

    @contextlib.contextmanager
    def following(self) -> Iterator[None]:
        """Follow the function in the `with` block."""
        events = _MONITORING.events
        if _MONITORING.get_tool(_TOOL) is None:
            _MONITORING.use_tool_id(_TOOL, "tf2jax-port")
        _MONITORING.restart_events()  # which an earlier call may have disabled
        handlers = {
            events.PY_START: self._start,
            events.LINE: self._line,
            events.PY_RETURN: self._end,
        }
        for event, handler in handlers.items():
            _MONITORING.register_callback(_TOOL, event, handler)
        _MONITORING.set_events(_TOOL, events.PY_START)
        try:
            yield
        finally:
            _MONITORING.set_events(_TOOL, 0)
            for event in handlers:
                _MONITORING.register_callback(_TOOL, event, None)
            self._frame = None

    def _start(self, code: CodeType, _: int) -> Any:
        if code.co_qualname != self._name or not code.co_filename.startswith(self._root):
            return _MONITORING.DISABLE
        events = _MONITORING.events
        _MONITORING.set_local_events(_TOOL, code, events.LINE | events.PY_RETURN)
        if self._frame is None:
            self._frame = sys._getframe(1)
            self.path = code.co_filename.removeprefix(self._root)
            self.steps = Steps(_array_of)
            self.steps.begin(self._frame.f_locals, code.co_firstlineno)
        return None

    def _line(self, code: CodeType, line: int) -> Any:
        frame = sys._getframe(1)
        if frame is self._frame:
            self.steps.look(frame.f_locals, line)
            self.last = line

    def _end(self, code: CodeType, _: int, result: Any) -> Any:
        frame = sys._getframe(1)
        if frame is self._frame:
            self.steps.look(frame.f_locals, 0)
            self._frame = None


def located(call: Call, arrays: list[np.ndarray], root: str, run: Any) -> tuple[str, str]:
    """Return the line at which a call begins to differ, as `path:line`, and a description; empty if nothing is.

    Args:
      call: the call, whose result differs.
      arrays: the arrays of its nodes.
      root: the folder of the port.
      run: replays the call eagerly.
    """
    if _MONITORING is None or not call.steps:
        return "", ""
    import shims

    follower = _Follower(root, call.name)
    shims.config.run_functions_eagerly(True)
    try:
        with follower.following(), contextlib.suppress(Exception):
            run()
    finally:
        shims.config.run_functions_eagerly(False)
    old = list(decoded(call.steps, arrays))
    found = parting(old, follower.steps.found, follower.last, lambda a, b: bool(difference(a, b)))
    if found is None or not follower.path or not found.port:
        return "", ""
    place = f"{follower.path}:{found.port}"
    if not found.name:
        return place, "the values of all names that were assigned earlier agree"
    return (
        place,
        f"`{found.name}` is the first value that differs, line {found.original} of the original",
    )


def _array_of(value: Any) -> np.ndarray | None:
    """Return the value of a name of the port as an array; `None` if it is not an array."""
    import jax

    if isinstance(value, np.ndarray | np.generic | bool | int | float):
        return np.asarray(value)
    if isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer):
        array = np.asarray(value)
        return array.astype(np.float32) if array.dtype.name == "bfloat16" else array
    return None
