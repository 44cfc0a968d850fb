"""Large arrays on disk instead of in memory: a comparison holds some twenty of each.

Every lane gives a gradient for every parameter and both cotangents, the original some more times in double
precision and on moved inputs. For a hundred million parameters that is more than a machine has.
"""

from __future__ import annotations

import hashlib
import mmap
import tempfile
from collections.abc import Mapping

import numpy as np

# What is smaller stays where it is.
LEAST_BYTES = 2 << 20
_FEW = 16


def spilled(array: np.ndarray) -> np.ndarray:
    """The same array, read-only, in a file that nobody else sees; itself where it is small.

    The system keeps what there is room for in memory, and reads the rest when it is looked at.
    """
    if array.nbytes < LEAST_BYTES or array.dtype.hasobject or _file_of(array):
        return array
    try:
        with tempfile.TemporaryFile() as file:
            np.ascontiguousarray(array).tofile(file)
            file.flush()
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:  # no room on the disk
        return array
    return np.frombuffer(mapped, array.dtype).reshape(array.shape)


def release(array: np.ndarray) -> None:
    """Say that an array is not looked at for now: what is in a file need not be in memory, too."""
    file = _file_of(array)
    if file is not None and hasattr(mmap, "MADV_DONTNEED"):
        file.madvise(mmap.MADV_DONTNEED)


def _file_of(array: np.ndarray) -> mmap.mmap | None:
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    return owner if isinstance(owner, mmap.mmap) else None


def stand_in(array: np.ndarray) -> np.ndarray:
    """A few elements for a large array: zero, NaN, constant and equal to another where that is so."""
    if array.nbytes < LEAST_BYTES or array.dtype.hasobject:
        return array
    flat = array.reshape(-1)
    try:
        if np.all(flat == flat[0]) or (flat[0] != flat[0] and bool(np.all(flat != flat))):
            return flat[:_FEW].copy()
        digest = hashlib.sha256(np.ascontiguousarray(array).view(np.uint8)).digest()
        return np.frombuffer(digest, np.uint8).astype(array.dtype)
    finally:
        release(array)


def all_spilled(arrays: Mapping[str, np.ndarray | None]) -> dict[str, np.ndarray | None]:
    """Those of a result."""
    return {path: None if array is None else spilled(array) for path, array in arrays.items()}
