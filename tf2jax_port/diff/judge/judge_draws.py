"""Judge one case of a random function, by comparing distributions instead of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tf2jax_port.diff.closeness.closeness import EXACT, Closeness, gauge
from tf2jax_port.diff.closeness.comparison import Comparison, Rules, compare
from tf2jax_port.diff.closeness.distribution import Draws, distance, is_constant
from tf2jax_port.diff.closeness.explain import DIFFERENT, EQUAL
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.judge.judge import (
    NOT_COVERED,
    Finding,
    not_covered,
    refused,
    stage_of,
    structure,
)
from tf2jax_port.diff.judge.matrix import PairState
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import ONES, Quantity
from tf2jax_port.diff.vocabulary.lanes import INTERFACE, JAX_EAGER, JAX_JIT, TF_EAGER, VALUES, ports

_CONSTANT = Failure("constant", "the compiled program returns the same numbers in every call")
_UNDRAWN = Failure("missing", "distributions are compared in JAX eager and JAX jit only")


def judge_draws(facts: Facts) -> list[Finding]:
    """Compare the distribution of every lane of the port with the original's, on one case.

    Args:
      facts: the observations, including the repeated samples.
    """
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
            if quantity.cotangent in ("", ONES) and quantity.path in _numeric_paths(
                facts, quantity
            ):
                findings += _judge_quantity(facts, lane.id, quantity)
    return findings


def states_of_draws(findings: Sequence[Finding]) -> Iterator[PairState]:
    """Yield the comparison of TF eager with each lane of the port."""
    for f in findings:
        if f.outcome != NOT_COVERED:
            yield PairState((TF_EAGER.id, f.lane), f.case, f.quantity, f.stage, f.comparison)


def _numeric_paths(facts: Facts, quantity: Quantity) -> set[str]:
    """Return the paths of those outputs and gradients of the original that are numeric."""
    samples = _samples(facts, TF_EAGER.id)
    if isinstance(samples, Failure):
        return {quantity.path}
    return {q.path for q, found in samples.items() if found[0].dtype.kind not in "OSU"}


def _samples(facts: Facts, lane: str) -> dict[Quantity, list[np.ndarray]] | Failure:
    assert facts.draws is not None
    samples = facts.draws.get(lane, Draws(_UNDRAWN)).samples
    return samples if isinstance(samples, Failure) else dict(samples)


def _judge_quantity(facts: Facts, lane: str, quantity: Quantity) -> Iterator[Finding]:
    eager = TF_EAGER.id
    old, new = _samples(facts, eager), _samples(facts, lane)
    why = next((side for side in (old, new) if isinstance(side, Failure)), None)
    if isinstance(old, Failure) or isinstance(new, Failure):
        assert why is not None
        yield not_covered(facts, quantity, lane, eager, why)
        return
    one, other = old.get(quantity, []), new.get(quantity, [])
    if not one or not other:
        if lane == JAX_EAGER.id and one:
            why = Failure("missing", "the lane returns no such result")
            yield not_covered(facts, quantity, lane, eager, why)
        return
    outcome, comparison, because = _compare_draws(facts, lane, quantity, one, other)
    if outcome == NOT_COVERED:
        yield not_covered(facts, quantity, lane, eager, _CONSTANT)
        return
    yield Finding(
        facts.case,
        quantity,
        lane,
        eager,
        outcome,
        stage_of(quantity, comparison),
        comparison,
        because,
        one[0].shape,
        (one[0].dtype.name, other[0].dtype.name),
    )


def _compare_draws(
    facts: Facts,
    lane: str,
    quantity: Quantity,
    one: list[np.ndarray],
    other: list[np.ndarray],
) -> tuple[str, Comparison, str]:
    """Compare repeated samples of the original and the port in distribution.

    Returns:
      The outcome, the comparison and an explanation.
    """
    measure = gauge(one[0].dtype, one[0], None, []) if is_inexact(one[0].dtype) else None
    types = compare(one[0], other[0], measure, Rules(facts.x64))
    drawn = len({array.shape for array in one}) > 1
    if types.stage == INTERFACE and not (drawn and one[0].dtype == other[0].dtype):
        return DIFFERENT, types, ""
    found = distance(one, other)
    if not found.words:
        words = f"distance {found.largest:.2g}, allowed {found.allowed:.2g}"
        return EQUAL, Comparison(), f"in distribution, {len(one)} draws, {words}"
    if lane == JAX_JIT.id and is_constant(other):
        eagerly = _samples(facts, JAX_EAGER.id)
        samples = [] if isinstance(eagerly, Failure) else eagerly.get(quantity, [])
        if samples and not is_constant(samples):
            return NOT_COVERED, Comparison(), ""
    far = Closeness(EXACT, found.largest, found.allowed, found.largest, found.allowed)
    return DIFFERENT, Comparison(VALUES, found.words, far), ""
