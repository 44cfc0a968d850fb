"""The projects of examples/: each README leads from the original to the port that stands beside it, and to its proof."""

import importlib.util
import re
import shutil

import pytest

from tests.meta import tree
from tests.meta.pages import Reader, environment

PROJECTS = sorted(path.parent for path in (tree.ROOT / "examples").glob("*/original.py"))
MADE = ("port.py", "ledger.json")
COMPARES = re.compile(r"(?:\w+=\w+ )?(?:tf2jax-port (?:diff|record|verify)|python )")


FURTHER = {"grain_port.py": "grain", "flax_port.py": "flax"}  # what these need besides `test`
JUDGES = re.compile(r"tf2jax-port (?:diff|verify)|python -m pytest")


def assert_equal(reader):
    """Whether the commands that judge a port were run, and found no difference."""
    judged = {line: text for line, text in reader.ran.items() if JUDGES.search(line)}
    assert any("pytest" in line for line in judged)
    for line, text in judged.items():
        if "pytest" in line:
            assert re.search(r"^\d+ passed(?:, \d+ skipped)? in", text, re.MULTILINE), text
        else:
            assert "─ EQUAL ─" in text, text


def is_without(line):
    """Whether a command judges a port without TensorFlow."""
    return JUDGES.search(line) is not None and "tf2jax-port diff" not in line


def needs_more(line):
    """Whether a command runs a port that needs a library which is not installed."""
    needed = [library for port, library in FURTHER.items() if port in line]
    return any(importlib.util.find_spec(library) is None for library in needed)


def follow(project, tmp_path, skips=lambda line: False):
    """A reader of the README, in a copy of the project without what it makes."""
    work = tmp_path / "work"
    shutil.copytree(project, work, ignore=shutil.ignore_patterns(*MADE, "*.golden", "__pycache__"))
    reader = Reader(work, environment(tmp_path), lambda line: skips(line) or needs_more(line))
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
    reader = Reader(work, known, lambda line: not is_without(line) or needs_more(line))
    reader.follow(
        "".join(re.findall(r"```sh\n.*?```\n", (project / "README.md").read_text(), re.DOTALL))
    )
    assert_equal(reader)


def test_every_project_has_its_parts():
    assert len(PROJECTS) == 8
    for project in PROJECTS:
        names = {path.name for path in project.iterdir()}
        assert {"README.md", "cases.py", "test_port.py", *MADE} <= names
        assert any(name.endswith((".golden", ".npz")) for name in names)
