"""Read `[tool.tf2jax-port]` from the nearest `pyproject.toml`."""

from __future__ import annotations

import dataclasses
import difflib
import os
import pathlib
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from tf2jax_port.messages import near_path
from tf2jax_port.messages.spot import Spot

TABLE = "tool.tf2jax-port"


class ConfigurationError(Exception):
    """The error for an invalid configuration; the message says where and why.

    `spot` is the position of the wrong key in the file, if it was found.
    """

    def __init__(self, message: str, spot: Spot | None = None) -> None:
        super().__init__(message)
        self.spot = spot


@dataclasses.dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in `[tool.tf2jax-port]`; `None` for each setting that is not given.

    Attributes:
      folder: the folder of the file; paths and patterns in it are relative to this folder.
      target: `jax`, `shims`, `graph` or `auto`.
      exact: whether JAX functions are used only where they equal TensorFlow's in every special case.
      safe_only: whether only rewrites that cannot change results are made.
      doctests: whether examples in docstrings are rewritten too.
      random: `tensorflow` or `keys`: which random numbers are drawn.
      optimizers: `keras` or `optax`: which optimizers are used.
      data: `tensorflow` or `shims`: which pipelines are used.
      select: diagnostics whose references are rewritten.
      ignore: diagnostics whose references are left alone.
      exclude: patterns of files to skip, instead of the default ones.
      extend_exclude: patterns of further files to skip.
      per_file_ignores: patterns of files, and the diagnostics that are ignored in them.
      respect_gitignore: whether files that git ignores are skipped.
      force_exclude: whether files named on the command line can be skipped.
    """

    folder: pathlib.Path
    target: str | None = None
    exact: bool | None = None
    safe_only: bool | None = None
    doctests: bool | None = None
    random: str | None = None
    optimizers: str | None = None
    data: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    respect_gitignore: bool | None = None
    force_exclude: bool | None = None


def find_file(start: pathlib.Path) -> pathlib.Path | None:
    """Find the nearest `pyproject.toml` with `[tool.tf2jax-port]`, in a folder or its parents.

    Raises:
      ConfigurationError: one on the way is not valid TOML.
    """
    start = pathlib.Path(os.path.abspath(start))
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file() and _table(file) is not None:
            return file
    return None


def common_folder(paths: Iterable[str]) -> pathlib.Path:
    """Return the common parent folder of all named paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in paths]
    try:
        return pathlib.Path(os.path.commonpath([os.path.abspath(f) for f in folders]))
    except ValueError:  # nothing was named, or it lies on two drives
        return pathlib.Path.cwd()


def read_file(file: pathlib.Path) -> Configuration:
    """Read the configuration from one `pyproject.toml`.

    Raises:
      ConfigurationError: the file is missing or not TOML, a key is unknown, a value has a wrong type.
    """
    said: dict[str, Any] = {}
    for key, value in (_table(file) or {}).items():
        if key not in _READERS:
            near = difflib.get_close_matches(key.replace("_", "-"), _READERS, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else f"; known: {', '.join(_READERS)}"
            place, spot = _place(file, key)
            raise ConfigurationError(f"{place}: [{TABLE}]: unknown key `{key}`{hint}", spot)
        expected, reader = _READERS[key]
        try:
            said[key.replace("-", "_")] = reader(value)
        except _UnfitError:
            message = f"`{key}` must be {expected}, and is {value!r}"
            place, spot = _place(file, key)
            raise ConfigurationError(f"{place}: [{TABLE}]: {message}", spot) from None
    return Configuration(pathlib.Path(os.path.abspath(file)).parent, **said)


def _table(file: pathlib.Path) -> dict[str, Any] | None:
    try:
        with file.open("rb") as opened:
            document = tomllib.load(opened)
    except OSError as error:
        reason = f"{error.strerror or error}{near_path.hint(str(file))}"
        raise ConfigurationError(f"{file}: {reason}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file}: not valid TOML: {error}") from error
    tool = document.get("tool")
    found = tool.get("tf2jax-port") if isinstance(tool, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ConfigurationError(f"{file}: [{TABLE}] must be a table")
    return found


def _place(file: pathlib.Path, key: str) -> tuple[str, Spot | None]:
    """Return `FILE:LINE:COLUMN` of a key of the table, and its spot; only the file if it is not found.

    An occurrence of the word is the key if the table lacks the key once the word is replaced there.
    """
    text = file.read_text(encoding="utf-8")
    other = f"{key}-other"
    for match in re.finditer(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text):
        try:
            changed = tomllib.loads(text[: match.start()] + other + text[match.end() :])
        except tomllib.TOMLDecodeError:
            continue
        tool = changed.get("tool")
        table = tool.get("tf2jax-port") if isinstance(tool, dict) else None
        if isinstance(table, dict) and other in table and key not in table:
            first = text.rfind("\n", 0, match.start()) + 1
            line, column = text.count("\n", 0, first) + 1, match.start() - first + 1
            spot = Spot(text[first:].partition("\n")[0], column, len(key))
            return f"{file}:{line}:{column}", spot
    return str(file), None


class _UnfitError(Exception):
    """The error for a value of the wrong type."""


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _UnfitError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _UnfitError
    return tuple(value)


def _target(value: Any) -> str:
    if value not in ("jax", "shims", "graph", "auto"):
        raise _UnfitError
    return str(value)


def _random(value: Any) -> str:
    if value not in ("tensorflow", "keys"):
        raise _UnfitError
    return str(value)


def _optimizers(value: Any) -> str:
    if value not in ("keras", "optax"):
        raise _UnfitError
    return str(value)


def _data(value: Any) -> str:
    if value not in ("tensorflow", "shims"):
        raise _UnfitError
    return str(value)


def _by_pattern(value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise _UnfitError
    return tuple((pattern, _texts(codes)) for pattern, codes in value.items())


# For each key: a description of valid values, and the parser.
_READERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "target": ('"jax", "shims", "graph" or "auto"', _target),
    "exact": ("true or false", _bool),
    "safe-only": ("true or false", _bool),
    "doctests": ("true or false", _bool),
    "random": ('"tensorflow" or "keys"', _random),
    "optimizers": ('"keras" or "optax"', _optimizers),
    "data": ('"tensorflow" or "shims"', _data),
    "select": ("a list of strings", _texts),
    "ignore": ("a list of strings", _texts),
    "exclude": ("a list of strings", _texts),
    "extend-exclude": ("a list of strings", _texts),
    "per-file-ignores": ("a table of lists, one for each pattern of paths", _by_pattern),
    "respect-gitignore": ("true or false", _bool),
    "force-exclude": ("true or false", _bool),
}
