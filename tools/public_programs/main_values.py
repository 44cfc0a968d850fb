"""Keep what the function `main` of a program leaves, since such a program has few top-level variables."""

from __future__ import annotations

import pathlib
import sys
import types
from typing import Any

_MONITORING: Any = getattr(sys, "monitoring", None)  # since Python 3.12


def watch(folder: pathlib.Path, names: dict[str, Any]) -> None:
    """Put the local variables of `main` among the top-level ones when it returns.

    Args:
      folder: the folder of the program's cells.
      names: the top-level variables.
    """
    events, tool = _MONITORING.events, _MONITORING.PROFILER_ID

    def returned(code: types.CodeType, offset: int, value: Any) -> Any:
        del offset, value
        if code.co_name != "main" or not code.co_filename.startswith(str(folder)):
            return _MONITORING.DISABLE
        left = sys._getframe(1).f_locals
        names.update({f"main.{name}": value for name, value in left.items()})
        return None

    _MONITORING.use_tool_id(tool, "public programs")
    _MONITORING.register_callback(tool, events.PY_RETURN, returned)
    _MONITORING.set_events(tool, events.PY_RETURN)
