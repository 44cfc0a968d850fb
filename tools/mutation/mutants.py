"""List what can be changed in a file, and change one thing of it."""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

_SWAPPED: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
}


@dataclasses.dataclass(frozen=True)
class Place:
    """One thing that can be changed: the `number`-th node of a file in the order of `ast.walk`."""

    file: str
    number: int


def places(file: str, source: str) -> list[Place]:
    """Return every place in a file where something can be changed, inside of its functions."""
    tree = ast.parse(source)
    inside = {id(n) for f in _functions(tree) for b in f.body for n in _executed(b)}
    return [
        Place(file, number)
        for number, node in enumerate(ast.walk(tree))
        if id(node) in inside and _changed(node) is not None
    ]


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that do something: no docstrings, annotations and texts of errors."""
    if isinstance(node, ast.Raise):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _executed(child)


def mutant(source: str, place: Place) -> tuple[ast.Module, int, str, str]:
    """Return a file's tree with one change, the line, and the text before and after."""
    tree = ast.parse(source)
    node = list(ast.walk(tree))[place.number]
    changed = _changed(node)
    assert changed is not None
    before = ast.unparse(node)
    _replace(tree, node, changed)
    return ast.fix_missing_locations(tree), getattr(node, "lineno", 0), before, ast.unparse(changed)


def _changed(node: ast.AST) -> ast.AST | None:
    """Return a node that means something else, or `None`."""
    new: Any = copy.copy(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SWAPPED:
        new.ops = [_SWAPPED[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, (ast.BoolOp, ast.BinOp)) and type(node.op) in _SWAPPED:
        new.op = _SWAPPED[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    elif isinstance(node, (ast.If, ast.IfExp)) and not isinstance(
        node.test, (ast.Compare, ast.BoolOp)
    ):
        new.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
        new.value = not node.value if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.Return) and node.value is not None and _is_call(node.value):
        new.value = ast.Constant(None)
    elif isinstance(node, ast.Expr) and _is_call(node.value):
        return ast.Pass()
    elif isinstance(node, ast.Continue):
        return ast.Break()
    else:
        return None
    return new


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, ast.copy_location(new, old))
            elif isinstance(value, list):
                value[:] = [ast.copy_location(new, old) if item is old else item for item in value]
