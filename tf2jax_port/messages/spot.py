"""Point at a word in a line of text with carets."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

WIDTH = 80
_INDENT = "  "
_CUT = "… "


class Spot(NamedTuple):
    """A word in a line of text.

    Attributes:
      text: the line.
      column: the column at which the word begins, from 1, in characters.
      length: the number of its characters.
    """

    text: str
    column: int
    length: int

    def lines(self, width: int = WIDTH) -> tuple[str, str]:
        """Return the line and the carets under the word, cut to a width around the word."""
        text = self.text.expandtabs(1)
        start = min(self.column - 1, len(text))
        room = width - len(_INDENT) - 2 * len(_CUT)
        first = 0 if len(text) <= width - len(_INDENT) else max(0, start - room // 2)
        shown = text[first : first + room] if first or len(text) > room + 2 * len(_CUT) else text
        cut = _CUT if first else ""
        before = _columns(cut) + _columns(text[first:start])
        word = text[start : start + max(1, self.length)]
        carets = max(1, min(_columns(word), width - len(_INDENT) - before))
        return f"{_INDENT}{cut}{shown}".rstrip(), f"{_INDENT}{' ' * before}{'^' * carets}"


def _columns(text: str) -> int:
    """Return the columns of a terminal that a text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)
