"""Find the statements of the user's source that the frames of a stack execute."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import sys
from types import FrameType

from shims._src.platform import user_frames


def statements_of(frame: FrameType) -> list[ast.stmt]:
    """Return the statements of its function that a frame executes, from the outermost; none without source."""
    code = frame.f_code
    line, _, column, _ = list(code.co_positions())[frame.f_lasti // 2]
    place = line or 0, column or 0
    around = [n for n in _nodes(tuple(linecache.getlines(code.co_filename))) if _contains(n, place)]
    functions = [i for i, node in enumerate(around) if isinstance(node, _FUNCTIONS)]
    own = around[functions[-1] :] if functions else around
    return [node for node in own if isinstance(node, ast.stmt)]


# A function in the body of another statement is not run by it.
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _contains(node: ast.stmt | ast.expr, place: tuple[int, int]) -> bool:
    end = node.end_lineno or 0, node.end_col_offset or 0
    return (node.lineno, node.col_offset) <= place < end


@functools.lru_cache(maxsize=16)
def _nodes(lines: tuple[str, ...]) -> list[ast.stmt | ast.expr]:
    """Return the statements and lambda expressions of a file in their order; an outer one precedes those in it."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.stmt, ast.Lambda))]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def value_of(node: ast.expr, frame: FrameType):
    """Return the value of a name in a frame, or of an attribute of one; `None` for other expressions."""
    if isinstance(node, ast.Attribute):
        return getattr(value_of(node.value, frame), node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    return {**frame.f_builtins, **frame.f_globals, **frame.f_locals}.get(node.id)


def is_handled(outside: str) -> bool:
    """Return whether the user's program has a handler for an exception that the current code raises.

    Args:
      outside: the module in which the program ends: its frame and those that called it do not count.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") != outside:
        if user_frames.is_user_frame(frame) and any(map(_handler_in(frame), statements_of(frame))):
            return True
        frame = frame.f_back
    return False


def _handler_in(frame: FrameType):
    """Return a function that tells whether a statement handles exceptions raised now in a frame.

    The statement is `try` with handlers or `with`, and its body contains the position that the frame executes.
    """
    line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    place = line or 0, column or 0

    def handles(statement: ast.stmt) -> bool:
        if not isinstance(statement, (ast.Try, ast.TryStar, ast.With)):
            return False
        if not any(_contains(node, place) for node in statement.body):
            return False
        if isinstance(statement, ast.With):
            return any(_suppresses(item.context_expr, frame) for item in statement.items)
        return bool(statement.handlers)

    return handles


def _suppresses(manager: ast.expr, frame: FrameType) -> bool:
    """Return whether a context manager may suppress exceptions: `suppress`, or a class of the user's."""
    kind = value_of(manager.func if isinstance(manager, ast.Call) else manager, frame)
    kind = kind if isinstance(kind, type) else type(kind)
    module = kind.__module__.partition(".")[0]
    own = kind.__module__ != "builtins" and module not in user_frames.NOT_CONVERTED
    return issubclass(kind, contextlib.suppress) or (own and hasattr(kind, "__exit__"))
