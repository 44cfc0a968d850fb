"""Name the replacement when a program reads a name of Keras 1 or 2 that Keras 3 lacks."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import NoReturn

from shims._src.platform.data_files import read_data

_INNER = ("keras.src", "keras.api", "keras._")


def of(module: str) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a module of Keras, which says what replaces a name."""

    def missing(name: str) -> NoReturn:
        raise AttributeError(message(module, name))

    return missing


@functools.cache
def _reasons() -> dict[str, str]:
    """Return what is said of a name and of all names below it; the longest name that fits applies."""
    return read_data(__package__, "keras_gone")["reasons"]


def message(module: str, name: str) -> str:
    """Return the error message for a name that a module of Keras does not have."""
    said = f"module {module!r} has no attribute {name!r}"
    full = f"{module}.{name}".removeprefix("keras.")
    fitting = [p for p in _reasons() if full == p or full.startswith(f"{p}.")]
    if name.startswith("_") or not fitting:
        return said
    return f"{said}.\n  Do:       {_reasons()[max(fitting)]}"


def add_to_modules() -> None:
    """Let the public modules of Keras say it; what they have stays as it is."""
    for name, module in list(sys.modules.items()):
        if name == "keras" or (name.startswith("keras.") and not name.startswith(_INNER)):
            vars(module).setdefault("__getattr__", of(name))
