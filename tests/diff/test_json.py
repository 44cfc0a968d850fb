"""The JSON is what its published schema says, and says what the report says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from tf2jax_port.diff import compare
from tf2jax_port.diff.report.as_json import finite, to_data, to_json
from tf2jax_port.diff.vocabulary.verdicts import VERDICTS

from .reports import PAIRS, SMALL, report

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schemas" / "diff.schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


@pytest.mark.parametrize("kind", PAIRS)
def test_validates(kind):
    data = json.loads(to_json(report(kind)), parse_constant=refuse)
    VALIDATOR.validate(data)


def test_the_schema_can_refuse():
    data = to_data(report("equal"))
    for spoiled in ({**data, "verdict": "fine"}, {**data, "extra": 1}, {**data, "contract": "md5"}):
        assert list(VALIDATOR.iter_errors(spoiled))
    del data["reproduce"]
    assert list(VALIDATOR.iter_errors(data))


def test_every_verdict_has_a_report():
    assert {report(kind).verdict for kind in PAIRS} == set(VERDICTS)


def test_what_a_reader_needs_of_a_difference():
    data = to_data(report("different"))
    assert (data["verdict"], data["stage"], data["located"]) == ("different", "gradients", None)
    pairs = {tuple(pair["pair"]): pair for pair in data["lanes"]}
    assert len(pairs) == 10
    assert pairs["tf-eager", "jax-jit"]["stage"] == "gradients"
    assert pairs["tf-eager", "tf-xla"]["state"] == "equal"
    leaves = {leaf["leaf"]: leaf for leaf in data["leaves"]}
    assert leaves["output"]["state"] == "equal"
    worst = leaves["d/d x (ones)"]["worst"]
    assert worst == {
        "case": 0,
        "lanes": ["tf-eager", "jax-eager"],
        "index": [0],
        "old": 0.0,
        "new": 1.0,
        "absolute": 1.0,
        "relative": "Infinity",
        "mismatched": 1,
        "total": 3,
    }
    assert data["covered"]["cases"] == 2
    assert data["covered"]["outputs"] == 1
    assert data["covered"]["gradients"] == 2
    assert data["reproduce"].endswith("--seed 0 --no-x64 --case 0")


def test_the_contract_is_the_fingerprint_of_its_terms():
    data = to_data(report("equal"))
    text = json.dumps(data["terms"], sort_keys=True, separators=(",", ":"))
    assert data["contract"] == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_the_contract_changes_with_the_inputs_and_the_seed_and_not_with_the_port():
    def old(x):
        return 2 * x

    def contract(new, cases, seed=0):
        return compare(old, new, cases, seed=seed, x64=False).contract

    first = contract(lambda x: 2 * x, SMALL)
    assert contract(lambda x: 3 * x, SMALL) == first
    assert contract(lambda x: 2 * x, SMALL, seed=1) != first
    assert contract(lambda x: 2 * x, lambda: list(SMALL())[:1]) != first


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (-float("inf"), "-Infinity"),
        (1.5, 1.5),
        (True, True),
        (complex(1, float("nan")), [1.0, "NaN"]),
        (np.float64(2.0).item(), 2.0),
        ("text", "text"),
    ],
)
def test_numbers_that_json_lacks_are_words(value, said):
    assert finite(value) == said
