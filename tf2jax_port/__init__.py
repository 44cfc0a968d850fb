"""Move a TensorFlow program to JAX: the table, the rewriter, the comparison, the command line."""

from __future__ import annotations

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import `tf2jax_port.diff` on first use, so that a notebook needs only `import tf2jax_port`."""
    if name != "diff":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("tf2jax_port.diff")
