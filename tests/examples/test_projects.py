"""The projects of examples/: each README leads from the original to the port that stands beside it, and to its proof."""

import re
import shutil

import pytest

from tests.meta import tree
from tests.meta.pages import Reader, environment

PROJECTS = sorted(path.parent for path in (tree.ROOT / "examples").glob("*/original.py"))
MADE = ("port.py", "ledger.json")
COMPARES = re.compile(r"(?:\w+=\w+ )?(?:tf2jax-port (?:record|verify)|python )")


JUDGES = re.compile(r"tf2jax-port verify|python -m pytest")


def assert_equal(reader):
    """Whether the commands that judge a port were run, and found no difference."""
    judged = {line: text for line, text in reader.ran.items() if JUDGES.search(line)}
    assert len(judged) >= 2
    for line, text in judged.items():
        if "pytest" in line:
            assert re.search(r"^\d+ passed in", text, re.MULTILINE), text
        else:
            assert "─ EQUAL ─" in text, text


def follow(project, tmp_path, skips=lambda line: False):
    """A reader of the README, in a copy of the project without what it makes."""
    work = tmp_path / "work"
    shutil.copytree(project, work, ignore=shutil.ignore_patterns(*MADE, "*.golden", "__pycache__"))
    reader = Reader(work, environment(tmp_path), skips)
    reader.follow((project / "README.md").read_text())
    return reader


@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_the_port_is_what_the_readme_makes(project, tmp_path):
    reader = follow(project, tmp_path, COMPARES.match)
    for name in MADE:
        assert (reader.folder / name).read_text() == (project / name).read_text(), name


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_the_port_is_equal(project, tmp_path):
    """The original is recorded anew, and so judged by the TensorFlow that is installed."""
    reader = follow(project, tmp_path)
    assert_equal(reader)


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
def test_the_golden_judges_the_port(project, tmp_path):
    """What is committed fits together, and needs no TensorFlow."""
    work = tmp_path / "work"
    shutil.copytree(project, work)
    without = tmp_path / "without" / "tensorflow.py"
    without.parent.mkdir()
    without.write_text("raise ImportError('no TensorFlow here')\n")
    known = environment(tmp_path)
    known["PYTHONPATH"] = f"{without.parent}:{known['PYTHONPATH']}"
    reader = Reader(work, known, lambda line: not JUDGES.search(line))
    reader.follow(
        "".join(re.findall(r"```sh\n.*?```\n", (project / "README.md").read_text(), re.DOTALL))
    )
    assert_equal(reader)


def test_every_project_has_its_parts():
    assert len(PROJECTS) == 5
    for project in PROJECTS:
        names = {path.name for path in project.iterdir()}
        assert {"README.md", "cases.py", "test_port.py", *MADE} <= names
        assert any(name.endswith(".golden") for name in names)
