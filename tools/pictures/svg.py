"""Write SVG: one style, light and dark, and the few shapes that the pictures have."""

from __future__ import annotations

import html

# The paper is part of the picture, so that it can be read on a page of the other brightness, too.
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #222 }
.small { font-size: 11px; fill: #555 }
.title { font-weight: 600 }
.paper { fill: #fff }
.valid { fill: #cfe3fa; stroke: #1f5fa8 }
.unread { fill: #f3f3f3; stroke: #b5b5b5; stroke-dasharray: 3 2 }
.waste { fill: #f6c48d; stroke: none }
.used { fill: #9cc3ee; stroke: none }
.line { fill: none; stroke: #a04a00; stroke-width: 1.5 }
.axis { stroke: #999; fill: none }
.goal { stroke: #555; fill: none; stroke-dasharray: 2 2 }
.center { text-anchor: middle }
.right { text-anchor: end }
.faint { fill: #8a8a8a }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .small { fill: #b5b5b5 } .paper { fill: #16181d } .faint { fill: #888 }
  .valid { fill: #1d3f66; stroke: #9cc8ff } .unread { fill: #24272e; stroke: #5c6370 }
  .waste { fill: #8a5312 } .used { fill: #2f6299 } .line { stroke: #ffb05c } .axis { stroke: #777 }
  .goal { stroke: #bbb }
}"""


def picture(width: int, height: int, label: str, parts: list[str]) -> str:
    """Return a picture that needs no other file; `label` is read to people who cannot see it."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{html.escape(label)}">\n<style>{STYLE}\n</style>\n'
        f'<rect class="paper" width="{width}" height="{height}"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"


def text(x: float, y: float, words: object, classes: str = "") -> str:
    """Return a line of text that begins at a point, or ends or is centered there by its class."""
    return f'<text class="{classes}" x="{x:g}" y="{y:g}">{html.escape(str(words))}</text>'


def box(x: float, y: float, width: float, height: float, classes: str) -> str:
    """Return a rectangle."""
    return f'<rect class="{classes}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2"/>'


def polygon(points: list[tuple[float, float]], classes: str) -> str:
    """Return an area with these corners."""
    return f'<polygon class="{classes}" points="{_corners(points)}"/>'


def polyline(points: list[tuple[float, float]], classes: str) -> str:
    """Return a line through these points."""
    return f'<polyline class="{classes}" points="{_corners(points)}"/>'


def _corners(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
