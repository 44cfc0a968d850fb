"""Strategies of several replicas compute what TensorFlow's do on four logical devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.harness.compare import Tolerance, differences

from .replicas import PROGRAMS

pytestmark = pytest.mark.long


def started(library: str):
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    command = [sys.executable, "-m", "tests.distribute.replicas", library]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture(scope="module")
def answers():
    """What both libraries give for each program."""
    running = [started(library) for library in ("shims", "tf")]
    found = [process.communicate() for process in running]
    assert not any(p.returncode for p in running), found
    return [json.loads(out.strip().splitlines()[-1]) for out, _ in found]


def leaves(value) -> list:
    if isinstance(value, list) and any(isinstance(x, (list, str)) for x in value):
        return [leaf for part in value for leaf in leaves(part)]
    return [value if isinstance(value, str) else np.array(value, np.float32)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(answers, name):
    got, want = (leaves(a[name]) for a in answers)
    assert [str(x) for x in got if isinstance(x, str)] == [x for x in want if isinstance(x, str)]
    numbers = [[x for x in side if not isinstance(x, str)] for side in (got, want)]
    assert not differences(*numbers, Tolerance(relative=2e-5, absolute=1e-6))
