"""Convert a program in a process of its own, as the command does."""

import json
import subprocess
import sys

import pytest

from examples.tf1.run import FOLDER


@pytest.fixture
def export(tmp_path):
    """A function that converts a program: of examples/tf1 by its name, or of the given text."""

    def convert(name, text=None, **fields):
        program = FOLDER / f"{name}.py"
        if text is not None:
            program = tmp_path / f"{name}.py"
            program.write_text(text)
        request, report = tmp_path / "request.json", tmp_path / "report.json"
        known = {"program": str(program), "arguments": [], "report": str(report)}
        known["out"] = str(tmp_path / f"{name}_jax.py")
        request.write_text(json.dumps({**known, **fields}))
        command = [sys.executable, "-m", "tf2jax_port.exporting.running", str(request)]
        subprocess.run(command, check=True, capture_output=True, cwd=FOLDER.parents[1])
        return json.loads(report.read_text()), tmp_path / f"{name}_jax.py"

    return convert
