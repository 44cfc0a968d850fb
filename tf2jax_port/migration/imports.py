"""Build the import graph of a code base from the source text, without running any code."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator, Mapping

from tf2jax_port.files.import_text import imports_in


def import_graph(sources: Mapping[pathlib.Path, bytes]) -> dict[pathlib.Path, set[pathlib.Path]]:
    """Return a dict from each file to the given files that it imports.

    Args:
      sources: the text of each file. An import inside a string counts too.
    """
    files = _by_module(sources)
    graph: dict[pathlib.Path, set[pathlib.Path]] = {}
    for path, source in sources.items():
        found = set()
        for name in _imported(source, _package(path)):
            for target in _targets(name, path, files):
                found.add(target)
        graph[path] = found - {path}
    return graph


def module_name(path: pathlib.Path) -> str:
    """Return the dotted module name of a file, starting at the outermost package: `pkg.sub.module`."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _package(path: pathlib.Path) -> list[str]:
    """Return the package that contains a file, as a list of names, to resolve relative imports."""
    parts = module_name(path).split(".")
    return parts if path.name == "__init__.py" else parts[:-1]


def _by_module(paths: Iterable[pathlib.Path]) -> dict[str, list[pathlib.Path]]:
    """Map dotted module names to files.

    Every suffix of a path counts as a name, since any folder could be on Python's search path.
    """
    files: dict[str, list[pathlib.Path]] = {}
    for path in paths:
        parts = list(path.with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        for start in range(len(parts)):
            files.setdefault(".".join(parts[start:]), []).append(path)
    return files


def _imported(source: bytes, package: list[str]) -> Iterator[str]:
    """Yield the absolute dotted names that a file imports: `a.b` for `from a import b`."""
    for imported in imports_in(source):
        name = imported.path.lstrip(".")
        level = len(imported.path) - len(name)
        base = package[: len(package) - level + 1] if level else []
        yield ".".join(filter(None, (*base, name, imported.name.strip("*"))))


def _targets(
    name: str, importer: pathlib.Path, files: Mapping[str, list[pathlib.Path]]
) -> Iterator[pathlib.Path]:
    """Yield the file that an imported name refers to.

    Of several files with that name, the one that shares most folders with the importer is chosen.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = files.get(".".join(parts[:length]))
        if found:
            yield max(found, key=lambda path: (_shared(path, importer), -len(path.parts)))
            return


def _shared(one: pathlib.Path, other: pathlib.Path) -> int:
    """Return the number of leading path components that two files have in common."""
    count = 0
    for a, b in zip(one.parts, other.parts, strict=False):
        if a != b:
            break
        count += 1
    return count
