"""Define edits of a text and apply them in one pass.

An edit replaces a span of the text by pieces. A piece is new text, or a span of the old text in which further edits
are applied. So a call inside an argument of another call is edited in the same pass as the outer call.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A part of the old text that an edit keeps; edits inside it still apply."""

    start: int
    end: int


Piece = str | Span


class Edit(NamedTuple):
    """A replacement of `[start, end)` by `pieces`; an insertion if `start == end`."""

    start: int
    end: int
    pieces: tuple[Piece, ...] = ()


class OverlapError(Exception):
    """Raised if two edits overlap, or one is inside text that another edit drops."""


def apply_edits(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Apply all edits to a text.

    Edits may be nested: an inner one must be inside a `Span` that the outer one keeps. Insertions at the same offset are
    applied in the order in which they are given.

    Raises:
      OverlapError: two edits overlap, or text that contains an edit is dropped.
    """
    return EditedText(data, edits).render(0, len(data), exact=True)


class EditedText:
    """A text with edits, any part of which can be rendered."""

    def __init__(self, data: bytes, edits: Iterable[Edit]) -> None:
        self.data = data
        self.edits = sorted(edits, key=lambda e: (e.start, e.start != e.end, -e.end))
        self.starts = [edit.start for edit in self.edits]

    def render(self, start: int, end: int, *, exact: bool = False, after: int = 0) -> bytes:
        """Return the new text of `[start, end)`.

        Edits before index `after` enclose this range and are being rendered already. With `exact`,
        insertions at `end` are included.
        """
        out: list[bytes] = []
        place = start
        index = max(after, bisect.bisect_left(self.starts, start))
        while index < len(self.edits) and self._inside(self.edits[index], end, exact):
            edit = self.edits[index]
            if edit.start < place or edit.end > end:
                raise OverlapError(f"edits overlap at byte {edit.start}")
            out.append(self.data[place : edit.start])
            index += 1
            for piece in edit.pieces:
                if isinstance(piece, str):
                    out.append(piece.encode())
                else:
                    out.append(self.render(piece.start, piece.end, after=index))
            if index < len(self.edits) and self.starts[index] < edit.end:
                index = self._skip_inner(edit, index)
            place = edit.end
        out.append(self.data[place:end])
        return b"".join(out)

    def render_node(self, start: int, end: int) -> bytes:
        """Return the new text of one node, without insertions just before or after it."""
        first = bisect.bisect_left(self.starts, start)
        last = bisect.bisect_left(self.starts, end, first)
        own = [edit for edit in self.edits[first:last] if start < edit.end <= end]
        if len(own) == 1 and len(own[0].pieces) == 1 and isinstance(own[0].pieces[0], str):
            edit = own[0]
            new = own[0].pieces[0].encode()
            return b"".join((self.data[start : edit.start], new, self.data[edit.end : end]))
        return EditedText(self.data, own).render(start, end)

    @staticmethod
    def _inside(edit: Edit, end: int, exact: bool) -> bool:
        """Return whether an edit begins before `end`, or with `exact` is an insertion at `end`."""
        return edit.start < end or (exact and edit.start == end and edit.end == end)

    def _skip_inner(self, edit: Edit, index: int) -> int:
        """Return the index of the first edit that begins after `edit` ends.

        Raises:
          OverlapError: an edit lies in text that `edit` drops.
        """
        while index < len(self.edits) and self.edits[index].start < edit.end:
            inner = self.edits[index]
            kept = (p for p in edit.pieces if isinstance(p, Span))
            if not any(p.start <= inner.start and inner.end <= p.end for p in kept):
                raise OverlapError(f"an edit at byte {inner.start} lies in text that is dropped")
            index += 1
        return index
