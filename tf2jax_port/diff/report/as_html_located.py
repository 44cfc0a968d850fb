"""Render the first divergence in HTML: both sides' source code and neighboring operations."""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path

from tf2jax_port.diff.locate.result import showing
from tf2jax_port.diff.locate.result.located import Located, NotLocated, Spot
from tf2jax_port.diff.values.attempt import Failure, attempt

_AROUND = 3
_WIDE, _HIGH, _GAP = 190, 24, 40


def located_section(found: Located | NotLocated | None) -> str:
    """Render the section; empty if the first divergence was not requested."""
    if found is None:
        return ""
    if isinstance(found, NotLocated):
        return f'<h2>Where it begins</h2><p class="soft">not located: {escape(found.reason)}</p>'
    guess = "".join(f"<p>{escape(line)}</p>" for line in showing.guess(found))
    words = "".join(f"<p>{escape(line)}</p>" for line in showing.evidence(found))
    sides = _side("original", found.old) + _side("port", found.new)
    graphs = "".join(f"<div>{_graph(one)}</div>" for one in (found.old, found.new) if one)
    return (
        f'<h2>Where it begins</h2><div class="sides">{sides}</div><div class="worst">{guess}</div>'
        f"<details><summary>the evidence</summary>{words}"
        f'<div class="sides">{graphs}</div></details>'
    )


def _side(name: str, one: Spot | None) -> str:
    if one is None:
        return f"<div><b>{name}</b><p>no line of the program's own</p></div>"
    where = f"{one.place.shown}:{one.place.line}"
    return (
        f'<div><b>{name}</b> <span class="mono">{escape(where)}</span>'
        f"<pre><code>{_source(one)}</code></pre></div>"
    )


def _source(one: Spot) -> str:
    """Render a source line among its neighbors; alone, if the file cannot be read."""
    read = attempt(lambda: Path(one.place.file).read_text(encoding="utf-8").splitlines())
    if isinstance(read, Failure) or len(read) < one.place.line:
        return f"<mark>{escape(one.place.text)}</mark>"
    first = max(0, one.place.line - 1 - _AROUND)
    shown = []
    excerpt = "\n".join(read[first : one.place.line + _AROUND])
    for number, text in enumerate(textwrap.dedent(excerpt).split("\n"), first + 1):
        line = escape(f"{number:4}  {text}")
        shown.append(f"<mark>{line}</mark>" if number == one.place.line else line)
    return "\n".join(shown)


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
