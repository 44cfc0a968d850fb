"""Rank the original's values that may be the correct values for a value of the port."""

from __future__ import annotations

import itertools

import numpy as np

from tf2jax_port.diff.locate.match.matching import SINGLE, flattened, size_of
from tf2jax_port.diff.locate.search.injection import AS_IT_IS, Injector, layouts
from tf2jax_port.diff.locate.watch.trail import Step

# How many of the original's values are tried at one place of the port.
_TRIES, _RESIZED, _LATER, _LATER_RESIZED, _OTHERS = 10, 6, 8, 3, 6
# The most views that are tried; each value has several. The most orders of elements without padding.
_VIEWS, _ORDERS = 12, 3
# The cap on an element's distance, relative to the largest element.
_FAR = 2.0
# The largest distance that counts as near, in operations.
_NEAR = 2
# TensorFlow's operations and the equivalent primitives, where the names differ.
_KINDS = {
    "AddV2": "add",
    "BiasAdd": "add",
    "RealDiv": "div",
    "MatMul": "dot_general",
    "BatchMatMulV2": "dot_general",
    "Mean": "div",
    "Sum": "reduce_sum",
    "Max": "reduce_max",
    "Min": "reduce_min",
    "Prod": "reduce_prod",
    "ArgMax": "argmax",
    "ArgMin": "argmin",
    "Floor": "floor",
    "Round": "round",
    "Maximum": "max",
    "Minimum": "min",
    "Sigmoid": "logistic",
    "Square": "integer_pow",
    "SelectV2": "select_n",
    "GatherV2": "gather",
    "GatherNd": "gather",
    "Cast": "convert_element_type",
    "ConcatV2": "concatenate",
    "Pack": "concatenate",
    "Conv2D": "conv_general_dilated",
    "Greater": "gt",
    "GreaterEqual": "ge",
    "Less": "lt",
    "LessEqual": "le",
    "Equal": "eq",
    "NotEqual": "ne",
    "LogicalAnd": "and",
    "LogicalOr": "or",
    "UnsortedSegmentSum": "scatter-add",
    "StridedSlice": "slice",
}

# The number of the original's value, its array in the port's layout, and the index of the layout.
Candidate = tuple[int, np.ndarray, int]


class Candidates:
    """The original's values that may replace a wrong value of the port.

    They are the values that only the original has, and the shared values from which they are
    computed.

    Args:
      of: the recorded runs of both programs.
    """

    def __init__(self, of: Injector) -> None:
        self._of = of
        trail = of.old.trail
        around = of.old_region.values | of.old_region.edge
        # Shared values may belong elsewhere too: a mean is part of a variance.
        around |= {o for n in of.old_region.edge if (m := trail.maker(n)) for o in m.operands}
        self._all = [
            number
            for number in sorted(around)
            if (array := trail.array(number)) is not None
            and array.size
            and (trail.makers[number] is not None or number in trail.names or array.size > 1)
        ]

    def for_result(self, number: int, step: Step) -> list[Candidate]:
        """Return the original's values that may be the right result of an operation, best first.

        Args:
          number: the value of the port.
          step: the operation that computed it.
        """
        held, flat = self._of.new.trail.array(number), self._of.new.flat(number)
        if held is None or flat is None:
            return []
        found, resized = [], []
        taken = self._operand_twins(step)
        for other in self._all:
            array = self._of.old.trail.array(other)
            # All orders of axes are tried below.
            if array is None or other in self._of.old.trail.turned:
                continue
            if self._of.new.counts(number) != self._of.old.counts(other):
                continue
            unlike = self._dissimilarity(number, step, other, taken)
            if array.size != flat.size:
                every = list(itertools.islice(self._of.padded(other, number), _ORDERS))
                if not every:
                    resized.append((unlike, abs(array.ndim - held.ndim), other, array))
                for turn, padded in enumerate(every):
                    if apart := distance(flat, flattened(padded)):
                        found.append((unlike + 0.5 * min(apart, 2.0), other, padded, turn))
                continue
            for turn, laid in enumerate(layouts(array, held.shape)):
                apart = distance(flat, flattened(laid))
                if turn and apart <= SINGLE and array.shape != held.shape:
                    # The same with its axes in a different order.
                    resized.append((-1.0, 0, other, array))
                elif apart:
                    found.append((unlike + 0.5 * min(apart, 2.0), other, laid, turn))
        found.sort(key=lambda entry: entry[:2])
        resized.sort(key=lambda entry: entry[:3])
        views = self._of.old.trail.arranged
        nearest = [entry[1:] for entry in found if entry[1] not in views][:_TRIES]
        nearest += _distinct([entry[1:] for entry in found if entry[1] in views])[:_VIEWS]
        return nearest + [(other, array, AS_IT_IS) for _, _, other, array in resized[:_RESIZED]]

    def for_omitted(self, edge: int, is_near: bool) -> list[Candidate]:
        """Return values that the original computes from a shared value, and that the port may omit.

        A shared value occurs in the runs of both programs.

        Args:
          edge: the shared value, by its number in the port's run.
          is_near: whether to return values one or two operations later, instead of those further
            on.
        """
        twins, flat = self._of.twins(edge), self._of.new.flat(edge)
        if flat is None:
            return []
        trail = self._of.old.trail
        # An operation may take the value itself in another arrangement.
        away = self._distances(twins.union(*(trail.parts(twin) for twin in twins)))
        found, resized = [], []
        shape = np.shape(self._of.new.trail.values[edge])
        for other in self._all:
            array, laid = trail.array(other), self._of.laid(other, edge)
            if other in twins or other not in away or array is None or self._of.old.counts(other):
                continue
            if (away[other] <= _NEAR) != is_near:
                continue
            if laid is not None:
                found.append((away[other], other, laid))
            # The omitted operation may exchange axes or add some.
            if is_near and array.shape != shape and other not in trail.arranged and array.ndim > 1:
                resized.append((away[other], other, array))
        found.sort(key=lambda entry: entry[:2])
        resized.sort(key=lambda entry: entry[:2])
        return [(other, laid, 0) for _, other, laid in found[:_LATER]] + [
            (other, array, AS_IT_IS) for _, other, array in resized[:_LATER_RESIZED]
        ]

    def for_mistaken(self, edge: int, step: Step) -> list[Candidate]:
        """Return values that the port should perhaps use instead of a shared value, best first.

        A shared value occurs in the runs of both programs. Values that the original computes from it are
        excluded.

        Args:
          edge: the shared value, by its number in the port's run.
          step: the operation that uses it.
        """
        flat = self._of.new.flat(edge)
        twins = self._of.twins(edge)
        if flat is None or not twins:
            return []
        later = set().union(*(self._of.behind(twin) for twin in twins))
        counts = self._of.new.counts(edge)
        used = self._operand_twins(step) - twins
        found = []
        for other in self._all:
            laid = self._of.laid(other, edge)
            if other in later or laid is None or self._of.old.counts(other) != counts:
                continue
            users = self._of.old.trail.users(other)
            beside = any(not used.isdisjoint(user.operands) for user in users)
            alike = any(kind_of(user) == step.name for user in users)
            apart = min(distance(flat, flattened(laid)), 2.0)
            if apart:
                found.append((2.0 - beside - 0.5 * alike + 0.2 * apart, other, laid))
        found.sort(key=lambda entry: entry[:2])
        return [(other, laid, 0) for _, other, laid in found[:_OTHERS]]

    def _distances(self, twins: frozenset[int]) -> dict[int, int]:
        """Return how many operations lie between each value of the region and the nearest of `twins`.

        Only values that are computed from one of `twins` have an entry.
        """
        away = dict.fromkeys(twins, 0)
        first = min(
            (m for t in twins if (m := self._of.old.trail.makers[t]) is not None), default=0
        )
        region = self._of.old_region.values | self._of.old_region.edge
        for step in self._of.old.trail.steps[first:]:
            near = [away[o] for o in step.operands if o in away]
            if near:
                for result in step.results:
                    if result in region:
                        away.setdefault(result, min(near) + 1)
        return away

    def _operand_twins(self, step: Step) -> set[int]:
        """Return the original's values that equal operands of the expression that contains a step."""
        trail = self._of.new.trail
        found: set[int] = set()
        waiting = [step]
        for one in waiting:
            for operand in one.operands:
                maker, flat = trail.maker(operand), self._of.new.flat(operand)
                if flat is not None and flat.size > 1:
                    found |= self._of.kin(operand)
                if (
                    maker is not None
                    and maker not in waiting
                    and _line_part(maker) == _line_part(step)
                ):
                    waiting.append(maker)
        return found

    def _dissimilarity(self, number: int, step: Step, other: int, taken: set[int]) -> float:
        """Return a score of how much an operation of the original differs from the port's.

        Args:
          number: the value of the port.
          step: the operation that computed it.
          other: the value of the original; the operation that computed it is compared.
          taken: the original's values that equal operands of the port's expression.
        """
        theirs = self._of.old.trail.maker(other)
        if theirs is None:
            return 1.0
        cost = 0.0
        passes = self._of.old.trail.passes(theirs)[0], self._of.new.trail.passes(step)[0]
        if len(passes[0]) == len(passes[1]) > 1 or self._of.new.counts(number):
            cost += min(abs(theirs.passed - step.passed), 2)
        if taken.isdisjoint(theirs.operands):
            near = {
                o for n in theirs.operands if (m := self._of.old.trail.maker(n)) for o in m.operands
            }
            cost += 0.25 if not taken.isdisjoint(near) else 0.5
        return cost + 0.4 * (kind_of(theirs) != step.name)


def _distinct(found: list[Candidate]) -> list[Candidate]:
    """Return the first of all candidates with equal elements; the others would only repeat its trial."""
    seen: dict[tuple[object, ...], Candidate] = {}
    for candidate in found:
        array = candidate[1]
        seen.setdefault((array.shape, array.dtype.name, array.tobytes()), candidate)
    return list(seen.values())


def kind_of(step: Step) -> str:
    """Return the name of the JAX primitive that is equivalent to a TensorFlow operation."""
    return _KINDS.get(step.name, step.name.lower())


def _line_part(step: Step) -> tuple[object, ...]:
    return step.places, step.instruction


def distance(a: np.ndarray, b: np.ndarray | None) -> float:
    """Return the root-mean-square distance of two flat arrays, relative to their magnitude."""
    if b is None or a.size != b.size:  # one of them may be complex
        return np.inf
    both = np.isfinite(a) & np.isfinite(b)
    if not both.any():
        return 1.0
    a, b = a[both], b[both]
    scale = max(size_of(a), size_of(b))
    if not scale:
        return 0.0
    # A fill value such as -1e9 counts as one differing element, however large it is.
    return float(np.sqrt(np.mean(np.minimum(np.abs(a - b) / scale, _FAR) ** 2)))
