"""Find out why results differ: a fault of the port, rounding, or an unstable original program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tf2jax_port.diff.closeness.closeness import (
    FLOAT64,
    FLOOR_ULP_WITHOUT_TRUTH,
    LANES_APART,
    Gauge,
    distance,
    gauge,
    largest,
    limit,
    norms,
)
from tf2jax_port.diff.closeness.comparison import Comparison, Rules, compare, placement
from tf2jax_port.diff.closeness.perturb import LARGE, SMALL, motion
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.pieces import holds_anywhere, in_pieces
from tf2jax_port.diff.values.precision import exact_wide, ulp
from tf2jax_port.diff.vocabulary.lanes import VALUES

DIFFERENT = "different"
KNIFE_EDGE = "knife-edge"
EQUAL = "equal"
UNSTEADY = "unsteady"

FLOAT64_RUN = "the original in float64"

# Why a difference is accepted as equal; used in `Explanation.names`.
DOUBLE_RUN = "double"
MOVED_RUNS = "moved"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another result of the original program for the same inputs.

    Attributes:
      name: the lane's title, or how the run differed.
      array: the result.
      where: the elements for which it may be used; `None` for all.
    """

    name: str
    array: np.ndarray | None
    where: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """One output of the original program, computed again on the same and on perturbed inputs.

    Attributes:
      again: the output for the same inputs.
      moved: for each direction of perturbation, the outputs for `SMALL` and for `LARGE` ulp.
      decides: whether a perturbed output is also a correct answer where the original jumps, as at a
        tie.
    """

    again: np.ndarray | None
    moved: Sequence[tuple[np.ndarray | None, np.ndarray | None]]
    decides: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason why two arrays differ, and the outcome that follows from it.

    Attributes:
      outcome: `DIFFERENT`, `KNIFE_EDGE`, `EQUAL` or `UNSTEADY`.
      comparison: the comparison to report.
      names: the runs of the original program that agree with the port, or why the arrays count as
        equal.
      elements: the number of elements at which the port agrees only with these runs.
      measure: the gauge, widened as far as the explanation needed.
    """

    outcome: str
    comparison: Comparison
    names: tuple[str, ...] = ()
    elements: int = 0
    measure: Gauge | None = None


def explain(
    reference: np.ndarray | None,
    port: np.ndarray | None,
    first: Comparison,
    measure: Gauge | None,
    rules: Rules,
    lanes: Sequence[Alternative],
    double: Callable[[], np.ndarray | None],
    probe: Callable[[], Probe | None],
) -> Explanation:
    """Find out why the port's result differs from the original program's, and decide the outcome.

    Args:
      reference: the result of the original.
      port: the result of the port.
      first: the comparison of the two, which fails.
      measure: the gauge for floats.
      rules: how dtypes are compared.
      lanes: other results of the original program for the same inputs.
      double: a function that runs the port in double precision.
      probe: a function that runs the original program again, on the same and on slightly perturbed
        inputs.
    """
    rounding = first.stage == VALUES and _is_rounding(port, measure, double)
    if rounding and measure is not None and measure.is_small(first.closeness.port_error):
        return Explanation(EQUAL, first, (DOUBLE_RUN,), measure=measure)
    edge = _settle(reference, port, lanes, measure, rules)
    if edge is not None:
        return edge
    found = _explain_by_reruns(reference, port, first, measure, rules, lanes, probe)
    if found.outcome == DIFFERENT and rounding:
        return Explanation(EQUAL, first, (DOUBLE_RUN,), measure=measure)
    return found


def _explain_by_reruns(
    reference: np.ndarray | None,
    port: np.ndarray | None,
    first: Comparison,
    measure: Gauge | None,
    rules: Rules,
    lanes: Sequence[Alternative],
    probe: Callable[[], Probe | None],
) -> Explanation:
    """Decide the outcome by running the original program again, on the same and on perturbed inputs."""
    runs = probe()
    if runs is None:
        return Explanation(DIFFERENT, first, measure=measure)
    if not _agree(reference, runs.again, measure, rules):
        return Explanation(UNSTEADY, first, measure=measure)
    jumps: list[Alternative] = []
    if measure is not None and reference is not None:
        measure = measure.with_canceled(reference.dtype)
        if _is_far_from_all(reference, port, measure, runs, lanes):
            return Explanation(DIFFERENT, first, measure=measure)
        measure, jumps = _widen(reference, runs, measure)
        comparison = compare(reference, port, measure, rules)
        if comparison.agrees:
            return Explanation(EQUAL, comparison, (MOVED_RUNS,), measure=measure)
    elif runs.decides:
        jumps = [
            Alternative(_perturbation_title(n), a)
            for p in runs.moved
            for n, a in zip((SMALL, LARGE), p)
        ]
    edge = _settle(reference, port, [*lanes, *jumps], measure, rules)
    return edge or Explanation(DIFFERENT, first, measure=measure)


def _is_far_from_all(
    reference: np.ndarray,
    port: np.ndarray | None,
    measure: Gauge,
    runs: Probe,
    lanes: Sequence[Alternative],
) -> bool:
    """Return whether the port is far from all results of the original program.

    The widest gauge is used. If the port is far, the detailed analysis of the perturbed runs, which
    is slow for large arrays, can be skipped.
    """
    if port is None or port.shape != reference.shape:
        return False
    answers = [one.array for one in lanes]
    apart = list(_distances_from(reference, answers))
    own = measure.own_max
    for pair in runs.moved:
        answers += pair
        moved = list(_distances_from(reference, pair))
        apart += moved
        if len(moved) == 2:  # an upper bound of `Motion.noise`
            own = max(own, moved[0], moved[1] * SMALL / LARGE)
    wide = replace(measure, own_max=own)
    return _out_of_reach(reference, port, answers, wide, max(apart, default=0.0))


def _out_of_reach(
    reference: np.ndarray,
    port: np.ndarray,
    answers: Sequence[np.ndarray | None],
    measure: Gauge,
    most: float,
) -> bool:
    """Return whether some element of the port is too far from all acceptable results.

    Args:
      reference: the result of the original program.
      port: the result of the port.
      answers: other results of the original program.
      measure: the gauge, which bounds the error of an element.
      most: the largest distance of the answers from the reference.
    """
    if not is_inexact(port.dtype):
        return False
    alike = [reference, measure.truth, *_comparable(reference, answers)]
    top = largest(measure.size) + norms(reference, measure.truth)[1] + most
    unit = max(ulp(reference.dtype), ulp(port.dtype))
    own = max(measure.own_max, FLOOR_ULP_WITHOUT_TRUTH * unit * top)
    bound = 1.01 * limit(max(1, port.size)) * own + unit * top

    def far(port: np.ndarray, *answers: np.ndarray) -> np.ndarray:
        wide = exact_wide(port)
        return np.min([distance(wide, exact_wide(answer)) for answer in answers], 0) > bound

    return holds_anywhere(far, port, *alike)


def _comparable(
    reference: np.ndarray, answers: Sequence[np.ndarray | None]
) -> Iterator[np.ndarray]:
    """Yield the other results that are numeric and have the shape of the reference."""
    for array in answers:
        if array is not None and array.shape == reference.shape and array.dtype.kind not in "SUO":
            yield array


def _distances_from(reference: np.ndarray, answers: Sequence[np.ndarray | None]) -> Iterator[float]:
    for array in _comparable(reference, answers):
        yield norms(array, reference)[1]


def _is_rounding(
    port: np.ndarray | None, measure: Gauge | None, double: Callable[[], np.ndarray | None]
) -> bool:
    """Return whether the port agrees with the original program once it runs in double precision."""
    if port is None or measure is None or measure.basis != FLOAT64:
        return False
    fine = double()
    if fine is None or fine.shape != port.shape or fine.dtype.name not in ("float64", "complex128"):
        return False
    return measure.is_rounding(port, fine)


def _widen(reference: np.ndarray, runs: Probe, measure: Gauge) -> tuple[Gauge, list[Alternative]]:
    """Widen the gauge by the sensitivity of the original program to perturbed inputs.

    Returns:
      The wider gauge, and the results on perturbed inputs that may replace the reference where it jumps.
    """
    samples: list[np.ndarray] = []
    jumps: list[Alternative] = []
    for pair in runs.moved:
        small, large = pair
        named = list(zip((SMALL, LARGE), pair))
        if small is None or large is None or not small.shape == large.shape == reference.shape:
            jumps += [Alternative(_perturbation_title(n), array) for n, array in named]
            continue
        found = motion(reference, small, large, measure.own_rms)
        samples.append(found.noise)
        jumps += [Alternative(_perturbation_title(n), array, found.jumps) for n, array in named]
    return measure.widened(samples), jumps if runs.decides else []


def _settle(
    reference: np.ndarray | None,
    port: np.ndarray | None,
    alternatives: Sequence[Alternative],
    measure: Gauge | None,
    rules: Rules,
) -> Explanation | None:
    """Explain a difference as a knife edge if each element of the port agrees with some run.

    A knife edge is an input for which runs of the original program differ from each other. The runs
    are those on the same and on perturbed inputs. Return `None` if it is no knife edge.
    """
    if reference is None or port is None or reference.shape != port.shape:
        return _settle_whole(port, alternatives, rules)
    arrays = [alternative.array for alternative in alternatives]
    if measure is not None:
        most = max(_distances_from(reference, arrays), default=0.0)
        if _out_of_reach(reference, port, arrays, measure, most):
            return None
    chosen, names, taken = reference, [], np.zeros(reference.shape, bool)
    for alternative in alternatives:
        other = alternative.array
        if other is None or other.shape != reference.shape or other.dtype.kind in "SUO":
            continue
        better = _better(chosen, other, port, measure)
        better &= in_pieces(partial(_differ, measure=measure), reference, other)
        if alternative.where is not None:
            better &= alternative.where
        if better.any():
            with np.errstate(over="ignore"):
                chosen = np.where(better, other.astype(reference.dtype), chosen)
            names.append(alternative.name)
            taken |= better
    comparison = compare(chosen, port, _regauged(measure, chosen, taken), rules)
    if not names or not comparison.agrees:
        return None
    before = compare(reference, port, measure, rules)
    return Explanation(KNIFE_EDGE, before, tuple(dict.fromkeys(names)), int(taken.sum()), measure)


def _settle_whole(
    port: np.ndarray | None, alternatives: Sequence[Alternative], rules: Rules
) -> Explanation | None:
    """Explain a difference as a knife edge if the port's whole result agrees with another run.

    The other run is one of the original program, whose result differs in shape from the reference.
    Return `None` if no run agrees.
    """
    for alternative in alternatives:
        other = alternative.array
        if port is None or other is None or other.shape != port.shape:
            continue
        measure = gauge(port.dtype, other, None, [other]) if is_inexact(port.dtype) else None
        comparison = compare(other, port, measure, Rules(rules.x64, either_way=True))
        if comparison.agrees:
            return Explanation(KNIFE_EDGE, comparison, (alternative.name,), port.size, measure)
    return None


def _differ(a: np.ndarray, b: np.ndarray, measure: Gauge | None) -> np.ndarray:
    """Return the mask of elements at which two outputs of the original program differ.

    Errors that are only rounding do not count.
    """
    if measure is None:
        return np.asarray(a != b)
    x, y = exact_wide(a), exact_wide(b)
    finite = np.isfinite(x) & np.isfinite(y)
    error = np.abs(np.where(finite, x, 0) - np.where(finite, y, 0))
    return placement(a, b) | (error > LANES_APART * measure.own_rms)


def _better(
    chosen: np.ndarray, other: np.ndarray, port: np.ndarray, measure: Gauge | None
) -> np.ndarray:
    """Return the mask of elements at which the array `other` is nearer to the port than `chosen` is."""
    if measure is None:
        return np.asarray((other == port) & (chosen != port))
    return in_pieces(_nearer, chosen, other, port)


def _nearer(chosen: np.ndarray, other: np.ndarray, port: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        x, y, z = (exact_wide(array) for array in (chosen, other, port))
        nearer = np.abs(y - z) < np.abs(x - z)
    wrong_now, wrong_then = placement(chosen, port), placement(other, port)
    return (wrong_now & ~wrong_then) | (nearer & ~wrong_then)


def _regauged(measure: Gauge | None, chosen: np.ndarray, taken: np.ndarray) -> Gauge | None:
    """Return the gauge with the elements of `truth` in the mask `taken` replaced by `chosen`."""
    return measure if measure is None else measure.replaced(chosen, taken, chosen.dtype)


def _agree(a: np.ndarray | None, b: np.ndarray | None, measure: Gauge | None, rules: Rules) -> bool:
    return compare(a, b, measure, Rules(rules.x64, either_way=True)).agrees


def _perturbation_title(ulps: int) -> str:
    unit = "unit" if ulps == 1 else "units"
    return f"TF eager with inputs changed by {ulps} {unit} in the last place"
