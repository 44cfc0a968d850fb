"""Find sizes and source lines of a port that no case reaches."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import attempt
from tf2jax_port.diff.values.user_files import is_users

EMPTY, ONE = "no case has an empty array", "no case has an axis of size 1"


def unreached_sizes(cases: Sequence[Arguments]) -> list[str]:
    """Return the special sizes that no case has, as sentences."""
    shapes = [array.shape for case in cases for array in case.arrays if array.ndim]
    if not shapes:
        return []
    return [words for size, words in ((0, EMPTY), (1, ONE)) if not any(size in s for s in shapes)]


def unreached_lines(port: Callable[..., Any], cases: Iterable[Sequence[Any]]) -> list[str]:
    """Run a port on cases, and return the lines of its functions that were not executed, as sentences.

    Only functions that some case calls are looked at.

    Args:
      port: the Python function of the port.
      cases: the arguments of each call.
    """
    seen: dict[CodeType, set[int]] = {}
    for case in cases:
        attempt(_traced, port, case, seen)
    found = []
    for code, lines in seen.items():
        for line in sorted(set(_statements(code)) - lines):
            text = linecache.getline(code.co_filename, line).strip()
            if text and not text.startswith(("#", '"', "'", "@", "def ", "class ")):
                found.append(f"no case reaches line {line} of {code.co_name}: {text}")
    return found


def _statements(code: CodeType) -> Iterator[int]:
    for _, _, line in code.co_lines():
        if line is not None and line != code.co_firstlineno:
            yield line


def _traced(port: Callable[..., Any], case: Sequence[Any], seen: dict[CodeType, set[int]]) -> None:
    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not is_users(code.co_filename) or code.co_name.startswith("<"):
            return None
        lines = seen.setdefault(code, set())

        def inside(frame: FrameType, event: str, argument: Any) -> Any:
            lines.add(frame.f_lineno)
            return inside

        return inside

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        port(*case)
    finally:
        sys.settrace(before)
