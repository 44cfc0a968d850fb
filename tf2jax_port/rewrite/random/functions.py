"""Find the functions of a file that can get a key parameter, because all callers can pass a key.

A function qualifies if the file uses it only in direct calls, and no other code can call it; then no caller is
overlooked. Calls of a method are found by its name, which nothing else in the file may have.
"""

from __future__ import annotations

import ast
import dataclasses
import functools

from tf2jax_port.rewrite.random.lines import FunctionNode, parameter_edit
from tf2jax_port.rewrite.random.places import unit_of
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.quoted import enclosing_string
from tf2jax_port.rewrite.reading.scopes import Function, Scope
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.rewrite.values.pure_functions import only_switches

# Builtins that read names at run time: with them any function may be called.
_LOOKING = ("eval", "exec", "globals", "locals", "vars")
# Base classes that never call the methods of a derived class by unknown names.
_BASES = ("Module", "TestCase", "object")
_CALLED_BY_OTHERS = ("setUp", "tearDown", "test", "__")


class NotKeyedError(Exception):
    """Raised if a function cannot have a key parameter; the message gives the reason."""


@dataclasses.dataclass(frozen=True, slots=True)
class Callers:
    """All calls of a function.

    Attributes:
      calls: the calls, each of which must pass a key.
      reason: why the function cannot have a key parameter, empty if it can.
    """

    calls: tuple[ast.Call, ...]
    reason: str = ""


class Functions:
    """Finds the callers of the functions of a file."""

    def __init__(self, file: File, neighbors: Neighbors) -> None:
        self.file = file
        self.neighbors = neighbors
        self.known: dict[FunctionNode, Callers] = {}

    def callers(self, function: FunctionNode) -> Callers:
        """Return all calls of a function, or the reason why it cannot have a key parameter."""
        if function not in self.known:
            try:
                calls = self._calls(function)
                self.known[function] = Callers(calls)
            except NotKeyedError as error:
                self.known[function] = Callers((), str(error))
        return self.known[function]

    def is_unused(self, function: FunctionNode) -> bool:
        """Return whether nothing in the file calls or mentions a function or method."""
        parent = self.file.names.parents[function]
        if isinstance(parent, ast.ClassDef):
            others = [a for a in self._attributes(function.name) if not _is_super(a.value)]
            return not others
        return not self._uses(function.name, self._home(function))

    @functools.cached_property
    def uses(self) -> dict[tuple[int, str], list[ast.Name]]:
        """A dict from `(id(scope), name)` to the uses of a name that the scope binds."""
        found: dict[tuple[int, str], list[ast.Name]] = {}
        for name, scope in self.file.names.uses:
            home = scope.lookup(name.id)
            found.setdefault((id(home), name.id), []).append(name)
        return found

    def uses_of(self, function: FunctionNode) -> list[ast.Name]:
        """Return every use of a function's name."""
        return self._uses(function.name, self._home(function))

    def _uses(self, name: str, home: Scope | None) -> list[ast.Name]:
        return self.uses.get((id(home), name), [])

    def _attributes(self, name: str) -> list[ast.Attribute]:
        return [a for a in self.file.names.attributes if a.attr == name]

    def _home(self, definition: FunctionNode | ast.ClassDef) -> Scope:
        """Return the scope that binds the name of a function or class."""
        scope = self.file.names.scopes[definition].parent
        while scope is not None and scope.kind == "types":
            scope = scope.parent
        assert scope is not None
        return scope.home(definition.name)

    # Functions, methods and constructors.

    def _calls(self, function: FunctionNode) -> tuple[ast.Call, ...]:
        self._check_decorators(function)
        by_name = [a for a in self._attributes("modules") if getattr(a.value, "id", "") == "sys"]
        if by_name or any(
            self._may_read_names(use) for name in _LOOKING for use in self._uses(name, None)
        ):
            raise NotKeyedError("the file reads its own names at run time")
        if parameter_edit(self.file, function, "key") is None:
            raise NotKeyedError(f"the parameters of `{function.name}` cannot be parsed")
        parent = self.file.names.parents[function]
        if not isinstance(parent, ast.ClassDef):
            found = self._calls_of_name(function, function.name)
        elif function.name == "__init__":
            self._check_class(parent)
            self._check_constructor(parent)
            found = self._calls_of_name(parent, parent.name)
        else:
            found = self._calls_of_method(parent, function)
        if not found:
            raise NotKeyedError(f"nothing in this file calls `{function.name}`")
        return found

    def _may_read_names(self, use: ast.Name) -> bool:
        """Return whether a use of a builtin such as `eval` or `vars()` may access names as strings."""
        call = self.file.names.parents[use]
        return not (use.id == "vars" and isinstance(call, ast.Call) and bool(call.args))

    def _check_decorators(self, function: FunctionNode) -> None:
        for decorator in function.decorator_list:
            called = isinstance(decorator, ast.Call)
            name = decorator.func if isinstance(decorator, ast.Call) else decorator
            reference = self.file.values.by_node.get(name)
            if reference is None or reference.path != "function":
                raise NotKeyedError(f"`{function.name}` is decorated")
            if called and isinstance(decorator, ast.Call) and not only_switches(decorator):
                raise NotKeyedError(
                    f"an argument of `tf.function` fixes the parameters of `{function.name}`"
                )

    def _calls_of_name(
        self, definition: FunctionNode | ast.ClassDef, name: str
    ) -> tuple[ast.Call, ...]:
        home = self._home(definition)
        self._check_own(name, home)
        found = []
        for use in self._uses(name, home):
            parent = self.file.names.parents[use]
            if isinstance(parent, ast.Call) and parent.func is use:
                found.append(self._check_extensible(parent, name))
            elif not (isinstance(definition, ast.ClassDef) and self._is_type_reference(use)):
                raise NotKeyedError(self._why_passed_on(use, parent))
        return tuple(found)

    def _check_own(self, name: str, home: Scope) -> None:
        """Check that a name is bound only once, and used by no other module.

        Raises:
          NotKeyedError: the name has several bindings, or is imported, exported or mentioned elsewhere.
        """
        if len(home.bindings.get(name, ())) != 1 or home.kind not in ("module", "function"):
            raise NotKeyedError(f"`{name}` is bound to several objects")
        if home.kind != "module":
            return
        if self.neighbors.takes(name):
            raise NotKeyedError(f"another module imports `{name}`")
        if self.neighbors.mentions(name):
            raise NotKeyedError(
                f"a magic, a shell command or a non-Python cell of the notebook contains `{name}`"
            )
        for binding in home.bindings.get("__all__", ()):
            inside = ast.walk(binding.value) if binding.value is not None else ()
            if binding.value is None or any(_is_text(node, name) for node in inside):
                raise NotKeyedError(f"`__all__` contains `{name}`")

    def _why_passed_on(self, use: ast.Name, parent: ast.AST) -> str:
        call = self.file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
        reference = self.file.values.by_node.get(call.func) if isinstance(call, ast.Call) else None
        if reference is None:
            return f"`{use.id}` is passed on as a value in line {use.lineno}"
        return (
            f"`tf.{reference.path}` calls `{use.id}` in a loop: a key from outside the loop would draw the same "
            "numbers in each iteration, so make the key part of the loop's state"
        )

    def _check_extensible(self, call: ast.Call, name: str) -> ast.Call:
        """Check that an argument can be added to a call; return the call."""
        if enclosing_string(self.file.names, call) is not None:
            raise NotKeyedError(f"`{name}` is called inside a string")
        if call_layout(self.file.source, call).opened < 0:
            raise NotKeyedError(f"`{name}` is called with a generator")
        return call

    def _is_type_reference(self, use: ast.Name) -> bool:
        """Return whether a class is used as a type: in an annotation, `isinstance` or `super`."""
        parents = self.file.names.parents
        parent = parents[use]
        if isinstance(parent, ast.arg | ast.AnnAssign | ast.Constant):
            return True
        if isinstance(parent, Function):
            return parent.returns is use
        name = (
            parent.func.id
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name)
            else ""
        )
        return name in ("isinstance", "super") and self.file.spelling.allows([name])

    def _check_class(self, node: ast.ClassDef) -> None:
        """Check that a class is undecorated, and that its base classes never call its methods."""
        if node.decorator_list or node.keywords:
            raise NotKeyedError(f"`{node.name}` is decorated, or has a metaclass")
        for base in node.bases:
            reference = self.file.values.by_node.get(base)
            name = base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")
            path = reference.path if reference is not None else name
            if path.rpartition(".")[2] not in _BASES or path.startswith("keras"):
                raise NotKeyedError(f"the base class of `{node.name}` is unknown")

    def _check_constructor(self, node: ast.ClassDef) -> None:
        """Check that `__init__` of a class runs only if the class is called."""
        others = [a for a in self._attributes("__init__") if not _is_super(a.value)]
        if others or "__new__" in self.file.names.scopes[node].bindings:
            raise NotKeyedError(
                f"objects of `{node.name}` are created without calling `{node.name}`"
            )

    def _calls_of_method(self, node: ast.ClassDef, method: FunctionNode) -> tuple[ast.Call, ...]:
        """Return all calls of a method: `self.method()`, or on a new object of that class."""
        name = method.name
        self._check_class(node)
        home = self._home(node)
        self._check_own(node.name, home)
        for use in self._uses(node.name, home):
            parent = self.file.names.parents[use]
            called = isinstance(parent, ast.Call) and parent.func is use
            if not called and not self._is_type_reference(use):
                raise NotKeyedError(f"`{node.name}` is passed on as a value in line {use.lineno}")
        scope = self.file.names.scopes[node]
        own = len(scope.bindings.get(name, ())) == 1 and not self._uses(name, scope)
        others = [f for f in self.file.names.scopes if f is not method and _is_named(f, name)]
        if not own or others or name.startswith(_CALLED_BY_OTHERS):
            raise NotKeyedError(
                f"`{name}` may be called from outside, or several functions have this name"
            )
        if any(_is_text(n, name) for n in self.file.names.parents):
            raise NotKeyedError(f"`{name}` also occurs as a string")
        found = []
        for attribute in self._attributes(name):
            call = self.file.names.parents[attribute]
            if not isinstance(call, ast.Call) or call.func is not attribute:
                raise NotKeyedError(f"`.{name}` is passed on as a value in line {attribute.lineno}")
            if not self._is_of_class(attribute.value, node):
                raise NotKeyedError(
                    f"line {attribute.lineno} calls `.{name}` on a value that may be another object"
                )
            found.append(self._check_extensible(call, name))
        return tuple(found)

    def _is_of_class(self, value: ast.expr, node: ast.ClassDef) -> bool:
        """Return whether a value is an instance of a class: `self`, or the result of calling the class."""
        if isinstance(value, ast.Call):
            return self._makes(value, node)
        if not isinstance(value, ast.Name):
            return False
        scope = self.file.values.scope_of.get(value)
        home = scope.lookup(value.id) if scope is not None else None
        bindings = home.bindings[value.id] if home is not None else []
        if len(bindings) != 1:
            return False
        binding = bindings[0]
        if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
            arguments = self.file.names.parents[binding.node]
            method = self.file.names.parents[arguments]
            first = [*getattr(arguments, "posonlyargs", ()), *getattr(arguments, "args", ())][:1]
            plain = isinstance(method, Function) and not method.decorator_list
            inside = self.file.names.parents.get(method) is node
            return plain and inside and first == [binding.node]
        return isinstance(binding.value, ast.Call) and self._makes(binding.value, node)

    def _makes(self, call: ast.Call, node: ast.ClassDef) -> bool:
        uses = self._uses(node.name, self._home(node))
        return any(call.func is use for use in uses)


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super"


def _is_named(definition: ast.AST, name: str) -> bool:
    return getattr(definition, "name", None) == name


# Functions that begin with a key of their own.

_TESTING = ("pytest", "unittest", "absl.testing")


def is_program(file: File, functions: Functions, function: FunctionNode) -> bool:
    """Return whether a function is an entry point: a test, its setup, or the argument of `app.run`."""
    if function.name.startswith(("test", "setUp")):
        return _is_test(file, function) and functions.is_unused(function)
    if not isinstance(file.names.parents[function], ast.Module):
        return False
    uses = functions.uses_of(function)
    if not uses:
        calls = [file.names.parents[a] for a in file.names.attributes if _is_run(a)]
        bare = [c for c in calls if isinstance(c, ast.Call) and not (c.args or c.keywords)]
        return function.name == "main" and bool(bare)
    parent = file.names.parents[uses[0]]
    call = file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
    once = len(uses) == 1 and isinstance(unit_of(file, uses[0]), ast.Module)
    return once and isinstance(call, ast.Call) and call.func is not uses[0] and _is_run(call.func)


def _is_test(file: File, function: FunctionNode) -> bool:
    """Return whether a test framework calls a function, judging by its name and its surroundings."""
    parent = file.names.parents[function]
    if isinstance(parent, ast.ClassDef):
        bases = [
            b.attr if isinstance(b, ast.Attribute) else getattr(b, "id", "") for b in parent.bases
        ]
        return parent.name.startswith("Test") or any(b.endswith("TestCase") for b in bases)
    testing = any(path.startswith(_TESTING) for _, path in file.names.imported)
    return testing and function.name.startswith("test_") and isinstance(parent, ast.Module)


def _is_run(node: ast.AST) -> bool:
    """Return whether a node is `app.run` of absl or of TensorFlow."""
    if not isinstance(node, ast.Attribute) or node.attr != "run":
        return False
    value = node.value
    return (value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")) == "app"
