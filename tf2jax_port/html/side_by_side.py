"""Show two source texts side by side: corresponding lines in one row, their changed parts marked."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tf2jax_port.html.syntax import Mark, Piece, colored, line_html

_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4  # lines that have less in common do not correspond
CSS = """
.duo { border: 1px solid var(--line); border-radius: 10px; overflow: hidden; margin: 0 0 0.7rem; }
.duo > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.duo > div > code { display: block; position: relative; white-space: pre-wrap; overflow-wrap: anywhere;
  padding: 0 0.6rem 0 4.9rem; text-indent: -1.5rem; min-height: 1.5em; }
.duo > div > code + code { border-left: 1px solid var(--line); }
.duo [data-n]::before { width: 2.6rem; }
.duo .none { background: var(--mute-bg); }
.duo .heads { border-bottom: 1px solid var(--line); font: 0.85rem/1.5 system-ui, sans-serif; padding: 0.3rem 0;
  overflow-wrap: anywhere; } .duo .heads > span { padding: 0 0.8rem; }
.duo > .here { border: solid var(--bad); border-width: 2px 0; }
.duo > .here > code { font-weight: 600; }
.duo > p { margin: 0; padding: 0.1rem 0.8rem; background: var(--bad-bg); color: var(--bad);
  font: 600 0.8rem/1.5 system-ui, sans-serif; }
@media (max-width: 640px) { .duo > div { grid-template-columns: minmax(0, 1fr); }
  .duo > div > code { padding-left: 3.8rem; text-indent: -1.2rem; word-break: break-all; }
  .duo [data-n]::before { width: 2rem; }
  .duo > div > code + code { border-left: 0; } .duo > .same > code + code, .duo .none { display: none !important; }
  .duo > .changed > code:first-child { background: var(--mute-bg); } }
"""


class Text(NamedTuple):
    """A part of a source file.

    Attributes:
      heading: what it is, as HTML.
      lines: its lines.
      first: the number of its first line.
      here: the number of the line to point at; 0 for none.
    """

    heading: str
    lines: Sequence[str]
    first: int
    here: int


def side_by_side(old: Text, new: Text, label: str) -> str:
    """Render two texts.

    Args:
      old: the text on the left, above the other where the page is narrow.
      new: the text on the right.
      label: the HTML text above the highlighted lines.
    """
    left, right = (colored("\n".join(text.lines)) for text in (old, new))
    rows = []
    for i, j in aligned(old, new):
        is_here = (i is not None and old.first + i == old.here) or (
            j is not None and new.first + j == new.here
        )
        before, after = ("" if n is None else t.lines[n] for n, t in ((i, old), (j, new)))
        cut, added = changes(before, after) if i is not None and j is not None else ([], [])
        kind = "same" if before == after and i is not None and j is not None else "changed"
        cells = _cell(left, i, old.first, cut) + _cell(right, j, new.first, added)
        if is_here:
            rows.append(f"<p>{label}</p>")
        rows.append(f'<div class="{kind}{" here" if is_here else ""}">{cells}</div>')
    heads = f'<div class="heads"><span>{old.heading}</span><span>{new.heading}</span></div>'
    return f'<div class="duo code">{heads}{"".join(rows)}</div>'


def _cell(
    lines: Sequence[Sequence[Piece]], at: int | None, first: int, marks: Sequence[Mark]
) -> str:
    if at is None:
        return '<code class="none"></code>'
    return f'<code data-n="{first + at}">{line_html(lines[at], marks)}</code>'


def changes(old: str, new: str) -> tuple[list[Mark], list[Mark]]:
    """Return the marks of the parts of two lines that differ, by whole words."""
    before, after = _TOKENS.findall(old), _TOKENS.findall(new)
    cut, added = [], []
    starts, new_starts = _starts(before), _starts(after)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        if i < i_end:
            cut.append(Mark(starts[i], starts[i_end], "bad"))
        if j < j_end:
            added.append(Mark(new_starts[j], new_starts[j_end], "good"))
    return cut, added


def _starts(tokens: Sequence[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


def aligned(old: Text, new: Text) -> Iterator[tuple[int | None, int | None]]:
    """Yield the indices of corresponding lines; `None` where a line has no counterpart.

    The alignment has the largest sum of likenesses; the lines to point at correspond.
    """
    before, after = (
        [Counter(_TOKENS.findall(line.strip())) for line in t.lines] for t in (old, new)
    )
    rows, columns = len(before), len(after)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    gain = [[0.0] * columns for _ in range(rows)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            pointed = (old.first + i == old.here, new.first + j == new.here)
            gain[i][j] = (
                float(rows + columns)
                if all(pointed)
                else _alike(before[i], after[j], old.lines[i] == new.lines[j])
            )
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + gain[i][j])
    i = j = 0
    while i < rows or j < columns:
        if (
            i < rows
            and j < columns
            and gain[i][j]
            and best[i][j] == best[i + 1][j + 1] + gain[i][j]
        ):
            yield i, j
            i, j = i + 1, j + 1
        elif j == columns or (i < rows and best[i][j] == best[i + 1][j]):
            yield i, None
            i += 1
        else:
            yield None, j
            j += 1


def _alike(old: Counter[str], new: Counter[str], is_equal: bool) -> float:
    """Return what two lines have in common, from 0 to 1; 0 if they do not correspond."""
    total = old.total() + new.total()
    if not total:
        return 0.1  # two empty lines
    common = 2 * (old & new).total() / total
    return 0.0 if common < _ALIKE else common + 0.2 * is_equal
