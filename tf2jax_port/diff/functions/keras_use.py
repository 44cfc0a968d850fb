"""Choose the back end of Keras for the process that runs an original or a port.

Keras has one back end per process, which it takes from a variable of the environment when it is imported.
An original needs TensorFlow, a port JAX; what the source text imports tells which of the two a function is, and
whether it uses Keras at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from tf2jax_port.diff.values.user_files import is_users
from tf2jax_port.files.import_text import Imported, imports_in

VARIABLE = "KERAS_BACKEND"
TENSORFLOW, JAX = "tensorflow", "jax"
_OF_JAX = ("jax", "shims")


def use_backend(backend: str | None) -> None:
    """Let Keras use a back end in this process and its child processes; `None` changes nothing."""
    if backend is not None:
        os.environ[VARIABLE] = backend


def backend_of(spec: str, path: Sequence[str]) -> str | None:
    """Return the back end that a function needs; `None` if its text does not tell.

    Args:
      spec: the specification of the function.
      path: the module search path.
    """
    roots = {imported.path.partition(".")[0] for imported in _imports(_file_of(spec, path))}
    if roots.intersection(_OF_JAX):
        return JAX
    return TENSORFLOW if "tensorflow" in roots else None


def uses_keras(spec: str, path: Sequence[str]) -> bool:
    """Return whether a function's file, or a file of the program that it imports, imports Keras.

    Args:
      spec: the specification of the function.
      path: the module search path.
    """
    first = _file_of(spec, path)
    pending, seen = [first] if first else [], set()
    while pending:
        file = pending.pop()
        if file in seen:
            continue
        seen.add(file)
        for imported in _imports(file):
            if _is_keras(imported):
                return True
            pending += _files(imported, file, path)
    return False


def _is_keras(imported: Imported) -> bool:
    names = [*imported.path.split("."), imported.name]
    return names[0] == "keras" or names[:2] == ["shims", "keras"]


def _imports(file: Path | None) -> Iterator[Imported]:
    yield from () if file is None else imports_in(file.read_bytes())


def _file_of(spec: str, path: Sequence[str]) -> Path | None:
    """Return the file of a specification, `FILE.py:FUNCTION` or `package.module:attribute`."""
    place = spec.rpartition(":")[0] or spec
    if place.endswith(".py"):
        return Path(place) if Path(place).is_file() else None
    return next(iter(_found(place, map(Path, ["", *path]))), None)


def _files(imported: Imported, file: Path, path: Sequence[str]) -> Iterator[Path]:
    """Yield the files of the program that an import in a file may load."""
    module = imported.path.lstrip(".")
    level = len(imported.path) - len(module)
    folders = [file.parents[level - 1]] if 0 < level <= len(file.parents) else []
    if not level:
        folders = [file.parent, file.parent.parent, *map(Path, path)]
    for name in filter(None, (module, f"{module}.{imported.name}".strip("."))):
        yield from _found(name, folders)


def _found(module: str, folders: Iterator[Path] | list[Path]) -> Iterator[Path]:
    for folder in folders:
        base = folder.joinpath(*module.split("."))
        for file in (base.with_suffix(".py"), base / "__init__.py"):
            if file.is_file() and is_users(str(file.resolve())):
                yield file.resolve()
                return
