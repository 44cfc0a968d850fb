"""What is probably wrong with a request is told: swapped functions, shapes that the original never takes."""

import sys

import pytest
from click.testing import CliRunner

from tests.diff import made_proof
from tf2jax_port.cli.prove import _tell_originals, capture
from tf2jax_port.diff.code_bases.call_file import read_calls
from tf2jax_port.diff.proofs.judging import judged
from tf2jax_port.diff.proofs.wording import headline, summary
from tf2jax_port.diff.sessions.advice import advice_on_request

NONE = "The original fails in every lane"


@pytest.mark.parametrize(
    ("old", "new", "headline", "inputs", "told"),
    [
        ("t", "j", NONE, "x: float32[n]", ["inputs"]),
        ("t", "j", NONE, "cases.py", []),
        ("t", "j", "The port fails in every lane", "x: float32[n]", []),
        ("j", "t", "The port fails in every lane", "x: float32[n]", ["original and port"]),
        ("both", "t", NONE, "cases.py", []),
    ],
)
def test_what_to_correct(tmp_path, old, new, headline, inputs, told):
    tensorflow, jax = "import tensorflow as tf\n", "from jax import numpy as jnp\n"
    for name, text in (("t", tensorflow), ("j", jax), ("both", tensorflow + jax)):
        (tmp_path / f"{name}.py").write_text(text)
    specs = [f"{tmp_path / name}.py:f" for name in (old, new)]
    found = advice_on_request("error", headline, *specs, inputs)
    assert [reason.what for reason in found] == told
    assert not advice_on_request("equal", headline, *specs, "cases.py")


def test_a_port_that_is_the_original_is_told(tmp_path, capsys):
    root = made_proof.write_root(tmp_path)
    calls = made_proof.calls_of("leaf")
    module = root / "package" / "module.py"
    for line, told in (("import tensorflow as tf\n", True), ("import shims as tf\n", False)):
        module.write_text(line + made_proof.SOURCE)
        _tell_originals(calls, root)
        assert ("imports TensorFlow" in capsys.readouterr().err) == told


def test_a_package_that_was_not_called_is_told(tmp_path):
    words = ["--package", "nowhere", "-o", str(tmp_path / "calls.npz"), "--"]
    done = CliRunner().invoke(capture, [*words, sys.executable, "-c", "pass"])
    assert done.exit_code == 0
    assert "No function of `nowhere` was called" in done.output
    proof = judged(read_calls(tmp_path / "calls.npz"), {}, tmp_path)
    assert headline(proof) == "Nothing is proved: no call was recorded"
    assert not summary(proof).startswith(",")
