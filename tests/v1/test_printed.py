"""Names, shapes and errors as TensorFlow 1 prints them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import shims.compat.v1 as tf
from tests.v1.printed_programs import PROGRAMS, printed


@pytest.fixture(scope="module")
def tensorflow_1() -> dict[str, str]:
    """What TensorFlow prints in version 1, asked of one process for all programs."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.printed_programs"],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_prints_what_tensorflow_prints(tensorflow_1, name):
    assert printed(tf, PROGRAMS[name]) == tensorflow_1[name]
