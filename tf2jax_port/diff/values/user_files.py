"""Distinguish files of the user's program from files of installed libraries by their paths.

No other module of `tf2jax_port` does this. `shims._src.platform.user_frames` cannot be used instead, since
it would load JAX into processes that run only TensorFlow.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Container
from importlib.machinery import ModuleSpec

# Packages whose lines are never the user's own, wherever they are installed.
LIBRARIES = (
    *("tensorflow", "keras", "tf_keras", "malt", "numpy"),
    *("jax", "jaxlib", "flax", "optax", "haiku", "equinox"),
    *("shims", "tf2jax_port"),
)
# The names of files to which AutoGraph writes the functions that it converts.
_AUTOGRAPH = "__autograph_generated_file"
_INSTALLED = (
    sys.prefix + os.sep + "lib",
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
)


def is_users(file: str, own: Container[str] = ()) -> bool:
    """Return whether a file is part of the user's program, not of a library or generated code.

    Args:
      file: the path of the file.
      own: files that are the user's even if they lie among installed packages.
    """
    if file.startswith(_generated_or_libraries()) or _AUTOGRAPH in file:
        return False
    return file in own or not file.startswith(_INSTALLED)


@functools.cache
def _generated_or_libraries() -> tuple[str, ...]:
    found = ["<"]
    for name in LIBRARIES:
        spec = (
            getattr(sys.modules[name], "__spec__", None)
            if name in sys.modules
            else _find_spec(name)
        )
        if spec is not None:
            found += [folder + os.sep for folder in spec.submodule_search_locations or ()]
    return tuple(found)


def _find_spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
