"""Infer from the surrounding code which expressions are ragged tensors."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.values.flow import Flow, Seen
from tf2jax_port.rewrite.values.uses import Uses

# Functions of `tf.ragged` that return a dense tensor or a number.
_DENSE = ("ragged.row_splits_to_segment_ids", "ragged.segment_ids_to_row_splits")
_KEPT_BY_METHODS = ("with_values", "with_flat_values", "merge_dims", "batch")
# Methods and attributes that only ragged tensors have.
_OWN = frozenset(
    (
        *("to_tensor", "row_lengths", "row_splits", "nested_row_splits", "nested_row_lengths"),
        *("flat_values", "ragged_rank", "nested_value_rowids"),
    )
)
_DENSE_RESULTS = ("reduce_", "shape", "rank", "size", "math.reduce_")


def is_ragged(values: Uses, node: ast.expr) -> bool:
    """Return whether an expression is a ragged tensor, or a list that contains one."""
    return _FLOW.reaches(values, node)


def _gives_ragged(values: Uses, node: ast.Call, seen: Seen) -> bool:
    """Return whether a call returns a ragged tensor."""
    reference = values.by_node.get(node.func)
    if reference is None:
        method = node.func
        kept = isinstance(method, ast.Attribute) and method.attr in _KEPT_BY_METHODS
        return (
            kept and isinstance(method, ast.Attribute) and _FLOW.reaches(values, method.value, seen)
        )
    if reference.path.startswith(("ragged.", "RaggedTensor")):
        return reference.path not in _DENSE
    if reference.path.startswith(_DENSE_RESULTS):
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(_FLOW.reaches(values, argument, seen) for argument in given)


def _binds_ragged(values: Uses, binding: Binding, seen: Seen) -> bool:
    """Return whether an assignment or annotation shows that a name is a ragged tensor."""
    if binding.kind == "assign" and binding.value is not None:
        return _FLOW.reaches(values, binding.value, seen)
    if isinstance(binding.node, ast.arg) and _is_used_as_ragged(values, binding.node):
        return True
    annotation = binding.node.annotation if isinstance(binding.node, ast.arg) else None
    reference = values.by_node.get(annotation) if annotation is not None else None
    return reference is not None and reference.path == "RaggedTensor"


def _is_used_as_ragged(values: Uses, argument: ast.arg) -> bool:
    """Return whether a method that only ragged tensors have is called on a parameter, in its function."""
    parents = values.names.parents
    function = parents[parents[argument]]
    return any(
        node.attr in _OWN and function in values.names.ancestors(node)
        for node in values.attributes_of.get(argument.arg, ())
    )


_FLOW = Flow(_gives_ragged, _binds_ragged)
