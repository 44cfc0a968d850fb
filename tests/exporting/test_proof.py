"""The comparison finds what is wrong in a module; the command says what it cannot convert."""

import pathlib
import sys

import numpy as np
import pytest

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
def sides(tmp_path, monkeypatch):
    """A function that converts a program in this process, and plants a fault into the module."""
    from shims.compat import v1
    from tf2jax_port.exporting import inputs, proof, running, writing

    monkeypatch.setattr(sys, "path", list(sys.path))

    def compare(text, old, new):
        program = tmp_path / "program.py"
        program.write_text(text)
        with v1.Graph().as_default():
            step = running.first_step(str(program), [])
        found = writing.export(step, running.batch_of(step, inputs.Wanted()), "", inputs.Wanted())
        assert found.text.count(old) == 1, found.text
        found.text = found.text.replace(old, new)
        path = pathlib.Path(tmp_path) / "module.py"
        writing.save(found, path)
        checks = proof.prove(found, path, 5, 1e-4)
        return {name: check["equal"] for name, check in checks.items()}

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
            "(program.py:9): it draws random numbers in a loop",
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


def test_a_pipeline_becomes_an_argument(export):
    text = START.replace(
        'x = tf.placeholder(tf.float32, [None, 3], name="x")',
        "rows = tf.data.Dataset.from_tensor_slices(np.ones((8, 3), np.float32)).repeat().batch(4)\n"
        "x = rows.make_one_shot_iterator().get_next()",
    )
    report, _ = export("program", text + LOSS + STEP + END.replace(", {x:", ") #"), steps=3)
    assert all(check["equal"] for check in report["check"].values()), report
    assert [entry["shape"] for entry in report["inputs"].values()] == [[4, 3]]
