"""A written program that is run in every lane of the scorecard.

For operators whose calls a row of the table cannot describe with arrays alone: composite values,
functions as arguments, state.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

# The property in which a passed test says what it found, where that is not plainly `pass`:
# `state: why`.
VERDICT = "verdict"


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    """One program over arrays, which both libraries run.

    Attributes:
      id: unlike those of all others.
      symbols: TensorFlow's names, as they stand on the scorecard, of what the program is about.
      program: `program(tf, *arrays)`, where `tf` is either library; gives arrays, ragged and sparse
        tensors in tuples, lists and dictionaries.
      inputs: the arrays. The vmap, poison and jit_compile lanes run these.
      others: further arrays, of other sizes, for the eager, function and gradient lanes.
      shapes: what a signature says of each array; every size unknown unless given.
      tolerance: relative and absolute, of floating-point results; gradients get five times that.
      no_gradient: why TensorFlow has none, where asking for it raises `LookupError`, or `TypeError`
        out of a rule of its own.
      graph_only: why TensorFlow's eager call raises `RuntimeError`; its graph is compared instead.
      xla: what TensorFlow's `jit_compile=True` does: `same`, `differs: why`, or `unsupported: why`,
        where why is how `tensorflow_side.refusal` reads TensorFlow's message.
      unbounded: the inputs bound no size of the result, so that in somebody else's trace, where
        nothing can grow, the program raises `CapacityError`.
      away: reasons by lane, for lanes in which the program means nothing.
      long: other tests are about the same at every change; all lanes belong to `make test-long`.
    """

    id: str
    symbols: tuple[str, ...]
    program: Callable[..., Any]
    inputs: tuple[Any, ...]
    others: tuple[tuple[Any, ...], ...] = ()
    shapes: tuple[tuple[int | None, ...], ...] | None = None
    tolerance: float = 2e-6
    no_gradient: str = ""
    graph_only: str = ""
    xla: str = "same"
    unbounded: bool = False
    away: dict[str, str] = dataclasses.field(default_factory=dict)
    long: bool = False

    def calls(self) -> list[tuple[np.ndarray, ...]]:
        """The arrays of every call."""
        return [tuple(map(np.asarray, given)) for given in (self.inputs, *self.others)]

    def signature(self) -> list[tuple[int | None, ...]]:
        """The shapes that the compiled program knows."""
        if self.shapes is not None:
            return list(self.shapes)
        return [(None,) * array.ndim for array in self.calls()[0]]

    def floats(self) -> tuple[int, ...]:
        """The positions of what can be differentiated."""
        arrays = self.calls()[0]
        return tuple(i for i, array in enumerate(arrays) if array.dtype.kind == "f")

    def why_not(self, lane: str) -> str:
        """Why a lane does not apply, `""` where it does."""
        if lane in self.away:
            return self.away[lane]
        if lane == "gradient" and not self.floats():
            return "no floating-point operand"
        if lane == "vmap" and not self.floats():
            return "no floating-point operand to map over"
        if lane == "poison" and not any(None in shape for shape in self.signature()):
            return "no case of an unknown size that the inputs bound"
        if lane == "function" and not self.inputs:
            return "takes no arrays"
        return ""


def parameters(cases: tuple[Case, ...], lane: str) -> list:
    """The cases of a lane as parameters; all lanes of a case run in one process."""
    return [
        pytest.param(case, id=case.id, marks=_marks(case))
        for case in cases
        if not case.why_not(lane)
    ]


def _marks(case: Case) -> list:
    group = pytest.mark.xdist_group(f"lanes-{case.id}")
    return [group, pytest.mark.long] if case.long else [group]
