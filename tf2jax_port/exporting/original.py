"""Look up, in the source of the original program, the statement that created an operation."""

from __future__ import annotations

import ast
import dataclasses
import functools
import os
from typing import Any


@dataclasses.dataclass(frozen=True)
class Statement:
    """A statement of the original program.

    Args:
      file: the name of its file, without folders.
      line: its first line.
      targets: the names that it assigns, in their order; empty if it assigns none.
      is_return: whether it returns a value from a function.
    """

    file: str
    line: int
    targets: tuple[str, ...] = ()
    is_return: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def statement_of(operation: Any) -> Statement | None:
    """Return the statement that created an operation, `None` if it is unknown."""
    return None if operation.place is None else statement_at(*operation.place[:2])


def statement_at(path: str, line: int) -> Statement:
    """Return the statement at a line of a file."""
    return _statements(path).get(line) or Statement(os.path.basename(path), line)


@functools.cache
def _statements(path: str) -> dict[int, Statement]:
    """Return, for each line of a file, the innermost statement on it."""
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[int, Statement] = {}
    _collect(tree, os.path.basename(path), found)
    return found


def _collect(node: ast.AST, file: str, found: dict[int, Statement]) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            # Only the head of a compound statement is its own; its body is collected below.
            body: Any = getattr(child, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else child.end_lineno
            returns = isinstance(child, ast.Return)
            statement = Statement(file, child.lineno, _targets(child), returns)
            for line in range(child.lineno, max(last or 0, child.lineno) + 1):
                found[line] = statement
        _collect(child, file, found)


def _targets(node: ast.stmt) -> tuple[str, ...]:
    if isinstance(node, ast.AnnAssign):
        return tuple(filter(None, [_name(node.target)]))
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return ()
    target = node.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)):
        names = [_name(item) for item in target.elts]
        return tuple(names) if all(names) else ()
    name = _name(target)
    return (name,) if name else ()


def _name(node: ast.expr) -> str:
    """Return the name that an assignment gives: of an attribute, its last part."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""
