"""Every producer of sizes before every other operator gives what TensorFlow gives.

`make test-long` runs all pairs with other numbers every time, `make test` a few.
"""

import itertools
import random

import jax
import pytest

from . import pairs
from .lanes import Tally

PARTS = 40


def run(programs) -> Tally:
    """Checks programs.

    Raises:
      AssertionError: of the first that fails, with its code.
    """
    tally = Tally()
    for program in programs:
        try:
            tally.check(program)
        except AssertionError as error:
            error.add_note(repr(program))
            raise
        if tally.programs % 10 == 0:
            jax.clear_caches()  # thousands of compiled programs would fill the memory
    return tally


def test_some_pairs():
    some = itertools.islice(pairs.programs(seed=0, part=0, parts=400), 0, None, 8)
    assert run(some).excess() == []


def test_some_chains():
    assert run(pairs.chains(seed=0, part=0, parts=500)).excess() == []


def test_each_program_begins_with_a_producer_that_all_others_use():
    program = next(iter(pairs.programs(seed=0, part=0, parts=40)))
    first, *others = program.calls
    assert first.row in [each.row for each in pairs.producers()]
    made = {*first.results}
    if others[0].row.name == "cast":
        made |= {*others[0].results}
    assert len(others) >= 2
    assert all(made & {*call.refs()} for call in others)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_all_pairs(part):
    seed = random.SystemRandom().randrange(2**32)
    tally = run(pairs.programs(seed, part, PARTS))
    assert tally.excess() == [], f"seed {seed}"


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_all_chains(part):
    seed = random.SystemRandom().randrange(2**32)
    tally = run(pairs.chains(seed, part, PARTS))
    assert tally.excess() == [], f"seed {seed}"
