"""Draw capacities over sizes, and what they cost for lengths such as those of sentences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

import shims
from shims._src.function.signature import bucket_rule
from tools.pictures import svg

LARGEST = 128
OPTIONS: dict[str, Any] = {
    '"powers_of_two", the default': "powers_of_two",
    "[32, 64, 128]": [32, 64, 128],
    "lambda n: -(-n // 16) * 16": lambda n: -(-n // 16) * 16,
    "128": 128,
}
SIDE, GAP, LEFT, TOP = 170, 40, 44, 44


def lengths() -> np.ndarray:
    """Return the lengths of 200 calls: most are short, some are long."""
    drawn = np.random.default_rng(0).lognormal(3.6, 0.6, 200)
    return np.clip(np.rint(drawn), 2, LARGEST).astype(int)


def cost(buckets: Any) -> tuple[float, int]:
    """Call a function with all lengths; return the share of padding and the number of programs."""
    signature = [shims.TensorSpec([None])]
    fn = shims.function(jnp.sum, input_signature=signature, buckets=buckets, autograph=False)
    for n in lengths():
        fn(np.ones(n, np.float32))
    found = fn.stats()
    return found.waste, found.compilations


def _panel(x: float, y: float, title: str, rule: Callable[[int], int], found: tuple) -> list[str]:
    def at(size: float, capacity: float) -> tuple[float, float]:
        return x + SIDE * size / LARGEST, y + SIDE * (1 - capacity / LARGEST)

    steps = [n for n in range(1, LARGEST) if rule(n) != rule(n + 1)]
    stairs = []
    for low, high in itertools.pairwise([0, *steps, LARGEST]):
        stairs += [at(low, rule(high)), at(high, rule(high))]
    waste, programs = found
    words = f"{waste:.0%} padding, {programs} program{'s' if programs > 1 else ''}"
    return [
        svg.text(x, y - 22, title, "title"),
        svg.text(x, y - 6, words, "small"),
        svg.polygon([at(0, 0), *stairs, at(LARGEST, 0)], "waste"),
        svg.polygon([at(0, 0), at(LARGEST, LARGEST), at(LARGEST, 0)], "used"),
        svg.polyline(stairs, "line"),
        svg.polyline([at(0, LARGEST), at(0, 0), at(LARGEST, 0)], "axis"),
        *(svg.text(at(n, 0)[0], y + SIDE + 15, n, "small center") for n in (1, 32, 64, 96, 128)),
        *(svg.text(x - 6, at(0, n)[1] + 4, n, "small right") for n in (32, 64, 96, 128)),
    ]


def draw() -> str:
    """Return the picture: a panel for each option."""
    parts: list[str] = []
    for i, (title, buckets) in enumerate(OPTIONS.items()):
        row, column = divmod(i, 2)
        x, y = LEFT + column * (SIDE + 90), TOP + row * (SIDE + 70)
        parts += _panel(x, y, title, bucket_rule(buckets), cost(buckets))
    foot = TOP + 2 * (SIDE + 70) - 20
    distinct = len(set(lengths()))
    parts += [
        svg.box(LEFT, foot - 11, 14, 14, "used"),
        svg.text(LEFT + 20, foot, "size", "small"),
        svg.box(LEFT + 60, foot - 11, 14, 14, "waste"),
        svg.text(LEFT + 80, foot, "padding; the line is the capacity", "small"),
        svg.text(
            LEFT,
            foot + 20,
            f"200 calls with {distinct} different lengths: jax.jit alone compiles {distinct} programs.",
            "small",
        ),
    ]
    label = "Capacity over size for four values of buckets, with the share of padding of each"
    return svg.picture(LEFT + 2 * (SIDE + 90) - GAP, foot + 36, label, parts)
