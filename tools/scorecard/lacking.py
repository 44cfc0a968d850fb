"""List the TensorFlow 2 names that shims lacks, with the replacement that its error names."""

from __future__ import annotations

import types
from collections.abc import Iterator

import shims

# Other libraries, earlier versions, and operations without their functions (`raw_ops` has its own rows).
_ELSEWHERE = {
    *("keras", "initializers", "losses", "metrics", "optimizers"),
    *("compat", "raw_ops", "tools", "core", "python", "security"),
}
_DO = "Do:"


def lacking() -> dict[str, list[str]]:
    """Group the missing names by the suggested replacement; `""` where there is none."""
    import tensorflow as tf

    found: dict[str, list[str]] = {}
    for name, words in _walk(tf, shims, ""):
        found.setdefault(words, []).append(name)
    return found


def _walk(theirs: object, ours: object, before: str) -> Iterator[tuple[str, str]]:
    for name in sorted(n for n in dir(theirs) if not n.startswith("_")):
        value = getattr(theirs, name, None)
        is_module = isinstance(value, types.ModuleType)
        if value is None or (not before and name in _ELSEWHERE):
            continue
        try:
            mine = getattr(ours, name)
        except AttributeError as error:
            words = str(error).partition(_DO)[2].strip()
            yield f"{before}{name}" + (".*" if is_module else ""), words
            continue
        if is_module:
            yield from _walk(value, mine, f"{before}{name}.")
