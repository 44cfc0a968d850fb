"""Load Optax, an optional dependency."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from shims._src.errors import errors


def load() -> Any:
    """Import `optax`.

    Raises:
      ImportError: Optax is not installed.
    """
    if importlib.util.find_spec("optax") is None:
        raise ImportError(
            errors.message(
                "optax",
                "Optax is not installed.",
                do="install Optax: `pip install optax`",
            )
        )
    return importlib.import_module("optax")


optax = load()
