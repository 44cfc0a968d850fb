"""What `make lint` says stays nothing: style, format and types, with the settings of the project."""

import importlib.util
import subprocess
import sys

import pytest

from tests.meta import tree

TOOLS = {
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
    "types": ("mypy",),
}


def complaints(command, folder=tree.ROOT):
    """What a tool has to say about the files below a folder; nothing when it is content."""
    if importlib.util.find_spec(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed; the extra `test` has it")
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("what", TOOLS)
def test_nothing_to_complain(what):
    said = complaints(TOOLS[what])
    assert not said, said


@pytest.mark.parametrize(
    ("what", "text", "said"),
    [
        ("style", "import os\n", "`os` imported but unused"),
        ("format", "x=1\n", "would be reformatted"),
        ("types", "x: int = 'one'\n", "Incompatible types"),
    ],
)
def test_a_fault_is_found(tmp_path, what, text, said):
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\nfiles = ["."]\n')
    (tmp_path / "fault.py").write_text(text)
    assert said in complaints(TOOLS[what], tmp_path)
