"""Judge one case: decide the outcome of every output and gradient in every lane of the port."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.closeness.closeness import LANES_APART, largest, norms
from tf2jax_port.diff.closeness.comparison import Comparison, Rules, compare
from tf2jax_port.diff.closeness.explain import (
    DIFFERENT,
    DOUBLE_RUN,
    EQUAL,
    KNIFE_EDGE,
    UNSTEADY,
    Explanation,
    explain,
)
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import LANE_ERROR, Failure
from tf2jax_port.diff.values.observation import FROZEN, STEPS, Quantity, value_of
from tf2jax_port.diff.values.precision import coarse_ulp, ulp
from tf2jax_port.diff.vocabulary.lanes import (
    GRADIENTS,
    INTERFACE,
    JAX_EAGER,
    JAX_JIT,
    NEW_LANES,
    OLD_LANES,
    TRAINING,
    ports,
)

NOT_COVERED = "not covered"
ILL_CONDITIONED = "ill-conditioned"

STRUCTURE = Quantity("structure", "structure of the result")
RAISED = Quantity("structure", "error of the port")

# The kinds of failures that say nothing about the function.
_OF_THE_LANE = (LANE_ERROR, "Crash", "Timeout")

# An original whose own relative error exceeds this many ulp says little about its port.
_ILL_CONDITIONED_ULP = 1e4
# The same in ulp of a coarser type on the way, such as bfloat16.
_COARSE_STEPS = 4.0


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome for one output or gradient in one lane of the port.

    Attributes:
      case: the number of the case.
      quantity: what was compared.
      lane: the lane of the port.
      reference: the lane of the original that it was compared with.
      outcome: `EQUAL`, `DIFFERENT`, `KNIFE_EDGE`, `UNSTEADY` or `NOT_COVERED`.
      stage: the first stage that fails, if one does.
      comparison: the comparison of the two arrays.
      because: the explanation of a difference, or why nothing was compared.
      shape: the shape in the original.
      dtypes: the types in the original and in the port.
      ill_conditioned: whether the original's own error is so large that the outcome says little.
    """

    case: int
    quantity: Quantity
    lane: str
    reference: str
    outcome: str
    stage: str | None
    comparison: Comparison
    because: str = ""
    shape: tuple[int, ...] = ()
    dtypes: tuple[str, str] = ("", "")
    ill_conditioned: bool = False


def judge(facts: Facts) -> list[Finding]:
    """Compare every lane of the port with the original program on one case."""
    if facts.reference is None:
        return []
    findings = []
    for lane in ports(facts.lanes):
        observation = facts.lanes[lane.id]
        if isinstance(observation.outputs, Failure):
            findings.append(refused(facts, lane.id, observation.outputs))
            continue
        findings += structure(facts, lane.id)
        for quantity in facts.quantities():
            finding = _judge_one(facts, lane.id, quantity)
            if finding is not None:
                findings.append(finding)
    return findings


def _judge_one(facts: Facts, lane: str, quantity: Quantity) -> Finding | None:
    reference = facts.reference_for(quantity)
    port = value_of(facts.lanes[lane], quantity)
    if reference is None:
        why = value_of(facts.lanes[OLD_LANES[0].id], quantity)
        assert isinstance(why, Failure)
        eager = OLD_LANES[0]
        why = Failure(
            why.kind, f"{eager.title} returns no value to compare with: {why.reason}", why.detail
        )
        return not_covered(facts, quantity, lane, eager.id, why)
    old = value_of(facts.lanes[reference], quantity)
    assert not isinstance(old, Failure)
    if isinstance(port, Failure):
        # A missing output is reported once, as a difference of structure.
        missing = quantity.kind == "output"
        return None if missing else not_covered(facts, quantity, lane, reference, port)
    measure, rules = facts.gauge(quantity), Rules(facts.x64)
    comparison = compare(old, port, measure, rules)
    found = Explanation(EQUAL, comparison, measure=measure)
    if not comparison.agrees:
        found = explain(
            old,
            port,
            comparison,
            measure,
            rules,
            facts.alternatives(quantity, reference),
            lambda: _in_double(facts, quantity, lane),
            lambda: facts.probe(quantity),
        )
        if found.outcome != EQUAL and facts.lanes[lane].frozen:
            return not_covered(facts, quantity, lane, reference, Failure("frozen", FROZEN))
        if found.outcome == DIFFERENT and _graph_disagrees(facts, quantity):
            found = Explanation(UNSTEADY, comparison)
    noisy = port is not None and _is_noisy(found, port.dtype, facts.coarsest)
    return Finding(
        facts.case,
        quantity,
        lane,
        reference,
        found.outcome,
        None if found.outcome == EQUAL else stage_of(quantity, found.comparison),
        found.comparison,
        _explanation_text(found, comparison),
        () if old is None else old.shape,
        ("None" if old is None else old.dtype.name, "None" if port is None else port.dtype.name),
        noisy,
    )


def structure(facts: Facts, lane: str) -> list[Finding]:
    """Compare the names of the outputs; return a finding if the port's names differ, else none."""
    assert facts.reference is not None
    old = facts.lanes[facts.reference].outputs
    new = facts.lanes[lane].outputs
    assert not isinstance(old, Failure)
    assert not isinstance(new, Failure)
    if list(old) == list(new):
        return []
    missing = [path for path in old if path not in new]
    extra = [path for path in new if path not in old]
    parts = [
        f"{word}: {', '.join(paths)}"
        for word, paths in (("missing", missing), ("extra", extra))
        if paths
    ]
    problem = f"different structure ({'; '.join(parts)})"
    return [
        Finding(
            facts.case,
            STRUCTURE,
            lane,
            facts.reference,
            DIFFERENT,
            INTERFACE,
            Comparison(INTERFACE, problem),
        )
    ]


def refused(facts: Facts, lane: str, why: Failure) -> Finding:
    """Make the finding for a lane in which the port raised an error, where the original returns a result.

    It is a difference. But the lane counts as not covered if it was requested, if no function could run
    the case in it, or if it compiles the port and the original cannot be compiled either, unless all
    lanes raise an error.
    """
    assert facts.reference is not None
    everywhere = not any(facts.lanes[other.id].ran for other in ports(facts.lanes))
    expected = lane == JAX_EAGER.id or any(facts.lanes[old.id].ran for old in OLD_LANES[1:])
    usual = lane in {new.id for new in NEW_LANES} and why.kind not in _OF_THE_LANE
    raises = everywhere or (usual and expected)
    problem = f"the port raises {why.reason}" if raises else why.reason
    outcome = DIFFERENT if raises else NOT_COVERED
    stage = INTERFACE if raises else None
    return Finding(
        facts.case,
        RAISED if raises else STRUCTURE,
        lane,
        facts.reference,
        outcome,
        stage,
        Comparison(stage, problem),
        problem,
    )


def not_covered(
    facts: Facts, quantity: Quantity, lane: str, reference: str, why: Failure
) -> Finding:
    """Make the finding for an output or gradient that could not be compared in a lane."""
    return Finding(
        facts.case, quantity, lane, reference, NOT_COVERED, None, Comparison(), why.advised
    )


def _in_double(facts: Facts, quantity: Quantity, lane: str) -> np.ndarray | None:
    """Return the port's result in double precision, to test whether a difference is only rounding.

    The eager lane runs in double precision, also for lanes with similar results. A compiled lane that
    is far from it runs in double precision itself, if its error could be rounding. Else return `None`.
    """
    if _like_eager(facts, quantity, lane):
        return facts.double(quantity, JAX_EAGER.id)
    array, measure = value_of(facts.lanes[lane], quantity), facts.gauge(quantity)
    if lane != JAX_JIT.id or measure is None or array is None or isinstance(array, Failure):
        return None
    near = array.shape == measure.truth.shape and measure.is_small(norms(array, measure.truth)[1])
    return facts.double(quantity, lane) if near else None


def _like_eager(facts: Facts, quantity: Quantity, lane: str) -> bool:
    """Return whether the port's eager run in double precision can replace the double-precision run of another lane.

    It cannot if the lane is much less accurate than the eager lane: then more than rounding differs.
    """
    measure = facts.gauge(quantity)
    array, eager = (value_of(facts.lanes[name], quantity) for name in (lane, JAX_EAGER.id))
    if lane == JAX_EAGER.id or measure is None or isinstance(eager, Failure):
        return lane == JAX_EAGER.id
    if array is None or eager is None or isinstance(array, Failure) or array.shape != eager.shape:
        return False
    errors = [norms(a, measure.truth)[1] for a in (array, eager)]
    return errors[0] <= LANES_APART * max(errors[1], measure.own_max)


def _graph_disagrees(facts: Facts, quantity: Quantity) -> bool:
    """Return whether TF eager and TF graph differ from each other in most elements."""
    a, b = (value_of(facts.lanes[lane.id], quantity) for lane in OLD_LANES[:2])
    if facts.lanes[OLD_LANES[1].id].frozen:
        return False
    if isinstance(a, Failure) or isinstance(b, Failure):
        return False
    worst = compare(a, b, facts.gauge(quantity), Rules(True)).worst
    return worst is not None and worst.mismatched > worst.total / 2


def _is_noisy(found: Explanation, dtype: np.dtype, coarsest: str) -> bool:
    """Return whether the original's rounding error is so large that it could hide a fault."""
    measure = found.measure
    if measure is None or not is_inexact(dtype):
        return False
    noise = measure.relative_noise()
    if found.outcome == EQUAL and not found.comparison.agrees:
        size = largest(measure.size)
        noise = max(noise, found.comparison.closeness.port_error / size if size else 0.0)
    return noise > max(_ILL_CONDITIONED_ULP * ulp(dtype), _COARSE_STEPS * coarse_ulp(coarsest))


def stage_of(quantity: Quantity, comparison: Comparison) -> str | None:
    """Return the stage at which a comparison fails; gradients have a stage of their own."""
    if comparison.stage is None:
        return None
    if quantity.cotangent == STEPS:
        return TRAINING
    return GRADIENTS if quantity.kind == "gradient" else comparison.stage


def _explanation_text(found: Explanation, first: Comparison) -> str:
    if found.outcome == KNIFE_EDGE:
        elements = "element" if found.elements == 1 else "elements"
        return f"the port agrees with {' and '.join(found.names)} ({found.elements} {elements})"
    if found.outcome == UNSTEADY:
        return "the original is random: a second call, with different seeds in Keras, returns different numbers"
    if found.outcome != EQUAL or first.agrees:
        return ""
    if found.names == (DOUBLE_RUN,):
        return "rounding only: original and port agree in double precision"
    return "within the original's change when its inputs change by one unit in the last place"
