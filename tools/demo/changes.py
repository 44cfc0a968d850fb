"""Show the changes of a rewrite side by side."""

from __future__ import annotations

import dataclasses
import difflib


@dataclasses.dataclass(frozen=True)
class Line:
    """One row of the side-by-side view; a number of 0 means that the side has no such line."""

    old_number: int
    old: str
    new_number: int
    new: str
    changed: bool


def side_by_side(old: str, new: str) -> list[Line]:
    """Pair the lines of both texts where they correspond."""
    before, after = old.splitlines(), new.splitlines()
    rows = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        for step in range(max(i_end - i, j_end - j)):
            left, right = i + step, j + step
            rows.append(
                Line(
                    left + 1 if left < i_end else 0,
                    before[left] if left < i_end else "",
                    right + 1 if right < j_end else 0,
                    after[right] if right < j_end else "",
                    tag != "equal",
                )
            )
    return rows


def hunks(rows: list[Line], context: int = 1) -> list[list[Line]]:
    """Return the changed rows with `context` rows around them; adjacent groups are merged."""
    near = {
        k
        for position, row in enumerate(rows)
        if row.changed
        for k in range(position - context, position + context + 1)
        if 0 <= k < len(rows)
    }
    found: list[list[Line]] = []
    for position in sorted(near):
        if not found or position - 1 not in near:
            found.append([])
        found[-1].append(rows[position])
    return found
