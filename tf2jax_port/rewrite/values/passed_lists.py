"""Find the parameters of a file's functions that may be lists: by calls, annotations, defaults and other uses.

TensorFlow's operators accept a list in place of a tensor, JAX's do not. Therefore such a parameter is converted to an
array when it is passed to an operator.
"""

from __future__ import annotations

import ast
import functools

from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.reading.scopes import Function, Scope
from tf2jax_port.rewrite.values.values import Kind, Values

_ANNOTATIONS = ("list", "List", "Sequence", "tuple", "Tuple", "Iterable")
# Operators of a list, which a tensor can replace but hardly does.
_OF_LISTS = ("concat", "add_n")
_TAKERS = (ast.For, ast.comprehension, ast.Call)


class PassedLists:
    """Infers which parameters in one file may receive lists."""

    def __init__(self, values: Values, neighbors: Neighbors = ALONE) -> None:
        self.values = values
        self.neighbors = neighbors
        self.known: dict[ast.arg, bool] = {}

    def may_be_list(self, node: ast.expr) -> bool:
        """Return whether a node is a parameter that is, or for which some call passes, a list."""
        scope = self.values.scope_of.get(node) if isinstance(node, ast.Name) else None
        home = scope.lookup(node.id) if scope is not None and isinstance(node, ast.Name) else None
        if home is None or home.kind != "function" or not isinstance(node, ast.Name):
            return False
        arguments = [b.node for b in home.bindings[node.id] if b.kind == "parameter"]
        return any(isinstance(a, ast.arg) and self._is_given_list(a) for a in arguments)

    def _is_given_list(self, argument: ast.arg) -> bool:
        if argument not in self.known:
            self.known[argument] = False  # ends the recursion of calls in a cycle
            parents = self.values.names.parents
            function = parents[parents[argument]]
            self.known[argument] = (
                _is_annotated(argument)
                or (isinstance(function, Function) and self._is_passed_list(function, argument))
                or self._is_used_as_list(argument)
            )
        return self.known[argument]

    def _is_used_as_list(self, argument: ast.arg) -> bool:
        """Return whether the function joins a parameter's elements, or iterates over them."""
        names = self.values.names
        own = names.scopes.get(names.parents[names.parents[argument]])
        return own in self._homes_of_lists.get(argument.arg, ())

    @functools.cached_property
    def _homes_of_lists(self) -> dict[str, list[Scope | None]]:
        """A dict from names that are used as lists to the scopes that bind them."""
        parents = self.values.names.parents
        found: dict[str, list[Scope | None]] = {}
        for use, scope in self.values.names.uses:
            parent = parents[use]
            if isinstance(parent, _TAKERS) and self._takes_list(parent, use):
                found.setdefault(use.id, []).append(scope.lookup(use.id))
        return found

    def _takes_list(self, parent: ast.AST, use: ast.Name) -> bool:
        """Return whether a loop, or an operator of a list, takes a name."""
        if isinstance(parent, ast.For | ast.comprehension):
            return parent.iter is use
        if not isinstance(parent, ast.Call) or use not in parent.args[:1]:
            return False
        return any(self.values.is_call_of(parent, name) for name in _OF_LISTS)

    def _is_list(self, node: ast.expr) -> bool:
        return self.values.kind(node) is Kind.LIST or self.may_be_list(node)

    def _is_passed_list(self, function: ast.AST, argument: ast.arg) -> bool:
        """Return whether a call of a function, in this file or another one, passes a list for a parameter."""
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        plain = [*function.args.posonlyargs, *function.args.args]
        place = plain.index(argument) if argument in plain else -1
        owner = self.values.names.parents[function]
        name = function.name
        if isinstance(owner, ast.ClassDef):
            static = any(getattr(d, "id", "") == "staticmethod" for d in function.decorator_list)
            place -= not static
            name = owner.name if name == "__init__" else name
        elsewhere = self.neighbors.passes_list
        if elsewhere(name, argument.arg) or (place >= 0 and elsewhere(name, place)):
            return True
        return any(map(self._is_list, self._arguments(name, place, argument.arg)))

    def _arguments(self, name: str, place: int, keyword: str) -> list[ast.expr]:
        """Return the arguments that the file's calls of a function pass at a position, or by a keyword."""
        found = []
        for call in self._calls_by_name.get(name, ()):
            if place >= 0 and not any(isinstance(a, ast.Starred) for a in call.args):
                found += call.args[place : place + 1]
            found += [k.value for k in call.keywords if k.arg == keyword]
        return found

    @functools.cached_property
    def _calls_by_name(self) -> dict[str, list[ast.Call]]:
        """A dict from the last part of a function's name to the calls with that name."""
        names = self.values.names
        found: dict[str, list[ast.Call]] = {}
        for node in (*(use for use, _ in names.uses), *names.attributes):
            call = names.parents.get(node)
            if isinstance(call, ast.Call) and call.func is node:
                name = getattr(node, "id", "") or getattr(node, "attr", "")
                found.setdefault(name, []).append(call)
        return found


def _is_annotated(argument: ast.arg) -> bool:
    """Return whether the annotation of a parameter is a list or a sequence: `parts: List[tf.Tensor]`."""
    annotation = argument.annotation
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    name = getattr(annotation, "attr", "") or getattr(annotation, "id", "")
    return name in _ANNOTATIONS
