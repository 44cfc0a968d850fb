"""Draw how the capacity of a size that nothing bounds grows from call to call."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np

import shims
from tools.pictures import svg

CALLS = (
    *([1, 2, 0, 3], [4, 1, 2, 2], [3, 30, 1, 0], [9, 9, 9, 9]),
    *([2, 2, 20, 2], [40, 40, 9, 1], [5, 5, 5, 5], [30, 30, 30, 30]),
)
BAR, LEFT, TOP, HEIGHT = 62, 50, 22, 180


@dataclasses.dataclass(frozen=True)
class Call:
    """One call: the needed size, the capacity of the result, and how often the program ran again."""

    needed: int
    capacity: int
    reruns: int


def calls() -> list[Call]:
    """Repeat rows as often as each call says, and read sizes and capacities from the results."""
    signature = [shims.TensorSpec([4], shims.int32)]
    fn = shims.function(
        lambda counts: shims.repeat(jnp.arange(4), counts), input_signature=signature, unpad=False
    )
    found, before = [], 0
    for counts in CALLS:
        result = fn(np.array(counts, np.int32))
        again, before = fn.stats().reruns - before, fn.stats().reruns
        found.append(Call(int(result.sizes[0]), result.values.shape[0], again))
    return found


def draw() -> str:
    """Return the picture: a bar for each call."""
    found = calls()
    top = max(call.capacity for call in found)

    def at(value: float) -> float:
        return TOP + HEIGHT * (1 - value / top)

    parts = []
    for i, call in enumerate(found):
        x = LEFT + i * BAR
        parts += [
            svg.box(x, at(call.capacity), BAR - 12, at(0) - at(call.capacity), "waste"),
            svg.box(x, at(call.needed), BAR - 12, at(0) - at(call.needed), "used"),
            svg.text(x + BAR / 2 - 6, at(0) + 16, call.needed, "center"),
            svg.text(x + BAR / 2 - 6, at(call.capacity) - 5, call.capacity, "small center"),
        ]
        if call.reruns:
            parts.append(svg.text(x + BAR / 2 - 6, at(0) + 32, "ran again", "small center"))
    foot = at(0) + 56
    parts += [
        svg.polyline([(LEFT - 8, at(0)), (LEFT + len(found) * BAR, at(0))], "axis"),
        svg.box(LEFT, foot - 11, 14, 14, "used"),
        svg.text(LEFT + 20, foot, "needed size (the number below)", "small"),
        svg.box(LEFT + 220, foot - 11, 14, 14, "waste"),
        svg.text(LEFT + 240, foot, "capacity (the number above)", "small"),
    ]
    label = "Needed size and capacity of eight calls; the capacity grows when a call needs more"
    return svg.picture(LEFT + len(found) * BAR + 20, int(foot) + 18, label, parts)
