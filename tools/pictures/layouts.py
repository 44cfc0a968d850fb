"""Draw an array on its way through a program: padded, masked in place, packed, cut."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import shims
from tools.pictures import svg

X = np.array([3, -1, 4, -2, 5], np.float32)
CELL, LEFT, TOP, ROW = 46, 236, 16, 58


def selected(x):
    """Return the positive entries in order."""
    return jnp.sort(x[x > 0])


def rows() -> list[tuple[str, str, list[str], list[bool]]]:
    """Return the rows: title, explanation, the text of each slot, and whether the slot counts."""
    signature = [shims.TensorSpec([None])]
    padded = shims.function(selected, input_signature=signature, unpad=False)
    packed = padded(X)
    exact = shims.function(selected, input_signature=signature)(X)
    assert "masked in place" in padded.explain()
    inputs = shims.function(lambda x: x, input_signature=signature, unpad=False)(X)
    x, real = np.asarray(inputs.values), np.asarray(inputs.valid())
    kept, size = real & (x > 0), int(packed.sizes[0])
    return [
        ("x", f"the argument: {len(X)} numbers", _numbers(X), [True] * len(X)),
        ("x, padded", f"a capacity of {len(x)}, compiled once", _numbers(x), real.tolist()),
        (
            "y = x[x > 0]",
            f"masked in place: {kept.sum()} slots count",
            _numbers(x),
            kept.tolist(),
        ),
        (
            "jnp.sort(y)",
            f"packed: the first {size} slots count",
            _numbers(np.asarray(packed.values)),
            np.asarray(packed.valid()).tolist(),
        ),
        ("result", "cut to its size", _numbers(np.asarray(exact)), [True] * len(exact)),
    ]


def _numbers(values: np.ndarray) -> list[str]:
    return [f"{v:g}" for v in values]


def draw() -> str:
    """Return the picture."""
    parts = []
    found = rows()
    for i, (title, meaning, slots, counts) in enumerate(found):
        y = TOP + i * ROW
        parts += [svg.text(16, y + 16, title, "title"), svg.text(16, y + 33, meaning, "small")]
        for j, (slot, valid) in enumerate(zip(slots, counts, strict=True)):
            x = LEFT + j * CELL
            parts.append(svg.box(x, y, CELL - 4, 38, "valid" if valid else "unread"))
            color = "center" if valid else "center faint"
            parts.append(svg.text(x + CELL / 2 - 2, y + 24, slot, color))
    foot = TOP + len(found) * ROW + 4
    parts += [
        svg.box(LEFT, foot, 14, 14, "valid"),
        svg.text(LEFT + 20, foot + 11, "counts", "small"),
        svg.box(LEFT + 80, foot, 14, 14, "unread"),
        svg.text(LEFT + 100, foot + 11, "does not count: never read", "small"),
    ]
    label = (
        "Slots of an array: padded to its capacity, masked in place, packed, and cut to its size"
    )
    return svg.picture(LEFT + 8 * CELL + 12, foot + 26, label, parts)
