"""Resolve modules stored on objects: `self.tf = tf` in one method, `self.tf.add` in another."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2jax_port.rewrite.reading.scopes import Function, Names, Scope


def object_attributes(
    names: Names, possible: set[str]
) -> Iterator[tuple[ast.Attribute, ast.expr, Scope]]:
    """Yield the reads of attributes of `self` to which a class assigns a single value.

    Each read comes with the assigned value and the scope of that value.

    Args:
      names: the bindings of a file.
      possible: the names to follow; values that begin with another name are skipped.
    """
    stores = [a for a in names.attributes if type(a.ctx) is not ast.Load and _self_of(names, a)]
    assigned: dict[tuple[ast.ClassDef, str], list[ast.expr | None]] = {}
    for store in stores:
        owner = _self_of(names, store)
        assert owner is not None
        assigned.setdefault((owner, store.attr), []).append(_assigned_value(names, store, possible))
    for node, scope in names.scopes.items():
        if isinstance(node, ast.ClassDef):
            for name, bindings in scope.bindings.items():
                values = [_if_possible(b.value, possible) for b in bindings]
                if any(value is not None for value in values):
                    assigned.setdefault((node, name), []).extend(values)
    settled = {key: values[0] for key, values in assigned.items() if _agree(values)}
    if not settled:
        return
    named = {name for _, name in settled}
    for attribute in names.attributes:
        if attribute.attr in named and type(attribute.ctx) is ast.Load:
            owner = _self_of(names, attribute)
            value = settled.get((owner, attribute.attr)) if owner is not None else None
            if value is not None:
                yield attribute, value, _scope_of(names, value)


def _agree(values: list[ast.expr | None]) -> bool:
    """Return whether all values assigned to an attribute are the same expression."""
    return all(v is not None for v in values) and len({ast.dump(v) for v in values if v}) == 1


def _self_of(names: Names, attribute: ast.Attribute) -> ast.ClassDef | None:
    """Return the class of `self` in `self.attribute`, `None` for other objects."""
    if type(attribute.value) is not ast.Name:
        return None
    for node in names.ancestors(attribute):
        if isinstance(node, Function):
            owner = names.parents.get(node)
            first = [*node.args.posonlyargs, *node.args.args][:1]
            if isinstance(owner, ast.ClassDef):
                return owner if first and first[0].arg == attribute.value.id else None
            if any(a.arg == attribute.value.id for a in first):
                return None  # a function inside the method has a parameter of that name
        elif isinstance(node, ast.ClassDef):
            return None
    return None


def _assigned_value(names: Names, store: ast.Attribute, possible: set[str]) -> ast.expr | None:
    """Return the value assigned to an attribute if its leftmost name is in `possible`, else `None`."""
    statement = names.parents.get(store)
    if isinstance(statement, ast.Assign) and any(t is store for t in statement.targets):
        return _if_possible(statement.value, possible)
    if isinstance(statement, ast.AnnAssign) and statement.target is store:
        return _if_possible(statement.value, possible)
    return None


def _if_possible(value: ast.expr | None, possible: set[str]) -> ast.expr | None:
    """Return the value if its leftmost name is one of `possible`, else `None`."""
    root = value
    while isinstance(root, ast.Attribute):
        root = root.value
    return value if isinstance(root, ast.Name) and root.id in possible else None


def _scope_of(names: Names, value: ast.expr) -> Scope:
    """Return the scope in which an assigned value is evaluated."""
    for node in names.ancestors(value):
        scope = names.scopes.get(node)
        if scope is not None:
            return scope
    return names.module
