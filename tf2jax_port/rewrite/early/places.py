"""Convert positions between a text and the text after edits that insert or replace words in lines."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from tf2jax_port.rewrite.writing.edits import Edit


class Places:
    """The positions of a text whose edits keep the order of everything else, and add no lines.

    Args:
      edits: the edits, each with one piece of new text.
    """

    def __init__(self, edits: Iterable[Edit]) -> None:
        self.edits = sorted(edits, key=lambda edit: (edit.start, edit.end))
        self.starts: list[int] = []  # of the edits, in the new text
        moved = 0
        for edit in self.edits:
            self.starts.append(edit.start + moved)
            moved += _length(edit) - (edit.end - edit.start)

    def forward(self, old: int) -> int:
        """Return the offset in the new text of an offset in the old one, outside of what is replaced."""
        before = [edit for edit in self.edits if edit.end <= old]
        return old + sum(_length(edit) - (edit.end - edit.start) for edit in before)

    def back(self, new: int) -> int:
        """Return the offset in the old text; the start of the replaced text for one inside a new word."""
        index = bisect.bisect_right(self.starts, new) - 1
        if index < 0:
            return new
        edit, start = self.edits[index], self.starts[index]
        end = start + _length(edit)
        return edit.start if new < end else edit.end + new - end


def _length(edit: Edit) -> int:
    return sum(len(piece.encode()) for piece in edit.pieces if isinstance(piece, str))
