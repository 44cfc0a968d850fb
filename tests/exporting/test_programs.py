"""The programs of examples/tf1 become modules of JAX that are equal to their sessions."""

import os
import re
import subprocess
import sys

import pytest

from examples.tf1.programs import PROGRAMS

ROUTINE = ("boolean_mask", "cnn")
# Why the optimizer of a program cannot be told.
OPTIMIZERS = {
    "bert": "the program assigns the variables itself",
    "char_rnn": "the global norm of gathered rows counts each occurrence of a row separately",
    "seq2seq": "the global norm of gathered rows counts each occurrence of a row separately",
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


# What a colleague reads: blocks are one function, penalties stay with the loss, shapes are static.
SHOWN = {
    "cnn": (
        "def block(params, state, x, training):",
        '"""Scopes `block1` and `block2` (cnn.py:34-39)."""',
        '    net = conv2d(x, params["conv2d"]["kernel"])  # cnn.py:34\n    if training:',
        '        + 0.001 * l2_loss(params["fc"]["kernel"])\n',
    ),
    "gcn": ('static_argnames=("stored", "features_shape", "support_shape")',),
    "bert": ('"""Scopes `bert/encoder/layer_0` and `bert/encoder/layer_1`',),
    "dqn": ('q_next = net_scope(state["target_net"], s_2)',),
    "dynamic_rnn": ("        c, h = carry\n", "optax.clip_by_global_norm(1.0)"),
    "text_cnn": ('conv_maxpool(params["conv-maxpool-3"], embedded)',),
    "mlp": ("    return 0.1 * 0.8 ** jnp.floor(step / 20)\n",),
}


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
    for shown in SHOWN.get(name, ()):
        assert text.count(shown) == 1, text
    if name == "boolean_mask":
        assert "@shims.function" in text
        assert "shims.boolean_mask" in report["borrowed"]
        return
    assert report["borrowed"] == []
    assert not re.search(r"\b(shims|tf)\.", text)
    program = ALONE.format(name=f"{name}_jax")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path, env=environment)
