"""Programs on eight devices: masked reductions, packing, collectives of sizes, arrays of explicit meshes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.table import rows

CHECKS = [
    "check_masked_reductions",
    "check_gradients",
    "check_packing",
    "check_collectives_of_sizes",
    "check_collectives_in_branches",
    "check_branches_of_rows",
    "check_explicit_operands",
]


def output_of(module: str, *arguments: str, devices: int = 8) -> str:
    """Run a module in a process of its own: the number of devices is fixed when JAX starts."""
    flags = f"--xla_force_host_platform_device_count={devices}"
    run = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "XLA_FLAGS": flags},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def printed():
    return output_of("tests.tracing.sharded_programs")


@pytest.mark.xdist_group("eight devices")
@pytest.mark.parametrize("check", CHECKS)
def test_eight_devices(printed, check):
    found = [line for line in printed.splitlines() if line.startswith(check)]
    assert found == [f"{check} holds"], printed


@pytest.mark.xdist_group("eight devices")
@pytest.mark.parametrize("part", ["a part", pytest.param("whole", marks=pytest.mark.long)])
def test_loops_and_branches(part):
    assert output_of("tests.tracing.sharded_loops", part, devices=2) == "done\n"


@pytest.mark.long
@pytest.mark.parametrize("row", rows.parameters())
def test_operators_on_sharded_arrays(row):
    lines = output_of("tests.table.sharded_operators", "1", row.name, devices=2).splitlines()
    assert len(lines) == 1, lines
