"""Give the text of a size: its symbol in a message, its number wherever else a program makes text of it.

A text that only people read, in a `print`, a log, a warning or an error, may show the symbol. Any other
text could be compared, measured or looked up, and nothing tells afterwards whether it is.
"""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import logging
import sys
import types
import warnings

from shims._src.platform import user_frames

# Modules of the standard library that show values to people.
_SHOWING = ("logging", "warnings", "traceback", "pdb", "bdb", "code", "reprlib", "unittest")


def is_message(depth: int) -> bool:
    """Return whether text that is being made of a size is part of a message to people.

    Args:
      depth: the number of frames between the caller and the code that makes the text.
    """
    frame: types.FrameType | None = sys._getframe(depth + 1)
    while frame is not None and user_frames.is_standard_frame(frame):
        if user_frames.root_package(frame.f_globals) in _SHOWING:
            return True
        frame = frame.f_back
    if frame is None or user_frames.runs_unconverted_library(frame):
        return True
    while frame is not None and not user_frames.is_user_frame(frame):
        frame = frame.f_back
    return frame is not None and _shows(frame)


def _shows(frame: types.FrameType) -> bool:
    """Return whether a frame executes a statement whose text only people see."""
    code = frame.f_code
    first, _, column, _ = list(code.co_positions())[frame.f_lasti // 2]
    statement = _statement(code.co_filename, first, column)
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Assert):
        return (first or 0, column or 0) > (
            statement.test.end_lineno,
            statement.test.end_col_offset,
        )
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = _value(statement.value.func, frame)
    if isinstance(getattr(called, "__self__", None), logging.Logger):
        return True
    return called is builtins.print or getattr(called, "__module__", None) in (
        logging.__name__,
        warnings.__name__,
    )


def _value(node: ast.expr, frame: types.FrameType):
    """Return the value of a name or of an attribute of one, `None` for other expressions."""
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, frame), node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    return {**frame.f_builtins, **frame.f_globals, **frame.f_locals}.get(node.id)


def _statement(filename: str, line: int | None, column: int | None) -> ast.stmt | None:
    """Return the innermost statement at a position of a file, `None` if there is no source."""
    found = None
    for statement in _statements(filename, tuple(linecache.getlines(filename))):
        start = statement.lineno, statement.col_offset
        if start > (line or 0, column or 0):
            break
        end = statement.end_lineno or 0, statement.end_col_offset or 0
        if end > (line or 0, column or 0):
            found = statement
    return found


@functools.lru_cache(maxsize=16)
def _statements(filename: str, lines: tuple[str, ...]) -> list[ast.stmt]:
    """Return the statements of a file in their order; an outer one precedes those in it."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))
