"""Find the statements of the user's source that the frames of a stack execute."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
import sys
from types import CodeType, FrameType, FunctionType, TracebackType

from shims._src.platform import user_frames

_Guard = ast.Try | ast.TryStar | ast.With


def statements_of(frame: FrameType) -> list[ast.stmt]:
    """Return the statements of its function that a frame executes, from the outermost; none without source."""
    return list(_statements_at(frame.f_code, frame.f_lasti))


@functools.lru_cache(maxsize=1024)
def _statements_at(code: CodeType, instruction: int) -> tuple[ast.stmt, ...]:
    place = _place(code, instruction)
    around = [n for n in _nodes(tuple(linecache.getlines(code.co_filename))) if _contains(n, place)]
    functions = [i for i, node in enumerate(around) if isinstance(node, _FUNCTIONS)]
    own = around[functions[-1] :] if functions else around
    return tuple(node for node in own if isinstance(node, ast.stmt))


def _place(code: CodeType, instruction: int) -> tuple[int, int]:
    """Return the line and the column of an instruction."""
    line, _, column, _ = list(code.co_positions())[instruction // 2]
    return line or 0, column or 0


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


def is_handled(*outside: str) -> bool:
    """Return whether the user's program has a handler for an exception that the current code raises.

    Args:
      outside: the modules, or packages with a dot at the end, in which the code that counts ends: their frames
        and those that called them do not count. Without such a frame no program runs, but JAX derives or lowers one.

    Code whose source is not there is taken to have one, if anything in it catches exceptions.
    """
    frame: FrameType | None = sys._getframe(1)
    found = False
    while frame is not None and not (frame.f_globals.get("__name__") or "").startswith(outside):
        found = found or _has_handler(frame)
        frame = frame.f_back
    return found and frame is not None


def _has_handler(frame: FrameType) -> bool:
    """Return whether a frame of the user's handles exceptions of the function that it is calling."""
    # Code without an exception table has no handler; most has none.
    if not frame.f_code.co_exceptiontable or user_frames.is_library_frame(frame):
        return False
    if not linecache.getlines(frame.f_code.co_filename):
        return True
    return any(_may_end(n, frame) for n in _guards_around(frame.f_code, frame.f_lasti))


@functools.lru_cache(maxsize=1024)
def _guards_around(code: CodeType, instruction: int) -> list[_Guard]:
    """Return the statements `try` and `with` whose bodies contain an instruction, from the outermost."""
    place = _place(code, instruction)
    return [
        node
        for node in _statements_at(code, instruction)
        if isinstance(node, _Guard) and any(_contains(inner, place) for inner in node.body)
    ]


def _may_end(guard: _Guard, frame: FrameType) -> bool:
    """Return whether a statement may end an exception that is raised in its body."""
    if isinstance(guard, ast.With):
        return any(_suppresses(item.context_expr, frame) for item in guard.items)
    return not all(map(_raises, guard.handlers)) or any(map(_goes_on, guard.finalbody))


def handled_as(step: TracebackType, error: BaseException) -> list[type]:
    """Return the classes of an error that are named by the handler which gets it in a step of its traceback.

    Args:
      step: the first step of the traceback, in a frame of the user's.
      error: the error.
    """
    frame = step.tb_frame
    for guard in reversed(_guards_around(frame.f_code, step.tb_lasti)):
        if isinstance(guard, ast.With):
            clauses = [item.context_expr for item in guard.items]
            named = [[a for c in clauses if isinstance(c, ast.Call) for a in c.args]]
        else:
            named = [[handler.type] if handler.type else [] for handler in guard.handlers]
        for nodes in named:
            kinds = [kind for node in nodes for kind in _classes(node, frame)]
            found = [kind for kind in kinds if isinstance(error, kind)]
            if found:
                return found
    return []


def _classes(node: ast.expr, frame: FrameType) -> list[type]:
    if isinstance(node, ast.Tuple):
        return [kind for part in node.elts for kind in _classes(part, frame)]
    value = value_of(node, frame)
    return [
        kind for kind in (value if isinstance(value, tuple) else (value,)) if isinstance(kind, type)
    ]


def _raises(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler always raises an exception, as those that only improve a message do."""
    return isinstance(handler.body[-1], ast.Raise) and not any(map(_goes_on, handler.body))


def _goes_on(statement: ast.stmt) -> bool:
    """Return whether a statement may leave its block for other code of the program."""
    return any(
        isinstance(node, ast.Return | ast.Continue | ast.Break) for node in ast.walk(statement)
    )


def _has_guard(code: CodeType) -> bool:
    """Return whether a function has a statement that may end an exception; True without source."""
    lines = tuple(linecache.getlines(code.co_filename))
    own = {line for _, _, line in code.co_lines()}
    return not lines or any(isinstance(n, _Guard) and n.lineno in own for n in _nodes(lines))


def _suppresses(manager: ast.expr, frame: FrameType) -> bool:
    """Return whether a context manager may suppress exceptions: `suppress`, or a class of the user's."""
    kind = value_of(manager.func if isinstance(manager, ast.Call) else manager, frame)
    generator = getattr(kind, "__wrapped__", None)
    if isinstance(generator, FunctionType):  # of `contextlib.contextmanager`
        is_own = user_frames.root_package(generator.__globals__) not in user_frames.NOT_CONVERTED
        return is_own and _has_guard(generator.__code__)
    kind = kind if isinstance(kind, type) else type(kind)
    module = kind.__module__.partition(".")[0]
    own = kind.__module__ != "builtins" and module not in user_frames.NOT_CONVERTED
    return issubclass(kind, contextlib.suppress | contextlib.ExitStack) or (
        own and hasattr(kind, "__exit__")
    )
