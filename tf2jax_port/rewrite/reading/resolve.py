"""Find the references to TensorFlow in a file and resolve their full names.

A reference is a name that an import binds to TensorFlow, with all attributes that follow it. If a parameter, a loop
variable or another import shadows the name, it is not a reference; if the name may be shadowed, the reference is
ambiguous.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Iterator

from tf2jax_port.rewrite.names.public_names import brings, public_name
from tf2jax_port.rewrite.names.tf_names import MODULES, V1_ALIASES, V1_ONLY, V1_PARAMS
from tf2jax_port.rewrite.reading.alternatives import without_alternatives
from tf2jax_port.rewrite.reading.neighbors import ALONE, Export, Neighbors
from tf2jax_port.rewrite.reading.object_attributes import object_attributes
from tf2jax_port.rewrite.reading.scopes import Binding, Names, Scope

# Functions that import a module by its name in a string.
_IMPORTING_CALLS = ("import_module", "__import__", "importorskip")
# Modules that TensorFlow 2 removed with all their names.
_V1_MODULES = ("contrib.", "app.", "flags.", "gfile.", "layers.", "logging.", "python_io.")

_FORMER_MODULES = ("slim", "app.flags", "examples.tutorials", "examples.tutorials.mnist")


@dataclasses.dataclass(eq=False, slots=True)
class Reference:
    """One use of a TensorFlow name.

    Attributes:
      chain: the nodes from the first that refers to TensorFlow to the last attribute: `tf`, `tf.math`, `tf.math.log`.
        In `compat.tf` and `self.tf` the first node is not a bare name.
      dotted: the full name of each node of the chain, such as `tensorflow.math` for the second one.
      version: 1 for a name reached through `compat.v1`, or in a file written for TensorFlow 1; otherwise 2.
      scope: the scope of the use.
      bindings: the imports and assignments that may bind the name.
      ambiguous: whether the file also binds the name to something else.
      path: TensorFlow's name, such as `math.log`; empty for TensorFlow itself.
    """

    chain: tuple[ast.expr, ...]
    dotted: tuple[str, ...]
    version: int
    scope: Scope
    bindings: tuple[Binding, ...]
    ambiguous: bool = False
    path: str = ""  # TensorFlow's name: `math.log`, empty for the module itself

    @property
    def node(self) -> ast.expr:
        """The node of the whole dotted name."""
        return self.chain[-1]

    def shortened(self, length: int) -> Reference:
        """Return the reference to the first `length` nodes of the chain."""
        if length == len(self.chain):
            return self
        return Reference(
            self.chain[:length],
            self.dotted[:length],
            self.version,
            self.scope,
            self.bindings,
            self.ambiguous,
            tensorflow_path(self.dotted[length - 1])[0],
        )

    @property
    def root(self) -> ast.expr:
        """The first name of the expression: `compat` in `compat.tf.add`."""
        first = self.chain[0]
        while isinstance(first, ast.Attribute):
            first = first.value
        return first

    @property
    def spelled(self) -> str:
        """The name as the file writes it, such as `tf.math.log`."""
        return ast.unparse(self.node)


def find_references(
    names: Names, neighbors: Neighbors = ALONE, *, version_1: bool = False
) -> list[Reference]:
    """Return all uses of TensorFlow names, in text order.

    Args:
      names: the bindings and uses of a file.
      neighbors: the other modules of its project.
      version_1: whether the file is known to be written for TensorFlow 1.
    """
    search = _Search(names, neighbors)
    possible = _possible_names(names, neighbors)
    starred = bool(search.stars)
    uses = [(name, scope) for name, scope in names.uses if starred or name.id in possible]
    found = [r for name, scope in uses if (r := search.reference(name, scope)) is not None]
    found += search.attributes_of_objects(possible)
    found.sort(key=lambda r: (r.chain[0].lineno, r.chain[0].col_offset))
    # A name that is reached through `compat.v1` says nothing about the others.
    if version_1 or any(r.version != 1 and is_version_1(r.path) for r in found):
        for reference in found:
            if reference.version != 1 and "compat.v2" not in reference.dotted[0]:
                reference.version = 1
    return found


def module_members(names: Names, neighbors: Neighbors) -> dict[str, Export | str | None]:
    """Resolve the module-level names of a file, for the modules that import them.

    Returns:
      A dict from each name to its TensorFlow name, to the path of another module of the project, or to `None`.
    """
    search = _Search(names, neighbors)
    found: dict[str, Export | str | None] = {}
    for name, bindings in names.module.bindings.items():
        meaning = search.meaning(name, names.module)
        if meaning is not None:
            found[name] = meaning.module or Export(meaning.dotted, meaning.ambiguous)
            continue
        brought = search.through_star(name)
        assigned = any(binding.kind == "assign" for binding in bindings)
        # `nn = changed(nn)` after a star import: the text does not determine its meaning.
        ambiguous = brought is not None and bool(brought.dotted) and assigned
        found[name] = Export(brought.dotted, True) if ambiguous and brought else None
    return found


def _possible_names(names: Names, neighbors: Neighbors) -> set[str]:
    """Return the names that imports and assignments may bind to TensorFlow in some scope."""
    found: set[str] = set()
    made_of: dict[str, list[str]] = {}
    for name, path in names.imported:
        if is_tensorflow(path) or neighbors.export(path):
            found.add(name)
    for name, value in names.assigned:
        root = _root_name(value)
        if root:
            made_of.setdefault(root, []).append(name)
        elif imported_by_call(value):
            found.add(name)
    waiting = list(found)
    while waiting:
        for name in made_of.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _root_name(value: ast.expr) -> str:
    """Return `a` of `a.b.c`, an empty string for other expressions."""
    first = _root_node(value)
    return first.id if type(first) is ast.Name else ""


def _root_node(value: ast.expr) -> ast.expr:
    while type(value) is ast.Attribute:
        value = value.value
    return value


@functools.lru_cache(maxsize=8192)
def is_version_1(path: str) -> bool:
    """Return whether only TensorFlow 1 has this name, or the object of this attribute, without `compat.v1`."""
    parts = path.split(".")
    owners = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
    return path.startswith(_V1_MODULES) or any(o in V1_ALIASES or o in V1_ONLY for o in owners)


def is_module(path: str) -> bool:
    """Return whether a path is a module of TensorFlow, or TensorFlow itself."""
    return path == "" or path in MODULES


def may_be_module(path: str) -> bool:
    """Return whether a path is a module, or one of the former `tf.contrib`, whose names are not listed."""
    return is_module(path) or path.startswith("contrib.") or path in _FORMER_MODULES


def canonical(path: str, version: int) -> str:
    """Return the name under which the table of operators lists a path.

    It begins with `v1.` if the symbol exists only in TensorFlow 1, or has other parameters there.
    """
    if path in V1_ALIASES:
        return V1_ALIASES[path]
    if path in V1_ONLY or (version == 1 and path in V1_PARAMS):
        return f"v1.{path}"
    return path


def is_tensorflow(dotted: str) -> bool:
    """Return whether a full name is `tensorflow` or begins with `tensorflow.`."""
    return dotted == "tensorflow" or dotted.startswith("tensorflow.")


@functools.lru_cache(maxsize=8192)
def tensorflow_path(dotted: str) -> tuple[str, int]:
    """Split a full name into TensorFlow's own name, without `compat`, and the version.

    `tensorflow.compat.v1.math` becomes `("math", 1)`.
    """
    if dotted.startswith("tensorflow.python."):
        dotted = public_name(dotted)
    parts = dotted.split(".")[1:]
    version = 2
    while parts[:1] == ["compat"] and parts[1:2] in (["v1"], ["v2"]):
        version = int(parts[1][1])
        parts = parts[2:]
    return ".".join(parts), version


@dataclasses.dataclass(frozen=True, slots=True)
class _Meaning:
    """The object that a name refers to: a TensorFlow object or a module of the project."""

    dotted: str
    bindings: tuple[Binding, ...]
    ambiguous: bool
    module: str = ""


class _Search:
    """Resolves the names of one file, and caches the results."""

    def __init__(self, names: Names, neighbors: Neighbors) -> None:
        self.names = names
        self.neighbors = neighbors
        self.known: dict[tuple[int, str], _Meaning | None] = {}
        self.open: dict[tuple[int, str], str] = {}
        paths = ["." * star.level + (star.module or "") for star in names.stars]
        self.stars = [p for p in paths if is_tensorflow(p) or neighbors.export(p) is not None]

    def reference(self, name: ast.Name, scope: Scope) -> Reference | None:
        """Return the reference that begins with `name`, `None` if the name is not TensorFlow's."""
        meaning = self.meaning(name.id, self._seen_from(name, scope))
        if meaning is None:
            return None
        first: ast.expr = name
        start = Export(meaning.dotted, meaning.ambiguous)
        path = meaning.module
        while not start.dotted:  # a module of the project: which of its attributes is TensorFlow's?
            parent = self.names.parents.get(first)
            if not isinstance(parent, ast.Attribute):
                return None
            first, path = parent, f"{path}.{parent.attr}"
            found = self.neighbors.export(path)
            if found is None:
                return None
            start = Export(found.dotted, found.ambiguous or meaning.ambiguous)
        return self._follow_attributes(first, start, scope, meaning.bindings)

    def _seen_from(self, name: ast.Name, scope: Scope) -> Scope:
        """Return the scope in which a name is looked up; for `tf = tf` in a class, the enclosing one."""
        if scope.kind != "class" or scope.parent is None:
            return scope
        bindings = scope.bindings.get(name.id, ())
        own = any(b.value is not None and _root_node(b.value) is name for b in bindings)
        return scope.parent if own else scope

    def _follow_attributes(
        self, first: ast.expr, start: Export, scope: Scope, bindings: tuple[Binding, ...]
    ) -> Reference:
        """Build a reference from its first node and all attributes that follow."""
        chain = [first]
        dotted = [start.dotted]
        parent = self.names.parents.get(first)
        while isinstance(parent, ast.Attribute):
            chain.append(parent)
            dotted.append(f"{dotted[-1]}.{parent.attr}")
            parent = self.names.parents.get(parent)
        path, version = tensorflow_path(dotted[-1])
        whole = (tuple(chain), tuple(dotted))
        return Reference(*whole, version, scope, bindings, start.ambiguous, path)

    def through_star(self, name: str) -> Export | None:
        """Resolve a name that may come from one of the file's star imports."""
        for star in reversed(self.stars):
            if not is_tensorflow(star):
                found = self.neighbors.export(f"{star}.{name}" if star.strip(".") else star + name)
                if found is not None and found.dotted:
                    return found
            elif is_module(tensorflow_path(star)[0]) and brings(star, name):
                return Export(f"{star}.{name}")
        return None

    def attributes_of_objects(self, possible: set[str]) -> Iterator[Reference]:
        """Yield references through `self.tf`, if the class assigns only a TensorFlow module to it."""
        for attribute, value, scope in object_attributes(self.names, possible):
            dotted = self._aliased(value, scope)
            if dotted is not None:
                yield self._follow_attributes(attribute, Export(dotted), scope, ())

    def meaning(self, name: str, scope: Scope) -> _Meaning | None:
        """Resolve a name in a scope; `None` if it is neither TensorFlow nor a project module."""
        home = scope.lookup(name)
        if home is None:
            brought = self.through_star(name) if self.stars else None
            return None if brought is None else _Meaning(brought.dotted, (), brought.ambiguous)
        key = (id(home), name)
        if key in self.open:  # `tf = tf.compat.v1`: what was found so far decides
            so_far = self.open[key]
            return _Meaning(so_far, (), False) if so_far else None
        if key not in self.known:
            self.open[key] = ""
            self.known[key] = self._resolve(home, key)
            del self.open[key]
        return self.known[key]

    def _resolve(self, home: Scope, key: tuple[int, str]) -> _Meaning | None:
        """Resolve a name from all of its bindings in the scope that binds it."""
        found: dict[str, None] = {}
        through: list[Binding] = []
        other = False
        modules: list[str] = []
        for binding in without_alternatives(home.bindings[key[1]], self.names):
            dotted, ambiguous = self._dotted_name(binding, home) or ("", False)
            other = other or ambiguous
            if dotted:
                found[dotted] = None
                through.append(binding)
                self.open[key] = dotted
            elif self._is_project_module(binding):
                modules.append(binding.path)
                through.append(binding)
            elif not self._is_fallback(binding):
                other = True
        if not found:
            several = len(set(modules)) > 1
            return _Meaning("", tuple(through), other or several, modules[-1]) if modules else None
        other = other or bool(modules)
        paths = {tensorflow_path(dotted)[0] for dotted in found}
        old = [dotted for dotted in found if tensorflow_path(dotted)[1] == 1]
        return _Meaning((old or list(found))[-1], tuple(through), other or len(paths) > 1)

    def _dotted_name(self, binding: Binding, home: Scope) -> Export | None:
        """Return the full TensorFlow name of an import or assignment, `None` for other bindings."""
        if binding.kind == "import":
            own = is_tensorflow(binding.path)
            return Export(binding.path) if own else self.neighbors.export(binding.path)
        if binding.kind != "assign" or binding.value is None:
            return None
        dotted = imported_by_call(binding.value) or self._aliased(binding.value, home)
        return None if dotted is None else Export(dotted)

    def _is_project_module(self, binding: Binding) -> bool:
        return binding.kind == "import" and self.neighbors.export(binding.path) is not None

    def _aliased(self, value: ast.expr, home: Scope) -> str | None:
        """Return the full name of the module assigned in `layers = tf.keras.layers`, `None` otherwise."""
        attributes: list[str] = []
        while isinstance(value, ast.Attribute):
            attributes.insert(0, value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return None
        meaning = self.meaning(value.id, self._seen_from(value, home))
        if meaning is None or meaning.ambiguous:
            return None
        if meaning.module:
            found = self.neighbors.export(".".join((meaning.module, *attributes)))
            dotted = "" if found is None or found.ambiguous else found.dotted
        else:
            dotted = ".".join((meaning.dotted, *attributes))
        return dotted if dotted and may_be_module(tensorflow_path(dotted)[0]) else None

    @staticmethod
    def _is_fallback(binding: Binding) -> bool:
        """Return whether a binding is `tf = None`, as after a failed import of TensorFlow."""
        return (
            binding.kind == "assign"
            and isinstance(binding.value, ast.Constant)
            and binding.value.value is None
        )


def imported_by_call(value: ast.expr) -> str | None:
    """Return the module that a call such as `importlib.import_module("tensorflow")` imports."""
    if not isinstance(value, ast.Call) or not value.args:
        return None
    function = value.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    first = value.args[0]
    if name not in _IMPORTING_CALLS or not isinstance(first, ast.Constant):
        return None
    text = first.value
    return text if isinstance(text, str) and is_tensorflow(text) else None
