"""Compute results of data-dependent size with NumPy in eager calls on a CPU, without compiling.

On a CPU NumPy can read the arrays without a copy, and results of any size need no compilation. Tapes
and derivatives need JAX's operations, so this module is never used when one is recorded.
"""

from __future__ import annotations

import numpy as np

from shims._src.platform import accelerators
from shims._src.platform import jax_private as jp

_FAST_DTYPES = frozenset("?bBhHiIlLqQfd")


def lies_here(*arrays) -> bool:
    """Return whether NumPy can compute on arrays: all concrete and on CPU, and no active tape."""
    if not jp.nothing_looks_on():
        return False
    return accelerators.on_cpu(*arrays) and all(
        type(x) is jp.ArrayImpl and x.dtype.char in _FAST_DTYPES and len(x.devices()) == 1
        for x in arrays
    )


def selected(x, mask: np.ndarray, axis: int):
    """Return the slices of `x` along `axis` where `mask` is true."""
    return jp.as_array_like(np.compress(mask, np.asarray(x), axis=axis), x)


def positions(condition, dtype):
    """Return the indices of the nonzero elements of an array, `[n, rank]`."""
    values = np.asarray(condition)
    found = np.atleast_1d(values).nonzero()
    rows = np.empty((len(found[0]), values.ndim), dtype)  # of a scalar: a row of no coordinates
    for column in range(values.ndim):
        rows[:, column] = found[column]
    return jp.as_array_like(rows, condition)


def first_occurrences(x: np.ndarray) -> np.ndarray:
    """Return for each element of a vector the index of the first element equal to it.

    NaN equals nothing, so each NaN has its own index.
    """
    places = np.arange(len(x), dtype=np.int32)
    if x.dtype.kind in "biu" and len(x):
        low, high = int(x.min()), int(x.max())
        if high - low <= 4 * len(x) + 1024:
            slots = x - x.dtype.type(low) if x.dtype.kind == "u" else x.astype(np.int64) - low
            first = np.empty(high - low + 1, np.int32)
            first[slots[::-1]] = places[
                ::-1
            ]  # in reverse, so that the first occurrence is written last
            return first[slots]
    order = np.argsort(x, kind="stable")
    ordered = x[order]
    starts = np.ones(len(x), bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    start = np.maximum.accumulate(np.where(starts, places, 0))
    first = np.empty(len(x), np.int32)
    first[order] = order[start]
    return first
