"""Public functions say that they live where people import them from."""

from __future__ import annotations

import types

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing


def claim(names: dict[str, object], module: str) -> None:
    """Give the functions among `names` a public module; `shims` goes before its namespaces.

    What the module does not have is answered with what to write in its place.
    """
    for value in names.values():
        if isinstance(value, types.FunctionType) and (
            module == "shims" or value.__module__.startswith("shims._src")
        ):
            value.__module__ = module
    names.setdefault("__getattr__", missing.of(module))
