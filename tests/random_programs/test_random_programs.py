"""Randomly composed programs give what TensorFlow gives: values, gradients, errors.

`make test` runs two hundred, always the same ones. `make test-long` runs as many as
`RANDOM_PROGRAMS` says (tests/README.md), other ones every time: what it finds gets a name in
`test_found.py`.
"""

import os
import random
import time

import hypothesis
import jax
import pytest

from . import strategy
from .tally import Tally

CHUNKS, PER_CHUNK = 8, 10
LONG_CHUNKS = 40
LONG_SECONDS = 3600 / LONG_CHUNKS * 2  # of two processes: an hour


def run(count: int, seed: int, seconds: float = float("inf")) -> Tally:
    """Checks up to `count` programs.

    Raises:
      AssertionError: of the smallest program that fails, as code.
    """
    tally, end = Tally(), time.monotonic() + seconds
    failed = []  # once something has, all that is left of the time goes into making it small

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy.programs())
    def check(program):
        if failed or time.monotonic() < end:
            try:
                tally.check(program)
            except AssertionError:
                failed.append(program)
                raise

    try:
        check()
    except AssertionError as error:
        error.add_note(f"seed {seed}")
        raise
    finally:
        jax.clear_caches()  # thousands of compiled programs would fill the memory
    return tally


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk):
    assert run(PER_CHUNK, seed=chunk).excess() == []


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(LONG_CHUNKS))
def test_many_programs(chunk):
    count = int(os.environ.get("RANDOM_PROGRAMS", "20000")) // LONG_CHUNKS
    seed = random.SystemRandom().randrange(2**32)
    tally = run(count, seed, LONG_SECONDS)
    assert tally.programs
    assert tally.excess() == [], f"seed {seed}"
