"""Turn `:=` into an assignment before the statement, where nothing that matters is evaluated before it."""

from __future__ import annotations

import ast
import collections
from collections.abc import Collection, Iterator

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
    """Assigns the variable of `(name := value)` before the statement; the expression reads the variable.

    Args:
      root: the definition of the function.
    """

    def __init__(self, root):
        self._root = root

    def _unread(self, node) -> set[str]:
        """Return the variables of `:=` in a condition that nothing reads where the condition does not hold."""
        if not isinstance(node, ast.If):
            return set()
        test: ast.expr = node.test
        holds = getattr(node, "where_it_holds", None)
        if holds is None:
            holds = node.body
        elif isinstance(test, ast.UnaryOp):  # of the statement that leaves a loop
            test = test.operand
        is_and = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
        names = {walrus.target.id for walrus in _walruses(test) if is_and or _is_chain(test)}
        inside = sum((_reads(part) for part in (test, *holds)), collections.Counter())
        everywhere = _reads(self._root)
        return {name for name in names if everywhere[name] == inside[name]}

    def generic_visit(self, node):
        unread = self._unread(node)
        super().generic_visit(node)
        field = _STATEMENTS.get(type(node))
        if field is None:
            return node
        before = []
        while place := _first_walrus(node, field):
            parent, key, index = place
            found = getattr(parent, key) if index is None else getattr(parent, key)[index]
            if isinstance(found, ast.NamedExpr):
                name = found.target.id
                statements: list[ast.stmt] = [_assignment(name, found.value)]
            else:
                name = f"chosen_{found.lineno}_{found.col_offset}"
                statements = _as_statements(found, name, unread)
            for statement in statements:
                done = self.visit(ast.fix_missing_locations(ast.copy_location(statement, found)))
                before.extend(done if isinstance(done, list) else [done])
            read = ast.copy_location(ast.Name(name, ast.Load()), found)
            if index is None:
                setattr(parent, key, read)
            else:
                getattr(parent, key)[index] = read
        return [*before, node] if before else node


def _assignment(name: str, value) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _reads(node) -> collections.Counter[str]:
    """Count the reads of each name in a syntax tree."""
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return collections.Counter(n.id for n in names if isinstance(n.ctx, ast.Load))


def _as_statements(node, name: str, unread: Collection[str] = ()) -> list[ast.stmt]:
    """Return statements that give a name the value of an expression of which some parts may not be evaluated.

    Args:
      node: the expression.
      name: the name.
      unread: the variables of `:=` that nothing reads if the expression is false.
    """
    if isinstance(node, ast.IfExp):
        choices = [
            [_located(_assignment(name, value), value)] for value in (node.body, node.orelse)
        ]
        return [ast.If(node.test, *choices)]
    if isinstance(node, ast.Compare):
        return _as_statements(_chain(node), name, unread)
    first, *rest = node.values
    statements: list[ast.stmt] = [_located(_assignment(name, first), first)]
    if rest:
        read = ast.Name(name, ast.Load())
        test = read if isinstance(node.op, ast.And) else ast.UnaryOp(ast.Not(), read)
        others = ast.copy_location(ast.BoolOp(node.op, rest), rest[0])
        inner = _as_statements(others, name, unread)
        skipped = {w.target.id for part in rest for w in _walruses(part)} & set(unread)
        is_and = isinstance(node.op, ast.And)
        without = [_unread_assignment(s, rest[0]) for s in sorted(skipped)] if is_and else []
        statements.append(_located(ast.If(test, inner, without), rest[0]))
    return statements


def _chain(node: ast.Compare) -> ast.BoolOp:
    """Return the comparisons of a chain one by one; what two of them share is evaluated once."""
    left, parts = node.left, []
    for i, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if isinstance(right, ast.NamedExpr):
            name = right.target.id
        else:
            name = f"compared_{node.lineno}_{node.col_offset}_{i}"
            right = _located(ast.NamedExpr(ast.Name(name, ast.Store()), right), right)
        parts.append(_located(ast.Compare(left, [operator], [right]), node))
        left = _located(ast.Name(name, ast.Load()), right)
    return _located(ast.BoolOp(ast.And(), parts), node)


def _located(node, place):
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _may_skip(node) -> bool:
    """Return whether an expression evaluates some of its parts only for some values of others."""
    return _is_chain(node) or isinstance(node, (ast.BoolOp, ast.IfExp))


def _is_chain(node) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) > 1


def refuse_walrus(node) -> None:
    """Refuse a definition with a `:=` that is left in an expression which may not evaluate it.

    Raises:
      UnconvertibleError: there is one.
    """
    for inner in ast.walk(node):
        found = next(_walruses(inner), None) if _may_skip(inner) else None
        if found is not None:
            raise UnconvertibleError(
                "`:=` inside `and`, `or`, a chain of comparisons or a conditional expression "
                "cannot be converted after a call",
                found.lineno,
            )


def _walruses(node) -> Iterator[ast.NamedExpr]:
    """Yield the `:=` in an expression that assign a variable of the function around it."""
    if isinstance(node, ast.NamedExpr):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.Lambda, *_COMPREHENSIONS)):
            yield from _walruses(child)


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
    """Return `name = name`, which gives no value to a name that has none."""
    (statement,) = ast.parse(f"{name} = ag__.ldu(lambda: {name}, {name!r})").body
    for inner in ast.walk(statement):
        ast.copy_location(inner, place)
    return statement


def _unread_assignment(name: str, place) -> ast.stmt:
    """Return an assignment of a placeholder to a name that has no value and that nothing reads."""
    (statement,) = ast.parse(f"{name} = ag__.unread(lambda: {name}, {name!r})").body
    for inner in ast.walk(statement):
        ast.copy_location(inner, place)
    return statement


def _first_walrus(node, field: str):
    """Return the place of the `:=` before which only names, attributes and constants are read, or `None`.

    The place is the parent, its field, and the index in the field if that is a list.
    """
    names: set[str] = set()
    for parent, key, index, part in _in_order(node, field):
        assigned = {w.target.id for w in _walruses(part)}
        if assigned and (isinstance(part, ast.NamedExpr) or _may_skip(part)):
            return None if assigned & names else (parent, key, index)
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
        for inner in () if _may_skip(part) else _PARTS.get(type(part), ()):
            yield from _in_order(part, inner)
        if not isinstance(part, (ast.Starred, ast.keyword, ast.Tuple, ast.List, ast.Slice)):
            yield node, field, index, part
