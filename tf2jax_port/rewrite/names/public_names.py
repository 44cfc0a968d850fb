"""Public names of what is reached in another way: private modules, star imports."""

from __future__ import annotations

import functools
from typing import Any

from tf2jax_port.rewrite.data import read_data


def public_name(dotted: str) -> str:
    """`tensorflow.python.ops.array_ops.concat` -> `tensorflow.concat`.

    A name that has no public one stays what it is.
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
    """Whether `from module import *` brings a name, in version 1 or 2."""
    outer = module in ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
    return outer and name in _outer_level()


@functools.cache
def _data() -> dict[str, Any]:
    """The data file, read when a file of code first needs it: few do."""
    return read_data("tf_internal_names")


@functools.cache
def _outer_level() -> frozenset[str]:
    """The public names of `tensorflow` and of `tensorflow.compat.v1` themselves."""
    return frozenset(_data()["outer_level"])


def _internal() -> dict[str, str]:
    """Public names by the private ones below `tensorflow.python`; `v1:` stands before one of version 1."""
    internal: dict[str, str] = _data()["internal"]
    return internal
