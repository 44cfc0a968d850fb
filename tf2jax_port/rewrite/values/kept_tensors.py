"""Find the TensorFlow calls whose tensors reach JAX functions, which do not accept them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Binding, Names, Scope
from tf2jax_port.rewrite.values.uses import Uses

# They take every array of Python, or only its shape.
_CONVERT = frozenset(("array", "asarray", "shape", "ndim", "size", "device_put", "device_get"))
# Methods of a tensor or a dataset that give an array of NumPy, and methods that only arrays of JAX have.
_TO_NUMPY = frozenset(("numpy", "as_numpy_iterator", "cardinality"))
_OF_JAX = frozenset(("astype", "at"))
_ASSIGNING = (ast.Assign, ast.AugAssign, ast.AnnAssign)
_TENSOR, _DATASET = "tensor", "dataset"
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
        self._known: dict[tuple[str, ast.AST], Reference | None] = {}
        self._jax = {name for name, path in self._names.imported if path.split(".")[0] == "jax"}

    def reaching_jax(self) -> Iterator[Reference]:
        """Yield the references whose tensors, or whose dataset's elements, reach a function of JAX."""
        for call in self._calls():
            for given in self._operands_of_jax(call):
                found = self._tensor(given)
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

    def _tensor(self, node: ast.expr) -> Reference | None:
        """Return where the tensor of an expression comes from; `None` if it is none, or none of TensorFlow."""
        match node:
            case ast.Call(func=ast.Attribute(attr=method)) if method in _TO_NUMPY:
                return None
            case ast.Call():
                return self._tensors.get(node.func) or self._returned(node)
            case ast.Name():
                return self._once((_TENSOR, node), self._of_name)
        return next(filter(None, map(self._tensor, _parts(node))), None)

    def _dataset(self, node: ast.expr) -> Reference | None:
        """Return where the dataset of an expression comes from; `None` if it is none."""
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _PAIRING:
                return next(filter(None, map(self._dataset, node.args)), None)
            case ast.Call(func=ast.Attribute(attr=method)) if method in _TO_NUMPY:
                return None
            case ast.Call(func=function):
                made = self._datasets.get(function)
                if made is None and isinstance(function, ast.Attribute):
                    return self._dataset(function.value)
                return made
            case ast.Name():
                return self._once((_DATASET, node), self._of_name)
        return None

    def _returned(self, call: ast.Call) -> Reference | None:
        """Return where the result of a function of the file comes from."""
        function = call.func
        if not isinstance(function, ast.Name):
            return None
        for binding in self._bindings(function):
            if isinstance(binding.node, ast.FunctionDef):
                found = self._once(("returned", binding.node), self._of_function)
                if found is not None:
                    return found
        return None

    def _of_function(self, key: tuple[str, ast.AST]) -> Reference | None:
        returns = (node for node in ast.walk(key[1]) if isinstance(node, ast.Return))
        values = (node.value for node in returns if node.value is not None)
        return next(filter(None, map(self._tensor, values)), None)

    def _of_name(self, key: tuple[str, ast.AST]) -> Reference | None:
        kind, name = key
        assert isinstance(name, ast.Name)
        follow = self._dataset if kind == _DATASET else self._tensor
        for binding in self._reaching(name):
            found = None
            if binding.value is not None:
                found = follow(binding.value)
            elif kind == _TENSOR and isinstance(binding.node, ast.Name):
                found = self._of_target(binding.node)
            if found is not None:
                return found
        return None

    def _once(
        self,
        key: tuple[str, ast.AST],
        follow: Callable[[tuple[str, ast.AST]], Reference | None],
    ) -> Reference | None:
        """Follow a name or a function only once; one that is being followed gives nothing new."""
        if key not in self._known:
            self._known[key] = None
            self._known[key] = follow(key)
        return self._known[key]

    def _of_target(self, target: ast.expr) -> Reference | None:
        """Return where the value of a loop's target, or of a part of an assignment's, comes from."""
        outer = self._names.parents[target]
        while isinstance(outer, ast.Tuple | ast.List | ast.Starred):
            outer = self._names.parents[outer]
        if isinstance(outer, ast.For | ast.comprehension):
            return self._dataset(outer.iter)
        return self._tensor(outer.value) if isinstance(outer, ast.Assign) else None

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
            if binding.value in around or (
                isinstance(statement, _ASSIGNING) and statement in around
            ):
                continue  # the use is in the value that the name gets
            found.append(binding)
            if statement in around or self._names.parents.get(statement) in around:
                break
        return found


def _is_own(scope: Scope, name: str) -> bool:
    """Return whether the innermost function around a use binds the name, in the order of its text."""
    inner: Scope | None = scope
    while inner is not None and inner.kind == "comprehension" and name not in inner.bindings:
        inner = inner.parent
    return inner is not None and inner.kind != "comprehension" and inner.lookup(name) is inner


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
