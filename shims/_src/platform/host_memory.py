"""Create host arrays that JAX can use without a copy, and pad and compress arrays into them.

XLA uses a NumPy buffer in place if it is aligned to 64 bytes; NumPy's own arrays rarely are, and are
copied.
"""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
import math
import os

import numpy as np

_ALIGNMENT = 64
_LONG_RUN = 64  # copying runs beats picking elements where they are at least this long on average
_TINY = 1 << 12  # fewer bytes are copied by XLA as fast as they are aligned here
_SAMPLE = 1 << 12  # a mask that begins with short runs is taken to go on with them


def empty(shape, dtype) -> np.ndarray:
    """Allocate an uninitialized, aligned array."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    raw = np.empty(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


def filled_up(array: np.ndarray, shape) -> np.ndarray:
    """Pad an array with zeros at the end of each axis to a given shape; the result shares no memory."""
    if array.nbytes < _TINY and array.shape == tuple(shape):
        return array.copy()
    out = empty(shape, array.dtype)
    inside: list[slice] = []
    for have, size in zip(array.shape, shape, strict=True):
        if have < size:
            out[(*inside, slice(have, None))] = 0
        inside.append(slice(have))
    out[tuple(inside)] = array
    return out


# Starting threads takes as long as half of a selection; those of a parent are missing after a fork.
_threads: concurrent.futures.ThreadPoolExecutor | None = None


def _forget_threads() -> None:
    global _threads
    _threads = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def _thread_pool(count: int) -> concurrent.futures.ThreadPoolExecutor:
    global _threads
    if _threads is None:
        _threads = concurrent.futures.ThreadPoolExecutor(count, "shims-selection")
    return _threads


def side_by_side(calls) -> list:
    """Call functions without arguments in parallel on the available CPU cores; return their results."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    workers = min(cores, len(calls))
    if workers == 1:
        return [call() for call in calls]
    waiting = collections.deque(enumerate(calls))
    done = [None] * len(calls)

    def work():
        while waiting:
            try:
                i, call = waiting.popleft()
            except IndexError:  # another thread was quicker
                return
            done[i] = call()

    others = [_thread_pool(cores - 1).submit(work) for _ in range(workers - 1)]
    work()
    for other in others:
        other.result()
    return done


def _has_short_runs(mask: np.ndarray) -> bool:
    return bool((np.count_nonzero(mask[1:] != mask[:-1]) + 1) * _LONG_RUN > mask.size)


def selected(array: np.ndarray, mask: np.ndarray, axis: int) -> np.ndarray:
    """Return the entries along an axis for which a mask is true."""
    shape = [*array.shape]
    changes = None if _has_short_runs(mask[:_SAMPLE]) else mask[1:] != mask[:-1]
    if changes is None or (np.count_nonzero(changes) + 1) * _LONG_RUN > mask.size:
        places = np.flatnonzero(mask)
        shape[axis] = len(places)
        return np.take(array, places, axis, out=empty(shape, array.dtype), mode="clip")
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), mask.size]
    runs = [slice(a, b) for a, b in itertools.pairwise(edges) if a < b and mask[a]]
    shape[axis] = sum(run.stop - run.start for run in runs)
    out = empty(shape, array.dtype)
    ahead = (slice(None),) * axis
    place = 0
    for run in runs:
        end = place + run.stop - run.start
        out[(*ahead, slice(place, end))] = array[(*ahead, run)]
        place = end
    return out
