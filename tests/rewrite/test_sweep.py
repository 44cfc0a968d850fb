"""The sweep of the rewriter by rule: its record is fresh, and what it met is said at the place."""

import pytest

from tf2jax_port.rewrite.sites import evidence
from tools.rewrite_sweep import page, pairs
from tools.rewrite_sweep.judging import written
from tools.rewrite_sweep.programs import all_programs
from tools.rewrite_sweep.runs import RECORD, key_of, known, lanes_of, read, run

SAMPLE = ("tile", "linspace", "one_hot")


def claims():
    """Programs whose record has a lane that raises or differs, though all their states say that it does not."""
    judged = read(RECORD)
    apart = {entry["program"] for entry in judged.values() if isinstance(entry, dict)}
    found = []
    for program in all_programs():
        if program.id not in apart:
            continue
        text, states, _ = written(program)
        lanes = lanes_of(judged.get(key_of(program, text)))
        wrong = [f"{lane} {s}" for lane, s in lanes.items() if s.startswith("different")]
        raised = [f"{lane} {s}" for lane, s in lanes.items() if s.startswith("raised")]
        if wrong or (raised and not {"review", "manual"} & {*states}):
            found.append((program.id, wrong + raised))
    return found


def test_no_state_claims_more_than_was_run():
    assert claims() == [], "run: python -m tools.rewrite_sweep"


def test_claims_are_found(monkeypatch):
    monkeypatch.setattr(evidence, "errors_met", dict)
    assert claims() != []


def test_sample_is_as_recorded():
    programs = [p for p in all_programs() if p.row in SAMPLE][::9]
    found = run(programs)
    assert [r["lanes"] for r in known(programs, read(RECORD))] == [r["lanes"] for r in found]
    assert page.counts(found)["eager"]["equal"] > len(found) / 2


def test_pairs_are_fresh():
    assert pairs.as_page() == pairs.FILE.read_text(), "run: python -m tools.rewrite_sweep"
    assert len(pairs.chosen()) == 30


@pytest.mark.long
def test_the_page_is_fresh():
    text = page.as_page(known(all_programs(), read(RECORD)))
    assert text == RECORD.with_suffix(".md").read_text(), "run: python -m tools.rewrite_sweep"
