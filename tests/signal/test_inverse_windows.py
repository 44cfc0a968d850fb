"""`signal.inverse_stft_window_fn`, which gives a function of sizes."""

import numpy as np
import pytest
import tensorflow as tf

import shims


@pytest.mark.symbols("signal.inverse_stft_window_fn", lanes=("eager", "function"))
def test_windows():
    for step, window, length in ((2, "hann", 4), (3, "hamming", 8), (4, "hann", 6)):
        found = []
        for m in (tf, shims):
            make = m.signal.inverse_stft_window_fn(step, getattr(m.signal, f"{window}_window"))
            found.append(
                [
                    make(length, dtype=m.float32),
                    m.function(lambda m=m, f=make, n=length: f(n, dtype=m.float32))(),
                ]
            )
        for theirs, ours in zip(*found, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_it_undoes_the_transform():
    x = np.random.default_rng(0).normal(size=64).astype(np.float32)
    inverse = shims.signal.inverse_stft_window_fn(4)
    spectrum = shims.signal.stft(x, 16, 4, pad_end=True)
    again = shims.signal.inverse_stft(spectrum, 16, 4, window_fn=inverse)
    np.testing.assert_allclose(again[16:48], x[16:48], atol=1e-5)
