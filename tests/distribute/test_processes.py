"""Several processes, joined by `jax.distributed` on this machine, train to the numbers of one device."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import numpy as np
import pytest


def trained(count: int) -> list:
    """What each of several processes prints."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}
    command = [sys.executable, "-m", "tests.distribute.processes", port, str(count)]
    running = [
        subprocess.Popen(
            [*command, str(i)],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for i in range(count)
    ]
    found = [process.communicate() for process in running]
    assert not any(p.returncode for p in running), found
    return [json.loads(out.strip().splitlines()[-1]) for out, _ in found]


@pytest.fixture(scope="module")
def alone():
    (found,) = trained(1)
    return found


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.long)])
def test_numbers_are_those_of_one_device(count, alone):
    for found in trained(count):
        for got, want in zip(found, alone, strict=True):
            for a, b in zip(got, want, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)
