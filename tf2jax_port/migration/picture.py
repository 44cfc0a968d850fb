"""Draw the migration steps as a dependency diagram, imported files left of their importers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from tf2jax_port.migration.as_text import common_folder, relative
from tf2jax_port.migration.reasons import direct_needs
from tf2jax_port.migration.steps import Step

_ACROSS, _DOWN, _MARGIN = 64, 12, 16
_LINE, _ABOVE, _BAR, _LETTER = 15, 7, 6, 6.75
_SMALLEST = 110
CSS = """
.diagram svg { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.diagram svg text { font: inherit; fill: var(--ink); } .diagram svg .folder { fill: var(--soft); }
.diagram svg rect.step { fill: var(--card); stroke: var(--edge); }
.diagram svg a:hover rect.step, .diagram svg a:focus rect.step { stroke: var(--accent); stroke-width: 2; }
.diagram svg a:focus { outline: none; } .diagram svg a:focus-visible rect.step { stroke-width: 3; }
.diagram path { fill: none; stroke: var(--edge); stroke-width: 1.5; }
.diagram.many path { stroke: var(--line); }
.diagram path.lit, .diagram.many path.lit { stroke: var(--accent); stroke-width: 2.5; }
"""


class _Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float


def to_svg(steps: Sequence[Step]) -> str:
    """Draw the diagram as SVG; each box links to its step in the list of the page."""
    folder = common_folder(steps)
    needs = direct_needs(steps)
    names = {step.number: relative(step, folder) for step in steps}
    boxes = _boxes(steps, needs, names)
    width = max((box.x + box.width for box in boxes.values()), default=0) + _MARGIN
    height = max((box.y + box.height for box in boxes.values()), default=0) + _MARGIN
    arrows = "".join(
        _arrow(n, step.number, boxes[n], boxes[step.number])
        for step in steps
        for n in needs[step.number]
    )
    drawn = "".join(_draw(step, names[step.number], boxes[step.number]) for step in steps)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" role="group" '
        f'aria-label="{len(steps)} steps and their dependencies">{arrows}{drawn}</svg>'
    )


def _boxes(
    steps: Sequence[Step], needs: Mapping[int, Sequence[int]], names: Mapping[int, Sequence[str]]
) -> dict[int, _Box]:
    """Place the steps: the column is the length of the longest import chain; a box is near the boxes that it needs."""
    column: dict[int, int] = {}
    columns: dict[int, list[Step]] = defaultdict(list)
    for step in steps:
        column[step.number] = max((column[n] + 1 for n in step.needs), default=0)
        columns[column[step.number]].append(step)
    boxes: dict[int, _Box] = {}
    x = float(_MARGIN)
    for number in sorted(columns):
        width = max(_SMALLEST, *(_width(step, names[step.number]) for step in columns[number]))
        y = float(_MARGIN)
        for step in sorted(
            columns[number], key=lambda s: (_near(needs[s.number], boxes), s.number)
        ):
            height = 2 * _ABOVE + _LINE * (len(names[step.number])) + _BAR + 4
            boxes[step.number] = _Box(x, y, width, height)
            y += height + _DOWN
        x += width + _ACROSS
    return boxes


def _width(step: Step, names: Sequence[str]) -> float:
    return _LETTER * (len(f"{step.number}  ") + max(map(len, names))) + 22


def _near(needs: Sequence[int], boxes: Mapping[int, _Box]) -> float:
    middles = [boxes[n].y + boxes[n].height / 2 for n in needs]
    return sum(middles) / len(middles) if middles else 0.0


def _arrow(before: int, after: int, begin: _Box, end: _Box) -> str:
    x, y = begin.x + begin.width, begin.y + begin.height / 2
    to_x, to_y = end.x, end.y + end.height / 2
    half = _ACROSS / 2
    return (
        f'<path data-from="{before}" data-to="{after}" d="M{x:.0f} {y:.0f} C{x + half:.0f} {y:.0f} '
        f'{to_x - half:.0f} {to_y:.0f} {to_x:.0f} {to_y:.0f}"/>'
    )


def _draw(step: Step, names: Sequence[str], box: _Box) -> str:
    label = f"Step {step.number}: {', '.join(names)}"
    number = f"{step.number}  "
    texts = "".join(
        f'<text x="{box.x + 10 + _LETTER * len(number):.0f}" y="{box.y + _ABOVE + 11 + _LINE * row:.0f}">'
        f"{_path(name)}</text>"
        for row, name in enumerate(names)
    )
    return (
        f'<a href="#step{step.number}" data-step="{step.number}" aria-label="{escape(label)}">'
        f'<rect class="step" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}" '
        f'height="{box.height:.0f}" rx="6"/>'
        f'<text class="folder" x="{box.x + 10:.0f}" y="{box.y + _ABOVE + 11:.0f}">{step.number}</text>'
        f"{texts}{_bar(step, box)}</a>"
    )


def _path(name: str) -> str:
    folder, slash, file = name.rpartition("/")
    return f'<tspan class="folder">{escape(folder + slash)}</tspan>{escape(file)}'


def _bar(step: Step, box: _Box) -> str:
    total = step.automatic + step.review + step.manual
    parts = ((step.automatic, "good"), (step.review, "warn"), (step.manual, "bad"))
    x, y = box.x + 10, box.y + box.height - _BAR - 7
    shown = []
    for count, color in parts:
        width = (box.width - 20) * count / total
        if count:
            shown.append(
                f'<rect x="{x:.1f}" y="{y:.0f}" width="{width:.1f}" height="{_BAR}" fill="var(--{color})"/>'
            )
        x += width
    return "".join(shown)
