"""SARIF 2.1.0: what its schema demands of what we write, without fetching it."""

import json
import re

import pytest

from tf2jax_port.formats import release
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.ledger import Ledger
from tf2jax_port.rewrite.rules.codes import RULES
from tf2jax_port.scanning import as_sarif

LEVELS = {"none", "note", "warning", "error"}


def check(document):
    """The essentials of the schema, each an assertion that can fail."""
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-2.1.0.json")
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "tf2jax-port"
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", driver["semanticVersion"])
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["name"]
        if "helpUri" in rule:
            assert re.fullmatch(rf"https://\S+/rules/{rule['id']}\.md", rule["helpUri"])
        assert {"text", "markdown"} == set(rule["help"])
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
        assert rule["defaultConfiguration"]["level"] in LEVELS
    assert run["columnKind"] == "unicodeCodePoints"
    for base in run["originalUriBaseIds"].values():
        assert base["uri"].startswith("file:///")
        assert base["uri"].endswith("/")
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["message"]["text"]
        (location,) = result["locations"]
        physical = location["physicalLocation"]
        artifact = physical["artifactLocation"]
        assert re.fullmatch(r"[!-~]+", artifact["uri"])
        assert artifact.get("uriBaseId", "ROOT") in run["originalUriBaseIds"]
        region = physical["region"]
        start = (region["startLine"], region.get("startColumn", 1))
        end = (region.get("endLine", start[0]), region.get("endColumn", start[1]))
        assert (1, 1) <= start <= end
    return run


def document_of(run, *words):
    return json.loads(run("scan", *words, "--format", "sarif").stdout)


def test_the_document(project, run):
    found = check(document_of(run, "."))
    assert [rule["id"] for rule in found["tool"]["driver"]["rules"]] == [r.code for r in RULES]
    results = {
        (r["ruleId"], r["level"], r["properties"]["symbol"] if "properties" in r else "")
        for r in found["results"]
    }
    assert results == {
        ("TJ101", "note", "tf.square"),
        ("TJ201", "warning", "tf.maximum"),
        ("TJ301", "warning", "tf.foo"),
        ("TJ401", "note", "tf.unique"),
        ("TJ502", "none", "tf.bar"),
        ("TJ901", "error", ""),
    }
    (notification,) = found["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("TJ901: line 2: ")


def test_regions_are_the_text(project, run):
    """What stands between start and end of a region is its snippet."""
    seen = 0
    for result in check(document_of(run, "."))["results"]:
        physical = result["locations"][0]["physicalLocation"]
        region = physical["region"]
        if "snippet" not in region:
            continue
        lines = (project / physical["artifactLocation"]["uri"]).read_text().split("\n")
        lines = lines[region["startLine"] - 1 : region["endLine"]]
        lines[-1] = lines[-1][: region["endColumn"] - 1]
        lines[0] = lines[0][region["startColumn"] - 1 :]
        assert "\n".join(lines) == region["snippet"]["text"]
        seen += 1
    assert seen == 7


def test_paths_with_other_letters_are_quoted(project, run):
    (project / "ein Ödland.py").write_text("import tensorflow as tf\ntf.foo\n")
    uris = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for r in check(document_of(run, "ein Ödland.py"))["results"]
    ]
    assert uris == ["ein%20%C3%96dland.py"]


def test_files_elsewhere_have_their_whole_path(project, run, tmp_path_factory):
    file = tmp_path_factory.mktemp("else") / "a.py"
    file.write_text("import tensorflow as tf\ntf.foo\n")
    (result,) = check(document_of(run, file))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": file.as_uri()}


def test_every_state_has_a_level():
    assert {as_sarif.level(state) for state in (*State, None)} == LEVELS


def test_the_pages_have_an_address_where_the_package_names_one(monkeypatch):
    assert release.documentation() == ""

    class Metadata:
        def get_all(self, _):
            return ["Source, https://example.com/s", "Documentation, https://example.com/d/"]

    monkeypatch.setattr(release.metadata, "metadata", lambda _: Metadata())
    assert release.documentation() == "https://example.com/d"
    found = as_sarif.to_document(Ledger("jax", (), ()))
    assert found["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"] == (
        f"https://example.com/d/rules/{RULES[0].code}.md"
    )


def damaged(document, *path, value):
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), "2.0.0"),
        (("runs", 0, "results", 0, "level"), "info"),
        (("runs", 0, "results", 0, "ruleIndex"), 0),
        (("runs", 0, "results", 0, "message", "text"), ""),
        (
            ("runs", 0, "results", 0, "locations", 0, "physicalLocation", "region", "startLine"),
            0,
        ),
        (("runs", 0, "tool", "driver", "rules", 0, "helpUri"), "docs/rules/TJ101.md"),
    ],
)
def test_the_check_can_fail(project, run, path, value):
    document = document_of(run, "train.py")
    check(document)
    with pytest.raises(AssertionError):
        check(damaged(document, *path, value=value))
