"""Writes docs/tf1_programs.md and its picture: our losses laid over TensorFlow's.

    python -m examples.tf1.page

Runs every program with shims and reads TensorFlow's side from goldens/.
"""

import contextlib
import dataclasses
import html
import io
import pathlib
import sys

import numpy as np

from examples.tf1.programs import PROGRAMS, Program
from examples.tf1.run import GOLDENS, Comparison, compare, load, run_program

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PICTURE, PAGE = DOCS / "tf1_programs.svg", DOCS / "tf1_programs.md"
COLUMNS, WIDTH, HEIGHT, MARGIN = 3, 300, 150, 16
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #222 }
.small { font-size: 10px; fill: #666 }
.paper { fill: #fff } .frame { fill: none; stroke: #ddd }
.theirs { fill: none; stroke: #f4a340; stroke-width: 5; stroke-linejoin: round }
.ours { fill: none; stroke: #1f5fa8; stroke-width: 1.4 }
@media (prefers-color-scheme: dark) {
  text { fill: #eee } .small { fill: #aaa } .paper { fill: #16181d } .frame { stroke: #3a3f4a }
  .theirs { stroke: #b8701c } .ours { stroke: #9cc8ff }
}"""
TEXT = """\
# TensorFlow 1 programs

<!-- written by `python -m examples.tf1.page` -->
The programs of [examples/tf1](../examples/README.md) run with `import shims.compat.v1 as tf` instead of
`import tensorflow.compat.v1 as tf`, and are otherwise unchanged. In both libraries, each program draws its initial values
from the same seeds, and trains for {steps} steps on the same batches.

![Losses of each program]({picture})

In each picture, the broad line is TensorFlow's loss, and the thin line on top of the broad line is the loss of `shims`.

| program | features | losses | variables and results | array with the largest difference | tolerance |
|---|---|---|---|---|---|
{rows}

- **losses**: the largest relative difference between the two losses of a step.
- **variables and results**: the largest difference in an array, relative to the largest value of
  the array. All variables (including optimizer slots) and all other results of the program are
  compared. Integers, names, shapes and dtypes must be equal.
- **array with the largest difference**: the name of this array.
- **tolerance**: the largest difference that the tests allow. The reasons for the tolerances are:

{reasons}

The TensorFlow results were computed in TensorFlow 1 mode with `tf_keras` (`TF_USE_LEGACY_KERAS=1`).
The results are stored in `examples/tf1/goldens`; `python -m examples.tf1.run --goldens` computes
these results again.
"""


@dataclasses.dataclass(frozen=True)
class Result:
    """One program run with shims, and how far it ended from TensorFlow."""

    program: Program
    ours: np.ndarray
    theirs: np.ndarray
    comparison: Comparison


def run_all(programs=PROGRAMS):
    """A result for each program."""
    for program in programs:
        golden = load(GOLDENS, program.name)
        with contextlib.redirect_stdout(io.StringIO()):
            ours = run_program(program.name)
        comparison = compare(program.name, ours, golden)
        yield Result(program, ours[0], golden[0], comparison)


def points(losses, low, high):
    """The corners of a curve within its panel, first step on the left."""
    xs = np.linspace(10, WIDTH - MARGIN - 10, len(losses))
    ys = 32 + (HEIGHT - MARGIN - 48) * (high - losses) / max(high - low, 1e-9)
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys))


def panel(result, column, row):
    """A small picture of one program."""
    low, high = float(result.theirs.min()), float(result.theirs.max())
    right = WIDTH - MARGIN - 8
    return "\n".join(
        (
            f'<g transform="translate({MARGIN + column * WIDTH},{MARGIN + row * HEIGHT})">',
            f'<rect class="frame" width="{WIDTH - MARGIN}" height="{HEIGHT - MARGIN}" rx="4"/>',
            f'<text x="8" y="18">{html.escape(result.program.name)}</text>',
            f'<text class="small" x="{right}" y="18" text-anchor="end">'
            f"{high:.3g} to {low:.2g}</text>",
            f'<polyline class="theirs" points="{points(result.theirs, low, high)}"/>',
            f'<polyline class="ours" points="{points(result.ours, low, high)}"/>',
            "</g>",
        )
    )


def picture(results):
    """All panels as one SVG that needs nothing else."""
    rows = -(-len(results) // COLUMNS)
    width, height = COLUMNS * WIDTH + MARGIN, rows * HEIGHT + MARGIN
    panels = [panel(r, *reversed(divmod(i, COLUMNS))) for i, r in enumerate(results)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        'aria-label="Losses of each program, TensorFlow below and shims on top">\n'
        f"<style>{STYLE}\n</style>\n"
        f'<rect class="paper" width="{width}" height="{height}"/>\n'
    )
    return head + "\n".join(panels) + "\n</svg>\n"


def page(results):
    """The page around the picture."""
    rows = [
        f"| [{r.program.name}](../examples/tf1/{r.program.name}.py) | {r.program.what} | "
        f"{r.comparison.losses:.0e} | {r.comparison.variables:.0e} | `{r.comparison.worst}` | "
        f"{r.program.tolerance:.0e} |"
        for r in results
    ]
    reasons = {}
    for r in results:
        reasons.setdefault(r.program.reason, []).append(r.program.name)
    lines = [f"  - {', '.join(names)}: {reason}." for reason, names in reasons.items()]
    return TEXT.format(
        steps=50, picture=PICTURE.name, rows="\n".join(rows), reasons="\n".join(lines)
    )


def main():
    results = list(run_all())
    for result in results:
        print(result.comparison)
    PICTURE.write_text(picture(results))
    PAGE.write_text(page(results))
    return sum(not result.comparison.close for result in results)


if __name__ == "__main__":
    sys.exit(main())
