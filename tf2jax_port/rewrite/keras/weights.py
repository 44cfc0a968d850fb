"""Pass the arrays of Keras weights, not the variables, to rewritten operators.

JAX's functions do not accept a `keras.Variable`; its array is `variable.value`. An attribute of a layer is known to
be a weight if the class creates it: `self.kernel = self.add_weight(...)`.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.scopes import Names
from tf2jax_port.rewrite.sites.decision import Draft
from tf2jax_port.rewrite.writing.edits import Edit

_MAKERS = ("add_weight", "add_variable")
_Attributes = dict[str, set[ast.ClassDef | None]]


def read_weights(draft: Draft) -> Draft:
    """Append `.value` to each Keras weight that is an argument of a rewritten operator."""
    file, found = draft.file, dict(draft.decisions)
    if not any(maker.encode() in file.source.data for maker in _MAKERS):
        return draft
    made, others = _attributes(file.names)
    for reference, decision in draft.decisions.items():
        known = look_up(reference)
        operator = known is not None and not known.row.name.startswith("keras.")
        edits = []
        if operator and decision.edits and isinstance(decision.span, ast.Call):
            for node in _arguments(decision.span):
                name = _attribute_of_self(node)
                if name in made and _class_of(file.names, node) not in others.get(name, ()):
                    end = file.source.span(node)[1]
                    edits.append(Edit(end - len(name.encode()), end, (f"{name}.value",)))
        if edits:
            found[reference] = dataclasses.replace(decision, edits=(*edits, *decision.edits))
    return draft.with_decisions(found)


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        yield from argument.elts if isinstance(argument, ast.List | ast.Tuple) else (argument,)


def _attribute_of_self(node: ast.AST) -> str:
    """Return the attribute's name of `self.name`, `""` for any other expression."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    return node.attr if node.value.id == "self" else ""


def _attributes(names: Names) -> tuple[_Attributes, _Attributes]:
    """Return which attributes of `self` hold Keras weights, and which hold other values.

    Both are dicts from attribute names to the classes that assign them.
    """
    made: _Attributes = {}
    others: _Attributes = {}
    for node in names.parents:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            name = _attribute_of_self(target)
            if name:
                kind = made if _makes_weight(node.value) else others  # type: ignore[attr-defined]
                kind.setdefault(name, set()).add(_class_of(names, node))
    return made, others


def _makes_weight(value: ast.expr) -> bool:
    function = value.func if isinstance(value, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr in _MAKERS


def _class_of(names: Names, node: ast.AST) -> ast.ClassDef | None:
    found: ast.AST | None = node
    while found is not None and not isinstance(found, ast.ClassDef):
        found = names.parents.get(found)
    return found
