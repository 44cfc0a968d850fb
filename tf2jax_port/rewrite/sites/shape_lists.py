"""Rewrite lists that meet shapes: `x.shape == [2, 3]`, `[2] + x.shape[1:]`."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.calls.arguments import as_tuple
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.sites.references import may_edit
from tf2jax_port.rewrite.values.static_shapes import is_static_shape
from tf2jax_port.rewrite.values.values import Kind


def find_lists(file: File) -> list[Decision]:
    """Return the decisions for `x.shape == [2, 3]` and `[2] + x.shape[1:]`.

    TensorFlow's shape equals a list and can be joined with one, but JAX's shape is a tuple, for which neither holds.
    """
    decisions = []
    joined = [found for node in file.names.parents if (found := _joined_with_list(file, node))]
    for shape, node in [*(_shape_and_list(file, c) for c in file.names.comparisons), *joined]:
        if shape is None or node is None:
            continue
        whole = shape.value if isinstance(shape, ast.Subscript) else shape
        tensor = tensor_of_shape(whole)
        known = tensor is not None and file.values.kind(tensor) is Kind.TENSOR
        state, code = (State.REWRITTEN, "TJ109") if known else (State.REVIEW, "TJ202")
        message = (
            "in JAX a shape is a tuple; a tuple never equals a list and cannot be joined with a "
            "list"
        )
        edits = tuple(as_tuple(file.source, node))
        decision = Decision(state, code, message, "Tensor.shape", node, edits)
        if may_edit(file, decision):
            decisions.append(decision)
    return decisions


def _joined_with_list(file: File, node: ast.AST) -> tuple[ast.expr, ast.List] | None:
    """Return the shape and the list that are joined in `[n] + x.shape[1:]`, `None` for other expressions."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return None
    for whole, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(other, ast.List) and (shape := _shape_in(file, whole)):
            return shape, other
    return None


def _shape_in(file: File, node: ast.expr) -> ast.expr | None:
    """Return the shape that an expression is, or to which it joins others: `[1] + x.shape`; `None` if it is none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _shape_in(file, node.left) or _shape_in(file, node.right)
    return node if is_shape(file, node) else None


def _shape_and_list(
    file: File, comparison: ast.Compare
) -> tuple[ast.expr, ast.List] | tuple[None, None]:
    """Return the shape and the list compared in `x.shape == [2, 3]`, `(None, None)` otherwise."""
    if len(comparison.ops) == 1 and isinstance(comparison.ops[0], ast.Eq | ast.NotEq):
        left, right = comparison.left, comparison.comparators[0]
        for shape, other in ((left, right), (right, left)):
            if isinstance(other, ast.List) and is_shape(file, shape):
                return shape, other
    return None, None


def is_shape(file: File, node: ast.expr) -> bool:
    """Return whether an expression is a shape: `x.get_shape()`, `x.shape[1:]` or a name bound to one."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    if isinstance(node, ast.Name):
        return is_static_shape(file.values, node)
    return isinstance(node, ast.Attribute | ast.Call) and tensor_of_shape(node) is not None


def tensor_of_shape(node: ast.expr) -> ast.expr | None:
    """Return `x` of `x.shape` or `x.get_shape()`, `None` for other expressions."""
    if isinstance(node, ast.Attribute) and node.attr == "shape":
        return node.value
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "get_shape":
            return function.value
    return None
