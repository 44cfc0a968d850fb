"""Infer from the surrounding code which expressions are selections, arrays with a data-dependent size."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.values.uses import Uses, makes_selection

_OF_ONE_SIZE = ("shape", "size", "rank", "math.count_nonzero", "argmax", "argmin", "norm")


def is_selection(values: Uses, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression is a selection, or a list that contains one."""
    if not values.selects:
        return False
    if isinstance(node, ast.List | ast.Tuple):
        return any(is_selection(values, element, seen) for element in node.elts)
    if isinstance(node, ast.BinOp):
        return any(is_selection(values, side, seen) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return is_selection(values, node.operand, seen)
    if isinstance(node, ast.Compare):
        return is_selection(values, node.left, seen)
    if isinstance(node, ast.Subscript):
        return _is_slice(node.slice) and is_selection(values, node.value, seen)
    if isinstance(node, ast.Call):
        return _returns_selection(values, node, seen)
    if not isinstance(node, ast.Name) or node.id in seen:
        return False
    scope = values.scope_of.get(node)
    home = scope.lookup(node.id) if scope is not None else None
    bindings = home.bindings[node.id] if home is not None else []
    return any(_binds_selection(values, binding, seen | {node.id}) for binding in bindings)


def _is_slice(index: ast.expr) -> bool:
    """Return whether a subscript keeps an axis: `y[1:]`, `y[:, 0]`."""
    if isinstance(index, ast.Tuple):
        return any(isinstance(element, ast.Slice) for element in index.elts)
    return isinstance(index, ast.Slice)


def _returns_selection(values: Uses, node: ast.Call, seen: frozenset[str]) -> bool:
    reference = values.by_node.get(node.func)
    known = look_up(reference) if reference is not None else None
    if known is None or known.rest or known.row.params is None:
        return False
    if makes_selection(known, node):
        return True
    name = known.row.name
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    reduces = "reduce_" in name and len(given) == 1
    if reduces or name in _OF_ONE_SIZE:
        return False
    return any(is_selection(values, argument, seen) for argument in given)


def _binds_selection(values: Uses, binding: Binding, seen: frozenset[str]) -> bool:
    if binding.kind == "assign" and binding.value is not None:
        return is_selection(values, binding.value, seen)
    targets = values.names.parents.get(binding.node)
    statement = values.names.parents.get(targets) if targets is not None else None
    unpacked = isinstance(targets, ast.Tuple | ast.List) and isinstance(statement, ast.Assign)
    if not unpacked or not isinstance(statement, ast.Assign):
        return False
    return isinstance(statement.value, ast.Call) and is_selection(values, statement.value, seen)
