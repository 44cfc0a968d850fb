"""Set the public module of exported functions."""

from __future__ import annotations

import types

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing


def claim(names: dict[str, object], module: str) -> None:
    """Set `__module__` of the functions in a facade module to its public name.

    If a function is in several modules, `shims` takes precedence. A `__getattr__` is added to `names`, which
    raises an error with a suggested replacement for missing attributes.
    """
    for value in names.values():
        if isinstance(value, types.FunctionType) and (
            module == "shims" or value.__module__.startswith("shims._src")
        ):
            value.__module__ = module
    names.setdefault("__getattr__", missing.of(module))
