"""Read the files of a port: its functions with their lines, and which file imports which."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tf2jax_port.diff.code_bases.call_file import Function
from tf2jax_port.diff.code_bases.local_functions import LOCAL
from tf2jax_port.diff.code_bases.reached import branches_of, codes_in, lines_of
from tf2jax_port.files.import_text import imports_in


@dataclasses.dataclass(frozen=True, slots=True)
class Definition:
    """A function or method of the port, with the functions inside of it that have no definition of their own.

    Attributes:
      path: its file, relative to the folder of the port.
      line: the line of its `def`.
      end: its last line.
      lines: the lines with instructions.
      branches: the number of branches.
    """

    path: str
    line: int
    end: int
    lines: frozenset[int]
    branches: int


def is_test(module: str) -> bool:
    """Return whether a module contains tests; their functions are not counted as part of the port."""
    last = module.rpartition(".")[2]
    named = last.startswith("test_") or last.endswith("_test") or last == "conftest"
    return named or ".tests." in f"{module}."


class PortFiles:
    """The Python files of a folder.

    Args:
      root: the folder from which the port's packages are imported.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._digests: dict[Path, str] = {}
        self._imported: dict[Path, frozenset[Path]] = {}

    def file_of(self, module: str) -> Path | None:
        """Return the file of a module; `None` if it has none in the folder."""
        base = self.root.joinpath(*module.split("."))
        for found in (base.with_suffix(".py"), base / "__init__.py"):
            if found.is_file():
                return found
        return None

    def modules(self, packages: Sequence[str]) -> Iterator[tuple[str, Path]]:
        """Yield the names and files of the modules of packages, without tests."""
        for package in packages:
            found = self.file_of(package)
            inner = sorted(self.root.joinpath(*package.split(".")).rglob("*.py"))
            for path in dict.fromkeys([*([found] if found else []), *inner]):
                parts = path.relative_to(self.root).with_suffix("").parts
                module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                if not is_test(module):
                    yield module, path

    def definitions(
        self, packages: Sequence[str], recorded: Collection[Function] = ()
    ) -> dict[Function, Definition]:
        """Return the functions and methods of packages.

        Constructors and nested functions are included only if their calls were recorded; otherwise they are parts of
        other calls.
        """
        found: dict[Function, Definition] = {}
        for module, path in self.modules(packages):
            own = {name for other, name in recorded if other == module}
            for name, definition in _definitions(path, str(path.relative_to(self.root)), own):
                found[module, name] = definition
        return found

    def digest(self, modules: Sequence[str]) -> str:
        """Return a text that changes if a file changes that these modules import, directly or through others."""
        pending = [path for module in modules for path in self._own(module)]
        seen: set[Path] = set()
        while pending:
            path = pending.pop()
            if path not in seen:
                seen.add(path)
                pending += self._imports(path)
        # Packages that are imported on the way: their own text, and not all that they import.
        around = {above for path in seen for above in self._packages(path)}
        texts = [f"{path}:{self._digest(path)}" for path in sorted(seen | around)]
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()

    def _own(self, module: str) -> list[Path]:
        found = self.file_of(module)
        return [] if found is None else [found]

    def _packages(self, path: Path) -> Iterator[Path]:
        for folder in path.parents:
            if folder == self.root:
                return
            if (folder / "__init__.py").is_file():
                yield folder / "__init__.py"

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._digests[path]

    def _imports(self, path: Path) -> frozenset[Path]:
        """Return the files that a file imports by name."""
        if path not in self._imported:
            parts = path.relative_to(self.root).with_suffix("").parts[:-1]
            found: set[Path] = set()
            for imported in imports_in(path.read_bytes()):
                name = imported.path.lstrip(".")
                level = len(imported.path) - len(name)
                base = parts[: len(parts) - level + 1] if level else ()
                module = ".".join([*base, *([name] if name else [])])
                inner = self.file_of(f"{module}.{imported.name}") if imported.name else None
                target = inner or (self.file_of(module) if module else None)
                if target is not None:
                    found.add(target)
            self._imported[path] = frozenset(found)
        return self._imported[path]


def home_of(name: str, own: Collection[str]) -> str:
    """Return the function to which the lines of a function belong: itself, or the nearest outer function with a row."""
    while LOCAL in name and name not in own:
        name = name.rpartition(LOCAL)[0]
    return name


def _definitions(
    path: Path, shown: str, recorded: Collection[str]
) -> Iterator[tuple[str, Definition]]:
    source = path.read_bytes()
    try:
        tree, code = ast.parse(source), compile(source, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # none of its functions can be called
        return
    lines: dict[str, set[int]] = {}
    branches: dict[str, int] = {}
    for inner in codes_in(code):
        name = home_of(inner.co_qualname, recorded)
        lines.setdefault(name, set()).update(lines_of(inner))
        branches[name] = branches.get(name, 0) + 2 * len(branches_of(inner))
    for name, node in _functions(tree, ""):
        if (LOCAL in name or node.name == "__init__") and name not in recorded:
            continue
        yield (
            name,
            Definition(
                shown,
                node.lineno,
                node.end_lineno or node.lineno,
                frozenset(lines.get(name, ())),
                branches.get(name, 0),
            ),
        )


def _functions(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef):
            yield outer + inner.name, inner
            yield from _functions(inner, f"{outer}{inner.name}{LOCAL}.")
        elif isinstance(inner, ast.ClassDef):
            yield from _functions(inner, f"{outer}{inner.name}.")
        elif not isinstance(inner, ast.AsyncFunctionDef | ast.Lambda | ast.expr):
            yield from _functions(inner, outer)
