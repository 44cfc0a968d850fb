"""Models and optimizers of Keras with the JAX backend, in the files of Keras with TensorFlow."""

import subprocess
import sys

import pytest

from . import keras_programs
from .test_object_checkpoints import contents, edges


@pytest.mark.long
def test_the_same_files(tmp_path):
    for which in ("theirs", "ours"):
        command = [sys.executable, keras_programs.__file__, which, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=400)
        assert done.returncode == 0, done.stderr
    expected = contents(tmp_path / "theirs-1")
    for name in ("built_before", "built_after"):
        ours = contents(tmp_path / name)
        assert sorted(ours) == sorted(expected)
        for key, value in expected.items():
            assert (ours[key].dtype, ours[key].tobytes()) == (value.dtype, value.tobytes()), key
        keys = [[key for key, *_ in edges(tmp_path / file)] for file in (name, "theirs-1")]
        assert keys[0] == keys[1]
