"""The type stubs are what the generator writes, and type checkers understand programs with them."""

import ast
import re
import subprocess
import sys

import pytest

from tests.meta import tree

STALE = """
import json, sys
from tools import generate_stubs
from tools.data_files import ROOT
files = generate_stubs.generate()
found = {str(path.relative_to(ROOT)) for path in (ROOT / "shims").rglob("*.pyi")}
stale = [p for p, text in files.items() if p not in found or (ROOT / p).read_text() != text]
print(json.dumps([*stale, *(found - set(files))]))
print("keras" in sys.modules)
"""
PROGRAM = """\
import shims as tf
import shims.compat.v1 as tf1

v = tf.Variable([1.0, 2.0])
reveal_type(2.0 * v + 1.0)
v.assign_add([1.0, 1.0])
loss: tf.Variable = tf.math.log(tf.nn.relu(-v @ v))
x = tf1.placeholder(tf1.float32, [None])
with tf1.Session() as session:
    session.run(tf1.reduce_sum(x), {x: [1.0]})
tf.reduce_sum(v, axs=1)
tf.no_such_name(v)
tf.nn.no_such_name(v)
tf1.no_such_name(v)
"""


def run_mypy(file):
    words = ["-m", "mypy", "--config-file", "pyproject.toml", "--no-incremental", str(file)]
    done = subprocess.run(
        [sys.executable, *words], cwd=tree.ROOT, capture_output=True, text=True, check=False
    )
    return [line for line in done.stdout.splitlines() if line.startswith(str(file))]


def test_they_are_fresh():
    """In a process of its own, where no test has loaded Keras or changed a class."""
    done = subprocess.run(
        [sys.executable, "-c", STALE], cwd=tree.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\nFalse\n", "run `python -m tools.generate_stubs`"


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("__init__", {"Variable", "function", "reduce_sum", "TensorSpec", "float32"}),
        ("nn/__init__", {"relu", "softmax"}),
        ("compat/v1/__init__", {"placeholder", "Session", "get_variable"}),
    ],
)
def test_they_are_valid_and_hold_names(module, names):
    parsed = ast.parse((tree.ROOT / f"shims/{module}.pyi").read_text())
    bound = {getattr(node, "name", "") for node in parsed.body}
    for node in parsed.body:
        if isinstance(node, ast.AnnAssign):
            bound.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            bound |= {alias.asname for alias in node.names}
    assert names <= bound


@pytest.mark.long
def test_mypy_finds_what_is_wrong(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    lines = [re.sub(r"^.*?program.py:", "", line) for line in run_mypy(file)]
    assert lines[0].startswith("5: note: Revealed type is")
    assert "Array" in lines[0]
    wrong = {line.partition(":")[0] for line in lines if "error:" in line}
    assert wrong == {"11", "12", "13", "14"}, lines


@pytest.mark.long
def test_the_program_of_the_readme_passes(tmp_path):
    text = (tree.ROOT / "README.md").read_text()
    file = tmp_path / "readme.py"
    file.write_text("".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)))
    assert run_mypy(file) == []
