"""Record the names that a file binds, and resolve which binding each use of a name refers to.

The rules are Python's: functions, lambdas and comprehensions have scopes of their own; names of a class body are not
visible in its methods; `global` and `nonlocal` refer to outer scopes; a name that is bound anywhere in a function is
local in all of it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

Node = ast.AST


class Binding(NamedTuple):
    """One place in the code that binds a name.

    `path` is the dotted name of an import, `value` the value of a plain assignment; other bindings, such as loop
    variables and parameters, have neither.
    """

    kind: Literal["import", "assign", "parameter", "other"]
    node: Node
    path: str = ""
    value: ast.expr | None = None
    statement: ast.stmt | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Scope:
    """One scope of a file: a module, function, class, comprehension or list of type parameters."""

    kind: Literal["module", "function", "class", "comprehension", "types"]
    parent: Scope | None = None
    bindings: dict[str, list[Binding]] = dataclasses.field(default_factory=dict)
    redirected: dict[str, Literal["global", "nonlocal"]] = dataclasses.field(default_factory=dict)

    def module(self) -> Scope:
        """Return the outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def values_of(self, name: str) -> list[Binding]:
        """Return the places that give a name of this scope a value; `del` gives none."""
        return [b for b in self.bindings[name] if type(getattr(b.node, "ctx", None)) is not ast.Del]

    def home(self, name: str) -> Scope:
        """Return the scope to which an assignment to `name` in this scope applies."""
        scope: Scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        if scope.redirected.get(name) == "global":
            return scope.module()
        if scope.redirected.get(name) == "nonlocal":
            return scope._enclosing(name) or scope
        return scope

    def _enclosing(self, name: str) -> Scope | None:
        """Return the enclosing function scope that binds a nonlocal name, if any."""
        scope = self.parent
        while scope is not None:
            if scope.kind in ("function", "comprehension") and name in scope.bindings:
                return scope
            scope = scope.parent
        return None

    def lookup(self, name: str) -> Scope | None:
        """Return the scope that binds `name` for uses in this scope, `None` if no scope does."""
        if self.redirected.get(name) == "global":
            module = self.module()
            return module if name in module.bindings else None
        scope: Scope | None = self
        while scope is not None:
            visible = scope is self or scope.kind != "class"
            if visible and name in scope.bindings and name not in scope.redirected:
                return scope
            scope = scope.parent
        return None


@dataclasses.dataclass(slots=True)
class Names:
    """The bindings, uses and parents of nodes that a walk over a syntax tree has found."""

    module: Scope
    uses: list[tuple[ast.Name, Scope]]
    parents: dict[Node, Node]
    scopes: dict[Node, Scope]  # of functions, lambdas, classes and comprehensions
    imports: list[ast.Import | ast.ImportFrom]
    imported: list[tuple[str, str]]  # names that imports bind, and their paths
    stars: list[ast.ImportFrom]
    annotations: list[tuple[ast.expr, Scope]]
    attributes: list[ast.Attribute]
    assigned: list[tuple[str, ast.expr]]  # names that get a dotted name or the result of a call
    comparisons: list[ast.Compare]  # those with a list
    strings: list[ast.expr]  # strings with code inside: f-strings, string annotations

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Yield the nodes that contain `node`, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: Node) -> ast.stmt:
        """Return the innermost statement that contains `node`."""
        if isinstance(node, ast.stmt):
            return node
        return next(n for n in self.ancestors(node) if isinstance(n, ast.stmt))


def resolve_scopes(tree: ast.Module, *, redirects: bool = True) -> Names:
    """Walk a syntax tree once and record every binding and every use of a name.

    Args:
      tree: the tree of a whole file.
      redirects: whether the file may contain `global` or `nonlocal`.
    """
    walk = _Walk(Names(Scope("module"), [], {}, {}, [], [], [], [], [], [], [], []), redirects)
    walk.children(tree, walk.names.module)
    return walk.names


def resolve_more(names: Names, node: ast.expr, parent: ast.expr, scope: Scope) -> None:
    """Record the names of an expression that is not in the file's tree, as from a string annotation."""
    names.strings.append(parent)
    _Walk(names, redirects=False).visit(node, parent, scope)


Function = ast.FunctionDef | ast.AsyncFunctionDef

# Fields that hold text, numbers, operators or contexts: nothing that binds or uses a name.
_TEXTS = {
    *("arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level"),
    *("module", "name", "names", "op", "ops", "rest", "simple", "str", "tag", "type_comment"),
}
_LEAVES = (ast.Constant, ast.MatchSingleton)
_NAMING = (ast.Name, ast.Attribute, ast.Call)  # values that may be or import TensorFlow
_FIELDS = {
    node: tuple(field for field in node._fields if field not in _TEXTS)
    for node in vars(ast).values()
    if isinstance(node, type) and issubclass(node, ast.AST) and not issubclass(node, _LEAVES)
}
if hasattr(ast, "TypeAlias"):  # Python 3.12; its name is a node
    _FIELDS[ast.TypeAlias] = ("name", "type_params", "value")


class _Walk:
    """One walk over a syntax tree.

    It takes most of the time of a scan; therefore it avoids function calls.
    """

    def __init__(self, names: Names, redirects: bool) -> None:
        self.names = names
        self.redirects = redirects
        self.parents = names.parents

    def visit(self, node: Node, parent: Node, scope: Scope) -> None:
        self.parents[node] = parent
        if (handler := _HANDLERS.get(type(node))) is not None:
            handler(self, node, scope)

    def children(self, node: Node, scope: Scope) -> None:
        parents, handlers = self.parents, _HANDLERS
        for field in _FIELDS[type(node)]:
            value = getattr(node, field)
            if type(value) is list:
                for item in value:
                    if item is None:  # among defaults and keys
                        continue
                    parents[item] = node
                    if (handler := handlers.get(type(item))) is not None:
                        handler(self, item, scope)
            elif value is not None:
                parents[value] = node
                if (handler := handlers.get(type(value))) is not None:
                    handler(self, value, scope)

    def attribute(self, node: ast.Attribute, scope: Scope) -> None:
        self.names.attributes.append(node)
        value = node.value
        self.parents[value] = node
        if (handler := _HANDLERS.get(type(value))) is not None:
            handler(self, value, scope)

    def comparison(self, node: ast.Compare, scope: Scope) -> None:
        if type(node.left) is ast.List or any(type(n) is ast.List for n in node.comparators):
            self.names.comparisons.append(node)
        self.children(node, scope)

    def string(self, node: ast.JoinedStr, scope: Scope) -> None:
        self.names.strings.append(node)
        self.children(node, scope)

    def each(self, nodes: Iterable[Node | None], parent: Node, scope: Scope) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, parent, scope)

    def bind(self, scope: Scope, name: str, binding: Binding) -> None:
        scope.home(name).bindings.setdefault(name, []).append(binding)

    # Names and assignments.

    def name(self, node: ast.Name, scope: Scope) -> None:
        if type(node.ctx) is ast.Load:
            self.names.uses.append((node, scope))
        elif scope.kind == "comprehension":  # its own variable; `walrus` handles `:=`
            scope.bindings.setdefault(node.id, []).append(Binding("other", node))
        elif not self._assigned(node):
            self.bind(scope, node.id, Binding("other", node))

    def _assigned(self, node: ast.Name) -> bool:
        parent = self.names.parents[node]
        if isinstance(parent, ast.Assign):
            return any(target is node for target in parent.targets)
        return isinstance(parent, ast.AnnAssign) and parent.target is node

    def assign(self, node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
        self.children(node, scope)
        if type(node) is ast.Assign:
            for target in node.targets:
                if type(target) is ast.Name:
                    self.bind_value(scope, target, node.value, node)
            return
        assert isinstance(node, ast.AnnAssign)
        self.names.annotations.append((node.annotation, scope))
        if isinstance(node.target, ast.Name):
            if node.value is None:
                self.bind(scope, node.target.id, Binding("other", node.target))
            else:
                self.bind_value(scope, node.target, node.value, node)

    def bind_value(
        self, scope: Scope, target: ast.Name, value: ast.expr, statement: ast.stmt | None
    ) -> None:
        """Record an assignment of a value to a name."""
        if type(value) in _NAMING:
            self.names.assigned.append((target.id, value))
        self.bind(scope, target.id, Binding("assign", target, "", value, statement))

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.visit(node.value, node, scope)
        self.names.parents[node.target] = node
        self.bind_value(scope, node.target, node.value, None)

    def named(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar, scope: Scope) -> None:
        if node.name:
            self.bind(scope, node.name, Binding("other", node))
        self.children(node, scope)

    def match_mapping(self, node: ast.MatchMapping, scope: Scope) -> None:
        if node.rest:
            self.bind(scope, node.rest, Binding("other", node))
        self.children(node, scope)

    # Imports.

    def import_(self, node: ast.Import, scope: Scope) -> None:
        self.names.imports.append(node)
        for alias in node.names:
            self.names.parents[alias] = node
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            name = alias.asname or path
            self.names.imported.append((name, path))
            self.bind(scope, name, Binding("import", alias, path, None, node))

    def import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        self.names.imports.append(node)
        base = "." * node.level + (node.module or "")
        for alias in node.names:
            self.names.parents[alias] = node
            if alias.name == "*":
                self.names.stars.append(node)
                continue
            path = f"{base}.{alias.name}" if node.module else base + alias.name
            name = alias.asname or alias.name
            self.names.imported.append((name, path))
            self.bind(scope, name, Binding("import", alias, path, None, node))

    # Scopes.

    def function(self, node: Function, scope: Scope) -> None:
        self.bind(scope, node.name, Binding("other", node))
        self.each(node.decorator_list, node, scope)
        outer = self._type_parameters(node, scope)
        self._defaults(node, outer)
        inner = self._enter(node, "function", outer)
        self._redirections(node.body, inner)
        self._parameters(node.args, inner)
        if node.returns is not None:
            self.visit(node.returns, node, outer)
            self.names.annotations.append((node.returns, outer))
        self.each(node.body, node, inner)

    def lambda_(self, node: ast.Lambda, scope: Scope) -> None:
        self._defaults(node, scope)
        inner = self._enter(node, "function", scope)
        self._parameters(node.args, inner)
        self.visit(node.body, node, inner)

    def class_(self, node: ast.ClassDef, scope: Scope) -> None:
        self.bind(scope, node.name, Binding("other", node))
        self.each(node.decorator_list, node, scope)
        outer = self._type_parameters(node, scope)
        self.each((*node.bases, *node.keywords), node, outer)
        inner = self._enter(node, "class", outer)
        self._redirections(node.body, inner)
        self.each(node.body, node, inner)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: Scope
    ) -> None:
        inner = self._enter(node, "comprehension", scope)
        for index, part in enumerate(node.generators):
            self.names.parents[part] = node
            self.visit(part.iter, part, inner if index else scope)
            self.visit(part.target, part, inner)
            self.each(part.ifs, part, inner)
        if isinstance(node, ast.DictComp):
            self.each((node.key, node.value), node, inner)
        else:
            self.visit(node.elt, node, inner)

    def _enter(
        self, node: Node, kind: Literal["function", "class", "comprehension"], parent: Scope
    ) -> Scope:
        scope = Scope(kind, parent)
        self.names.scopes[node] = scope
        return scope

    def _type_parameters(self, node: Function | ast.ClassDef, scope: Scope) -> Scope:
        parameters = getattr(node, "type_params", None)  # Python 3.12
        if not parameters:
            return scope
        inner = Scope("types", scope)
        for parameter in parameters:
            inner.bindings[parameter.name] = [Binding("parameter", parameter)]
            self.visit(parameter, node, inner)
        return inner

    def _defaults(self, node: Function | ast.Lambda, scope: Scope) -> None:
        arguments = node.args
        self.names.parents[arguments] = node
        self.each((*arguments.defaults, *arguments.kw_defaults), arguments, scope)
        for argument in _all_arguments(arguments):
            self.names.parents[argument] = arguments
            if argument.annotation is not None:
                self.visit(argument.annotation, argument, scope)
                self.names.annotations.append((argument.annotation, scope))

    def _parameters(self, arguments: ast.arguments, scope: Scope) -> None:
        for argument in _all_arguments(arguments):
            scope.bindings.setdefault(argument.arg, []).append(Binding("parameter", argument))

    # `global` may follow a binding in text order, so redirection is settled before the body is walked.
    def _redirections(self, body: list[ast.stmt], scope: Scope) -> None:
        if not self.redirects:
            return
        waiting: list[Node] = list(body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Global):
                scope.redirected.update(dict.fromkeys(node.names, "global"))
            elif isinstance(node, ast.Nonlocal):
                scope.redirected.update(dict.fromkeys(node.names, "nonlocal"))
            elif not isinstance(node, ast.expr | Function | ast.ClassDef):
                waiting += ast.iter_child_nodes(node)


_HANDLERS: dict[type[Node], Callable[[_Walk, Any, Scope], None]] = {
    **{node: _Walk.children for node, fields in _FIELDS.items() if fields},
    ast.Name: _Walk.name,
    ast.Attribute: _Walk.attribute,
    ast.Import: _Walk.import_,
    ast.ImportFrom: _Walk.import_from,
    ast.FunctionDef: _Walk.function,
    ast.AsyncFunctionDef: _Walk.function,
    ast.Lambda: _Walk.lambda_,
    ast.ClassDef: _Walk.class_,
    ast.Compare: _Walk.comparison,
    ast.JoinedStr: _Walk.string,
    ast.ListComp: _Walk.comprehension,
    ast.SetComp: _Walk.comprehension,
    ast.DictComp: _Walk.comprehension,
    ast.GeneratorExp: _Walk.comprehension,
    ast.Assign: _Walk.assign,
    ast.AnnAssign: _Walk.assign,
    ast.ExceptHandler: _Walk.named,
    ast.MatchAs: _Walk.named,
    ast.MatchStar: _Walk.named,
    ast.MatchMapping: _Walk.match_mapping,
    ast.NamedExpr: _Walk.walrus,
}


def _all_arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    if arguments.vararg:
        yield arguments.vararg
    if arguments.kwarg:
        yield arguments.kwarg
