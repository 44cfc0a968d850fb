"""`tf2jax-port weights` extracts the arrays that TensorFlow and Keras saved."""

import json

import numpy as np
import pytest
import tensorflow as tf
from click.testing import CliRunner

from tf2jax_port.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["weights", *map(str, arguments)])


@pytest.fixture
def saved(tmp_path):
    module = tf.Module()
    module.w = tf.Variable([[1.0, 2.0]])
    module.parts = {"a/b.c": tf.Variable(3)}
    tf.train.Checkpoint(m=module).write(tmp_path / "ckpt")
    tf.saved_model.save(module, tmp_path / "model")
    return tmp_path


@pytest.mark.parametrize(("path", "prefix"), [("ckpt", "m/"), ("ckpt.index", "m/"), ("model", "")])
@pytest.mark.parametrize("end", ["npz", "safetensors"])
def test_arrays(path, prefix, end, saved):
    out = saved / f"out.{end}"
    done = run(saved / path, "--out", out, "--format", "json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    names = {v["name"]: (v["dtype"], v["shape"]) for v in report["variables"]}
    expected = {f"{prefix}w": ("float32", [1, 2]), f"{prefix}parts/a/b.c": ("int32", [])}
    assert names == expected
    if end == "npz":
        arrays = dict(np.load(out))
    else:
        from safetensors.numpy import load_file

        arrays = load_file(out)
    assert arrays[f"{prefix}w"].tolist() == [[1, 2]]
    assert arrays[f"{prefix}parts/a/b.c"] == 3


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of Keras
def test_keras_files(saved):
    pytest.importorskip("h5py")
    keras = pytest.importorskip("keras")
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    model.save(saved / "m.keras")
    done = run(saved / "m.keras", "--out", saved / "k.npz")
    assert done.exit_code == 0, done.output
    kernel = np.load(saved / "k.npz")["layers/dense/vars/0"]
    np.testing.assert_array_equal(kernel, model.get_weights()[0])


@pytest.mark.parametrize("path", ["none", "empty", "text.keras", "text.h5"])
def test_errors(path, saved):
    (saved / "empty").mkdir()
    for name in ("text.keras", "text.h5"):
        (saved / name).write_text("text")
    done = run(saved / path)
    assert done.exit_code == 2
    assert "Traceback" not in done.output


def test_end_of_the_name(saved):
    done = run(saved / "ckpt", "--out", saved / "out.txt")
    assert done.exit_code == 2
    assert "must end with .npz or .safetensors" in done.output
