"""The benchmark of planted faults: a sample here, all of it in the long tests."""

from __future__ import annotations

import pytest

from benchmarks.locate import measure
from benchmarks.locate.faults import FAULTS
from benchmarks.locate.ports import NAMES, edited, edited_lines, port_text
from benchmarks.locate.variations import right_ports
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT


def planted(program, chosen=slice(None)):
    """Some faults of a program."""
    return [fault for fault in FAULTS if fault.program == program][chosen]


def test_a_sample_is_found_at_its_lines_and_a_right_port_is_not_blamed(tmp_path):
    bench = measure.Bench(tmp_path)
    outcomes = [bench.fault(fault) for fault in planted("focal", slice(0, 1))]
    assert [(o.verdict, o.right_line) for o in outcomes] == [(DIFFERENT, True)]
    assert bench.right("focal", port_text("focal")).verdict == "equal"


def test_there_is_enough_of_everything():
    assert len(FAULTS) >= 80
    assert len({fault.kind for fault in FAULTS}) >= 25
    assert len(NAMES) >= 8
    assert any(len(fault.edits) > 1 for fault in FAULTS)
    texts = [text for _, text in right_ports(200)]
    assert len(set(texts)) == 200
    for text in texts:
        compile(text, "port", "exec")


def test_every_fault_is_an_edit():
    for fault in FAULTS:
        right = port_text(fault.program)
        text = edited(right, fault.edits)
        compile(text, "port", "exec")
        assert edited_lines(edited(right, fault.edits[1:]), text), fault


@pytest.mark.long
@pytest.mark.parametrize("program", NAMES)
def test_faults_are_found(program, tmp_path):
    bench = measure.Bench(tmp_path)
    missed = [f.kind for f in planted(program) if bench.fault(f).verdict != DIFFERENT]
    assert len(missed) <= 1, missed


@pytest.mark.long
@pytest.mark.parametrize("program", NAMES)
def test_no_right_port_is_blamed(program, tmp_path):
    bench = measure.Bench(tmp_path)
    texts = [text for name, text in right_ports(200) if name == program]
    blamed = [o.named for t in texts if (o := bench.right(program, t)).verdict == DIFFERENT]
    assert blamed == []
