"""Find the calls of TensorFlow whose tensors reach functions of JAX, which take no tensors of TensorFlow."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Binding, Names, Scope
from tf2jax_port.rewrite.values.flow import Seen
from tf2jax_port.rewrite.values.uses import Uses

# They take every array of Python, or only its shape.
_CONVERT = frozenset(("array", "asarray", "shape", "ndim", "size", "device_put", "device_get"))
# Methods of a tensor or a dataset that give an array of NumPy, and methods that only arrays of JAX have.
_TO_NUMPY = frozenset(("numpy", "as_numpy_iterator", "cardinality"))
_OF_JAX = frozenset(("astype", "at"))
_PAIRING = ("enumerate", "zip", "iter", "reversed")


class KeptTensors:
    """The tensors and datasets that stay TensorFlow's in one file.

    Args:
      values: the names of the file, and its references.
      tensors: the functions that return tensors, by their nodes.
      datasets: the functions that return datasets, by their nodes.
    """

    def __init__(
        self,
        values: Uses,
        tensors: Mapping[ast.expr, Reference],
        datasets: Mapping[ast.expr, Reference],
    ) -> None:
        self._values, self._names = values, values.names
        self._tensors, self._datasets = tensors, datasets
        self._jax = {name for name, path in self._names.imported if path.split(".")[0] == "jax"}

    def reaching_jax(self) -> Iterator[Reference]:
        """Yield the references whose tensors, or whose dataset's elements, reach a function of JAX."""
        for call in self._calls():
            for given in self._operands_of_jax(call):
                found = self._tensor(given, frozenset())
                if found is not None:
                    yield found

    def _calls(self) -> Iterator[ast.Call]:
        for node in [name for name, _ in self._names.uses if name.id in self._jax]:
            function: ast.AST = node
            while isinstance(self._names.parents.get(function), ast.Attribute):
                function = self._names.parents[function]
            call = self._names.parents.get(function)
            if isinstance(call, ast.Call) and call.func is function:
                yield call
        for attribute in self._names.attributes:
            parent = self._names.parents[attribute]
            if attribute.attr in _OF_JAX and isinstance(parent, ast.Call | ast.Subscript):
                yield ast.Call(attribute, [], [])

    def _operands_of_jax(self, call: ast.Call) -> list[ast.expr]:
        function = call.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _OF_JAX and isinstance(function, ast.Attribute) and not call.args:
            return [function.value]
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return [] if name in _CONVERT else given

    def _tensor(self, node: ast.expr, seen: Seen) -> Reference | None:
        """Return where the tensor of an expression comes from; `None` if it is none, or none of TensorFlow."""
        match node:
            case ast.Call(func=ast.Attribute(attr=method)) if method in _TO_NUMPY:
                return None
            case ast.Call():
                return self._tensors.get(node.func) or self._returned(node, seen)
            case ast.Name():
                return self._of_name(node, seen, dataset=False)
        return next(filter(None, (self._tensor(each, seen) for each in _parts(node))), None)

    def _dataset(self, node: ast.expr, seen: Seen) -> Reference | None:
        """Return where the dataset of an expression comes from; `None` if it is none."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _PAIRING:
                return next(filter(None, (self._dataset(a, seen) for a in node.args)), None)
            case ast.Call(func=ast.Attribute(attr=method)) if method in _TO_NUMPY:
                return None
            case ast.Call(func=function):
                made = self._datasets.get(function)
                if made is None and isinstance(function, ast.Attribute):
                    return self._dataset(function.value, seen)
                return made
            case ast.Name():
                return self._of_name(node, seen, dataset=True)
        return None

    def _returned(self, call: ast.Call, seen: Seen) -> Reference | None:
        """Return where the result of a function of the file comes from."""
        function = call.func
        if not isinstance(function, ast.Name) or function.id in seen:
            return None
        for binding in self._bindings(function):
            for node in ast.walk(binding.node) if isinstance(binding.node, ast.FunctionDef) else ():
                if isinstance(node, ast.Return) and node.value is not None:
                    found = self._tensor(node.value, seen | {function.id})
                    if found is not None:
                        return found
        return None

    def _of_name(self, name: ast.Name, seen: Seen, *, dataset: bool) -> Reference | None:
        key = f"{name.id} {name.lineno} {name.col_offset}"
        if key in seen:
            return None
        seen = seen | {key}
        follow = self._dataset if dataset else self._tensor
        for binding in self._reaching(name):
            if binding.value is not None:
                found = follow(binding.value, seen)
            elif dataset or not isinstance(binding.node, ast.Name):
                found = None
            else:
                found = self._of_target(binding.node, seen)
            if found is not None:
                return found
        return None

    def _of_target(self, target: ast.expr, seen: Seen) -> Reference | None:
        """Return where the value of a loop's target, or of a part of an assignment's, comes from."""
        outer = self._names.parents[target]
        while isinstance(outer, ast.Tuple | ast.List | ast.Starred):
            outer = self._names.parents[outer]
        if isinstance(outer, ast.For | ast.comprehension):
            return self._dataset(outer.iter, seen)
        return self._tensor(outer.value, seen) if isinstance(outer, ast.Assign) else None

    def _bindings(self, name: ast.Name) -> list[Binding]:
        scope = self._values.scope_of.get(name)
        home = scope.lookup(name.id) if scope is not None else None
        return home.values_of(name.id) if home is not None else []

    def _reaching(self, name: ast.Name) -> list[Binding]:
        """Return the bindings whose value a use of a name may have: the last one before it on its way, and all after."""
        bindings = self._bindings(name)
        scope = self._values.scope_of.get(name)
        if scope is None or not _is_own(scope, name.id):
            return bindings
        around = set(self._names.ancestors(name))
        place = (name.lineno, name.col_offset)
        found = []
        for binding in sorted(bindings, key=_place, reverse=True):
            if not hasattr(binding.node, "lineno") or _place(binding) >= place:
                continue
            statement = _statement(self._names, binding)
            if statement in around and not isinstance(statement, ast.For | ast.comprehension):
                continue  # the use is in the value that the name gets
            found.append(binding)
            if statement in around or self._names.parents.get(statement) in around:
                break
        return found


def _is_own(scope: Scope, name: str) -> bool:
    """Return whether the innermost function around a use binds the name."""
    inner: Scope | None = scope
    while inner is not None and inner.kind == "comprehension" and name not in inner.bindings:
        inner = inner.parent
    return inner is not None and inner.lookup(name) is inner


def _place(binding: Binding) -> tuple[int, int]:
    return getattr(binding.node, "lineno", 0), getattr(binding.node, "col_offset", 0)


def _statement(names: Names, binding: Binding) -> ast.AST:
    """Return the statement, or the loop of a comprehension, that binds a name."""
    if isinstance(binding.node, ast.stmt):
        return binding.node
    outer = names.ancestors(binding.node)
    return next((n for n in outer if isinstance(n, ast.stmt | ast.comprehension)), binding.node)


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the expressions of which an expression has the values, or with which it computes."""
    match node:
        case ast.Subscript() | ast.Starred() | ast.NamedExpr():
            return [node.value]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp():
            return [node.operand]
        case ast.Compare():
            return [node.left, *node.comparators]
        case ast.List() | ast.Tuple():
            return node.elts
        case ast.IfExp():
            return [node.body, node.orelse]
        case ast.ListComp() | ast.GeneratorExp():
            return [node.elt]
    return []
