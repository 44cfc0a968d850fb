"""The notebook of examples/ shows what its cells print."""

import json
import os
import subprocess
import sys

import pytest

from tests.meta import tree
from tools import notebooks

TEXT = (tree.ROOT / notebooks.PATH).read_text()


@pytest.mark.long
def test_the_outputs_are_those_of_the_cells(tmp_path):
    """In a process of its own; it compares with the TensorFlow that is installed."""
    command = [sys.executable, "-m", "tools.notebooks", "--output", str(tmp_path / "run.ipynb")]
    known = dict(os.environ, PYTHONPATH=str(tree.ROOT), TF_CPP_MIN_LOG_LEVEL="3")
    done = subprocess.run(
        command, cwd=tree.ROOT, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.ipynb").read_text() == TEXT, "run `python -m tools.notebooks`"


def test_it_goes_from_scan_to_jit():
    code = [cell for cell in json.loads(TEXT)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert all(cell["outputs"] for cell in code)
    sources = "".join("".join(cell["source"]) for cell in code)
    steps = ["boolean_mask", "tf2jax-port scan", "tf2jax-port rewrite", ".diff(", "jax.jit"]
    assert sorted(steps, key=sources.index) == steps


def notebook(*sources):
    return {"cells": [{"cell_type": "code", "source": [text], "outputs": []} for text in sources]}


def test_cells_share_names_and_the_folder(tmp_path):
    made = notebook(
        "%%writefile number.py\nX = 3", "from number import X\n!cat number.py", "print(X)"
    )
    try:
        notebooks.run(made, tmp_path)
    finally:
        sys.path.remove(str(tmp_path / "work"))
        sys.modules.pop("number", None)
    printed = ["".join(cell["outputs"][0]["text"]) for cell in made["cells"]]
    assert printed == ["Writing number.py\n", "X = 3\n", "3\n"]


@pytest.mark.parametrize("cell", ["!exit 2", "1 / 0"])
def test_a_cell_that_fails_is_seen(cell, tmp_path):
    with pytest.raises((SystemExit, ZeroDivisionError)):
        notebooks.run(notebook(cell), tmp_path)
    sys.path.remove(str(tmp_path / "work"))
