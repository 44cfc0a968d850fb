"""Find which files of a code base import each other, by reading them without running any."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator, Mapping

from tf2jax_port.files.import_text import imports_in


def import_graph(sources: Mapping[pathlib.Path, bytes]) -> dict[pathlib.Path, set[pathlib.Path]]:
    """Map each file to the given files that it imports.

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
    """Return `pkg.sub.module`, from the outermost folder with an `__init__.py`."""
    parts = [] if path.name == "__init__.py" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)


def _package(path: pathlib.Path) -> list[str]:
    """Return the package that relative imports of a file refer to, as parts."""
    parts = module_name(path).split(".")
    return parts if path.name == "__init__.py" else parts[:-1]


def _by_module(paths: Iterable[pathlib.Path]) -> dict[str, list[pathlib.Path]]:
    """Map module names, and every suffix that a search path may allow, to files."""
    files: dict[str, list[pathlib.Path]] = {}
    for path in paths:
        parts = list(path.with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        for start in range(len(parts)):
            files.setdefault(".".join(parts[start:]), []).append(path)
    return files


def _imported(source: bytes, package: list[str]) -> Iterator[str]:
    """Yield the absolute names that a file imports, `from a import b` as `a.b`."""
    for imported in imports_in(source):
        name = imported.path.lstrip(".")
        level = len(imported.path) - len(name)
        base = package[: len(package) - level + 1] if level else []
        yield ".".join(filter(None, (*base, name, imported.name.strip("*"))))


def _targets(
    name: str, importer: pathlib.Path, files: Mapping[str, list[pathlib.Path]]
) -> Iterator[pathlib.Path]:
    """Yield the file that a name refers to; of several files the one nearest to the importer."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        found = files.get(".".join(parts[:length]))
        if found:
            yield max(found, key=lambda path: (_shared(path, importer), -len(path.parts)))
            return


def _shared(one: pathlib.Path, other: pathlib.Path) -> int:
    """Count the leading folders that two files share."""
    count = 0
    for a, b in zip(one.parts, other.parts, strict=False):
        if a != b:
            break
        count += 1
    return count
