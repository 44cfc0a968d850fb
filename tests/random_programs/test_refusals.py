"""What TensorFlow refuses of selections is refused, with the same class, eagerly and from a function."""

import random

import jax
import pytest

from . import refusals
from .test_pairs import run

NOTHING, SOME = [False, False, False], [True, False, True]
PARTS = 4


@pytest.mark.parametrize(
    "kept", [pytest.param(NOTHING, marks=pytest.mark.long), SOME], ids=["nothing", "some"]
)
def test_some_refusals(kept):
    assert run(refusals.programs(0, kept, 0, 4 * PARTS)).programs > 5


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kept", [NOTHING, SOME], ids=["nothing", "some"])
def test_all_refusals(kept, part):
    seed = random.SystemRandom().randrange(2**32)
    try:
        assert run(refusals.programs(seed, kept, part, PARTS)).programs > 20, f"seed {seed}"
    finally:
        jax.clear_caches()
