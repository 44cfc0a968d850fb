"""Run tests that compute with Keras on JAX, in a process of their own: in this one Keras computes with TensorFlow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def passes(path: str, *, long: bool = False) -> None:
    """Assert that the tests of a file pass; with `long`, those of `make test-long`, too."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        path,
    ]
    command += ["-m", "long or not long" if long else "not long"]
    run = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stdout[-6000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
