"""The rewriter's output is executed: every row, every case, every form of the call.

The program runs in TensorFlow, its rewrite in JAX, and what they compute is compared.
"""

import warnings

import pytest

from tf2jax_port.rewrite.constructs import ROWS as CONSTRUCTS
from tf2jax_port.table import ROWS, Manual

CASES = [
    pytest.param(row, case, id=f"{row.name}-{case.id}")
    for row in (*ROWS, *CONSTRUCTS)
    for case in row.inputs
    if not case.raises and not isinstance(row.target, Manual)
]


def outcome(program, convert):
    """What a program computes, or the exception that it raises."""
    namespace = {name: convert(array) for name, array in program.arrays.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 64 bits that are not there, overflow that is meant
        exec(compile(program.code, program.id, "exec"), namespace)
    return namespace["y"]
