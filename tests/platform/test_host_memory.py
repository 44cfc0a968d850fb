"""Arrays filled up and selected from on the host are what NumPy's own operations give.

Numbers are only copied: equality holds on every processor.
"""

import functools
import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from shims._src.platform import host_memory
from tests.harness.compare import assert_same_bits


@pytest.mark.parametrize("dtype", [np.float32, np.int8, bool, np.complex64, ml_dtypes.bfloat16])
@pytest.mark.parametrize(("shape", "full"), [((3,), (8,)), ((2, 3, 4), (4, 3, 8)), ((0,), (2,))])
def test_filled_up(dtype, shape, full):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    got = host_memory.filled_up(x, full)
    want = np.zeros(full, dtype)
    want[tuple(map(slice, shape))] = x
    assert_same_bits(got, want)
    assert got.size == 0 or got.ctypes.data % 64 == 0


def masks():
    random = np.random.default_rng(0)
    yield random.random(1000) < 0.5
    for pieces in ([0], [1000], [300, 700], [0, 500, 500], [1, 998, 1], [0, 1, 999]):
        yield np.concatenate([np.full(n, i % 2 == 0) for i, n in enumerate(pieces)])


@pytest.mark.parametrize("mask", list(masks()))
@pytest.mark.parametrize("axis", [0, 1])
def test_selected(mask, axis):
    size = mask.size
    x = np.arange(2 * size, dtype=np.float32).reshape((size, 2) if axis == 0 else (2, size))
    got = host_memory.selected(x, mask, axis)
    np.testing.assert_array_equal(got, np.compress(mask, x, axis))
    assert got.size == 0 or got.ctypes.data % 64 == 0


@pytest.mark.parametrize("count", [1, 2, 7])
def test_side_by_side(count):
    calls = [functools.partial(np.full, 3, i) for i in range(count)]
    for _ in range(3):  # with new threads, and with those that are there
        found = host_memory.side_by_side(calls)
        np.testing.assert_array_equal(found, np.repeat(np.arange(count), 3).reshape(count, 3))


@pytest.mark.parametrize("bad", [0, 3])
def test_side_by_side_raises_what_a_call_raises(bad):
    calls = [functools.partial(np.full, 3 if i != bad else -1, i) for i in range(4)]
    with pytest.raises(ValueError, match="negative"):
        host_memory.side_by_side(calls)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_side_by_side_after_a_fork():
    done = subprocess.run(
        [sys.executable, "-c", _FORKED], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


_FORKED = """
import functools, os, threading
import numpy as np
from shims._src.platform import host_memory

calls = [functools.partial(np.full, 3, i) for i in range(4)]
host_memory.side_by_side(calls)
child = os.fork()
if not child:
    threading.Timer(60, os._exit, (1,)).start()  # threads that are missing would be waited for
    np.testing.assert_array_equal(host_memory.side_by_side(calls)[3], [3, 3, 3])
    os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
