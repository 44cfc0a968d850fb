"""Map names that come from private modules or star imports to public TensorFlow names."""

from __future__ import annotations

import functools
from typing import Any

from tf2jax_port.rewrite.data import read_data
from tf2jax_port.rewrite.names.tf_names import MODULES

# Modules whose names are not listed.
_UNLISTED = (
    "raw_ops.",
    "compat.",
    "__internal__.",
    "__operators__.",
    "experimental.numpy.",
    "python.",
)


def public_name(dotted: str) -> str:
    """Return the public name of a private TensorFlow name, the name itself if none is known.

    `tensorflow.python.ops.array_ops.concat` becomes `tensorflow.concat`.
    """
    parts = dotted.split(".")[2:]
    public_names = _internal()
    for length in range(len(parts), 1, -1):
        public = public_names.get(".".join(parts[:length]))
        if public is not None:
            head = "tensorflow.compat.v1." if public.startswith("v1:") else "tensorflow."
            return ".".join([head + public.removeprefix("v1:"), *parts[length:]])
    return dotted


def brings(module: str, name: str) -> bool:
    """Return whether `from module import *` binds a name, in TensorFlow 1 or 2."""
    outer = module in ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
    return outer and name in _outer_level()


def is_public(path: str) -> bool:
    """Return whether TensorFlow has a name, or may have it as an attribute of one of its objects."""
    if path.startswith(_UNLISTED):
        return True
    parts = path.split(".")
    prefixes = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(p in public_names() and p not in MODULES for p in prefixes) or path in MODULES


@functools.cache
def public_names() -> frozenset[str]:
    """Return all public names of TensorFlow and of `tensorflow.compat.v1`, without those of Keras."""
    return _outer_level() | frozenset(_load_data()["inner_levels"])


@functools.cache
def _load_data() -> dict[str, Any]:
    """Load the data file on first use; few files need it."""
    return read_data("tf_internal_names")


@functools.cache
def _outer_level() -> frozenset[str]:
    """Return the public names directly in `tensorflow` and `tensorflow.compat.v1`."""
    return frozenset(_load_data()["outer_level"])


def _internal() -> dict[str, str]:
    """Return a dict from private names below `tensorflow.python` to public names.

    Public names of version 1 have the prefix `v1:`.
    """
    internal: dict[str, str] = _load_data()["internal"]
    return internal
