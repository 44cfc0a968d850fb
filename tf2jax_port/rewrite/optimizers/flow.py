"""Follow the value of an optimizer through a file, and check every use of its attributes.

The value is followed through names, attributes of the file's classes, literal lists, tuples and dictionaries, and
arguments of the file's own functions. Any other use is a reason not to rewrite the optimizer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.scopes import Function, Scope

if TYPE_CHECKING:
    from tf2jax_port.rewrite.sites.references import File

_UNSEEN = "the rewriter cannot follow the uses of the optimizer"
# Base classes that ignore attributes which are neither variables nor layers.
_BASES = ("Module", "keras.Model", "keras.layers.Layer", "keras.models.Model")
# Attributes that Keras' models use themselves.
_OWN = ("optimizer", "_optimizer")
Asked = Callable[[ast.Attribute], str]
Handed = Callable[[ast.Call, ast.expr], "str | None"]


class Follower:
    """Follows the value of an optimizer through one file.

    Args:
      file: the file.
      asked: a function that returns why an attribute of the value cannot be supported, `""` if it
        can.
      handed: a function that returns why a call cannot be supported that calls the value or gets it
        as an argument; `""` if it can; `None` if the called function must be followed.
    """

    def __init__(self, file: File, asked: Asked, handed: Handed) -> None:
        self.file = file
        self.asked = asked
        self.handed = handed
        self.open: set[tuple[int, str, bool]] = set()
        self.uses: dict[str, list[tuple[ast.Name, Scope]]] = {}
        for use, scope in file.names.uses:
            self.uses.setdefault(use.id, []).append((use, scope))
        self.homes = {
            binding.node: scope
            for scope in (file.names.module, *file.names.scopes.values())
            for bindings in scope.bindings.values()
            for binding in bindings
        }

    def why_not(self, node: ast.expr) -> str:
        """Return the reason why an expression's value cannot be followed, `""` if it can."""
        parent = self.file.names.parents[node]
        if isinstance(parent, ast.IfExp) and node is not parent.test:
            return self.why_not(parent)
        if isinstance(parent, ast.Attribute):
            return self.asked(parent)
        if isinstance(parent, ast.Expr):
            return ""
        if isinstance(parent, ast.Assign):
            return self._first(self._follow_target(target, False) for target in parent.targets)
        if isinstance(parent, ast.AnnAssign):
            return self._follow_target(parent.target, False)
        if isinstance(parent, ast.Tuple | ast.List | ast.Dict):
            return self._follow_element(parent, node)
        if isinstance(parent, ast.Call | ast.keyword):
            return self._follow_argument(parent, node)
        return "a function returns the optimizer" if isinstance(parent, ast.Return) else _UNSEEN

    def _first(self, reasons: Iterable[str]) -> str:
        return next(filter(None, reasons), "")

    def _follow_element(self, container: ast.Tuple | ast.List | ast.Dict, node: ast.expr) -> str:
        """Follow an element of a literal list, tuple or dictionary.

        Return the reason why it cannot be followed, `""` if it can.
        """
        statement = self.file.names.parents[container]
        if isinstance(container, ast.Dict) and node not in container.values:
            return _UNSEEN
        if isinstance(statement, ast.For) and statement.iter is container:
            return self._follow_target(statement.target, False)
        if not isinstance(statement, ast.Assign) or statement.value is not container:
            return _UNSEEN
        reasons = []
        for target in statement.targets:
            if isinstance(target, ast.Tuple | ast.List) and not isinstance(container, ast.Dict):
                parts = [*target.elts, *container.elts]
                same = len(target.elts) == len(container.elts)
                if not same or any(isinstance(part, ast.Starred) for part in parts):
                    return _UNSEEN
                reasons.append(self._follow_target(target.elts[container.elts.index(node)], False))
            else:
                reasons.append(self._follow_target(target, True))
        return self._first(reasons)

    def _follow_target(self, target: ast.expr, packed: bool) -> str:
        """Follow a value that is assigned to a name or attribute.

        Return the reason why it cannot be followed, `""` if it can. `packed` says whether the value is
        inside a list, tuple or dictionary.
        """
        if isinstance(target, ast.Name):
            scope = self.homes.get(target)
            return self._follow_name(scope, target.id, packed) if scope is not None else _UNSEEN
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            kind = self._class_of(target)
            if kind is None:
                return _UNSEEN
            return self._follow_attribute(kind, target.attr, packed)
        return _UNSEEN

    def _follow_name(self, scope: Scope, name: str, packed: bool) -> str:
        """Follow all uses of a name that may hold the value.

        Return the reason why a use cannot be followed, `""` if all can.
        """
        key = (id(scope), name, packed)
        if key in self.open:
            return ""
        self.open.add(key)
        found = [use for use, place in self.uses.get(name, []) if place.lookup(name) is scope]
        reason = self._first(self._follow_use(use, packed) for use in found)
        if reason or scope.kind != "class":
            return reason
        kinds = [node for node, own in self.file.names.scopes.items() if own is scope]
        return (
            self._follow_attribute(kinds[0], name, packed)
            if isinstance(kinds[0], ast.ClassDef)
            else _UNSEEN
        )

    def _follow_attribute(self, kind: ast.ClassDef, name: str, packed: bool) -> str:
        """Follow all attributes of a given name in the file, whatever object they belong to.

        Return the reason why one cannot be followed, `""` if all can.
        """
        key = (0, name, packed)
        if key in self.open:
            return ""
        self.open.add(key)
        foreign = self._foreign_base(kind, name)
        if foreign:
            return f"the class that stores the optimizer has the base class `{foreign}`, which may use the optimizer"
        attributes = [a for a in self.file.names.attributes if a.attr == name]
        loads = (a for a in attributes if isinstance(a.ctx, ast.Load))
        return self._first(self._follow_use(attribute, packed) for attribute in loads)

    def _follow_use(self, node: ast.expr, packed: bool) -> str:
        parent = self.file.names.parents[node]
        if not packed:
            return self.why_not(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return self.why_not(parent) if isinstance(parent.ctx, ast.Load) else ""
        if isinstance(parent, ast.For) and parent.iter is node:
            return self._follow_target(parent.target, False)
        return _UNSEEN

    # ---- classes ---------------------------------------------------------------------------------

    def _class_of(self, attribute: ast.Attribute) -> ast.ClassDef | None:
        """Return the class of `self` in `self.attribute`, `None` for other objects."""
        assert isinstance(attribute.value, ast.Name)
        inner: ast.AST = attribute
        for node in self.file.names.ancestors(attribute):
            if isinstance(node, ast.ClassDef):
                method = inner if isinstance(inner, Function) else None
                first = method.args.args[:1] if method is not None else []
                return node if [a.arg for a in first] == [attribute.value.id] else None
            inner = node
        return None

    def _foreign_base(self, kind: ast.ClassDef, name: str) -> str:
        """Return a base class from another file that may use the attribute, `""` if there is none."""
        if kind.keywords:
            return ast.unparse(kind.keywords[0].value)
        for base in kind.bases:
            reference = self.file.values.by_node.get(base)
            known = look_up(reference) if reference is not None else None
            if known is not None and known.row.name in _BASES and not known.rest:
                if known.row.name.startswith("keras.") and name in _OWN:
                    return ast.unparse(base)
                continue
            if isinstance(base, ast.Name) and base.id == "object":
                continue
            found = self._defined(base)
            if not isinstance(found, ast.ClassDef):
                return ast.unparse(base)
            foreign = self._foreign_base(found, name)
            if foreign:
                return foreign
        return ""

    def _defined(self, node: ast.expr) -> ast.AST | None:
        """Return the node that binds a name, such as a function or class; `None` if there are several."""
        if not isinstance(node, ast.Name):
            return None
        place = self.file.values.scope_of.get(node)
        scope = place.lookup(node.id) if place is not None else None
        bindings = scope.bindings[node.id] if scope is not None else []
        return bindings[0].node if len(bindings) == 1 else None

    # ---- calls -----------------------------------------------------------------------------------

    def _follow_argument(self, parent: ast.Call | ast.keyword, node: ast.expr) -> str:
        call = self.file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
        if not isinstance(call, ast.Call):
            return _UNSEEN
        reason = self.handed(call, node)
        if reason is not None:
            return reason
        function, bound = self._function(call.func)
        parameter = _parameter(call, node, function, bound) if function is not None else None
        if function is None or parameter is None:
            return f"`{ast.unparse(call.func)}` receives the optimizer"
        return self._follow_name(self.file.names.scopes[function], parameter, False)

    def _function(self, node: ast.expr) -> tuple[ast.FunctionDef | None, bool]:
        """Return the function of this file that a call runs, and whether it receives `self` implicitly."""
        found = self._defined(node)
        if isinstance(found, ast.FunctionDef):
            return found, False
        if isinstance(found, ast.ClassDef):
            return _method(found, "__init__"), True
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            kind = self._class_of(node)
            method = _method(kind, node.attr) if kind is not None else None
            static = method is not None and any(
                isinstance(d, ast.Name) and d.id == "staticmethod" for d in method.decorator_list
            )
            return method, not static
        return None, False


def _method(kind: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    found = [n for n in kind.body if isinstance(n, ast.FunctionDef) and n.name == name]
    return found[0] if len(found) == 1 else None


def _parameter(
    call: ast.Call, node: ast.expr, function: ast.FunctionDef, bound: bool
) -> str | None:
    """Return the parameter that an argument is bound to, `None` if that is unclear."""
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][bound:]
    for keyword in call.keywords:
        if keyword.value is node:
            known = {*names, *(a.arg for a in arguments.kwonlyargs)}
            return keyword.arg if keyword.arg in known else None
    place = call.args.index(node)
    starred = any(isinstance(a, ast.Starred) for a in call.args[: place + 1])
    return None if starred or place >= len(names) else names[place]
