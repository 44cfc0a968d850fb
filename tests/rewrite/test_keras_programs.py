"""Programs of `tf.keras` run in TensorFlow, what they are rewritten to in JAX, and give the same.

Keras has one back end in a process: all programs before the rewrite run in one, all after it in
another.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.meta import tree
from tests.rewrite import keras_loops, keras_programs
from tf2jax_port.rewrite import rewrite
from tf2jax_port.rewrite.knowledge import known as knowledge
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.rules.codes import RULES
from tf2jax_port.rewrite.rules.rule import Rewrites
from tf2jax_port.table.keras_ops import OPERATORS

# One worker runs all programs once.
pytestmark = pytest.mark.xdist_group("keras_programs")

EXAMPLES = {
    f"example {rule.code}-{index}": example
    for rule in RULES
    for index, example in enumerate(rule.examples)
    if isinstance(example, Rewrites) and example.runs and "keras" in example.after
}
PROGRAMS = {**keras_programs.programs(), **keras_loops.LOOPS}
SYMBOLIC = keras_programs.symbolic_programs()
# A loop whose optimizers become those of Optax: two models, in one function.
OPTAX = ("loop adversaries",)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What the page on Keras does three times, as TensorFlow does it. All start from the same weights.
TAPE = """
import numpy as np
import tensorflow as tf

keras = tf.keras
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(0.05)
x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(8, 3)
y = x.sum(axis=1, keepdims=True)
START
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = keras.losses.MeanSquaredError()(y, model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
y = 3 * model.get_weights()
"""
START = (
    "start = [np.cos(np.arange(w.size)).reshape(w.shape) for w in model.get_weights()]\n"
    "model.set_weights(start)\n"
)
# Where 64 bits are off, JAX has 32 in their place.
NARROWED = {"int64": "int32", "float64": "float32", "uint64": "uint32"}
TOLERANCE = {"optimizer Ftrl(0.1)": 1e-4}


def ran(codes, backend, folder):
    """`{name: arrays}` of programs in a fresh process."""
    jobs, results = folder / f"{backend}.json", folder / f"{backend}.npz"
    jobs.write_text(json.dumps(codes))
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.rewrite.keras_programs", jobs, results],
        check=True,
        capture_output=True,
        env={
            **os.environ,
            "KERAS_BACKEND": backend,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",  # each program is compiled and runs once
        },
    )
    with np.load(results) as stored:
        found = {}
        for index, name in enumerate(stored["names"]):
            found.setdefault(str(name).rpartition("/")[0], []).append(stored[f"r{index}"])
        return found


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    """What the programs of the tests that run computed, in TensorFlow and in JAX."""
    tests = [item for item in request.session.items if item.path == request.path]
    names = {i.callspec.params["name"] for i in tests if "results" in i.fixturenames}
    folder = tmp_path_factory.mktemp("keras")
    before = {**PROGRAMS, **{n: _run_by_harness(e.before) for n, e in EXAMPLES.items()}}
    before.update({name: eager for name, (eager, _) in SYMBOLIC.items()})
    before["page"] = TAPE.replace("START", START)
    written = {**PROGRAMS, **{name: functional for name, (_, functional) in SYMBOLIC.items()}}
    after = {name: rewrite(code.encode()).data.decode() for name, code in written.items()}
    after.update({name: e.after for name, e in EXAMPLES.items()})
    after.update({f"optax {name}": in_optax(PROGRAMS[name]) for name in OPTAX})
    blocks = BLOCK.findall((tree.ROOT / "docs" / "keras.md").read_text())
    page = "by_values = model.get_weights()\n".join(("".join(blocks[:2]), blocks[2]))
    page = page.replace("start = model.get_weights()\n", START)
    after["page"] = f"{page}y = [*stepped, *by_values, *fitted]\n"
    before = {n: code for n, code in before.items() if n in names}
    after = {n: code for n, code in after.items() if n.removeprefix("optax ") in names}
    return ran(before, "tensorflow", folder), ran(after, "jax", folder)


def _run_by_harness(code):
    """An example that sets the back end itself, without that line: TensorFlow runs it."""
    return code.replace("os.environ['KERAS_BACKEND'] = 'jax'\n", "")


def difference(theirs, ours, tolerance):
    """What sets two lists of arrays apart, `""` if nothing does."""
    if len(theirs) != len(ours):
        return f"{len(ours)} results instead of {len(theirs)}"
    for old, new in zip(theirs, ours, strict=True):
        if old.dtype.kind == "U" or new.dtype.kind == "U":
            if str(old) != str(new) or "Error" in str(old):
                return f"{new} instead of {old}"
            continue
        if NARROWED.get(old.dtype.name, old.dtype.name) != NARROWED.get(
            new.dtype.name, new.dtype.name
        ):
            return f"{new.dtype} instead of {old.dtype}"
        if old.shape != new.shape:
            return f"shape {new.shape} instead of {old.shape}"
        if not np.allclose(new, old, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"{new} instead of {old}"
    return ""


@pytest.mark.parametrize("name", [*PROGRAMS, *SYMBOLIC, *EXAMPLES, "page"])
def test_equal(name, results):
    theirs, ours = results
    assert difference(theirs[name], ours[name], TOLERANCE.get(name, 2e-5)) == ""


def in_optax(code):
    """A program whose optimizers are those of Optax."""
    written = rewrite(code.encode(), Options(optimizers="optax")).data.decode()
    assert "shims.optax" in written
    assert "keras.optimizers" not in written
    return written


@pytest.mark.parametrize("name", OPTAX)
def test_optax_makes_the_same_steps(name, results):
    theirs, ours = results
    assert difference(theirs[name], ours[f"optax {name}"], 1e-4) == ""


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_nothing_is_left_of_tensorflow(name):
    outcome = rewrite(PROGRAMS[name].encode())
    assert b"tensorflow" not in outcome.data
    assert not any(finding.state == "manual" for finding in outcome.findings)
    assert rewrite(outcome.data).data == outcome.data


def test_every_operator_of_symbolic_tensors_runs():
    """Operators that are written by the module of another one count under their own name."""
    found = [f for _, code in SYMBOLIC.values() for f in rewrite(code.encode()).findings]
    assert {f.code for f in found} <= {"TJ130", "TJ131", "TJ230", "TJ102"}, found
    written = {row_name(f.symbol) for f in found if f.code == "TJ131"}
    assert sorted(set(OPERATORS) - written) == []


def row_name(symbol):
    """The name of the row of an operator: `tf.nn.softplus` is `math.softplus`."""
    return knowledge.rows()[symbol.removeprefix("tf.")].name


def test_the_comparison_can_fail():
    one = np.ones(2, np.float32)
    assert difference([one], [one + 1e-3], 1e-4).endswith("instead of [1. 1.]")
    assert difference([one], [one.astype(np.float16)], 1e-4) == "float16 instead of float32"
    assert difference([one], [], 1e-4) == "0 results instead of 1"
    assert difference([np.asarray("a")], [np.asarray("b")], 1e-4) == "b instead of a"
