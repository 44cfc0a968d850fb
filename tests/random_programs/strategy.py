"""The strategy: random programs over the rows of the table, grown one operator at a time.

A program is drawn as a list of steps, each a row, one of its cases and a few small numbers. The case
is a template: some of its arrays become values that the program already has, the others keep or
adapt theirs. Steps that TensorFlow refuses are dropped, but for a few that end their program, so
that errors are compared too. Leaving a step out gives another program, which is what lets failures
shrink.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tf2jax_port.table import Case

from . import operators
from .growing import Growing
from .operators import Operator
from .program import Input, Program

MOST_CALLS = 8
FLOATS = (0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.5, 0.3, -0.7, -0.0, *[float("nan")] * 2)
INFINITE = (float("inf"), float("-inf"))
SHAPES = ((3,), (4,), (2,), (1,), (0,), (3, 2), (2, 3), (4, 3), (1, 3), (0, 2), (3, 3), (2, 2, 3))
NAMES = "xyz"


@dataclasses.dataclass(frozen=True)
class Step:
    """One operator to try: what it is, and numbers that decide where its arguments come from."""

    operator: Operator
    case: Case
    picks: tuple[int, ...]
    may_raise: bool

    def __repr__(self) -> str:
        return f"{self.operator}-{self.case.id}{list(self.picks)}"


def steps():
    """One operator, the ones that sizes depend on as often as all together."""
    chosen = st.sampled_from(operators.spread(operators.sized_by_data())) | st.sampled_from(
        operators.spread(operators.everything())
    )
    picks = st.lists(st.integers(0, 11), min_size=6, max_size=6).map(tuple)
    daring = st.integers(0, 11).map(lambda n: n == 11)
    return chosen.flatmap(
        lambda one: st.builds(Step, st.just(one), st.sampled_from(one.cases), picks, daring)
    )


@st.composite
def inputs(draw, name: str):
    """A parameter: mostly float32, mostly of unknown sizes."""
    shape = draw(st.sampled_from(SHAPES))
    kind = draw(st.sampled_from(("float32", "float32", "float32", "int32", "bool")))
    finite = draw(st.booleans())
    elements = {
        "float32": st.sampled_from(FLOATS if finite else FLOATS + INFINITE),
        "int32": st.integers(0, 4) | st.integers(-2, 9),
        "bool": st.booleans(),
    }[kind]
    size = int(np.prod(shape))
    values = draw(st.lists(elements, min_size=size, max_size=size))
    unknown = tuple(draw(st.sampled_from((True, True, True, False))) for _ in shape)
    return Input(name, np.asarray(values, kind).reshape(shape), unknown)


@st.composite
def programs(draw) -> Program:
    """Programs of two to eight operators that TensorFlow runs, or that raise in their last one."""
    given = [draw(inputs(name)) for name in NAMES[: draw(st.integers(1, 3))]]
    growing = Growing(given)
    for step in draw(st.lists(steps(), min_size=3, max_size=14)):
        if len(growing.calls) == MOST_CALLS or growing.has_raised:
            break
        growing.take(step)
    assume(len(growing.calls) >= 2)
    return Program(tuple(given), tuple(growing.calls))
