"""The clock is read when a program runs, not when it is traced."""

import time
import warnings

import jax
import pytest

import shims


def test_the_clock_is_read_at_every_run():
    f = shims.function(lambda x: (x + 1, shims.timestamp()))
    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        before = time.time()
        times = [float(f(shims.constant(1.0))[1]), float(shims.timestamp())]
        time.sleep(0.01)
        times.append(float(f(shims.constant(1.0))[1]))
    assert before <= times[0] <= times[1] < times[2] <= time.time()
    assert times[2] - times[0] >= 0.01


def test_without_64_bits_a_warning_says_what_is_lost():
    with pytest.warns(UserWarning, match=r"(?s)two minutes.*At: .*test_clock.py.*jax_enable_x64"):
        found = shims.timestamp()
    assert found.dtype == shims.float32
    assert abs(float(found) - time.time()) <= 128
