"""One program through TensorFlow and our lanes, and what is counted on the way."""

from __future__ import annotations

import collections
import enum

from tests.harness.outcomes import same_error

from . import shims_answers, tensorflow_answer, verdict
from .program import Program
from .tensorflow_answer import Answer
from .verdict import Verdict

# Eagerly; compiled, with the derivative inside; compiled, with a tape around it.
LANES = {
    "eager": shims_answers.eager,
    "compiled": shims_answers.compiled,
    "around": shims_answers.around,
}

# What `shims.function` documents that it may refuse, always with a message that says what to do.
REFUSALS = ("FreshSizeError", "UnsupportedPrimitiveError", "CapacityError")

# Limits that are documented at the functions: windows with steps over unknown sizes; glimpses; axes of
# `tensordot` that are not pairwise equal, of which TensorFlow only asks that the products are.
LIMITS = (
    *("shorter than one window", "noise that cannot be repeated"),
    "`axes` does not match the operands",
)


class Outcome(enum.Enum):
    """What became of one program in one lane."""

    SAME = "same"
    KNIFE_EDGE = "knife edge"
    REFUSED = "refused"
    WRONG = "wrong"


# Of a hundred programs at most so many may be left uncompared in a lane.
ALLOWED = {Outcome.KNIFE_EDGE: 4, Outcome.REFUSED: 6}


class Tally:
    """How often which outcome was met in each lane."""

    def __init__(self) -> None:
        self.programs = 0
        self.outcomes: collections.Counter[tuple[str, Outcome]] = collections.Counter()
        self.reasons: dict[tuple[str, Outcome], collections.Counter[str]] = collections.defaultdict(
            collections.Counter
        )

    def check(self, program: Program) -> None:
        """Runs a program in all lanes.

        Raises:
          AssertionError: a lane gives another answer than TensorFlow.
        """
        self.programs += 1
        want = tensorflow_answer.answer(program)
        for lane in LANES if want.gradients else ("eager", "compiled"):
            outcome, found = examine(program, lane, want)
            self.outcomes[lane, outcome] += 1
            self.reasons[lane, outcome].update(found[:1])
            assert outcome is not Outcome.WRONG, f"{lane}:\n" + "\n".join(found)

    def excess(self) -> list[str]:
        """Which allowances were overdrawn; two are always free, so that few programs say little."""
        return [
            f"{lane}: {count} of {self.programs} programs{self._why(lane, outcome)}: {outcome.value}"
            for (lane, outcome), count in self.outcomes.items()
            if outcome in ALLOWED and count > max(2, ALLOWED[outcome] * self.programs / 100)
        ]

    def _why(self, lane: str, outcome: Outcome) -> str:
        """The commonest reason: one program that was varied again and again, or something new."""
        found = self.reasons[lane, outcome].most_common(1)
        return f", {found[0][1]} of them for {found[0][0]!r}" if found else ""


def examine(program: Program, lane: str, want: Answer) -> tuple[Outcome, list[str]]:
    """What one lane makes of a program, and what is different.

    Args:
      program: what to run.
      lane: one of `LANES`.
      want: TensorFlow's answer.
    """
    got = LANES[lane](program, gradients=bool(want.gradients))
    # Eagerly TensorFlow's Python looks at sizes that a graph does not know.
    is_refused_eagerly = want.error is not None and got.error is None and lane != "eager"
    if is_refused_eagerly and tensorflow_answer.error_as_graph(program) is None:
        return Outcome.SAME, []
    found, lines = verdict.judge(program, got, want)
    if found is Verdict.WRONG and any(limit in str(got.error) for limit in LIMITS):
        return Outcome.REFUSED, lines
    if found is not Verdict.WRONG or lane == "eager" or got.error is None:
        return Outcome(found.value), lines
    if type(got.error).__name__ in REFUSALS or _needs_a_size(got.error):
        return Outcome.REFUSED, lines
    # A graph of unknown sizes may raise where eager does not, or another class.
    as_graph = tensorflow_answer.error_as_graph(program)
    same = as_graph is not None and same_error(got.error, as_graph)
    return (Outcome.SAME, []) if same else (Outcome.WRONG, lines)


def _needs_a_size(error: Exception) -> bool:
    """Whether a tape around a function was refused, because a derivative needs a size as a number."""
    return any("compute the gradient inside" in note for note in getattr(error, "__notes__", ()))
