"""What a function does ends neither `record`, `verify` and `parity`, nor a run of pytest."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .test_command import ROOT
from .test_pytest_plugin import PLUGIN

pytestmark = pytest.mark.long

HOSTILE = """
import os, signal, time
import jax, jax.numpy as jnp, numpy as np

def good(x): return 3.0 * jnp.sin(x)

def bad(x):
    if isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer):
        n = int(x[0])
        if n == 1: os.kill(os.getpid(), signal.SIGSEGV)
        if n == 2: os._exit(7)
        if n == 3: time.sleep(100)
        if n == 4: raise SystemExit(3)
        if n == 5: os.fork()
    return 3.0 * jnp.sin(x)

def cases():
    for n in (0, 4, 5, 2, 1): yield (np.float32([n, 0.5]),)

def three():
    yield (np.float32([0, 0.5]),)
    yield (np.float32([3, 0.5]),)
"""
SUITE = """
import numpy as np, pytest
from hostile import bad, good, three

def old(x):
    import tensorflow as tf
    return 3.0 * tf.sin(x)

@pytest.mark.tf_parity(old, bad, three)
def test_without_an_end(): pass

@pytest.mark.tf_parity(old, good, "x: float32[3]")
def test_next(): pass
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile")
    (place / "hostile.py").write_text(HOSTILE)
    (place / "test_hostile.py").write_text(SUITE)
    return place


def call(folder, program, *words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def command(folder, *words):
    return call(folder, "from tf2jax_port.cli import main; main()", *words)


def test_record_keeps_what_there_is(folder):
    words = ("record", "hostile.py:bad", "--inputs", "hostile.py", "-o", "part.golden")
    done = command(folder, *words)
    assert done.returncode == 2, done.stderr
    assert "part.golden (3 cases, 2 of them with results" in done.stdout
    assert (
        "inputs: the function ended its process (exit code 7), in recording (case 3)" in done.stderr
    )
    assert "inputs: it crashed (SIGSEGV), in recording (case 4)" in done.stderr


def test_verify_reports_every_case(folder):
    words = ("hostile.py:good", "--inputs", "hostile.py", "-o", "whole.golden")
    assert command(folder, "record", *words).returncode == 0
    done = command(folder, "verify", "whole.golden", "hostile.py:bad")
    assert done.returncode == 2, done.stderr
    assert "SystemExit: 3 (case 1)" in done.stdout
    assert "JAX crashed (SIGSEGV) (case 4)" in done.stdout
    assert "(case 2)" not in done.stdout  # one of the two that a fork makes goes on


def test_pytest_goes_on(folder):
    words = (*PLUGIN, "--tf-timeout=20")
    program = "import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))"
    done = call(folder, program, *words, "test_hostile.py")
    assert "no result within 20 seconds, in JAX eager (case 1)" in done.stdout
    assert "1 failed, 1 passed" in done.stdout
