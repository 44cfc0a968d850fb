"""Large arrays on disk: the same elements, and what stands in for them once they are judged.

Numbers are copied, or computed twice by one NumPy: equality holds on every processor.
"""

from __future__ import annotations

import mmap
import pickle

import ml_dtypes
import numpy as np
import pytest

from tf2jax_port.diff.values import spill
from tf2jax_port.diff.values.pieces import pieces
from tf2jax_port.diff.values.spill import LEAST_BYTES, spilled, stand_in

LARGE = np.arange(LEAST_BYTES // 4, dtype=np.float32).reshape(2, -1).T


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int64, ml_dtypes.bfloat16, bool])
def test_a_large_array_is_the_same_read_only_and_not_in_memory(dtype):
    array = np.concatenate([LARGE, LARGE, LARGE, LARGE]).astype(dtype)
    found = spilled(array)
    assert not found.flags.owndata
    assert (found.dtype, found.shape, found.tobytes()) == (
        array.dtype,
        array.shape,
        array.tobytes(),
    )
    assert np.array_equal(pickle.loads(pickle.dumps(found)), array)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0


def test_what_is_there_is_not_written_again():
    found = spilled(LARGE)
    assert spilled(found) is found
    assert np.array_equal(spilled(found[::2]), LARGE[::2])
    assert np.array_equal(spilled(found + 1), LARGE + 1)


def test_what_was_looked_at_is_not_kept_in_memory(monkeypatch):
    found, said = spilled(LARGE), []

    class File:
        def madvise(self, advice):
            said.append(advice)

    monkeypatch.setattr(spill, "_file_of", lambda array: File() if array is found else None)
    assert sum(part.sum(dtype=float) for part, _ in pieces(found, LARGE)) == LARGE.sum(dtype=float)
    assert said == [mmap.MADV_DONTNEED]
    spill.release(LARGE)
    assert len(said) == 1


def test_it_can_be_looked_at_again():
    found = spilled(LARGE)
    for _ in range(2):
        assert sum(part.sum(dtype=float) for (part,) in pieces(found)) == LARGE.sum(dtype=float)


def test_a_small_one_and_one_of_text_stay_where_they_are(monkeypatch):
    for array in (LARGE[:5], np.full(LEAST_BYTES, "text", object)):
        assert spilled(array) is stand_in(array) is array

    def full(**_):
        raise OSError("no space left on device")

    monkeypatch.setattr(spill.tempfile, "TemporaryFile", full)
    assert spilled(LARGE) is LARGE


def test_a_stand_in_is_zero_constant_nan_or_equal_where_the_array_is():
    assert not stand_in(0 * LARGE).any()
    assert np.isnan(stand_in(np.nan * LARGE)).all()
    assert set(stand_in(0 * LARGE + 7)) == {7}
    sparse = 0 * LARGE
    sparse[-1, -1] = 1e-30
    assert stand_in(sparse).any()
    assert not np.isnan(stand_in(np.where(sparse > 0, 0, np.nan).astype(np.float32))).all()
    assert stand_in(LARGE).tobytes() == stand_in(LARGE.copy()).tobytes()
    assert stand_in(LARGE).tobytes() != stand_in(sparse).tobytes()
    assert stand_in(LARGE).nbytes < 1000
