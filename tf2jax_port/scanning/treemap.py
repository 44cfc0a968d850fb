"""Draw the code base as a treemap: a box for each file, sized by its references."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable, Iterator, Sequence
from html import escape

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.scanning.effort import FileEffort

_HEADER, _GAP, _LETTER = 15.0, 2.0, 6.6
_SMALLEST = 5.0  # a folder with a shorter side is drawn as one box


@dataclasses.dataclass(slots=True)
class Node:
    """A folder or file: how many references it has, and how many need a review or manual work."""

    name: str
    target: str = ""
    total: int = 0
    review: int = 0
    manual: int = 0
    children: dict[str, Node] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the treemap."""

    x: float
    y: float
    width: float
    height: float


def to_svg(
    files: Sequence[FileEffort], link: Callable[[FileEffort], str], width: int, height: int
) -> str:
    """Draw the treemap as SVG.

    Args:
      files: the files to draw.
      link: a function that returns the link target of a file's box.
      width: in pixels.
      height: in pixels.
    """
    root = tree(files, link)
    drawn = "".join(_draw(root, Box(0, 0, width, height), ""))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="100%" '
        f'role="img" aria-label="{len(files)} files by references: done, to look at, to write">'
        f"{drawn}</svg>"
    )


def tree(files: Sequence[FileEffort], link: Callable[[FileEffort], str]) -> Node:
    """Build the tree of folders and files; a folder with a single subfolder is merged with it."""
    root = Node("")
    for file in files:
        nodes = [root]
        parts = pathlib.PurePath(file.entry.path).parts
        for part in parts:
            nodes.append(nodes[-1].children.setdefault(part, Node(part)))
        nodes[-1].target = link(file)
        for node in nodes:
            node.total += file.total
            node.review += file.counts[State.REVIEW]
            node.manual += file.counts[State.MANUAL]
    return _shortened(root)


def _shortened(node: Node) -> Node:
    while len(node.children) == 1:
        (child,) = node.children.values()
        if not child.children:
            break
        name = f"{node.name.rstrip('/')}/{child.name}" if node.name else child.name
        node = dataclasses.replace(child, name=name)
    node.children = {name: _shortened(child) for name, child in node.children.items()}
    return node


def _draw(node: Node, box: Box, path: str) -> Iterator[str]:
    full = f"{path}/{node.name}".strip("/") if path else node.name
    if not node.children or min(box.width, box.height) < _SMALLEST:
        yield _leaf(node, box, full)
        return
    has_header = bool(node.name) and box.height > 2 * _HEADER and box.width > 30
    yield _frame(node, box, full, has_header)
    top = _HEADER if has_header else _GAP
    inner = Box(
        box.x + _GAP, box.y + top, max(box.width - 2 * _GAP, 1), max(box.height - top - _GAP, 1)
    )
    children = sorted(node.children.values(), key=lambda n: (-n.total, n.name))
    for child, place in zip(children, squarified([c.total for c in children], inner), strict=True):
        yield from _draw(child, place, full)


def squarified(sizes: Sequence[int], box: Box) -> list[Box]:
    """Divide a box into boxes with areas in the given ratios, each as close to a square as possible.

    Args:
      sizes: in descending order, none of them zero.
      box: the box to fill.
    """
    places: list[Box] = []
    left, index = box, 0
    rest = float(sum(sizes))
    while index < len(sizes):
        short = min(left.width, left.height)
        scale = left.width * left.height / rest
        count = 1
        while index + count < len(sizes) and _worst_ratio(
            sizes[index : index + count + 1], short, scale
        ) <= _worst_ratio(sizes[index : index + count], short, scale):
            count += 1
        row = sizes[index : index + count]
        placed, left = _lay_out_row(row, left, sum(row) / rest)
        places += placed
        rest -= sum(row)
        index += count
    return places


def _worst_ratio(row: Sequence[int], short: float, scale: float) -> float:
    """Return the largest aspect ratio among the boxes in a row of the treemap."""
    area = sum(row) * scale
    thick = area / short
    return max(max(thick * thick / (n * scale), n * scale / (thick * thick)) for n in row)


def _lay_out_row(row: Sequence[int], box: Box, part: float) -> tuple[list[Box], Box]:
    """Place a row of boxes along the shorter side of a box; return them and the rest of the box."""
    total = sum(row)
    placed, at = [], 0.0
    if box.width >= box.height:
        thick = box.width * part
        for n in row:
            long = box.height * n / total
            placed.append(Box(box.x, box.y + at, thick, long))
            at += long
        return placed, Box(box.x + thick, box.y, box.width - thick, box.height)
    thick = box.height * part
    for n in row:
        long = box.width * n / total
        placed.append(Box(box.x + at, box.y, long, thick))
        at += long
    return placed, Box(box.x, box.y + thick, box.width, box.height - thick)


def _frame(node: Node, box: Box, path: str, has_header: bool) -> str:
    label = _label(node.name, box.width - 8) if has_header else ""
    text = f'<text x="{box.x + 4:.1f}" y="{box.y + 11:.1f}">{label}</text>' if label else ""
    return (
        f"<g><title>{_title(node, path)}</title>"
        f'<rect {_attributes(box)} rx="3" fill="var(--card)" stroke="var(--line)"/>{text}</g>'
    )


def _leaf(node: Node, box: Box, path: str) -> str:
    shown = Box(
        box.x + _GAP / 2,
        box.y + _GAP / 2,
        max(box.width - _GAP, 0.5),
        max(box.height - _GAP, 0.5),
    )
    label = _label(node.name, shown.width - 8) if shown.height > 14 else ""
    text = (
        f'<text class="file" x="{shown.x + 4:.1f}" y="{shown.y + 12:.1f}">{label}</text>'
        if label
        else ""
    )
    drawn = f"<title>{_title(node, path)}</title>{''.join(_bands(node, shown))}{text}"
    return f'<a href="{escape(node.target)}">{drawn}</a>' if node.target else f"<g>{drawn}</g>"


def _bands(node: Node, box: Box) -> Iterator[str]:
    """Draw a box as colored bands, from the bottom: finished, to review, to write by hand."""
    bottom = box.y + box.height
    parts = (
        (node.total - node.review - node.manual, "good"),
        (node.review, "warn"),
        (node.manual, "bad"),
    )
    for count, color in parts:
        if count:
            height = box.height * count / node.total
            bottom -= height
            band = Box(box.x, bottom, box.width, height)
            yield f'<rect class="{color}" {_attributes(band)}/>'


def _title(node: Node, path: str) -> str:
    done = node.total - node.review - node.manual
    return escape(
        f"{path}\n{node.total} references: {done} done, {node.review} to look at, "
        f"{node.manual} to write"
    )


def _label(name: str, room: float) -> str:
    letters = int(room / _LETTER)
    if len(name) > letters:
        name = f"{name[: letters - 1]}…" if letters > 3 else ""
    return escape(name)


def _attributes(box: Box) -> str:
    return f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}"'
