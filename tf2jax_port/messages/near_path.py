"""Propose an existing path for a path that does not exist."""

from __future__ import annotations

import difflib
import os
import pathlib


def near_path(name: str) -> str:
    """Return the existing path that is most similar to a missing one; empty if there is none."""
    missing = pathlib.Path(name)
    if os.path.lexists(missing):
        return ""
    found = pathlib.Path(missing.anchor)
    for part in missing.parts[len(found.parts) :]:
        if part == os.pardir or os.path.lexists(found / part):
            found /= part
            continue
        try:
            siblings = sorted(os.listdir(found))
        except OSError:
            return ""
        near = difflib.get_close_matches(part, siblings, n=1, cutoff=0.7)
        if not near:
            return ""
        found /= near[0]
    return str(found)


def hint(name: str) -> str:
    """Return the question whether a similar path was meant; empty if there is none."""
    near = near_path(name)
    return f"; did you mean `{near}`?" if near else ""
