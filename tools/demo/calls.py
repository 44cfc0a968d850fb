"""Run the original program on its images, so that its calls can be recorded: `python -m tools.demo.calls CASES.py`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from tools.demo.sizes import load


def main(cases: str) -> None:
    """Take one step with each image."""
    program: Any = importlib.import_module("detection")
    for arguments in load(cases).cases():
        program.step(*map(program.tf.constant, arguments))


if __name__ == "__main__":
    main(*sys.argv[1:])
