"""Define the operands of a call: arrays, selections of them, sizes, and plain Python values."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

SLOTS = 6
# How many of the slots are selected.
MASKS = {
    "full": np.array([True] * SLOTS),
    "some": np.array([True, False, True, False, False, True]),
    "one": np.array([False, False, False, True, False, False]),
    "none": np.array([False] * SLOTS),
}
AMOUNTS = tuple(MASKS)


@dataclasses.dataclass(frozen=True)
class Chosen:
    """A selection: the array of a kind, cut by the mask along `AXES[kind]`."""

    kind: str
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class Fixed:
    """An array of static shape."""

    kind: str
    seed: int = 0


@dataclasses.dataclass(frozen=True)
class Size:
    """The number of selected slots, plus `more`."""

    more: int = 0


LEAVES = (Chosen, Fixed, Size)
_FLOATS = np.array([0.5, -0.25, 0.75, 0.125, -0.625, 0.375, 0.875, -0.5], np.float32)
_INTEGERS = np.array([1, 0, 2, 1, 2, 0, 1, 1], np.int32)


def _floats(shape, seed):
    number = int(np.prod(shape))
    wave = np.cos(np.arange(number) * (1.7 + 0.31 * seed)) / 16
    return (np.resize(np.roll(_FLOATS, seed), number) + wave).astype(np.float32).reshape(shape)


def _positive(shape, seed):
    return (np.abs(_floats(shape, seed)) + np.float32(0.125)).astype(np.float32)


def _square(size, seed):
    x = _floats((size, size), seed) / 4
    return (x @ x.T + np.diag(1.0 + 0.5 * np.arange(size))).astype(np.float32)


# Arrays that a mask selects from, with the axes that it cuts.
SELECTED = {
    "floats": (lambda seed: _floats((SLOTS,), seed), (0,)),
    "integers": (lambda seed: np.roll(_INTEGERS[:SLOTS], seed), (0,)),
    "booleans": (lambda seed: np.roll(_INTEGERS[:SLOTS], seed) > 0, (0,)),
    "rows": (lambda seed: _floats((SLOTS, 3), seed), (0,)),
    "columns": (lambda seed: _floats((3, SLOTS), seed), (1,)),
    "square": (lambda seed: _square(SLOTS, seed), (0, 1)),
    "stack": (lambda seed: np.stack([_square(3, seed + i) for i in range(SLOTS)]), (0,)),
    "complexes": (lambda seed: (_floats((SLOTS,), seed) * (1 + 0.5j)).astype(np.complex64), (0,)),
    "increasing": (lambda seed: np.arange(SLOTS, dtype=np.float32) / 4 + seed, (0,)),
    "positive": (lambda seed: _positive((SLOTS,), seed), (0,)),
    "unsigned": (lambda seed: np.roll(_INTEGERS[:SLOTS], seed).astype(np.uint32), (0,)),
    "signal": (lambda seed: _floats((1, 1, SLOTS), seed), (2,)),
    "batch": (lambda seed: _floats((SLOTS, 2, 5), seed), (0,)),
    "pairs": (lambda seed: np.stack([_INTEGERS[:SLOTS], _INTEGERS[:SLOTS][::-1]], 1), (0,)),
    "positions": (lambda seed: _INTEGERS[:SLOTS, None], (0,)),
    "sequence": (lambda seed: _floats((1, SLOTS, 2, 4), seed), (1,)),
    "image": (lambda seed: _floats((SLOTS, 4, 3), seed), (0,)),
}
AXES = {kind: axes for kind, (_, axes) in SELECTED.items()}
FIXED = {
    "floats": lambda seed: _floats((3,), seed),
    "integers": lambda seed: np.roll(_INTEGERS[:3], seed),
    "booleans": lambda seed: np.array([True, False, True]),
    "matrix": lambda seed: _square(3, seed),
    "two": lambda seed: _floats((2,), seed),
    "two_integers": lambda seed: np.array([0, 1], np.int32),
    "two_matrix": lambda seed: _square(2, seed),
    "tall": lambda seed: _floats((3, 2), seed),
    "scalar": lambda seed: np.float32(0.5 + 0.25 * seed),
    "integer": lambda seed: np.int32(1),
    "boolean": lambda seed: np.bool_(True),
    "increasing": lambda seed: np.arange(4, dtype=np.float32) / 4 + seed,
    "stack": lambda seed: np.stack([_square(3, seed + i) for i in range(2)]),
    "complexes": lambda seed: (_floats((3,), seed) * (1 + 0.5j)).astype(np.complex64),
    "positions": lambda seed: np.array([[0], [1]], np.int32),
    "scalar_row": lambda seed: np.array([2.5], np.float32),
    "kernel": lambda seed: _floats((1, 1, 2), seed),
    "batch": lambda seed: _floats((2, 5, 3), seed),
    "sequence": lambda seed: _floats((1, 3, 2, 4), seed),
    "positive": lambda seed: _positive((3,), seed),
}


def is_leaf(x: Any) -> bool:
    """Return whether a part of an argument is an operand or a plain value, not a container of them."""
    return isinstance(x, LEAVES) or not isinstance(x, (list, tuple)) or hasattr(x, "_fields")


def leaves(arguments: Any) -> list[Any]:
    """Return the operands and plain values of nested arguments."""
    return jax.tree.leaves(arguments, is_leaf=is_leaf)


def array_of(leaf: Chosen | Fixed) -> np.ndarray:
    """Return the whole array of an operand."""
    if isinstance(leaf, Chosen):
        return SELECTED[leaf.kind][0](leaf.seed)
    return FIXED[leaf.kind](leaf.seed)


def selected(x: Any, axes: tuple[int, ...], mask: Any) -> Any:
    """Select slots along axes, by boolean indexing as a user writes it."""
    for axis in axes:
        x = x[(slice(None),) * axis + (mask,)]
    return x


def filled(arguments: Any, cut: list[Any], size: Any) -> Any:
    """Replace the operands in nested arguments: selections by `cut`, in order, sizes by `size`."""
    rest = iter(cut)

    def value(leaf):
        match leaf:
            case Chosen():
                return next(rest)
            case Fixed():
                return jnp.asarray(array_of(leaf))
            case Size():
                return size + leaf.more if leaf.more else size
        return leaf

    return jax.tree.map(value, arguments, is_leaf=is_leaf)
