"""Draw the migration steps as a dependency diagram, imported files left of their importers."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from html import escape

from tf2jax_port.migration.steps import Step

WIDTH, HEIGHT, ACROSS, DOWN, MARGIN = 190, 40, 70, 12, 16
_BAR = 6
_LETTERS = 26


def to_svg(steps: Sequence[Step]) -> str:
    """Draw the diagram as SVG; each box links to the step's row in the page's table."""
    places = _places(steps)
    columns = max((column for column, _ in places.values()), default=0) + 1
    rows = max((row for _, row in places.values()), default=0) + 1
    width = 2 * MARGIN + columns * WIDTH + (columns - 1) * ACROSS
    height = 2 * MARGIN + rows * HEIGHT + (rows - 1) * DOWN
    arrows = "".join(
        _arrow(places[n], places[step.number]) for step in steps for n in _direct_needs(step, steps)
    )
    boxes = "".join(_box(step, *_corner(places[step.number])) for step in steps)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'aria-label="{len(steps)} steps and their dependencies">{arrows}{boxes}</svg>'
    )


def _places(steps: Sequence[Step]) -> dict[int, tuple[int, int]]:
    """Return the column and row of each step in the diagram.

    The column is the length of the step's longest chain of dependencies.
    """
    column: dict[int, int] = {}
    taken: dict[int, int] = {}
    places = {}
    for step in steps:
        column[step.number] = max((column[n] + 1 for n in step.needs), default=0)
        row = taken.get(column[step.number], 0)
        taken[column[step.number]] = row + 1
        places[step.number] = (column[step.number], row)
    return places


def _direct_needs(step: Step, steps: Sequence[Step]) -> list[int]:
    """Return a step's dependencies without those implied by others (transitive reduction)."""
    through = {n for other in step.needs for n in _all_needs(other, steps)}
    return [n for n in step.needs if n not in through]


def _all_needs(number: int, steps: Sequence[Step]) -> set[int]:
    found: set[int] = set()
    todo = list(steps[number - 1].needs)
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo.extend(steps[one - 1].needs)
    return found


def _corner(place: tuple[int, int]) -> tuple[int, int]:
    column, row = place
    return MARGIN + column * (WIDTH + ACROSS), MARGIN + row * (HEIGHT + DOWN)


def _arrow(begin: tuple[int, int], end: tuple[int, int]) -> str:
    x, y = _corner(begin)
    to_x, to_y = _corner(end)
    x, y, to_y = x + WIDTH, y + HEIGHT // 2, to_y + HEIGHT // 2
    half = ACROSS // 2
    return (
        f'<path d="M{x} {y} C{x + half} {y} {to_x - half} {to_y} {to_x} {to_y}" fill="none" '
        'stroke="var(--line)" stroke-width="1.5"/>'
    )


def _box(step: Step, x: int, y: int) -> str:
    title = escape("\n".join(step.files))
    return (
        f'<a href="#step{step.number}"><g><title>{title}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="var(--card)" '
        'stroke="var(--line)"/>'
        f'<text x="{x + 10}" y="{y + 18}" style="fill:var(--ink)">{step.number}  {escape(_name(step))}</text>'
        f"{_bar(step, x + 10, y + HEIGHT - _BAR - 8)}</g></a>"
    )


def _name(step: Step) -> str:
    name = os.path.basename(step.files[0])
    if name == "__init__.py":
        name = os.path.join(os.path.basename(os.path.dirname(step.files[0])), name)
    more = f" +{len(step.files) - 1}" if len(step.files) > 1 else ""
    short = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    return short + more


def _bar(step: Step, x: float, y: int) -> str:
    total = step.automatic + step.review + step.manual
    parts = ((step.automatic, "good"), (step.review, "warn"), (step.manual, "bad"))
    shown = []
    for count, color in parts:
        width = (WIDTH - 20) * count / total
        if count:
            shown.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="var(--{color})"/>'
            )
        x += width
    return "".join(shown)
