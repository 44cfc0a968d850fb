"""Compare pages with stored ones: where their parts stand, and small pictures if the fonts are the same.

Text is wider or narrower in other fonts, so that heights and pictures are not comparable between machines;
the columns, the order of the parts and their edges are. Pictures are a sixteenth of the window's size.

    python -m tests.html.references    writes them again
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from tests.html import samples
from tests.html.browser import Browser, browser
from tests.html.measures import FONTS, LAYOUT

FOLDER = Path(__file__).parent / "references"
SIZES = {400: 1600, 1600: 1000}
MODES = [(width, dark) for width in SIZES for dark in (False, True)]
SMALLER = 16
# In percent of the width. The text beside a box takes a little of it, and differs with the fonts.
EDGE = 5.0
# Of 255. A word that is drawn by another version of the browser changes one small pixel by less.
MEAN, PIXEL, SHARE = 4.0, 40, 0.02


def mode_name(width: int, dark: bool) -> str:
    """`400-dark`."""
    return f"{width}-{'dark' if dark else 'light'}"


def seen(one: Browser, text: str, width: int, dark: bool) -> tuple[list[list[Any]], Image.Image]:
    """Return where the parts of a page stand, and a small picture of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        path.write_text(text)
        one.open(path, width, SIZES[width], dark=dark)
        picture = Image.open(io.BytesIO(one.picture())).convert("RGB")
        size = (width // SMALLER, SIZES[width] // SMALLER)
        return one.run(LAYOUT), picture.resize(size, Image.Resampling.BOX)


def moved(old: list[list[Any]], new: list[list[Any]]) -> list[str]:
    """Return what stands elsewhere, as sentences."""
    names, others = ([part for part, *_ in layout] for layout in (old, new))
    if names != others:
        pairs = enumerate(zip(names, others, strict=False))
        at = next((n for n, (a, b) in pairs if a != b), min(len(names), len(others)))
        return [f"part {at} was {names[at : at + 3]} and is {others[at : at + 3]}"]
    found = []
    for (part, left, right, how), (_, new_left, new_right, now) in zip(old, new, strict=True):
        if max(abs(left - new_left), abs(right - new_right)) > EDGE:
            found.append(
                f"{part} was from {left} to {right} percent, and is from {new_left} to {new_right}"
            )
        if how != now:
            found.append(f"{part} was {how} the part before it, and is {now}")
    return found


def unlike(old: Image.Image, new: Image.Image) -> str:
    """Return how two small pictures differ; empty if they do not."""
    if old.size != new.size:
        return f"the size was {old.size} and is {new.size}"
    gray = ImageChops.difference(old, new).convert("L")
    values = gray.tobytes()
    mean = sum(values) / len(values)
    share = sum(value > PIXEL for value in values) / len(values)
    if mean <= MEAN and share <= SHARE:
        return ""
    return f"the mean difference is {mean:.1f} of 255, and {share:.1%} of the picture changed"


def stored() -> dict[str, Any]:
    """Return the stored layouts, and the widths of the fonts that they were made with."""
    return json.loads((FOLDER / "layouts.json").read_text())


def stored_picture(name: str, width: int, dark: bool) -> Image.Image:
    """Return the stored small picture of a page."""
    return Image.open(FOLDER / f"{name}-{mode_name(width, dark)}.png").convert("RGB")


def fonts(one: Browser) -> list[int]:
    """Return the widths of a text in the fonts of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        path.write_text(samples.pages()["scan"])
        one.open(path, 400)
        return one.run(FONTS)


def main() -> None:
    """Write the references."""
    FOLDER.mkdir(exist_ok=True)
    found: dict[str, Any] = {"layouts": {}}
    with browser() as one:
        found["fonts"] = fonts(one)
        for name, text in samples.pages().items():
            for width, dark in MODES:
                layout, picture = seen(one, text, width, dark)
                found["layouts"][f"{name}-{mode_name(width, dark)}"] = layout
                picture.save(FOLDER / f"{name}-{mode_name(width, dark)}.png", optimize=True)
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in found["layouts"].items()]
    text = ",\n".join(lines)
    (FOLDER / "layouts.json").write_text(
        f'{{"fonts": {json.dumps(found["fonts"])}, "layouts": {{\n{text}\n}}}}\n'
    )
    sys.stdout.write(f"wrote {len(lines)} references to {FOLDER}\n")


if __name__ == "__main__":
    main()
