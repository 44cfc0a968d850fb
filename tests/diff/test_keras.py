"""Ports that use Keras: original and port run in processes of their own, each with its own back end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tf2jax_port.diff.functions.keras_use import backend_of, uses_keras
from tf2jax_port.diff.values.attempt import failure

ROOT = Path(__file__).parents[2]
OLD = """
import tensorflow as tf


class Focal(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        y_pred = tf.clip_by_value(y_pred, 1e-6, 1 - 1e-6)
        return tf.reduce_sum(-y_true * (1 - y_pred) ** 2 * tf.math.log(y_pred), axis=-1)


class Shifted(tf.keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return tf.nn.relu(x) * self.w + self.w[0]


def total(y_true, y_pred):
    return Shifted()(y_pred) + Focal()(y_true, y_pred)
"""
PORT = """
import jax
import jax.numpy as jnp
import shims.keras as keras


class Focal(keras.losses.Loss):
    def call(self, y_true, y_pred):
        y_pred = jnp.clip(y_pred, 1e-6, 1 - 1e-6)
        return jnp.sum(-y_true * (1 - y_pred) ** 2 * jnp.log(y_pred), axis=-1)


class Shifted(keras.layers.Layer):
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return jax.nn.relu(x) * self.w + self.w[0]


def total(y_true, y_pred):
    return Shifted()(y_pred) + Focal()(y_true, y_pred)
"""
CASES = """
import numpy as np


def cases():
    for n in (2, 3):
        yield tuple(np.random.default_rng(n).uniform(0.1, 0.9, (2, n, 3)).astype(np.float32))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("keras")
    texts = {"old": OLD, "port": PORT, "cases": CASES, "wrong": PORT.replace("** 2", "** 3")}
    for name, text in texts.items():
        (place / f"{name}.py").write_text(text)
    return place


def run(folder, *words, backend):
    environment = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"}
    environment |= {"KERAS_BACKEND": backend} if backend else {}
    paths = [str(ROOT), environment.get("PYTHONPATH", "")]
    return subprocess.run(
        [sys.executable, "-c", "from tf2jax_port.cli import main; main()", *words],
        cwd=folder,
        env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "backend", ["tensorflow", *(pytest.param(b, marks=pytest.mark.long) for b in ("", "jax"))]
)
def test_a_loss_and_a_layer_are_compared_with_their_port(folder, backend):
    done = run(
        folder, "diff", "old.py:total", "port.py:total", "--inputs", "cases.py", backend=backend
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Equal in every output and every gradient" in done.stdout
    assert "ran in separate processes" in done.stdout
    assert "tf2jax-port diff old.py:total port.py:total --inputs cases.py" in done.stdout


def test_a_recorded_loss_and_layer_are_verified(folder):
    words = ("record", "old.py:total", "--inputs", "cases.py", "-o", "a.golden")
    done = run(folder, *words, backend="jax")
    assert done.returncode == 0, done.stdout + done.stderr
    for port, code in (("port", 0), ("wrong", 1)):
        done = run(folder, "verify", "a.golden", f"{port}.py:total", backend="")
        assert done.returncode == code, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "do"),
    [
        (["--locate"], "run `diff` without --locate"),
        (["--steps", "3"], "run `diff` without --lane, --forward"),
        (["--no-isolate"], "remove --no-isolate"),
        (["--variables", "old.py:m", "--params", "port.py:m"], "use `capture` and `prove`"),
    ],
    ids=lambda x: x[0] if isinstance(x, list) else "",
)
def test_what_needs_one_process_is_refused_at_once(folder, words, do):
    given = ("diff", "old.py:total", "port.py:total", "--inputs", "cases.py", *words)
    done = run(folder, *given, backend="")
    assert done.returncode == 2
    assert "one back end per process" in done.stderr.replace("\n", " ")
    assert do in done.stderr
    assert "Traceback" not in done.stderr


def test_the_text_tells_who_uses_keras(tmp_path):
    texts = {
        "direct.py": "from keras import layers\n",
        "by_shims.py": "def f():\n    from shims import keras\n",
        "through.py": "from helpers import deep\n",
        "helpers/__init__.py": "",
        "helpers/deep.py": "from . import deeper\n",
        "helpers/deeper.py": "import shims.keras.backend\n",
        "of_tensorflow.py": "from tensorflow import keras\n",
        "none.py": "import jax, kerashelper\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {name for name in texts if uses_keras(f"{tmp_path}/{name}:f", ())}
    assert found == {
        "direct.py",
        "by_shims.py",
        "through.py",
        "helpers/deep.py",
        "helpers/deeper.py",
    }
    assert uses_keras("helpers.deep:f", [str(tmp_path)])
    backends = {name: backend_of(f"{tmp_path}/{name}:f", ()) for name in texts}
    assert backends["of_tensorflow.py"] == "tensorflow"
    assert backends["none.py"] == backends["by_shims.py"] == "jax"
    assert backends["direct.py"] is None


LAYER = (
    "Exception encountered when calling {name}.call().\n\n\x1b[1m{cause}\x1b[0m\n\n"
    "Arguments received by {name}.call():\n  • x=tf.Tensor(shape=(2,), dtype=float32)\n  • y: none"
)
OLD_LAYER = (
    'Exception encountered when calling layer "a" (type A).\n\n{cause}\n\n'
    'Call arguments received by layer "a" (type A):\n  • x: 3'
)
GRAPH = "in user code:\n\n    File \"a.py\", line 3, in f  *\n        g(x, y=': ')\n\n    {cause}\n"
SAID = "keras: Keras does not use the JAX back end.\n  Required: the back end\n  Do:       import `shims.keras` first"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAYER.format(name="A", cause="no such axis"), "no such axis"),
        (LAYER.format(name="A", cause=SAID), SAID.splitlines()[0]),
        (LAYER.format(name="M", cause=LAYER.format(name="A", cause="why: it is")), "why: it is"),
        (OLD_LAYER.format(cause="no such axis"), "no such axis"),
        (GRAPH.format(cause=f"ImportError: {SAID}"), f"ImportError: {SAID.splitlines()[0]}"),
        (LAYER.format(name="A", cause=GRAPH.format(cause="ValueError: no")), "ValueError: no"),
        (LAYER.format(name="A", cause=""), "Exception encountered when calling A.call()."),
    ],
)
def test_the_cause_of_an_error_in_a_layer_is_kept(text, reason):
    found = failure(ValueError(text))
    kind = "" if reason.startswith(("ImportError", "ValueError")) else "ValueError: "
    assert found.reason == kind + reason
    assert "\x1b" not in found.detail
