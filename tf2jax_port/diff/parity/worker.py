"""Run TensorFlow's lanes in a child process, one operator at a time.

This program reads pickled `(row, cases, lanes)` from its standard input and answers each with its
`Lanes`. TensorFlow's XLA can crash; the parent process then restarts it.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.parity.answers import Answers
from tf2jax_port.diff.parity.points import Point, points_of
from tf2jax_port.diff.processes.lane_program import channels
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.lanes import TF_XLA


def main() -> None:
    """Answer requests until standard input is closed."""
    asked, answers = channels()
    warnings.simplefilter("ignore")  # TensorFlow's own warnings
    while True:
        try:
            name, cases, lanes = pickle.load(asked)
        except EOFError:
            return
        points = [p for p in points_of(name) if p.case.id in cases]
        found = {lane: run(points, jit_compile=lane == TF_XLA.id) for lane in lanes}
        pickle.dump(found, answers)
        answers.flush()


def run(points: Sequence[Point], *, jit_compile: bool) -> Answers:
    """Run all cases of one operator as one program, or one program per case if that fails.

    A case for which the table notes a difference of XLA has its own program.
    """
    usual = [p for p in points if not (jit_compile and p.case.xla)]
    found: dict[str, Any] = {}
    together = attempt(_outputs, usual, jit_compile) if usual else []
    if not isinstance(together, Failure):
        found = {p.case.id: outputs for p, outputs in zip(usual, together)}
    for point in points:
        if point.case.id not in found:
            alone = attempt(_outputs, [point], jit_compile)
            found[point.case.id] = alone if isinstance(alone, Failure) else alone[0]
    return {p.case.id: found[p.case.id] for p in points}


def _outputs(points: Sequence[Point], jit_compile: bool) -> list[list[np.ndarray]]:
    from tf2jax_port.diff.parity.original_side import run_together

    results, _ = run_together(points[0].row, points, jit_compile=jit_compile)
    return [[np.asarray(tensor.numpy()) for tensor in result] for result in results]


if __name__ == "__main__":
    main()
