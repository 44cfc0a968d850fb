"""The ledger that programs read is what its schema says."""

import json
import pathlib

import jsonschema
import pytest

SCHEMA = json.loads(
    (pathlib.Path(__file__).parents[2] / "docs/schemas/ledger.schema.json").read_text()
)
CHECK = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("command", ["scan . --format json", "rewrite . --format json"])
def test_standard_output(project, run, command):
    result = run(*command.split())
    document = json.loads(result.stdout)
    CHECK.validate(document)
    assert result.exit_code == 1
    assert document["totals"]["states"] == {
        "rewritten": 1,
        "review": 1,
        "shim": 1,
        "kept": 1,
        "manual": 3,
    }
    assert document["blockers"] == [{"symbol": "tf.foo", "references": 3}]
    efforts = {file["path"]: file["effort"] for file in document["files"]}
    assert efforts == {
        "app/corner.py": 0.25,
        "app/ops.py": 0,
        "app/deep/model.py": 2,
        "train.py": 1,
    }
    assert "broken.py: TJ901" in result.stderr


def test_the_report(project, run):
    result = run("rewrite", ".", "--report", "ledger.json")
    assert "wrote ledger.json\n" in result.stderr
    document = json.loads((project / "ledger.json").read_text())
    CHECK.validate(document)
    assert document == json.loads(run("scan", ".", "--format", "json", "--target", "jax").stdout)


def test_a_report_that_cannot_be_written(project, run):
    result = run("rewrite", ".", "--report", "gone/ledger.json")
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: gone/ledger.json: No such file or directory\n")


def test_the_schema_can_fail(project, run):
    document = json.loads(run("scan", ".", "--format", "json").stdout)
    document["files"][0]["findings"][0]["state"] = "done"
    with pytest.raises(jsonschema.ValidationError):
        CHECK.validate(document)
