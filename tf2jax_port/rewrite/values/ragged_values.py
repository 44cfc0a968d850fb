"""Infer from the surrounding code which expressions are ragged tensors."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.values.uses import Uses

# Functions of `tf.ragged` that return a dense tensor or a number.
_DENSE = ("ragged.row_splits_to_segment_ids", "ragged.segment_ids_to_row_splits")
_KEPT_BY_METHODS = ("with_values", "with_flat_values", "merge_dims", "batch")
_DENSE_RESULTS = ("reduce_", "shape", "rank", "size", "math.reduce_")


def is_ragged(values: Uses, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression is a ragged tensor, or a list that contains one."""
    if isinstance(node, ast.List | ast.Tuple):
        return any(is_ragged(values, element, seen) for element in node.elts)
    if isinstance(node, ast.BinOp):
        return any(is_ragged(values, side, seen) for side in (node.left, node.right))
    if isinstance(node, ast.UnaryOp):
        return is_ragged(values, node.operand, seen)
    if isinstance(node, ast.Compare):
        return is_ragged(values, node.left, seen)
    if isinstance(node, ast.Subscript):
        return is_ragged(values, node.value, seen)
    if isinstance(node, ast.Call):
        return _gives_ragged(values, node, seen)
    if not isinstance(node, ast.Name) or node.id in seen:
        return False
    scope = values.scope_of.get(node)
    home = scope.lookup(node.id) if scope is not None else None
    bindings = home.bindings[node.id] if home is not None else []
    return any(_binds_ragged(values, binding, seen | {node.id}) for binding in bindings)


def _gives_ragged(values: Uses, node: ast.Call, seen: frozenset[str]) -> bool:
    """Return whether a call returns a ragged tensor."""
    reference = values.by_node.get(node.func)
    if reference is None:
        method = node.func
        kept = isinstance(method, ast.Attribute) and method.attr in _KEPT_BY_METHODS
        return kept and isinstance(method, ast.Attribute) and is_ragged(values, method.value, seen)
    if reference.path.startswith(("ragged.", "RaggedTensor")):
        return reference.path not in _DENSE
    if reference.path.startswith(_DENSE_RESULTS):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(is_ragged(values, argument, seen) for argument in given)


def _binds_ragged(values: Uses, binding: Binding, seen: frozenset[str]) -> bool:
    """Return whether an assignment or annotation shows that a name is a ragged tensor."""
    if binding.kind == "assign" and binding.value is not None:
        return is_ragged(values, binding.value, seen)
    annotation = binding.node.annotation if isinstance(binding.node, ast.arg) else None
    reference = values.by_node.get(annotation) if annotation is not None else None
    return reference is not None and reference.path == "RaggedTensor"
