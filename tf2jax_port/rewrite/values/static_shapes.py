"""Infer which expressions are static shapes: `x.shape`, its slices, and names assigned to them."""

from __future__ import annotations

import ast
import re

from tf2jax_port.rewrite.values.values import Values

_NAMED = re.compile(r"(^|_)shape(_|s?$)")


def is_static_shape(values: Values, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether the surrounding code shows that an expression is a static shape."""
    if isinstance(node, ast.Attribute):
        return node.attr == "shape"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "get_shape" and not node.args and not node.keywords
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Slice) and is_static_shape(values, node.value, seen)
    if isinstance(node, ast.Name):
        return node.id not in seen and _holds_shape(values, node, seen | {node.id})
    return False


def _holds_shape(values: Values, node: ast.Name, seen: frozenset[str]) -> bool:
    """Return whether every value assigned to a name is a static shape."""
    scope = values.scope_of.get(node)
    home = scope.lookup(node.id) if scope is not None else None
    bindings = home.values_of(node.id) if home is not None else []
    return bool(bindings) and all(
        binding.kind == "assign"
        and binding.value is not None
        and is_static_shape(values, binding.value, seen)
        for binding in bindings
    )


def is_called_shape(node: ast.expr) -> bool:
    """Return whether the name of an expression suggests a shape: `input_shape`, `self.shape_y`."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return bool(_NAMED.search(name))
