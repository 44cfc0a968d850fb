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
def tensorflow_1(request) -> dict[str, str]:
    """What TensorFlow prints in version 1, asked of one process for the programs of all tests that run."""
    tests = [item for item in request.session.items if item.path == request.path]
    names = [i.callspec.params["name"] for i in tests if "tensorflow_1" in i.fixturenames]
    done = subprocess.run(
        [sys.executable, "-m", "tests.v1.printed_programs"],
        input=json.dumps(names),
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
