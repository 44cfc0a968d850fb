"""The comparison finds what is wrong in a module; the command says what it cannot convert."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.meta import tree
from tf2jax_port.cli import running_program

START = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 3], name="x")
w = tf.get_variable("model/w", initializer=np.full((3, 2), 0.5, np.float32))
hidden = tf.nn.dropout(tf.matmul(x, w), rate=0.25)
"""
END = """
session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(3):
    session.run(step, {x: np.arange(12, dtype=np.float32).reshape(4, 3) / 10})
raise SystemExit("it went on")
"""
LOSS = "loss = tf.reduce_mean(tf.square(hidden))\n"
STEP = "step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)\n"


@pytest.fixture
def sides(tmp_path):
    """A function that converts a program, and plants a fault into the module, in a process of its own.

    A TensorFlow 1 program changes what `tensorflow` does in its process.
    """

    def compare(text, old, new):
        program = tmp_path / "program.py"
        program.write_text(text)
        command = [sys.executable, "-m", "tests.exporting.planted", str(program), old, new]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tree.ROOT)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return compare


@pytest.mark.parametrize(
    ("old", "new", "equal"),
    [
        ("**2)", "**2)", (True, True, True)),
        ("jnp.mean(", "1e-3 + jnp.mean(", (False, True, False)),
        ("hidden**2", "lax.stop_gradient(hidden) * hidden", (True, False, False)),
        ("momentum=0.9", "momentum=0.8", (True, True, False)),
        (">= rate", "> 1 - rate", (False, False, False)),
    ],
)
def test_faults(sides, old, new, equal):
    new = new.replace("lax", "jax.lax")
    found = sides(START + LOSS + STEP + END, old, new)
    assert tuple(found.values()) == equal


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (START + "print(1)\n", "ended without a training step"),
        (START + "raise ValueError('spoiled')\n", "spoiled"),
        (
            START
            + "loss = tf.reduce_sum(tf.map_fn(lambda row: tf.nn.dropout(row, rate=0.5), hidden))\n"
            + STEP
            + END,
            "(program.py:9): the operation draws random numbers in a loop",
        ),
        (
            START
            + "loss = tf.reduce_sum(tf.while_loop(lambda v: tf.reduce_sum(v) < 9., lambda v: v * 2.,"
            " [hidden + 1.]))\n" + STEP + END,
            "number of iterations depends on data",
        ),
    ],
    ids=["no step", "an error", "noise in a loop", "a loop of unknown length"],
)
def test_what_is_refused(export, text, says):
    report, path = export("program", text)
    assert says in report["problem"]
    assert report["code"] == (1 if "program.py:9" in report["problem"][:120] else 2)
    assert not path.exists()


def test_inputs_that_are_not_named_are_constants(export):
    text = START.replace("rate=0.25", "rate=tf.placeholder_with_default(0.25, [], name='rate')")
    end = END.replace("/ 10}", "/ 10, 'rate:0': 0.5}")
    report, path = export("program", text + LOSS + STEP + end, inputs=["x:0"], outputs=["MatMul:0"])
    assert all(check["equal"] for check in report["check"].values())
    assert list(report["check"]) == ["loss", "gradients", "outputs", "training"]
    assert "RATE = 0.5\n" in path.read_text()
    assert list(report["inputs"]) == ["x"]
    with np.load(path.with_suffix(".npz")) as file:
        assert file.files == ["params/model/w"]


ESTIMATOR = """
import sys

import numpy as np
import tensorflow.compat.v1 as tf

def model_fn(features, labels, mode):
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    loss = tf.losses.mean_squared_error(labels, tf.matmul(features["x"], w))
    step = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

def input_fn():
    x = np.random.RandomState(0).randn(32, 3).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices(({"x": x}, x.sum(1, keepdims=True))).batch(8)

tf.estimator.Estimator(model_fn, sys.argv[1]).train(input_fn, steps=2)
"""


@pytest.mark.parametrize("head", ["", "disable_v2_behavior"], ids=["version 2", "version 1"])
def test_an_estimator(export, tmp_path, head):
    """Its session finalizes the graph; with the behavior of version 2, `==` of tensors is an operation."""
    text = ESTIMATOR.replace("as tf\n", f"as tf\ntf.{head}()\n") if head else ESTIMATOR
    report, path = export("program", text, arguments=[str(tmp_path / "model")], steps=5)
    assert "problem" not in report, report["problem"]
    assert {n: c["equal"] for n, c in report["check"].items()} == dict.fromkeys(
        ("loss", "gradients", "training"), True
    )
    assert [entry["shape"] for entry in report["inputs"].values()] == [[8, 3], [8, 1]]
    assert "adam(0.1)" in path.read_text()


def test_an_estimator_that_continues_a_training(export, tmp_path):
    """The module has no state of the optimizer, so the report says why the training differs."""
    restored = ESTIMATOR.replace("tensorflow.compat.v1", "shims.compat.v1")
    program = tmp_path / "before.py"
    program.write_text(restored)
    command = [sys.executable, program, tmp_path / "model"]
    environment = {**os.environ, "PYTHONPATH": str(tree.ROOT)}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    report, _ = export("program", ESTIMATOR, arguments=[str(tmp_path / "model")], steps=5)
    training = report["check"].pop("training")
    assert all(check["equal"] for check in report["check"].values())
    assert (training["equal"], training["steps_before"]) == (False, 2)
    assert "continues a training run of 2 steps" in running_program._check_line(
        "training", training
    )


def test_a_pipeline_becomes_an_argument(export):
    text = START.replace(
        'x = tf.placeholder(tf.float32, [None, 3], name="x")',
        "rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).repeat().batch(4)\n"
        "x = rows.make_one_shot_iterator().get_next()",
    )
    report, _ = export("program", text + LOSS + STEP + END.replace(", {x:", ") #"), steps=3)
    assert all(check["equal"] for check in report["check"].values()), report
    assert [entry["shape"] for entry in report["inputs"].values()] == [[4, 3]]
