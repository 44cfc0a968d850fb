"""Process large arrays in pieces, so that intermediate results stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tf2jax_port.diff.values.spill import release

PIECE = 1 << 16


def pieces(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Flatten arrays of the same shape and yield corresponding pieces of at most `PIECE` elements."""
    flat = [array.reshape(-1) for array in arrays]
    try:
        for start in range(0, flat[0].size, PIECE):
            yield tuple(one[start : start + PIECE] for one in flat)
    finally:
        for array in arrays:
            release(array)


def in_pieces(f: Callable[..., np.ndarray], *arrays: np.ndarray) -> np.ndarray:
    """Return `f(*arrays)` for an elementwise `f`, computed piece by piece."""
    first = arrays[0]
    if first.size <= PIECE:
        return f(*arrays)
    found: np.ndarray | None = None
    start = 0
    for parts in pieces(*arrays):
        part = f(*parts)
        if found is None:
            found = np.empty(first.size, part.dtype)
        found[start : start + part.size] = part
        start += part.size
    assert found is not None
    return found.reshape(first.shape)


def holds_anywhere(f: Callable[..., np.ndarray], *arrays: np.ndarray) -> bool:
    """Return whether an elementwise predicate is true for any element."""
    return any(bool(f(*parts).any()) for parts in pieces(*arrays))
