"""Convert a size to text: to its symbol in a message to people, to its number elsewhere.

A text that only people read, in a `print`, a log, a warning or an error, may show the symbol. Any other
text could be compared, measured or looked up, and nothing tells afterwards whether it is.
"""

from __future__ import annotations

import ast
import builtins
import logging
import sys
import types
import warnings

from shims._src.platform import user_frames, user_source

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
    """Return whether a frame executes a statement whose text only people read.

    Such statements are `raise`, the message of `assert`, and calls of `print`, of `warnings` and of loggers.
    """
    statements = user_source.statements_of(frame)
    statement = statements[-1] if statements else None
    if isinstance(statement, ast.Raise):
        return True
    if isinstance(statement, ast.Assert):
        line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        end = statement.test.end_lineno or 0, statement.test.end_col_offset or 0
        return (line or 0, column or 0) > end
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = user_source.value_of(statement.value.func, frame)
    if isinstance(getattr(called, "__self__", None), logging.Logger):
        return True
    functions = (builtins.print, warnings.warn, warnings.warn_explicit)
    return called in functions or getattr(called, "__module__", None) == logging.__name__
