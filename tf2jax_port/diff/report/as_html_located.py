"""Render the first divergence in HTML: both sides' source code and neighboring operations."""

from __future__ import annotations

import ast
import warnings
from html import escape
from pathlib import Path

from tf2jax_port.diff.locate.result import showing
from tf2jax_port.diff.locate.result.located import (
    GRADIENT,
    INTERFACE,
    RAISED,
    VALUE,
    Located,
    NotLocated,
    Spot,
)
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.html.page import path
from tf2jax_port.html.side_by_side import Text, side_by_side

_MOST = 14  # lines of the function before and after the line
_WIDE, _HIGH, _GAP = 190, 24, 40
_LABELS = {
    VALUE: "Here the results begin to differ",
    GRADIENT: "Here the gradients begin to differ, counted backward from the outputs",
    INTERFACE: "Here the shapes or types begin to differ",
    RAISED: "Here the port stops",
}


def located_section(found: Located | NotLocated | None) -> str:
    """Render the section; empty if the first divergence was not requested."""
    if found is None:
        return ""
    if isinstance(found, NotLocated):
        return (
            f'<h2>The first divergence</h2><p class="soft">not located: {escape(found.reason)}</p>'
        )
    guess = "".join(f"<p>{escape(line)}</p>" for line in showing.guess(found))
    words = "".join(f"<p>{escape(line)}</p>" for line in showing.evidence(found))
    graphs = "".join(f"<div>{_graph(one)}</div>" for one in (found.old, found.new) if one)
    sources = side_by_side(_text("original", found.old), _text("port", found.new), _label(found))
    return (
        f"<h2>The first divergence</h2>{sources}"
        + (f'<div class="worst">{guess}</div>' if guess else "")
        + f"<details><summary>the evidence</summary>{words}"
        f'<div class="sides">{graphs}</div></details>'
    )


def _label(found: Located) -> str:
    operations = " against ".join(
        f"<code>{escape(one.operation)}</code>" for one in (found.old, found.new) if one
    )
    return f"{_LABELS[found.kind]}: {operations}"


def _text(name: str, one: Spot | None) -> Text:
    """Return the function that contains a source line; the line alone, if the file cannot be read."""
    if one is None:
        return Text(f"<b>{name}</b>: no line of your program", [], 1, 0)
    line = one.place.line
    heading = f'<b>{name}</b> <span class="mono">{path(one.place.shown)}:{line}</span>'
    read = attempt(lambda: Path(one.place.file).read_text(encoding="utf-8"))
    lines = [] if isinstance(read, Failure) else read.split("\n")
    if len(lines) < line:
        return Text(heading, [one.place.text], line, line)
    first, last = _function("\n".join(lines), line)
    first, last = max(first, line - _MOST), min(last, line + _MOST)
    return Text(heading, lines[first - 1 : last], first, line)


def _function(text: str, line: int) -> tuple[int, int]:
    """Return the first and last line of the innermost function that contains a line."""
    spans = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        tree = attempt(lambda: ast.parse(text))
    if not isinstance(tree, Failure):
        spans = [
            (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.end_lineno or line)
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
    around = [span for span in spans if span[0] <= line <= span[1]]
    if around:
        return max(around)
    return max(1, line - 3), min(text.count("\n") + 1, line + 3)


def _graph(one: Spot) -> str:
    """Draw the operation, the producers of its operands and the consumers of its result."""
    rows = [one.before, (one.operation,), one.after]
    rows = [row for row in rows if row]
    wide = max(len(row) for row in rows) * (_WIDE + 10)
    drawn = ""
    above: list[float] = []
    for level, row in enumerate(rows):
        top = level * (_HIGH + _GAP)
        left = (wide - len(row) * (_WIDE + 10)) / 2
        middles = [left + i * (_WIDE + 10) + _WIDE / 2 for i in range(len(row))]
        drawn += "".join(
            f'<path d="M{a:.0f} {top - _GAP}L{b:.0f} {top}" stroke="var(--soft)"/>'
            for a in above
            for b in middles
        )
        for middle, text in zip(middles, row):
            here = row == (one.operation,)
            drawn += (
                f'<rect x="{middle - _WIDE / 2:.0f}" y="{top}" width="{_WIDE}" height="{_HIGH}" rx="5" '
                f'fill="var({"--bad-bg" if here else "--mute-bg"})"/>'
                f'<text x="{middle:.0f}" y="{top + 16}" text-anchor="middle">{escape(text)}</text>'
            )
        above = middles
    high = len(rows) * (_HIGH + _GAP) - _GAP
    return (
        f'<svg width="{wide}" height="{high}" role="img" aria-label="neighboring operations">'
        f"{drawn}</svg>"
    )
