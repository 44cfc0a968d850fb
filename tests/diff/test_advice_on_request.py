"""What is probably wrong with a request is told: swapped functions, shapes that the original never takes."""

import pytest

from tf2jax_port.diff.sessions.advice import advice_on_request

NONE = "The original runs in no lane"


@pytest.mark.parametrize(
    ("old", "new", "headline", "inputs", "told"),
    [
        ("t", "j", NONE, "x: float32[n]", ["inputs"]),
        ("t", "j", NONE, "cases.py", []),
        ("t", "j", "The port runs in no lane", "x: float32[n]", []),
        ("j", "t", "The port runs in no lane", "x: float32[n]", ["original and port"]),
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
