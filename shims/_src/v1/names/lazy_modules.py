"""Create facade modules whose attributes are looked up on first use."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds


def opened(module: str, namespace: str, inside: tuple[str, ...]) -> tuple[Callable, Callable]:
    """Return `__getattr__` and `__dir__` functions for a facade module.

    Args:
      module: the name of the module.
      namespace: TensorFlow's name of the module without `tf.`.
      inside: the names of its submodules.
    """

    def find(name: str) -> Any:
        if name in inside:
            return importlib.import_module(f"{module}.{name}")
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from shims._src.v1.names import names

        if name == "__all__":
            return [*names.names_in(namespace), *inside]
        value = names.resolve(f"{namespace}.{name}" if namespace else name)
        setattr(sys.modules[module], name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[module]), *find("__all__")})

    return find, listed
