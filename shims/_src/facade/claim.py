"""Set the public module of exported functions."""

from __future__ import annotations

import types

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing


def claim(names: dict[str, object], module: str) -> None:
    """Set the `__module__` of functions among `names`; `shims` takes precedence over namespaces.

    Missing attributes of the module raise an error that names the replacement.
    """
    for value in names.values():
        if isinstance(value, types.FunctionType) and (
            module == "shims" or value.__module__.startswith("shims._src")
        ):
            value.__module__ = module
    names.setdefault("__getattr__", missing.of(module))
