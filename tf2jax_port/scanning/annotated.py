"""Render the source text of a file with its findings: the references in color, the messages below their lines."""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape

from tf2jax_port.html.page import words
from tf2jax_port.html.syntax import Mark, Piece, colored, line_html
from tf2jax_port.rewrite.findings.findings import Finding, State
from tf2jax_port.rewrite.notebooks.text import read_cells
from tf2jax_port.rewrite.reading.source import UnreadableError, decode
from tf2jax_port.scanning.effort import FileEffort

LABELS = {
    State.MANUAL: "to write by hand",
    State.REVIEW: "to review",
    State.SHIM: "shims",
    State.KEPT: "kept",
    State.REWRITTEN: "done",
}
KINDS = {
    State.MANUAL: "bad",
    State.REVIEW: "warn",
    State.SHIM: "good",
    State.KEPT: "",
    State.REWRITTEN: "good",
}
_AROUND = 3  # lines that are shown before and after one with work
_SHORT = 4  # so many lines without work are not worth folding
_LONG = 600
_REFERENCE = re.compile(r"[\w.]+")
CSS = """
.source { border-top: 1px solid var(--line); padding: 0.4rem 0; scroll-margin-top: 6rem; }
.source .run { content-visibility: auto; contain-intrinsic-size: auto 20rem; }
.source h3 { margin: 0; padding: 0.3rem 0.9rem; font-size: 0.8rem; color: var(--soft); }
.gap { margin: 0; } .gap > summary, .gap > p { margin: 0; padding: 0.1rem 0.9rem 0.1rem 4.4rem; color: var(--soft);
  background: var(--mute-bg); font: 0.78rem/1.6 system-ui, sans-serif; }
.note { margin: 0.15rem 0.8rem 0.45rem 4.4rem; padding: 0.3rem 0.7rem; border-radius: 6px;
  border-left: 3px solid var(--edge); background: var(--mute-bg); overflow-wrap: anywhere;
  font: 0.84rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  scroll-margin: 8rem; }
.note.bad { border-color: var(--bad); background: var(--bad-bg); }
.note.warn { border-color: var(--warn); background: var(--warn-bg); }
.note.good { border-color: var(--good); background: var(--good-bg); }
.note b { font-weight: 650; margin-right: 0.3rem; } .note.bad b { color: var(--bad); }
.note.warn b { color: var(--warn); } .note.good b { color: var(--good); }
.note code { font: 0.93em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.note a { color: inherit; text-decoration: underline; text-underline-offset: 0.15em; }
.note:focus-visible, .note:target { outline: 2px solid var(--accent); outline-offset: 1px; }
.note pre { border: 0; background: none; padding: 0.1rem 0 0; border-radius: 0; }
.note del, .note ins { text-decoration: none; display: block; padding-left: 1.3em;
  text-indent: -1.3em; } .note del::before { content: "- "; } .note ins::before { content: "+ "; }
.filtering .source [data-n], .filtering .gap > summary, .filtering .gap > p { display: none; }
.filtering .source .near { display: block; }
@media (max-width: 640px) { .note { margin-left: 0.8rem; } .gap > summary, .gap > p { padding-left: 3rem; } }
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """The parts of a page that are left out if it would be too large.

    Attributes:
      notes: whether references without manual work have their messages.
      lines: whether all lines between the work are there, folded, or only those with references.
    """

    notes: bool = True
    lines: bool = True


def anchor(name: str, finding: Finding) -> str:
    """Return the id of a finding, given the id of its file."""
    return f"{name}-{finding.place.replace(' ', '-').replace(':', '-')}"


def source_html(file: FileEffort, name: str, limits: Limits) -> str:
    """Render the source of a file.

    Args:
      file: the file and its findings.
      name: the id of the file on the page.
      limits: what is left out.
    """
    of_cell: dict[int, list[Finding]] = defaultdict(list)
    for finding in file.entry.outcome.findings:
        of_cell[finding.cell].append(finding)
    texts = _texts(file)
    parts = []
    for cell, findings in of_cell.items():
        if cell:
            parts.append(f"<h3>Cell {cell}</h3>")
        parts += _listing(texts.get(cell, ""), findings, name, limits)
    return f'<div class="source code" id="{name}">{"".join(parts)}</div>'


def _texts(file: FileEffort) -> dict[int, str]:
    """Return the text of each cell of a notebook; a file of Python is cell 0."""
    data = file.entry.before
    if not data:
        return {}
    try:
        if file.entry.path.endswith(".ipynb"):
            return {cell.number: cell.text for cell in read_cells(data.decode("utf-8-sig"))}
        text = decode(data).text
    except (UnreadableError, UnicodeDecodeError):
        return {}
    return {0: text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")}


def _listing(text: str, findings: Sequence[Finding], name: str, limits: Limits) -> Iterator[str]:
    """Yield the lines of a text: lines near the work unchanged, the others folded."""
    lines = colored(text) if text else []
    at: dict[int, list[Finding]] = defaultdict(list)
    for finding in findings:
        at[min(finding.line, len(lines))].append(finding)  # 0 if there is no text
    shown: set[int] = set()
    for finding in findings:
        if finding.state.needs_person:
            shown.update(range(finding.line - _AROUND, finding.line + _AROUND + 1))
    if not lines:
        shown.add(0)
    for start, end, is_open in _runs(min(1, len(lines)), len(lines), shown):
        whole = is_open or limits.lines
        body = "".join(
            _line(n, lines, at[n], name, limits) for n in range(start, end + 1) if whole or at[n]
        )
        yield (
            f'<div class="run" data-group>{body}</div>'
            if is_open
            else _gap(start, end, sum(len(at[n]) for n in range(start, end + 1)), body)
        )


def _gap(start: int, end: int, count: int, body: str) -> str:
    """Fold the lines of a gap."""
    said = f"lines {start} to {end}"
    if count:
        said += f", {count} {'reference' if count == 1 else 'references'} without work"
    if not body:
        return f'<div class="gap" data-group><p>{said}</p></div>'
    return (
        f'<details class="gap" data-group><summary>{said}</summary>'
        f'<div class="run">{body}</div></details>'
    )


def _runs(first: int, last: int, shown: set[int]) -> Iterator[tuple[int, int, bool]]:
    """Yield the first and last line of runs of lines, and whether they are open; short gaps are open, too."""
    runs: list[tuple[int, int, bool]] = []
    for number in range(first, last + 1):
        is_open = number in shown
        if runs and runs[-1][2] == is_open:
            runs[-1] = (runs[-1][0], number, is_open)
        else:
            runs.append((number, number, is_open))
    joined: list[tuple[int, int, bool]] = []
    for start, end, is_open in runs:
        is_open = is_open or end - start < _SHORT
        if joined and joined[-1][2] == is_open:
            joined[-1] = (joined[-1][0], end, is_open)
        else:
            joined.append((start, end, is_open))
    return iter(joined)


def _line(
    number: int,
    lines: Sequence[Sequence[Piece]],
    findings: Sequence[Finding],
    name: str,
    limits: Limits,
) -> str:
    shown = ""
    if number:
        pieces = lines[number - 1]
        marks = _marks("".join(piece.text for piece in pieces), findings) if findings else ()
        shown = f'<code data-n="{number}">{line_html(pieces, marks)}</code>'
    return shown + "".join(
        _note(finding, name) for finding in findings if limits.notes or finding.state.needs_person
    )


def _marks(text: str, findings: Sequence[Finding]) -> list[Mark]:
    """Return the names of the references in a line, each with the state that needs the most work."""
    marks = {}
    for finding in findings:
        start = finding.column - 1
        found = _REFERENCE.match(text, start)
        kind = KINDS[finding.state] or "kept"
        if found and (start not in marks or kind == "bad"):
            marks[start] = Mark(start, found.end(), kind)
    return list(marks.values())


def _note(finding: Finding, name: str) -> str:
    change = ""
    if finding.after:
        change = f"<pre><del>{_shortened(finding.before)}</del><ins>{_shortened(finding.after)}</ins></pre>"
    own = anchor(name, finding)
    return (
        f'<div class="note {KINDS[finding.state]}" id="{own}" tabindex="-1" data-item '
        f'data-state="{finding.state}"><b>{LABELS[finding.state]}</b> '
        f'<a href="#{finding.code}">{finding.code}</a> <code>{escape(finding.symbol)}</code>: '
        f"{words(finding.message)}{change}</div>"
    )


def _shortened(text: str) -> str:
    return escape(text if len(text) <= _LONG else f"{text[:_LONG]} …")
