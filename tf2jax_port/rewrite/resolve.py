"""Which names of a file are TensorFlow's, and which of its objects each one is.

A reference is a name that an import of TensorFlow binds, with all the attributes that follow it.
What shadows the name (a parameter, a loop variable, another import) is not TensorFlow; what may or
may not be is said to be ambiguous.
"""

from __future__ import annotations

import ast
import dataclasses
import functools

from tf2jax_port.rewrite.scopes import Binding, Names, Scope
from tf2jax_port.rewrite.tf_names import MODULES, V1_ALIASES, V1_ONLY, V1_PARAMS

# Calls that bring a module by its name in a string.
_IMPORTING_CALLS = ("import_module", "__import__", "importorskip")
# Modules that only TensorFlow 1 had and of whose names none is left.
_V1_MODULES = ("contrib.", "app.", "flags.", "gfile.", "layers.", "logging.", "python_io.")


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """One use of a TensorFlow name.

    Attributes:
      chain: the nodes from the bare name to its last attribute: `tf`, `tf.math`, `tf.math.log`.
      dotted: the full name that each node of the chain has: `tensorflow.math` for the second one.
      version: 1 for a name reached through `compat.v1`, or in a file written for TensorFlow 1.
      scope: where it stands.
      bindings: the imports and module aliases that it may come through.
      ambiguous: something else in the file binds the same name.
    """

    chain: tuple[ast.expr, ...]
    dotted: tuple[str, ...]
    version: int
    scope: Scope
    bindings: tuple[Binding, ...]
    ambiguous: bool = False

    @property
    def node(self) -> ast.expr:
        """The whole dotted name."""
        return self.chain[-1]

    @property
    def path(self) -> str:
        """TensorFlow's name: `math.log`, `""` for the module itself."""
        return tensorflow_path(self.dotted[-1])[0]

    def shortened(self, length: int) -> Reference:
        """The reference to the first `length` nodes of the chain."""
        if length == len(self.chain):
            return self
        return Reference(
            self.chain[:length],
            self.dotted[:length],
            self.version,
            self.scope,
            self.bindings,
            self.ambiguous,
        )

    @property
    def spelled(self) -> str:
        """The name as the file writes it, `tf.math.log`."""
        return ast.unparse(self.node)


def find_references(names: Names, *, version_1: bool = False) -> list[Reference]:
    """All uses of TensorFlow's names, in text order.

    Args:
      names: the bindings and uses of a file.
      version_1: the file is known to be written for TensorFlow 1.
    """
    search = _Search(names)
    possible = _possible_names(names)
    uses = [(name, scope) for name, scope in names.uses if name.id in possible]
    found = [r for name, scope in uses if (r := search.reference(name, scope)) is not None]
    found.sort(key=lambda r: (r.chain[0].lineno, r.chain[0].col_offset))
    if version_1 or any(is_version_1(r.path) for r in found):
        for index, reference in enumerate(found):
            if reference.version != 1 and "compat.v2" not in reference.dotted[0]:
                found[index] = dataclasses.replace(reference, version=1)
    return found


def _possible_names(names: Names) -> set[str]:
    """Names that may be TensorFlow's in some scope: those of imports, and what is made of them."""
    found: set[str] = set()
    made_of: dict[str, list[str]] = {}
    for scope in (names.module, *names.scopes.values()):
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if binding.kind == "import":
                    if is_tensorflow(binding.path):
                        found.add(name)
                elif binding.kind == "assign" and binding.value is not None:
                    root = _root(binding.value)
                    if root:
                        made_of.setdefault(root, []).append(name)
                    elif imported_by_call(binding.value):
                        found.add(name)
    waiting = list(found)
    while waiting:
        for name in made_of.get(waiting.pop(), ()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found


def _root(value: ast.expr) -> str:
    """The first name of `a.b.c`, empty for anything else."""
    while type(value) is ast.Attribute:
        value = value.value
    return value.id if type(value) is ast.Name else ""


def is_version_1(path: str) -> bool:
    """Whether only TensorFlow 1 has this name at `tf.`."""
    return path in V1_ALIASES or path in V1_ONLY or path.startswith(_V1_MODULES)


def is_module(path: str) -> bool:
    """Whether a path is a module of TensorFlow, or TensorFlow itself."""
    return path == "" or path in MODULES


def canonical(path: str, version: int) -> str:
    """The name under which the table has an object: `v1.` in front of what only version 1 means."""
    if path in V1_ALIASES:
        return V1_ALIASES[path]
    if path in V1_ONLY or (version == 1 and path in V1_PARAMS):
        return f"v1.{path}"
    return path


def is_tensorflow(dotted: str) -> bool:
    """Whether a full name is of TensorFlow: `tensorflow` or below it."""
    return dotted == "tensorflow" or dotted.startswith("tensorflow.")


@functools.lru_cache(maxsize=8192)
def tensorflow_path(dotted: str) -> tuple[str, int]:
    """`tensorflow.compat.v1.math` -> `("math", 1)`: the name without `compat`, and the version."""
    parts = dotted.split(".")[1:]
    version = 2
    while parts[:1] == ["compat"] and parts[1:2] in (["v1"], ["v2"]):
        version = int(parts[1][1])
        parts = parts[2:]
    return ".".join(parts), version


@dataclasses.dataclass(frozen=True, slots=True)
class _Meaning:
    dotted: str
    bindings: tuple[Binding, ...]
    ambiguous: bool


class _Search:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.known: dict[tuple[int, str], _Meaning | None] = {}
        self.open: dict[tuple[int, str], str] = {}

    def reference(self, name: ast.Name, scope: Scope) -> Reference | None:
        meaning = self.meaning(name.id, scope)
        if meaning is None:
            return None
        chain: list[ast.expr] = [name]
        dotted = [meaning.dotted]
        parent = self.names.parents.get(name)
        while isinstance(parent, ast.Attribute):
            chain.append(parent)
            dotted.append(f"{dotted[-1]}.{parent.attr}")
            parent = self.names.parents.get(parent)
        version = tensorflow_path(dotted[-1])[1]
        return Reference(
            tuple(chain), tuple(dotted), version, scope, meaning.bindings, meaning.ambiguous
        )

    def meaning(self, name: str, scope: Scope) -> _Meaning | None:
        home = scope.lookup(name)
        if home is None:
            return None
        key = (id(home), name)
        if key in self.open:  # `tf = tf.compat.v1`: what was found so far decides
            so_far = self.open[key]
            return _Meaning(so_far, (), False) if so_far else None
        if key not in self.known:
            self.open[key] = ""
            self.known[key] = self._meaning(home, key)
            del self.open[key]
        return self.known[key]

    def _meaning(self, home: Scope, key: tuple[int, str]) -> _Meaning | None:
        found: dict[str, None] = {}
        through: list[Binding] = []
        other = False
        for binding in home.bindings[key[1]]:
            dotted = self._dotted(binding, home)
            if dotted is not None:
                found[dotted] = None
                through.append(binding)
                self.open[key] = dotted
            elif not self._is_fallback(binding):
                other = True
        if not found:
            return None
        paths = {tensorflow_path(dotted)[0] for dotted in found}
        old = [dotted for dotted in found if tensorflow_path(dotted)[1] == 1]
        return _Meaning((old or list(found))[-1], tuple(through), other or len(paths) > 1)

    def _dotted(self, binding: Binding, home: Scope) -> str | None:
        """The full TensorFlow name that a binding brings, `None` for anything else."""
        if binding.kind == "import":
            return binding.path if is_tensorflow(binding.path) else None
        if binding.kind != "assign" or binding.value is None:
            return None
        return imported_by_call(binding.value) or self._aliased(binding.value, home)

    def _aliased(self, value: ast.expr, home: Scope) -> str | None:
        """`tf.keras.layers` in `layers = tf.keras.layers`; only modules are followed."""
        attributes: list[str] = []
        while isinstance(value, ast.Attribute):
            attributes.insert(0, value.attr)
            value = value.value
        if not isinstance(value, ast.Name):
            return None
        meaning = self.meaning(value.id, home)
        if meaning is None or meaning.ambiguous:
            return None
        dotted = ".".join((meaning.dotted, *attributes))
        return dotted if is_module(tensorflow_path(dotted)[0]) else None

    @staticmethod
    def _is_fallback(binding: Binding) -> bool:
        """`tf = None`, which stands where TensorFlow is not installed."""
        return (
            binding.kind == "assign"
            and isinstance(binding.value, ast.Constant)
            and binding.value.value is None
        )


def imported_by_call(value: ast.expr) -> str | None:
    """The module of `importlib.import_module("tensorflow")` and its like."""
    if not isinstance(value, ast.Call) or not value.args:
        return None
    function = value.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    first = value.args[0]
    if name not in _IMPORTING_CALLS or not isinstance(first, ast.Constant):
        return None
    text = first.value
    return text if isinstance(text, str) and is_tensorflow(text) else None
