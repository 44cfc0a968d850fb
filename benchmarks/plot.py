"""Draw the ratios of docs/performance.md."""

from __future__ import annotations

import math

from benchmarks.timing import Result
from tools.pictures import svg

# The pictures, with their titles.
PANELS = {
    "eager": "Eager calls, 10,000 elements: time over TensorFlow's",
    "functions": "Operators in functions of unknown sizes, 1,000,000 elements: time over TensorFlow's",
    "programs": "Programs: time over that of the other",
}
LEFT, RIGHT, WIDTH, LINE, TOP = 330, 60, 420, 18, 46
_LEAST, _MOST = 1 / 32, 8


def panel_of(row: Result) -> str | None:
    """Return the picture that shows a row; counts and sizes of memory are in none."""
    if row.spread is None or row.question.startswith(("scan", "temporaries", "memory")):
        return None
    if row.question.startswith("eager "):
        return "eager"
    return "functions" if " in a function, " in row.question else "programs"


def name_of(row: Result, panel: str) -> str:
    """Return what stands beside a row of a picture."""
    if panel == "programs":
        return f"{row.question.replace('`', '')}, {row.against.replace('`', '')}"
    return row.question.removeprefix("eager ").rpartition(",")[0].removesuffix(" in a function")


def at(ratio: float) -> float:
    """Return where a ratio stands, on a logarithmic scale."""
    part = math.log(min(max(ratio, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return LEFT + WIDTH * part


def draw(rows: list[Result], panel: str) -> str:
    """Return a picture of the rows of a panel: ratios with their spreads, and goals."""
    shown = [row for row in rows if panel_of(row) == panel]
    foot = TOP + LINE * len(shown)
    parts = [svg.text(LEFT, 20, PANELS[panel], "title center")]
    for tick in (1 / 32, 1 / 8, 1 / 2, 1, 2, 8):
        words = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
        line = svg.polyline([(at(tick), TOP - 6), (at(tick), foot)], "axis")
        parts += [line, svg.text(at(tick), foot + 16, words, "small center")]
    for i, row in enumerate(shown):
        y = TOP + LINE * i + 6
        low, high = row.range
        worse = row.goal is not None and row.verdict != "met"
        parts += [
            svg.text(LEFT - 10, y + 4, name_of(row, panel), "small right"),
            svg.polyline([(at(low), y), (at(high), y)], "line"),
            svg.box(at(row.ratio) - 3, y - 4, 6, 8, "waste" if worse else "used"),
            svg.text(LEFT + WIDTH + 8, y + 4, f"{row.ratio:.3g}", "small"),
        ]
        if row.goal is not None:
            parts.append(svg.polyline([(at(row.goal), y - 6), (at(row.goal), y + 6)], "goal"))
    words = "box: the ratio; line: its spread; dashes: the goal; orange: missed, or not decided"
    parts.append(svg.text(LEFT, foot + 34, words, "small center"))
    return svg.picture(LEFT + WIDTH + RIGHT, foot + 46, PANELS[panel], parts)


def pictures(rows: list[Result]) -> dict[str, str]:
    """Return `{path: text}` of all pictures."""
    return {f"docs/pictures/performance_{panel}.svg": draw(rows, panel) for panel in PANELS}
