"""Every producer of sizes before every other operator gives what TensorFlow gives.

`make test-long` runs all pairs with other numbers every time, `make test` a few.
"""

import itertools
import random
from collections.abc import Callable

import jax
import numpy as np
import pytest

from . import pairs, sizes, tensorflow_answer
from .program import Input, Program, Ref
from .tally import Outcome, Tally

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
    some = itertools.islice(pairs.programs(seed=0, part=0, parts=400), 0, None, 12)
    assert run(some).excess() == []


def test_some_chains():
    assert run(pairs.chains(seed=0, part=0, parts=800)).excess() == []


@pytest.mark.parametrize("selected", [None, 0, 1])
def test_some_sizes(selected):
    # Some kinds of sizes; elements taken for a shape, whose rank is unknown, are refused.
    parts = len(sizes.SELECTIONS) * len(sizes.CUTS)
    first, step = (0, 27) if selected is None else (1 + selected, 24)
    kinds = (pairs.of_sizes(seed=0, part=part, parts=parts) for part in range(first, parts, step))
    some = itertools.chain.from_iterable(itertools.islice(kind, 1) for kind in kinds)
    tally = run(map(_with(selected), some))
    assert tally.programs > 2


def _with(selected: int | None) -> Callable[[Program], Program]:
    """Programs as they were written, or on data of which so many elements are selected."""
    return lambda program: program if selected is None else sizes.selecting(program, selected)


@pytest.mark.parametrize("kind", sizes.CUTS)
def test_each_cut_has_the_size_of_its_name(kind):
    formula, _, _ = kind.partition(":")
    for n in (1, 2, 5):
        x = Input("x", np.arange(1, n + 1, dtype=np.float32), (True,))
        written = sizes.Written([x])
        sizes.CUTS[kind](written, Ref("x"))
        found = tensorflow_answer.answer(Program((x,), tuple(written.growing.calls))).values[
            written.last
        ]
        if formula == "data":
            assert found.size < 2 * n
        else:
            assert found.size == max(eval(formula, {"n": n, "min": min, "max": max}), 0)


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
@pytest.mark.parametrize("selected", [None, 0, 1])
@pytest.mark.parametrize("part", range(PARTS))
def test_all_sizes(part, selected):
    seed = random.SystemRandom().randrange(2**32)
    tally = run(map(_with(selected), pairs.of_sizes(seed, part, PARTS)))
    wrong = [line for line in tally.excess() if not line.endswith(Outcome.REFUSED.value)]
    assert wrong == [], f"seed {seed}"


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_all_chains(part):
    seed = random.SystemRandom().randrange(2**32)
    tally = run(pairs.chains(seed, part, PARTS))
    assert tally.excess() == [], f"seed {seed}"
