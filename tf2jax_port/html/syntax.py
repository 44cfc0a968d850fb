"""Color Python source text, line by line, and mark parts of its lines."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple


class Piece(NamedTuple):
    """A part of a line; `kind` is a class of the style sheet, empty for plain text."""

    kind: str
    text: str


class Mark(NamedTuple):
    """A part of a line that is marked: columns from 0, the end excluded, and a class of the style sheet."""

    start: int
    end: int
    kind: str


# A pattern instead of `tokenize`: a text that is not valid Python is colored, too, and the same in each
# version of Python.
_STRING = r"""(?:[rRbBuUfFtT]{0,2})(?:'''[\s\S]*?(?:'''|\Z)|\"""[\s\S]*?(?:\"""|\Z)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?)"""
_NUMBER = (
    r"(?<![\w.])(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)"
)
_WORD = r"(?<![\w.])(?:" + "|".join(keyword.kwlist) + r")(?!\w)"
_NAMED = r"(?:(?<=\bdef )|(?<=\bclass ))\w+|^[ \t]*@[\w.]+"
_TOKENS = re.compile(
    rf"(?P<c>#[^\n]*)|(?P<s>{_STRING})|(?P<n>{_NUMBER})|(?P<k>{_WORD})|(?P<d>{_NAMED})",
    re.MULTILINE,
)


def colored(text: str) -> list[list[Piece]]:
    """Return the pieces of each line of a source text; a line ends at a line feed only."""
    lines: list[list[Piece]] = [[]]
    end = 0
    for found in _TOKENS.finditer(text):
        _add(lines, "", text[end : found.start()])
        _add(lines, found.lastgroup or "", found.group())
        end = found.end()
    _add(lines, "", text[end:])
    return lines


def _add(lines: list[list[Piece]], kind: str, text: str) -> None:
    first, *rest = text.split("\n")
    if first:
        lines[-1].append(Piece(kind, first))
    lines.extend([Piece(kind, part)] if part else [] for part in rest)


def line_html(pieces: Sequence[Piece], marks: Iterable[Mark] = ()) -> str:
    """Render the pieces of a line, with its marks.

    Args:
      pieces: the line.
      marks: parts to mark; where two overlap, the first holds.
    """
    parts = []
    shown = 0
    whole = "".join(piece.text for piece in pieces)
    for mark in sorted(marks):
        start, end = max(mark.start, shown), min(mark.end, len(whole))
        if start >= end:
            continue
        parts.append(_between(pieces, shown, start))
        parts.append(f'<mark class="{mark.kind}">{_between(pieces, start, end)}</mark>')
        shown = end
    return "".join(parts) + _between(pieces, shown, len(whole))


def _between(pieces: Sequence[Piece], start: int, end: int) -> str:
    """Render the columns from `start` to `end`."""
    parts = []
    at = 0
    for kind, text in pieces:
        part = text[max(0, start - at) : max(0, end - at)]
        at += len(text)
        if part:
            shown = escape(part)
            parts.append(f'<span class="{kind}">{shown}</span>' if kind else shown)
    return "".join(parts)
