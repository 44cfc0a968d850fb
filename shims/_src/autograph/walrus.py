"""Turn `:=` into an assignment before the statement, where nothing that matters is evaluated before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# The fields of expressions whose parts are always evaluated, in the order of evaluation.
_PARTS = {
    ast.Attribute: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.UnaryOp: ("operand",),
    ast.BinOp: ("left", "right"),
    ast.Compare: ("left", "comparators"),
    ast.Call: ("func", "args", "keywords"),
    ast.keyword: ("value",),
    ast.Starred: ("value",),
    ast.Tuple: ("elts",),
    ast.List: ("elts",),
    ast.Slice: ("lower", "upper", "step"),
}
_STATEMENTS = {
    ast.If: "test",
    ast.Return: "value",
    ast.Expr: "value",
    ast.Assign: "value",
    ast.For: "iter",
}


class HoistedWalrus(ast.NodeTransformer):
    """Assigns the variable of `(name := value)` before the statement; the expression reads the variable."""

    def generic_visit(self, node):
        super().generic_visit(node)
        field = _STATEMENTS.get(type(node))
        if field is None:
            return node
        before = []
        while place := _first_walrus(node, field):
            parent, key, index = place
            walrus = getattr(parent, key) if index is None else getattr(parent, key)[index]
            name = walrus.target.id
            assigned = ast.Assign([ast.Name(name, ast.Store())], walrus.value)
            assigned = self.visit(ast.fix_missing_locations(ast.copy_location(assigned, walrus)))
            before.extend(assigned if isinstance(assigned, list) else [assigned])
            read = ast.copy_location(ast.Name(name, ast.Load()), walrus)
            if index is None:
                setattr(parent, key, read)
            else:
                getattr(parent, key)[index] = read
        return [*before, node] if before else node


def _first_walrus(node, field: str):
    """Return the place of the `:=` before which only names, attributes and constants are read, or `None`.

    The place is the parent, its field, and the index in the field if that is a list.
    """
    names: set[str] = set()
    for parent, key, index, part in _in_order(node, field):
        if isinstance(part, ast.NamedExpr):
            return None if part.target.id in names else (parent, key, index)
        if isinstance(part, ast.Name):
            names.add(part.id)
        elif not isinstance(part, (ast.Constant, ast.Attribute)):
            return None
    return None


def _in_order(node, field: str) -> Iterator[tuple]:
    """Yield the parts of a field that are evaluated, each after what is inside of it."""
    value = getattr(node, field)
    places = enumerate(value) if isinstance(value, list) else [(None, value)]
    for index, part in places:
        if part is None:
            continue
        for inner in _PARTS.get(type(part), ()):
            yield from _in_order(part, inner)
        if not isinstance(part, (ast.Starred, ast.keyword, ast.Tuple, ast.List, ast.Slice)):
            yield node, field, index, part
