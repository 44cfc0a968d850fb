"""Draw the code base as a treemap: a box for each file, as large as the work left in it."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable, Iterator, Sequence
from html import escape

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.scanning.effort import FileEffort

# The map has the size of its place on the page; these are the proportions that the boxes are laid out for.
WIDTH, HEIGHT = 420.0, 360.0
_HEADER, _GAP = 17.0, 2.0
_SMALLEST = 5.0  # a folder with a shorter side is drawn as one box
CSS = """
.map { position: relative; overflow: hidden; aspect-ratio: 7 / 6; max-height: 30rem; width: 100%; font-size: 0.72rem;
  line-height: 1.3; }
.map div, .map a { position: absolute; overflow: hidden; border-radius: 3px; }
.map .folder { border: 1px solid var(--line); background: var(--card); }
.map .folder > b { display: block; padding: 0 0.3rem; font-weight: 500; color: var(--soft);
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.map .inside { inset: 1px; border-radius: 0; } .map .folder > b + .inside { top: 1.3em; }
.map a, .map .leaf { color: var(--ink); border: 1px solid var(--card); text-decoration: none;
  container-type: size; }
.map span { display: block; padding: 0.05rem 0.3rem; overflow: hidden; white-space: nowrap;
  text-overflow: ellipsis; }
@container (width < 2.3rem) or (height < 1rem) { .map span { display: none; } }
.map a:hover { outline: 2px solid var(--ink); outline-offset: -2px; }
.map a:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
"""


@dataclasses.dataclass(slots=True)
class Node:
    """A folder or file: how many references it has to review, and to write by hand."""

    name: str
    target: str = ""
    review: int = 0
    manual: int = 0
    children: dict[str, Node] = dataclasses.field(default_factory=dict)

    @property
    def work(self) -> int:
        """The work left, in quarters of a reference to write by hand."""
        return 4 * self.manual + self.review


@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of the treemap."""

    x: float
    y: float
    width: float
    height: float


def to_map(files: Sequence[FileEffort], link: Callable[[FileEffort], str]) -> str:
    """Draw the treemap in HTML; empty if no work is left.

    Args:
      files: the files to draw; those without work are left out.
      link: a function that returns the link target of a file's box.
    """
    root = tree([file for file in files if file.effort], link)
    if not root.work:
        return ""
    drawn = "".join(_inside(root, Box(0, 0, WIDTH, HEIGHT), ""))
    return f'<nav class="map" data-arrows aria-label="Files by the work left in them">{drawn}</nav>'


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


def _inside(node: Node, box: Box, path: str) -> Iterator[str]:
    """Draw what a folder holds, in percent of its inner box."""
    full = f"{path}/{node.name}".strip("/") if path else node.name
    children = sorted(node.children.values(), key=lambda n: (-n.work, n.name))
    for child, place in zip(
        children,
        squarified([c.work for c in children], Box(0, 0, box.width, box.height)),
        strict=True,
    ):
        yield from _draw(child, place, box, full)


def _draw(node: Node, box: Box, outer: Box, path: str) -> Iterator[str]:
    full = f"{path}/{node.name}".strip("/") if path else node.name
    style = (
        f"left:{box.x / outer.width:.3%};top:{box.y / outer.height:.3%};"
        f"width:{box.width / outer.width:.3%};height:{box.height / outer.height:.3%}"
    )
    if not node.children or min(box.width, box.height) < _SMALLEST:
        yield _leaf(node, style, full)
        return
    has_header = box.height > 2 * _HEADER and box.width > 30
    top = _HEADER if has_header else _GAP
    inner = Box(0, 0, max(box.width - 2 * _GAP, 1), max(box.height - top - _GAP, 1))
    label = f"<b>{escape(node.name)}</b>" if has_header else ""
    yield f'<div class="folder" style="{style}" title="{_title(node, full)}">{label}<div class="inside">'
    yield from _inside(node, inner, path)
    yield "</div></div>"


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


def _leaf(node: Node, style: str, path: str) -> str:
    """Draw a box in two colors: what to write by hand above what to review."""
    cut = f"{4 * node.manual / node.work:.1%}"
    style += f";background:linear-gradient(var(--bad-map) {cut},var(--warn-map) {cut})"
    said = _title(node, path)
    name = f"<span>{escape(node.name)}</span>"
    if not node.target:
        return f'<div class="leaf" style="{style}" title="{said}">{name}</div>'
    return f'<a href="{escape(node.target)}" style="{style}" title="{said}" aria-label="{said}">{name}</a>'


def _title(node: Node, path: str) -> str:
    return escape(f"{path}: {node.manual} to write by hand, {node.review} to review", quote=True)
