"""Models of Keras with the JAX back end, in a process of its own."""

import os
import subprocess
import sys

import pytest

from . import modules


@pytest.mark.long
def test_models_of_keras():
    program = os.path.join(os.path.dirname(modules.__file__), "keras_program.py")
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, timeout=400
    )
    assert done.returncode == 0, done.stderr
