"""What runs on accelerators alone runs here on a CPU that is taken for one."""

import subprocess
import sys

from tests.platform.accelerator_checks import CHECKS


def test_checks_hold():
    """Operators are compiled once for a process, so that pretending needs one of its own."""
    command = [sys.executable, "-m", "tests.platform.accelerator_checks", "--pretend"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = run.stdout.splitlines()
    assert lines[0].endswith("taken for accelerator"), run.stderr
    assert lines[1:] == [f"{check.__name__}: held" for check in CHECKS]
    assert run.returncode == 0
