"""Store large arrays in temporary files, since a comparison keeps some twenty copies of each.

Every lane returns a gradient for every parameter and both cotangents, and the original is also run
in double precision and on perturbed inputs. For a hundred million parameters that does not fit in
memory.
"""

from __future__ import annotations

import hashlib
import mmap
import tempfile
from collections.abc import Mapping

import numpy as np

# Smaller arrays stay in memory.
LEAST_BYTES = 2 << 20
_FEW = 16


def spilled(array: np.ndarray) -> np.ndarray:
    """Move a large array to an unnamed temporary file, and return a read-only memory map of it.

    Small arrays stay in memory. The operating system caches as much of the file as fits in memory.
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
    """Advise the operating system that the memory of a memory-mapped array can be reused for now."""
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
    """Return a small array to keep in place of a large one that was judged.

    The small array shows whether the large one is zero, NaN or constant, and whether it equals
    another one.
    """
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
    """Apply `spilled` to every array of a dict."""
    return {path: None if array is None else spilled(array) for path, array in arrays.items()}
