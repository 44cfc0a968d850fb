"""Run a comparison: run all cases in all lanes, judge the results, and make the report."""

from __future__ import annotations

import contextlib
import functools
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tf2jax_port.diff.closeness.explain import EQUAL, KNIFE_EDGE
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.functions import loading
from tf2jax_port.diff.inputs import cases, ranges
from tf2jax_port.diff.judge.contract import fingerprint, terms, versions
from tf2jax_port.diff.judge.judge import Finding, judge
from tf2jax_port.diff.judge.judge_draws import judge_draws, states_of_draws
from tf2jax_port.diff.judge.matrix import PairState, pair_states
from tf2jax_port.diff.judge.vacuity import Vacuity, vacuity
from tf2jax_port.diff.judge.verdict import Verdict, decide
from tf2jax_port.diff.lanes import state
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.report import assemble
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.advice import advice_on_request
from tf2jax_port.diff.sessions.halves import as_run, in_bfloat16, not_halved
from tf2jax_port.diff.sessions.reviews import with_open_reviews
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER, TF_EAGER, TF_XLA
from tf2jax_port.diff.vocabulary.reasons import Reason, grouped
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT, LIMITED
from tf2jax_port.diff.vocabulary.verdicts import EQUAL as EQUAL_VERDICT

Step = Callable[[int, int, str], None]
LOCATE, WORST, STRENGTH = "locate", "worst", "strength"


@dataclass(frozen=True, slots=True)
class Request:
    """A requested comparison.

    Attributes:
      old: the original.
      new: the port.
      inputs: the specification of the cases, for the command that reproduces the report.
      seed: the seed of cotangents and random numbers.
      x64: whether JAX has 64-bit types; `None` leaves it unchanged.
      only: the numbers of the cases to run; empty for all.
      types: the specification of the module that makes the cases, which other processes import.
      state: the mapping of the original's variables to the port's parameters.
      locate: whether to find the first divergence.
      beside: whether the port's eager lane runs in a separate process, if possible.
      worst: whether to search for the worst input.
      extras: optional lanes, gradients and inputs.
      strength: whether to tell what the cases of an equal verdict could have caught.
      strengthen: whether to search for cases that catch more.
    """

    old: loading.Loaded
    new: loading.Loaded
    inputs: str
    seed: int = 0
    x64: bool | None = None
    only: tuple[int, ...] = ()
    types: str = ""
    state: state.Request | None = None
    locate: bool = False
    beside: bool = True
    worst: bool = False
    extras: Extras = NOTHING
    strength: bool = False
    strengthen: bool = False


def compare_functions(
    request: Request,
    source: Callable[[], Iterable[Any]],
    step: Step = lambda done, total, lane: None,
) -> Report:
    """Run both functions on every case in every lane, and judge the results.

    Args:
      request: what to compare.
      source: a function that returns the argument tuples.
      step: called with the number of cases done, their total, and the lane that runs next.

    Returns:
      The report.

    Raises:
      DiffError: the cases cannot be loaded, or TensorFlow is not installed.
    """
    with contextlib.closing(Session(request, source)) as session:
        report = judged(request, session.plan, session.observe, step)
        for what in explanations(request, report):
            report = session.explained(report, what)
        return report


def explanations(request: Request, report: Report) -> tuple[str, ...]:
    """Return the requested explanations that apply to the report, as names (`LOCATE`, `WORST`, `STRENGTH`)."""
    equal = report.verdict in (EQUAL_VERDICT, LIMITED)
    asked = (
        (LOCATE, request.locate and report.culprit is not None),
        (WORST, request.worst),
        (STRENGTH, (request.strength or request.strengthen) and equal),
    )
    return tuple(what for what, wanted in asked if wanted)


@dataclass(frozen=True, slots=True)
class Plan:
    """The cases of a comparison, as determined before anything runs.

    Attributes:
      x64: whether JAX has 64-bit types.
      fitted: the cases.
      skipped: cases that cannot be run, each with its reason.
      agreed: the terms of the comparison.
      notes: remarks on the inputs.
      versions: the versions of the libraries in the process that runs the functions.
    """

    x64: bool
    fitted: tuple[Arguments, ...]
    skipped: tuple[Reason, ...]
    agreed: Mapping[str, Any]
    notes: tuple[Reason, ...] = ()
    versions: Mapping[str, str] = field(default_factory=versions)


@dataclass(frozen=True, slots=True)
class Seen:
    """One case after it was run and judged.

    Attributes:
      fact: what was observed in all lanes.
      findings: the outcomes of the port.
      states: for each pair of lanes, whether it agrees.
    """

    fact: Facts
    findings: tuple[Finding, ...]
    states: tuple[PairState, ...]


class Session:
    """Both functions, loaded in this process and ready to be compared case by case.

    Args:
      request: what to compare.
      source: a function that returns the argument tuples.

    Raises:
      DiffError: the cases cannot be loaded, or TensorFlow is not installed.
    """

    def __init__(self, request: Request, source: Callable[[], Iterable[Any]]) -> None:
        loading.require_tensorflow()
        from tf2jax_port.diff.lanes.jax_lanes import set_x64, x64_is_on
        from tf2jax_port.diff.observing.observer import Observer

        if request.x64 is not None:
            set_x64(request.x64)
        x64 = x64_is_on()
        old, new = request.old.function, request.new.function
        mapping, variables = state.state_of(request.state) if request.state else (None, None)
        if mapping:
            old, new = state.original_with_variables(old), mapping.port(new)
            source = functools.partial(mapping.calls, source)
        collected = chosen(cases.collect(source, old, new), request.only)
        fitted, skipped = fit(collected, x64)
        agreed = terms(request.old, collected, request.seed, x64, request.extras)
        notes = tuple(mapping.notes()) if mapping else ()
        self.plan = Plan(x64, tuple(fitted), tuple(skipped), agreed, notes)
        elsewhere = list(_setups_elsewhere(request, x64))
        self._observer = Observer(old, new, request.seed, x64, elsewhere, variables, request.extras)
        self._functions, self._request = (old, new), request

    def observe(self, case: Arguments, step: Callable[[str], None]) -> Facts:
        """Run one case in all lanes."""
        case, refused = self._as_run(case)
        return replace(self._observer.observe(case, step), as_given=refused)

    def _as_run(self, case: Arguments) -> tuple[Arguments, str]:
        if not self._request.extras.bfloat16:
            return case, ""
        return in_bfloat16(case, self._observer.sides[0])

    def explained(self, report: Report, what: str) -> Report:
        """Add the first divergence, the worst input, or what the cases could have caught to the report."""
        if what == LOCATE:
            from tf2jax_port.diff.sessions.located import located

            cases = [self._as_run(case)[0] for case in self.plan.fitted]
            return located(report, *self._functions, cases, self._request.seed)
        cases = [self._as_run(case)[0] for case in self.plan.fitted]
        if what == STRENGTH:
            from tf2jax_port.diff.sessions.strength import with_strength

            port, seed, search = self._functions[1], self._request.seed, self._request.strengthen
            return with_strength(report, cases, port, self._observer.sides, seed, search)
        from tf2jax_port.diff.sessions.worst import with_worst

        return with_worst(report, cases, *self._observer.sides)

    def close(self) -> None:
        """End the processes that were started."""
        self._observer.close()


def judged(
    request: Request,
    plan: Plan,
    observe: Callable[[Arguments, Callable[[str], None]], Facts],
    step: Step,
) -> Report:
    """Run and judge every case, and make the report.

    An interrupt stops the observation; the report covers the cases so far and says so.

    Args:
      request: what is compared.
      plan: the cases.
      observe: a function that runs all lanes on one case.
      step: called with the number of cases done, their total, and the lane that runs next.

    Raises:
      KeyboardInterrupt: it came before the first case was finished.
    """
    seen: list[Seen] = []
    try:
        for done, case in enumerate(plan.fitted):
            seen.append(look(case, observe, functools.partial(step, done, len(plan.fitted))))
    except KeyboardInterrupt:
        if not seen:
            raise
        plan = interrupted(plan, [one.fact.case for one in seen])
    return conclude(request, plan, seen)


def look(
    case: Arguments,
    observe: Callable[[Arguments, Callable[[str], None]], Facts],
    step: Callable[[str], None],
) -> Seen:
    """Run and judge one case."""
    fact = observe(case, step)
    if fact.draws is not None:
        drawn = judge_draws(fact)
        return Seen(fact.judged(), tuple(drawn), tuple(states_of_draws(drawn)))
    findings = judge(fact)
    states = tuple(pair_states(fact, findings))
    return Seen(fact.judged(), tuple(findings), states)


def interrupted(plan: Plan, done: Collection[int]) -> Plan:
    """Return the plan with the cases not in `done` marked as skipped because of an interrupt."""
    left = tuple(case.index for case in plan.fitted if case.index not in done)
    why = Reason("inputs", "the comparison was interrupted before these cases ran", left)
    return replace(plan, skipped=(*plan.skipped, why))


def conclude(request: Request, plan: Plan, seen: Sequence[Seen]) -> Report:
    """Make the report from the judged cases."""
    facts = [one.fact for one in seen]
    findings = [finding for one in seen for finding in one.findings]
    states = [state for one in seen for state in one.states]
    ran = [fact for fact in facts if fact.reference is not None]
    if request.extras.bfloat16:
        plan = replace(
            plan,
            fitted=as_run(plan.fitted, facts),
            skipped=(*plan.skipped, *not_halved(facts)),
        )
    digests = {case.index: case.digest() for case in plan.fitted}
    vacuous = vacuity(ran, [digests[fact.case] for fact in ran])
    verdict = decide(facts, findings, plan.skipped, vacuous)
    x64, agreed = plan.x64, dict(plan.agreed)
    report = _report(request, x64, verdict, vacuous, plan.fitted, facts, findings, states, agreed)
    report = replace(report, versions=dict(plan.versions))
    # A report of a difference still lists the cases that could not be run.
    skipped = plan.skipped if report.verdict == DIFFERENT else ()
    return with_open_reviews(replace(report, notes=(*report.notes, *skipped, *plan.notes)))


def _setups_elsewhere(request: Request, x64: bool) -> Iterator[Setup]:
    """Yield the configurations of the lanes that run in other processes.

    These are TensorFlow's XLA, which can crash, and the port's eager lane, which is the slowest.
    """
    path, held = tuple(sys.path), request.state.variables if request.state else ""
    if request.old.importable:
        spec = request.old.spec
        yield Setup(TF_XLA.id, spec, request.types, request.seed, x64, path, held)
    if request.new.importable and not held:  # parameters may be of types that cannot be sent
        for lane in (*[JAX_EAGER.id] * request.beside, *request.extras.lane_ids):
            yield Setup(lane, request.new.spec, request.types, request.seed, x64, path)


def chosen(found: list[Arguments], only: Sequence[int]) -> list[Arguments]:
    """Return the cases with the numbers in `only`; all cases if it is empty.

    Raises:
      DiffError: one of them does not exist.
    """
    there = {case.index for case in found}
    missing = [index for index in only if index not in there]
    if missing:
        raise loading.DiffError(
            f"--case {missing[0]}: there is no case with this number.\n  Required: a number from 0 to "
            f"{max(there, default=-1)}"
        )
    return [case for case in found if not only or case.index in only]


def fit(found: Sequence[Arguments], x64: bool) -> tuple[list[Arguments], list[Reason]]:
    """Return the cases that both libraries can represent, and a reason for each of the others."""
    fitted, refused = [], []
    for case in found:
        held = cases.fit(case, x64)
        if isinstance(held, Failure):
            refused.append(("inputs", held.reason, case.index))
        else:
            fitted.append(held)
    return fitted, grouped(refused)


def _report(
    request: Request,
    x64: bool,
    verdict: Verdict,
    vacuous: Vacuity,
    fitted: Sequence[Arguments],
    facts: Sequence[Facts],
    findings: Sequence[Finding],
    states: Sequence[PairState],
    agreed: dict[str, Any],
) -> Report:
    counts = assemble.counts(findings, fitted, facts)
    return Report(
        verdict=verdict.verdict,
        stage=verdict.stage,
        headline=verdict.headline,
        reasons=verdict.reasons,
        old=request.old.spec,
        new=request.new.spec,
        pairs=assemble.pair_table(states, request.extras.lane_ids),
        lanes=assemble.lane_table(facts, request.extras.lane_ids),
        leaves=assemble.leaf_table(findings),
        cases=assemble.case_table(fitted, facts, findings),
        culprit=verdict.culprit,
        knife_edges=assemble.knife_edges(states, findings),
        notes=(
            *_agreements(findings),
            *_both_refuse(facts),
            *vacuous.notes,
            *_about_inputs(fitted, counts["shapes"]),
            *ranges.advice(request.inputs, _refusals(facts)),
            *advice_on_request(
                verdict.verdict,
                verdict.headline,
                request.old.spec,
                request.new.spec,
                request.inputs,
            ),
        ),
        counts=counts,
        seed=request.seed,
        terms=agreed,
        contract=fingerprint(agreed),
        reproduce=command_of(request, x64, verdict.culprit),
        versions={},
    )


_ABSENT = "the original returns None, and the port returns zeros, because JAX does not return None"


def _agreements(findings: Sequence[Finding]) -> list[Reason]:
    """Explain why results that are not identical count as equal, each reason once."""
    entries, absent = [], []
    for finding in findings:
        if finding.outcome not in (EQUAL, KNIFE_EDGE):
            continue
        note = finding.comparison.note
        if note.startswith("None"):
            absent.append(finding.quantity.title)
        elif note:
            entries.append(("types", note.partition(":")[2].strip(), 0))
        if finding.because and finding.outcome == EQUAL:
            entries.append((finding.quantity.title, finding.because, finding.case))
    kept = [Reason(r.what, r.why) if r.what == "types" else r for r in grouped(entries)]
    titles = ", ".join(dict.fromkeys(absent))
    return [*([Reason(titles, _ABSENT)] if titles else []), *kept]


def _both_refuse(facts: Sequence[Facts]) -> list[Reason]:
    """Return a reason that lists the cases on which both functions raise an error."""
    neither = [fact for fact in facts if not any(lane.ran for lane in fact.lanes.values())]
    return grouped(
        ("inputs", "both the original and the port raise an error for these cases", f.case)
        for f in neither
    )


def _refusals(facts: Sequence[Facts]) -> Iterator[str]:
    """Yield why the original failed, in the cases in which it did."""
    for fact in facts:
        outputs = fact.lanes[TF_EAGER.id].outputs
        if isinstance(outputs, Failure):
            yield outputs.reason


def _about_inputs(fitted: Sequence[Arguments], shapes: int) -> list[Reason]:
    notes = []
    if len(fitted) > 1 and shapes == 1 and any(a.ndim for a in fitted[0].arrays):
        notes.append(Reason("inputs", "all cases have the same shapes, so no other size was tried"))
    if any(isinstance(part, float) for case in fitted for part in case.template):
        notes.append(
            Reason(
                "inputs",
                "a Python float is passed unchanged and has no gradient; np.float32(...) has one",
            )
        )
    return notes


def command_of(request: Request, x64: bool, culprit: Finding | None) -> str:
    """Return the command that repeats a comparison, or its case that is to blame."""
    words = ["tf2jax-port", "diff", request.old.spec, request.new.spec]
    words += ["--inputs", request.inputs, "--seed", str(request.seed)]
    if request.state:
        words += ["--variables", request.state.variables, "--params", request.state.parameters]
        words += [f"--map={name}={leaf}" for name, leaf in request.state.given]
    words.append("--x64" if x64 else "--no-x64")
    words += request.extras.words()
    words += ["--locate"] * request.locate
    chosen = [culprit.case] if culprit else request.only
    for case in chosen:
        words += ["--case", str(case)]
    return shlex.join(words)
