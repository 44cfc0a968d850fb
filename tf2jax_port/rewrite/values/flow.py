"""Follow a property of values, such as being ragged, through expressions and names to where it begins."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.values.uses import Uses

# The names that are being followed: a name that is assigned from itself ends there.
Seen = frozenset[str]


class Flow:
    """A property that the results of operators on elements, lists and subscripts have if an operand has it.

    Args:
      of_call: `of_call(values, call, seen)`, whether the result of a call has the property.
      of_binding: `of_binding(values, binding, seen)`, whether a name has it by an assignment or annotation.
      keeps: whether a subscript with an index keeps it.
    """

    def __init__(
        self,
        of_call: Callable[[Uses, ast.Call, Seen], bool],
        of_binding: Callable[[Uses, Binding, Seen], bool],
        keeps: Callable[[ast.expr], bool] = lambda index: True,
    ) -> None:
        self.of_call, self.of_binding, self.keeps = of_call, of_binding, keeps

    def reaches(self, values: Uses, node: ast.expr, seen: Seen = frozenset()) -> bool:
        """Return whether an expression, or an element of a list, has the property."""
        if isinstance(node, ast.Call):
            return self.of_call(values, node, seen)
        if isinstance(node, ast.Subscript):
            return self.keeps(node.slice) and self.reaches(values, node.value, seen)
        if not isinstance(node, ast.Name):
            return any(self.reaches(values, operand, seen) for operand in _operands(node))
        scope = values.scope_of.get(node)
        home = scope.lookup(node.id) if scope is not None and node.id not in seen else None
        bindings = home.values_of(node.id) if home is not None else []
        return any(self.of_binding(values, binding, seen | {node.id}) for binding in bindings)


def _operands(node: ast.expr) -> list[ast.expr]:
    """Return the operands of an operator, or the elements of a list; of a comparison the left one."""
    match node:
        case ast.List() | ast.Tuple():
            return node.elts
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Compare():
            return [node.left]
    return []
