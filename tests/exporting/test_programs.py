"""The programs of examples/tf1 become modules of JAX that are equal to their sessions."""

import os
import re
import subprocess
import sys

import pytest

from examples.tf1.programs import PROGRAMS

ROUTINE = ("boolean_mask", "cnn", "gcn")
# Why the optimizer of a program cannot be told.
OPTIMIZERS = {
    "bert": "the program assigns the variables itself",
    "char_rnn": "the global norm of gathered rows counts each row by itself",
    "seq2seq": "the global norm of gathered rows counts each row by itself",
}

# Runs a module where neither shims nor TensorFlow can be imported.
ALONE = """
import sys
sys.modules["shims"] = sys.modules["tensorflow"] = None
import inspect, jax, {name}
params = {name}.load_params()
takes = inspect.signature({name}.loss_fn).parameters
state = {{"state": {name}.load_state()}} if "state" in takes else {{}}
assert jax.tree.leaves(params) and callable({name}.train_step)
assert {name}.optimizer().init(params) is not None
assert not any(m.partition(".")[0] == "shims" and sys.modules[m] for m in sys.modules)
"""


@pytest.mark.parametrize(
    "name",
    [pytest.param(p.name, marks=[] if p.name in ROUTINE else [pytest.mark.long]) for p in PROGRAMS],
)
def test_a_program(name, export, tmp_path):
    report, path = export(name)
    assert "problem" not in report, report["problem"]
    assert {n: c["equal"] for n, c in report["check"].items()} == dict.fromkeys(
        ("loss", "gradients", "training"), True
    )
    assert report["check"]["training"]["steps"] == 50
    assert report["why_not"] == OPTIMIZERS.get(name, "")
    text = path.read_text()
    assert f"# {name}.py:" in text
    assert max(map(len, text.splitlines())) <= 110
    if name == "boolean_mask":
        assert "@shims.function" in text
        assert "shims.boolean_mask" in report["borrowed"]
        return
    assert report["borrowed"] == []
    assert not re.search(r"\b(shims|tf)\.", text)
    program = ALONE.format(name=f"{name}_jax")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, env=environment)


def test_what_a_colleague_reads(export):
    """The two blocks of the convolutional network are one function; penalties stay with the loss."""
    _, path = export("cnn", steps=1)
    text = path.read_text()
    assert text.count("def block(params, state, x, training):") == 1
    assert '"""Scopes `block1` and `block2` (cnn.py:34-39)."""' in text
    assert '    net = conv2d(x, params["conv2d"]["kernel"])  # cnn.py:34\n    if training:' in text
    assert '        + 0.001 * l2_loss(params["fc"]["kernel"])\n' in text
