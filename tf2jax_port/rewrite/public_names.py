"""Public names of what is reached in another way: private modules, star imports."""

from __future__ import annotations

import functools

# The names of `tf_internal_names` are read when a file first needs them: few do.


def public_name(dotted: str) -> str:
    """`tensorflow.python.ops.array_ops.concat` -> `tensorflow.concat`.

    A name that has no public one stays what it is.
    """
    parts = dotted.split(".")[2:]
    modules = _internal()
    for length in range(len(parts) - 1, 0, -1):
        public = modules.get(".".join(parts[:length]), {}).get(parts[length])
        if public is not None:
            head = "tensorflow.compat.v1." if public.startswith("v1:") else "tensorflow."
            return ".".join([head + public.removeprefix("v1:"), *parts[length + 1 :]])
    return dotted


def brings(module: str, name: str) -> bool:
    """Whether `from module import *` brings a name, in version 1 or 2."""
    outer = module in ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
    return outer and name in _outer_level()


@functools.cache
def _outer_level() -> frozenset[str]:
    from tf2jax_port.rewrite.tf_internal_names import OUTER_LEVEL

    return frozenset(OUTER_LEVEL.split())


@functools.cache
def _internal() -> dict[str, dict[str, str]]:
    from tf2jax_port.rewrite.tf_internal_names import INTERNAL

    found: dict[str, dict[str, str]] = {}
    for line in INTERNAL.strip().replace("\n ", " ").splitlines():
        module, *words = line.split()
        pairs = (word.partition("=") for word in words)
        found[module] = {name: public or name for name, _, public in pairs}
    return found
