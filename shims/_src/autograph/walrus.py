"""Turn `:=` into an assignment before the statement, where nothing that matters is evaluated before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from shims._src.autograph.source import UnconvertibleError

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

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


class ComprehensionWalrus(ast.NodeTransformer):
    """Makes an assignment by `:=` in a comprehension visible to the static analyses, after its statement."""

    def generic_visit(self, node):
        super().generic_visit(node)
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Return):
            return node
        parts = [p for p in ast.iter_child_nodes(node) if isinstance(p, (ast.expr, ast.withitem))]
        names = sorted({name for part in parts for name in _names_in_comprehensions(part)})
        if names and isinstance(node, ast.While):
            raise UnconvertibleError(
                "`:=` inside a comprehension cannot be converted in the condition of `while`",
                node.lineno,
            )
        return [node, *(_assigned_to_itself(name, node) for name in names)] if names else node


def _names_in_comprehensions(node, inside: bool = False) -> Iterator[str]:
    """Yield the names that comprehensions in an expression assign, which belong to the function around them."""
    if inside and isinstance(node, ast.NamedExpr):
        yield node.target.id
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _names_in_comprehensions(child, inside or isinstance(node, _COMPREHENSIONS))


def _assigned_to_itself(name: str, place) -> ast.stmt:
    """Return `name = name`, which leaves a name that has no value without one."""
    (statement,) = ast.parse(f"{name} = ag__.ldu(lambda: {name}, {name!r})").body
    for inner in ast.walk(statement):
        ast.copy_location(inner, place)
    return statement


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
