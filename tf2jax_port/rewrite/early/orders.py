"""Decide by the arguments of a call whether they are in the order of TensorFlow 0.x or of 1.x."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Literal

from tf2jax_port.table.version_0 import LATER, REORDERED

Kind = Literal["number", "list", "switches", ""]  # what an expression certainly is
Order = Literal["early", "later", ""]
_LISTS = (ast.List, ast.Tuple, ast.ListComp)


def order_of(name: str, call: ast.Call, kind: Callable[[ast.expr], Kind]) -> Order:
    """Return the order in which the arguments of a call are given, `""` if they do not show it.

    Args:
      name: the name of a function that changed the order of its arguments.
      call: the call.
      kind: tells what an expression is.
    """
    keywords = [keyword.arg for keyword in call.keywords]
    if None in keywords or any(isinstance(a, ast.Starred) for a in call.args):
        return ""
    early, later = REORDERED[name].params, LATER[name]
    fits = [_fits(call, keywords, parameters) for parameters in (early, later)]
    if not later:  # from 1.0 on they take keywords only
        return "later" if not call.args and "targets" not in keywords else "early"
    if fits[0] != fits[1]:
        return "early" if fits[0] else "later"
    if not call.args:
        return "later"  # the keywords of 0.x would have decided
    return _by_values(name, call, kind)


def _fits(call: ast.Call, keywords: list[str | None], parameters: tuple[str, ...]) -> bool:
    """Return whether a call's arguments have a parameter each."""
    taken = parameters[: len(call.args)]
    named = all(keyword in parameters and keyword not in taken for keyword in keywords)
    return named and len(call.args) <= len(parameters)


def _by_values(name: str, call: ast.Call, kind: Callable[[ast.expr], Kind]) -> Order:
    """Decide by the kinds of the arguments: an axis is a number, and the arrays to join are a list."""
    kinds = [*(kind(argument) for argument in call.args), "", "", ""]
    if name == "concat":
        if kinds[0] == "number" or kinds[1] == "list":
            return "early"
        return "later" if kinds[0] == "list" or kinds[1] == "number" else ""
    if name == "split":  # 0.x needs three arguments, of which the third is the tensor
        if kinds[0] == "number":
            return "early"
        few = len(call.args) + len(call.keywords) < 3
        return "later" if few or kinds[1] == "list" or kinds[2] == "number" else ""
    if name == "reverse":  # 0.x takes True for the axes to reverse
        return (
            "early" if kinds[1] == "switches" else "later" if kinds[1] in ("list", "number") else ""
        )
    if name == "image.resize_images":  # the height and the width were two arguments
        return "early" if kinds[1] == "number" else "later" if kinds[1] == "list" else ""
    return "later" if len(call.args) < 2 and name == "svd" else ""


def switches(node: ast.expr) -> list[bool]:
    """Return the values of a list of `True` and `False`; empty for other expressions."""
    nodes = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    values = [n.value for n in nodes if isinstance(n, ast.Constant) and type(n.value) is bool]
    return values if len(values) == len(nodes) else []


def kind_of(node: ast.expr) -> Kind:
    """Return what an expression is by itself."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "number" if kind_of(node.operand) == "number" else ""
    if isinstance(node, ast.Constant):
        return "number" if type(node.value) is int else ""
    if isinstance(node, _LISTS):
        return "switches" if switches(node) else "list"
    if isinstance(node, ast.BinOp):
        kinds = (kind_of(node.left), kind_of(node.right))
        if "list" in kinds and isinstance(node.op, ast.Add | ast.Mult):
            return "list"
        return "number" if kinds == ("number", "number") else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return "number" if node.func.id == "len" else ""
    return ""
