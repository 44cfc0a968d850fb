"""Determine which pairs of lanes agree on one case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.closeness.closeness import Gauge, gauge
from tf2jax_port.diff.closeness.comparison import Comparison, Rules, compare
from tf2jax_port.diff.closeness.explain import EQUAL
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.judge.judge import NOT_COVERED, Finding, stage_of
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import Quantity, value_of
from tf2jax_port.diff.vocabulary.lanes import OLD_LANES, is_old, pairs


@dataclass(frozen=True, slots=True)
class PairState:
    """The comparison of two lanes on one output or gradient of one case.

    Attributes:
      pair: the two lanes.
      case: the number of the case.
      quantity: what was compared.
      stage: the first stage that fails; `None` if they agree.
      comparison: the comparison of the two arrays.
    """

    pair: tuple[str, str]
    case: int
    quantity: Quantity
    stage: str | None
    comparison: Comparison


def pair_states(facts: Facts, findings: Sequence[Finding]) -> Iterator[PairState]:
    """Compare every pair of lanes on every output and gradient that both have.

    `judge` has compared the port with the original, strictly. The result for all other pairs is derived
    from its findings: two lanes that both agree with the reference agree with each other; two lanes are
    compared directly only if neither does.

    Args:
      facts: one case.
      findings: the outcomes of that case.
    """
    outcomes = {(f.lane, f.quantity): f for f in findings}
    for quantity in facts.quantities():
        reference = facts.reference_for(quantity)
        if reference is None:
            continue
        against = dict(_against_reference(facts, quantity, reference, outcomes))
        for pair in pairs(facts.lanes):
            if pair[0] in against and pair[1] in against:
                comparison = _compare_pair(facts, quantity, pair, against)
                stage = stage_of(quantity, comparison)
                yield PairState(pair, facts.case, quantity, stage, comparison)


def _against_reference(
    facts: Facts,
    quantity: Quantity,
    reference: str,
    outcomes: Mapping[tuple[str, Quantity], Finding],
) -> Iterator[tuple[str, Comparison]]:
    """Compare each lane that has the quantity with the reference lane; yield lane and comparison."""
    for lane in OLD_LANES:
        if lane.id == reference:
            yield lane.id, Comparison()
        elif facts.lanes[lane.id].frozen:  # other random numbers tell nothing
            continue
        elif not isinstance(value_of(facts.lanes[lane.id], quantity), Failure):
            yield lane.id, _compare_lanes(facts, quantity, reference, lane.id)
    for (lane_id, asked), finding in outcomes.items():
        if asked == quantity and finding.outcome != NOT_COVERED:
            equal = finding.outcome == EQUAL
            yield lane_id, Comparison() if equal else finding.comparison


def _compare_pair(
    facts: Facts, quantity: Quantity, pair: tuple[str, str], against: Mapping[str, Comparison]
) -> Comparison:
    first, second = (against[lane] for lane in pair)
    if first.agrees and second.agrees:
        return Comparison()
    failing = second if first.agrees else first
    if first.agrees != second.agrees and _is_transferable(facts, quantity, pair):
        return failing
    direct = _compare_lanes(facts, quantity, *pair)
    return failing if first.agrees != second.agrees and direct.agrees else direct


def _is_transferable(facts: Facts, quantity: Quantity, pair: tuple[str, str]) -> bool:
    """Return whether a difference from the reference can be reported as the difference between two lanes.

    It can if at least one lane is the port's and both have the quantity. Two lanes of the original are compared
    directly instead, so that both of their values are shown.
    """
    arrays = [value_of(facts.lanes[lane], quantity) for lane in pair]
    return not all(map(is_old, pair)) and all(array is not None for array in arrays)


def _compare_lanes(facts: Facts, quantity: Quantity, one: str, other: str) -> Comparison:
    a, b = (value_of(facts.lanes[lane], quantity) for lane in (one, other))
    assert not isinstance(a, Failure)
    assert not isinstance(b, Failure)
    measure = facts.gauge(quantity)
    if measure is None or a is None or measure.truth.shape != a.shape:
        measure = _own_gauge(a)
    rules = Rules(facts.x64 or is_old(one) == is_old(other))
    if measure is not None and a is not None:
        measure = measure.with_canceled(a.dtype).relaxed()
    return compare(a, b, measure, rules)


def _own_gauge(a: np.ndarray | None) -> Gauge | None:
    """Make a gauge that measures errors from the array `a`, when the original's gauge does not fit.

    Return `None` if the array has no floating-point or complex dtype.
    """
    if a is None or not is_inexact(a.dtype):
        return None
    return gauge(a.dtype, a, None, [a])
