"""Programs with random changes are rewritten to programs, or refused."""

import pytest

from tests.hard_knocks import mutated_sources
from tests.hard_knocks.mutated_sources import REFUSED, REWRITTEN


def test_mutants():
    found = mutated_sources.counts(150)
    assert found[REWRITTEN] > 30
    assert found[REFUSED] > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 11))
def test_more_mutants(seed):
    mutated_sources.counts(3000, seed)


def test_a_rewriting_that_breaks_a_program_is_seen(monkeypatch):
    class Broken:
        data = b"def"

    monkeypatch.setattr(mutated_sources, "rewrite", lambda program: Broken)
    with pytest.raises(AssertionError, match="does not parse"):
        mutated_sources.outcome(b"import tensorflow as tf\n")
