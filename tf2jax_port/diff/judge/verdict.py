"""Derive the verdict, with its reasons, from the findings of all cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL, KNIFE_EDGE, UNSTEADY
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.judge.judge import NOT_COVERED, RAISED, Finding
from tf2jax_port.diff.judge.vacuity import Vacuity
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import COTANGENTS, FROZEN, Quantity
from tf2jax_port.diff.vocabulary.lanes import (
    ALL_LANES,
    EVERY_STAGE,
    NEW_LANES,
    OLD_LANES,
    ports,
    title,
)
from tf2jax_port.diff.vocabulary.numbers import brief, number
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped, grouped_failures
from tf2jax_port.diff.vocabulary.verdicts import ERROR, INCONCLUSIVE, LIMITED


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a comparison, and its reasons.

    Attributes:
      verdict: one of `report.VERDICTS`.
      stage: the first stage that fails, for `different`.
      headline: one sentence.
      reasons: why the verdict is not `equal`, or the differences.
      culprit: the finding that is shown first, for `different`.
    """

    verdict: str
    stage: str | None
    headline: str
    reasons: tuple[Reason, ...] = ()
    culprit: Finding | None = None


_UNCOVERED = "Equal within limits: some results were not compared"
_ROUNDING = "Equal within limits: everything was compared, and rounding decides some results"
_EVERYTHING = "output and every gradient"


def decide(
    facts: Sequence[Facts],
    findings: Sequence[Finding],
    skipped: Sequence[Reason],
    vacuous: Vacuity,
) -> Verdict:
    """Decide the verdict of a comparison.

    Args:
      facts: the observations of all cases that could be run.
      findings: the outcomes of all cases.
      skipped: cases that could not be run, each with its reason.
      vacuous: the parts of the comparison that could not have found a difference.
    """
    if not facts and not skipped:
        return Verdict(INCONCLUSIVE, None, "Cannot tell: cases() returned no cases")
    different = [f for f in findings if f.outcome == DIFFERENT]
    broken = _find_error(facts, skipped)
    if broken is not None:
        raised = [f for f in different if f.quantity == RAISED]
        return replace(broken, culprit=min(raised, key=rank, default=None))
    if different:
        return _decide_different(different, len(facts))
    unsteady = grouped(
        (f.quantity.title, f.because, f.case) for f in findings if f.outcome == UNSTEADY
    )
    fatal = [*vacuous.fatal, *unsteady]
    if not any(f.outcome in (EQUAL, KNIFE_EDGE) for f in findings):
        fatal.append(Reason("comparison", "nothing was compared"))
    if fatal:
        return Verdict(INCONCLUSIVE, None, f"Cannot tell: {fatal[0].text}", tuple(fatal))
    rounding = [*_edges(findings), *_ill_conditioned(findings)]
    uncovered = [*skipped, *_uncovered(facts, findings), *vacuous.limiting]
    if uncovered or rounding:
        headline = _UNCOVERED if uncovered else _ROUNDING
        return Verdict(LIMITED, None, headline, (*rounding, *uncovered))
    drawn = any(fact.draws is not None for fact in facts)
    words = "Equal in the distribution of" if drawn else "Equal in"
    what = "output; the original has no gradients" if _lacks_gradients(findings) else _EVERYTHING
    return Verdict(EQUAL, None, f"{words} every {what}")


def _lacks_gradients(findings: Sequence[Finding]) -> bool:
    """Return whether the original returns `None` for all of its gradients, where the port has zeros."""
    notes = [f.comparison.note for f in findings if f.quantity.kind == "gradient"]
    return bool(notes) and all(note.startswith("None") for note in notes)


def _find_error(facts: Sequence[Facts], skipped: Sequence[Reason]) -> Verdict | None:
    """Return an error verdict if one of the two functions never ran; otherwise `None`."""
    if not facts:
        return Verdict(ERROR, None, "No case could be run", tuple(skipped))
    for side, lanes in (("original", OLD_LANES), ("port", NEW_LANES)):
        if not any(fact.lanes[lane.id].ran for fact in facts for lane in lanes[:2]):
            reasons = grouped_failures(
                (title(lane.id), failure.advised, fact.case)
                for lane in lanes
                for fact in facts
                if (failure := _failure(fact, lane.id))
            )
            return Verdict(ERROR, None, f"The {side} fails in every lane", tuple(reasons))
    return None


def _failure(fact: Facts, lane: str) -> Failure | None:
    outputs = fact.lanes[lane].outputs
    return outputs if isinstance(outputs, Failure) else None


def _decide_different(different: Sequence[Finding], count: int) -> Verdict:
    culprit = min(different, key=rank)
    reasons = grouped(
        (f.quantity.title, f.comparison.problem, f.case) for f in sorted(different, key=rank)
    )
    if culprit.quantity == RAISED:
        cases = len({f.case for f in different if f.quantity == RAISED and f.lane == culprit.lane})
        headline = f"Fails in {title(culprit.lane)} in {cases} of {count} cases: {culprit.because}"
        return Verdict(DIFFERENT, culprit.stage, headline, tuple(reasons), culprit)
    return Verdict(DIFFERENT, culprit.stage, what_is_wrong(culprit), tuple(reasons), culprit)


def what_is_wrong(finding: Finding) -> str:
    """Say in one line what is wrong with an output or gradient: `output[0] is 1.182, should be 1.305`."""
    quantity, worst = finding.quantity, finding.comparison.worst
    name = quantity.title
    if quantity.kind == "gradient" and quantity.cotangent in COTANGENTS:
        name = f"the gradient for {quantity.path}"
    if worst is None:
        return f"{name}: {finding.comparison.problem}"
    is_now, should_be = (brief(worst.new), brief(worst.old))
    if is_now == should_be:
        is_now, should_be = number(worst.new), number(worst.old)
    at = f" at {worst.place}" if worst.index else ""
    return f"{name} is {is_now}, should be {should_be}{at}"


def rank(finding: Finding) -> tuple[int, int, int, Quantity, float]:
    """Return the key that sorts differences: by stage, case and lane; the largest error first."""
    stage = EVERY_STAGE.index(finding.stage) if finding.stage else len(EVERY_STAGE)
    lane = [lane.id for lane in ALL_LANES].index(finding.lane)
    return stage, finding.case, lane, finding.quantity, -finding.comparison.closeness.ratio


def _edges(findings: Sequence[Finding]) -> list[Reason]:
    """Return the results that agree with another run of the original only, each once."""
    return grouped(
        (f.quantity.title, f"knife edge in {title(f.lane)}: {f.because}", f.case)
        for f in findings
        if f.outcome == KNIFE_EDGE
    )


def _uncovered(facts: Sequence[Facts], findings: Sequence[Finding]) -> list[Reason]:
    """Return the reasons why the comparison is incomplete, each once."""
    missing = [
        (
            f"the gradients in {title(f.lane)}" if f.quantity.cotangent else title(f.lane),
            f.because,
            f.case,
        )
        for f in findings
        if f.outcome == NOT_COVERED
    ]
    frozen = [
        (title(lane.id), FROZEN, fact.case)
        for fact in facts
        for lane in ports(fact.lanes)
        if fact.lanes[lane.id].frozen
    ]
    return [*grouped(missing), *grouped(frozen), *grouped(_stand_ins(facts))]


def _stand_ins(facts: Sequence[Facts]) -> Iterable[tuple[str, str, int]]:
    """Yield the cases in which TF eager failed, and the lane that replaces it as reference."""
    eager = OLD_LANES[0]
    for fact in facts:
        failure = _failure(fact, eager.id)
        if failure is None:
            continue
        if fact.reference is not None:
            yield (
                eager.title,
                f"{failure.reason}; the port is compared with {title(fact.reference)} instead",
                fact.case,
            )
        elif any(fact.lanes[lane.id].ran for lane in ports(fact.lanes)):
            yield eager.title, f"{failure.reason}; the port returns a result", fact.case


def _ill_conditioned(findings: Sequence[Finding]) -> list[Reason]:
    """Return a reason for each output and gradient that is ill-conditioned in every case."""
    compared = [f for f in findings if f.outcome in (EQUAL, KNIFE_EDGE)]
    noisy = {f.quantity for f in compared if f.ill_conditioned}
    telling = {f.quantity for f in compared if not f.ill_conditioned}
    why = "ill-conditioned: rounding errors alone are as large as the error of a fault"
    return [Reason(quantity.title, why) for quantity in sorted(noisy - telling)]
