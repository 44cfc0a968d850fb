"""Load a function from `FILE.py:FUNCTION` or `package.module:attribute`."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from tf2jax_port.diff.functions.packages import importing_for, module_name
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.messages.near_path import hint

_DIGEST = "__tf2jax_port_source__"


class DiffError(Exception):
    """The error for a comparison that cannot be run; the message says what would make it possible.

    Attributes:
      word: the wrong word of the command line; empty if no word is wrong.
      part: the part of this word that is wrong.
    """

    def __init__(self, message: str, word: str = "", part: str = "") -> None:
        super().__init__(message, word, part)
        self.word, self.part = word, part or word

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Loaded:
    """A loaded function, and where it comes from.

    Attributes:
      spec: the specification on the command line.
      name: the part after the colon.
      function: the object.
      sha256: fingerprint of the source file, empty if there is none.
      importable: whether another process could load it by its specification.
    """

    spec: str
    name: str
    function: Callable[..., Any]
    sha256: str
    importable: bool = True


def load(spec: str, default: str = "") -> Loaded:
    """Load the callable that a specification names.

    Args:
      spec: `FILE.py:FUNCTION`, `FILE.py:Class.method` or `package.module:attribute`.
      default: the attribute if the specification has no colon.

    Raises:
      DiffError: there is no such file, module or attribute, or importing it fails.
    """
    _, name = split(spec, default)
    value, module = find(spec, default)
    if not callable(value):
        raise DiffError(
            f"{spec}: `{name}` cannot be called.\n"
            f"  Required: a function\n  Received: {type(value).__name__}"
        )
    if inspect.isclass(value) and any({"__call__", "call"} & {*vars(c)} for c in value.__mro__):
        raise DiffError(_is_class(spec, name, value))
    return Loaded(spec, name, value, _fingerprint(module))


def _is_class(spec: str, name: str, cls: type) -> str:
    return (
        f"{spec}: `{name}` is a class; calling it makes an object, which cannot be compared.\n"
        "  Required: a function\n"
        f"  Do:       write one that makes the object and calls it, `def call(x, y): return {cls.__name__}()(x, y)`;\n"
        "            or name a method of an object of the file, FILE.py:OBJECT.METHOD"
    )


def find(spec: str, default: str = "") -> tuple[Any, ModuleType]:
    """Load the object that a specification names, and its module.

    Raises:
      DiffError: there is no such file, module or attribute, or importing it fails.
    """
    place, name = split(spec, default)
    module = _import_file(place) if place.endswith(".py") else _import_module(place)
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise DiffError(_no_attribute(spec, place, part, value), spec, part)
        value = getattr(value, part)
    return value, module


def named(function: Callable[..., Any]) -> Loaded:
    """Return an existing function as `Loaded`, with a specification by which it could be imported."""
    name = getattr(function, "__qualname__", type(function).__name__)
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    place = getattr(module, "__name__", "__main__")
    return Loaded(f"{place}:{name}", name, function, _fingerprint(module), importable=False)


def named_or_loaded(function: Callable[..., Any] | str) -> Loaded:
    """Return an existing function, or the one that a specification names, for this process alone.

    Raises:
      DiffError: it is neither, or it cannot be loaded.
    """
    if isinstance(function, str):
        return replace(load(function), importable=False)
    if not callable(function):
        raise DiffError(
            f"{function!r} cannot be called.\n"
            "  Required: a function, FILE.py:FUNCTION or package.module:attribute\n"
            f"  Received: {type(function).__name__}"
        )
    return named(function)


def split(spec: str, default: str = "") -> tuple[str, str]:
    """Split a specification into the file or module and the attribute.

    Raises:
      DiffError: there is no attribute and no default for it.
    """
    place, colon, name = spec.rpartition(":")
    if not colon or (not place) or name.endswith(".py") or "/" in name or "\\" in name:
        place, name = spec, default
    if not name:
        module, dot, last = place.rpartition(".")
        dotted = bool(module and dot) and last != "py" and place.replace(".", "").isidentifier()
        raise DiffError(
            f"{spec}: the name of the function is missing.\n  Required: FILE.py:FUNCTION or "
            f"package.module:attribute\n  Do:       write {(f'{module}:{last}' if dotted else f'{place}:NAME')}"
        )
    return place, name


def _import_file(place: str) -> ModuleType:
    path = Path(place).resolve()
    if not path.is_file():
        raise DiffError(f"{place}: the file does not exist{hint(place) or '.'}", place)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with importing_for(path):
        module = attempt(_execute_file, path, digest)
    if isinstance(module, Failure):
        raise DiffError(_does_not_import(place, module))
    return module


def _execute_file(path: Path, digest: str) -> ModuleType:
    name = module_name(path)
    # A model and its variables may come from one module, which is executed once.
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, _DIGEST, "") == digest:
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    setattr(module, _DIGEST, digest)
    return module


def _import_module(place: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    result = attempt(importlib.import_module, place)
    if isinstance(result, Failure):
        raise DiffError(_does_not_import(place, result))
    return result


def _does_not_import(place: str, result: Failure) -> str:
    lines = [f"{place}: the file cannot be imported.", f"  Received: {result.reason}"]
    at = next((line for line in result.detail.splitlines() if line.startswith("At: ")), "")
    if at:
        lines.append(f"  At:       {at.removeprefix('At: ')}")
    if result.kind == "ModuleNotFoundError" and "'tensorflow'" in result.reason:
        lines.append(f"  Do:       {INSTALL}")
    return "\n".join(lines)


def _no_attribute(spec: str, place: str, part: str, value: Any) -> str:
    names = [name for name in dir(value) if not name.startswith("_")]
    near = difflib.get_close_matches(part, names, 3)
    lines = [f"{spec}: there is no `{part}` in {place}."]
    if near:
        lines.append(f"  Near:     {', '.join(near)}")
    return "\n".join(lines)


def _fingerprint(module: ModuleType | None) -> str:
    source = getattr(module, "__file__", None)
    if not source or not Path(source).is_file():
        return ""
    return hashlib.sha256(Path(source).read_bytes()).hexdigest()


INSTALL = "pip install tensorflow"


def require_tensorflow() -> None:
    """Check that TensorFlow can be imported.

    Raises:
      DiffError: TensorFlow is not installed.
    """
    result = attempt(importlib.import_module, "tensorflow")
    if isinstance(result, Failure):
        raise DiffError(
            "diff: TensorFlow is needed to run the original function, but TensorFlow cannot be imported.\n  "
            f"Received: {result.reason}\n  Do:       {INSTALL}"
        )
