"""Recognize integers in a program that do not fit 32 bits; JAX does not convert them to the dtype of an array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_MOST_BITS = 128
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
}


def is_large(node: ast.expr) -> bool:
    """Return whether an expression of literals is an integer that does not fit 32 bits: `-2 ** 32 + 1`."""
    number = _integer(node)
    return number is not None and not -(2**31) <= number < 2**31


def first_literal(node: ast.expr) -> ast.Constant | None:
    """Return the literal that makes an expression of literals the same number as a float, if it gets `.0`.

    Returns `None` if a float cannot stand for the number.
    """
    number, first = _integer(node), node
    while not isinstance(first, ast.Constant):
        if isinstance(first, ast.BinOp) and not isinstance(first.op, ast.LShift):
            first = first.left
        elif isinstance(first, ast.UnaryOp):
            first = first.operand
        else:
            return None
    return first if number is not None and float(number) == _as_float(node, first) else None


def _integer(node: ast.expr) -> int | None:
    """Return the value of an expression of integer literals, `None` for others and for huge numbers."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _integer(node.operand)
        return None if operand is None else -operand
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATIONS:
        return None
    left, right = _integer(node.left), _integer(node.right)
    if left is None or right is None:
        return None
    grows = isinstance(node.op, ast.Pow | ast.LShift)
    if grows and not 0 <= right * max(left.bit_length(), 1) <= _MOST_BITS:
        return None
    found: int = _OPERATIONS[type(node.op)](left, right)
    return found


def _as_float(node: ast.expr, first: ast.Constant) -> Any:
    """Return the value of an expression of literals one of which is a float."""
    if isinstance(node, ast.Constant):
        return float(_integer(node) or 0) if node is first else node.value
    if isinstance(node, ast.UnaryOp):
        return -_as_float(node.operand, first)
    assert isinstance(node, ast.BinOp)
    left, right = _as_float(node.left, first), _as_float(node.right, first)
    return _OPERATIONS[type(node.op)](left, right)
