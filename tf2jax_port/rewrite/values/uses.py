"""Look up the uses of names and of TensorFlow's operators in one file."""

from __future__ import annotations

import ast
import functools

from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Names, Scope

# Their size is data-dependent only if a number from data is passed, which is judged elsewhere.
_BY_ARGUMENT = ("range", "repeat", "sequence_mask", "dynamic_stitch")


def makes_selection(known: Known, call: ast.Call) -> bool:
    """Return whether the size of an operator's result depends on the values of its operands."""
    given = len(call.args) + len(call.keywords)
    if known.row.name == "where":
        return given - any(keyword.arg == "name" for keyword in call.keywords) == 1
    return known.row.fresh and known.row.name not in _BY_ARGUMENT and not known.rest


class Uses:
    """The names of one file and its references to TensorFlow, by their nodes."""

    def __init__(self, names: Names, references: list[Reference]) -> None:
        self.names = names
        self.by_node = {reference.node: reference for reference in references}

    @functools.cached_property
    def selects(self) -> bool:
        """Whether the file calls an operator whose result has a data-dependent size."""
        return any(self._selects(reference) for reference in self.by_node.values())

    def _selects(self, reference: Reference) -> bool:
        call = self.names.parents.get(reference.node)
        if not isinstance(call, ast.Call) or call.func is not reference.node:
            return False
        known = look_up(reference)
        return known is not None and makes_selection(known, call)

    @functools.cached_property
    def scope_of(self) -> dict[ast.Name, Scope]:
        """A dict from each use of a name to its scope."""
        return dict(self.names.uses)

    @functools.cached_property
    def attributes_of(self) -> dict[str, list[ast.Attribute]]:
        """A dict from each name to the attributes that the file reads from it."""
        found: dict[str, list[ast.Attribute]] = {}
        for node in self.names.attributes:
            if isinstance(node.value, ast.Name):
                found.setdefault(node.value.id, []).append(node)
        return found

    def is_call_of(self, node: ast.Call, name: str) -> bool:
        """Return whether a call is one of the TensorFlow operator `name`."""
        reference = self.by_node.get(node.func)
        known = look_up(reference) if reference is not None else None
        return known is not None and known.row.name == name and not known.rest
