"""Everything that was observed about one case, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tf2jax_port.diff.closeness.closeness import Gauge, gauge
from tf2jax_port.diff.closeness.distribution import Draws
from tf2jax_port.diff.closeness.explain import FLOAT64_RUN, Alternative, Probe
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import COTANGENTS, KINDS, Observation, Quantity, value_of
from tf2jax_port.diff.values.pieces import in_pieces
from tf2jax_port.diff.values.precision import as_jax_has_it, exact_wide
from tf2jax_port.diff.values.spill import spilled, stand_in
from tf2jax_port.diff.vocabulary.lanes import OLD_LANES, title

_REFERENCES = OLD_LANES[:2]


@dataclass(frozen=True, slots=True)
class Reruns:
    """The original, run again.

    Attributes:
      again: on the same inputs.
      moved: on inputs moved by one and by eight ulp, for each direction.
      decides: see `Probe`.
    """

    again: Observation
    moved: Sequence[tuple[Observation, Observation]]
    decides: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """One case as all lanes saw it.

    Attributes:
      case: its number.
      lanes: lane to what it gave.
      in_double: the original in double precision, a `Failure` where it does not run there.
      in_single: for an original in double precision whose port works in single: the original in
        single precision.
      x64: whether JAX has 64-bit types.
      input_sizes: for each array, the sum of the sizes of its elements.
      rerun: runs the original again; called at most when something differs.
      port_in_double: runs a lane of the port, the eager or the compiled one, in double precision;
        called at most when something differs.
      draws: many calls of some lanes, where distributions are compared.
      as_given: why a case was run as it was given where bfloat16 was asked for; empty elsewhere.
    """

    case: int
    lanes: Mapping[str, Observation]
    in_double: Observation | Failure
    in_single: Observation | Failure | None
    x64: bool
    input_sizes: Mapping[str, float]
    rerun: Callable[[], Reruns | None]
    port_in_double: Callable[[str], Observation | Failure]
    draws: Mapping[str, Draws] | None = None
    as_given: str = ""
    _gauges: dict[Quantity, Gauge | None] = field(default_factory=dict)

    def judged(self) -> Facts:
        """What a report needs of it, once it is judged: large arrays as `stand_in`, no other runs."""
        lanes = {
            lane: replace(
                seen,
                outputs=_light(seen.outputs),
                gradients={kind: _light(found) for kind, found in seen.gradients.items()},
            )
            for lane, seen in self.lanes.items()
        }
        return replace(
            self,
            lanes=lanes,
            in_double=_NO_MORE,
            in_single=None,
            rerun=_no_more,
            port_in_double=_no_more,
            draws=None if self.draws is None else {},
            _gauges={},
        )

    @property
    def reference(self) -> str | None:
        """The lane of the original that speaks for it: TF eager, else the graph.

        TF XLA does not: where both of the others refuse an input, it may compute something.
        """
        ran = [lane.id for lane in _REFERENCES if self.lanes[lane.id].ran]
        return ran[0] if ran else None

    def reference_for(self, quantity: Quantity) -> str | None:
        """The first of these lanes that has this quantity."""
        for lane in _REFERENCES:
            if not isinstance(value_of(self.lanes[lane.id], quantity), Failure):
                return lane.id
        return None

    def quantities(self) -> list[Quantity]:
        """All that the original gives here: outputs, then gradients."""
        if self.reference is None:
            return []
        observation = self.lanes[self.reference]
        assert not isinstance(observation.outputs, Failure)
        found = [Quantity("output", path) for path in observation.outputs]
        for cotangent in KINDS:
            paths: set[str] = set()
            for lane in self.lanes.values():
                gradients = lane.gradients.get(cotangent)
                if gradients is not None and not isinstance(gradients, Failure):
                    paths |= set(gradients)
            found += [Quantity("gradient", path, cotangent) for path in sorted(paths)]
        return found

    def gauge(self, quantity: Quantity) -> Gauge | None:
        """How rounded numbers of this quantity are judged; `None` for exact ones."""
        if quantity not in self._gauges:
            made = self._make_gauge(quantity)
            if made is not None and quantity.cotangent in COTANGENTS:
                made = replace(made, natural=self._natural(quantity))
            if made is not None:
                made = replace(made, truth=spilled(made.truth), size=spilled(made.size))
            self._gauges[quantity] = made
        return self._gauges[quantity]

    def alternatives(self, quantity: Quantity, apart_from: str) -> list[Alternative]:
        """The original's other answers to the same inputs."""
        found = []
        for lane in OLD_LANES:
            value = value_of(self.lanes[lane.id], quantity)
            if lane.id != apart_from and not isinstance(value, Failure):
                found.append(Alternative(title(lane.id), value))
        truth = self._of(self.in_double, quantity)
        if truth is not None:
            found.append(Alternative(FLOAT64_RUN, truth))
        return found

    def probe(self, quantity: Quantity) -> Probe | None:
        """This quantity in the repeated runs of the original."""
        runs = self.rerun()
        if runs is None:
            return None
        return Probe(
            self._of(runs.again, quantity),
            [(self._of(a, quantity), self._of(b, quantity)) for a, b in runs.moved],
            runs.decides,
        )

    def double(self, quantity: Quantity, lane: str) -> np.ndarray | None:
        """This quantity in the run of the port's lane in double precision."""
        return self._of(self.port_in_double(lane), quantity)

    def _make_gauge(self, quantity: Quantity) -> Gauge | None:
        lane = self.reference_for(quantity)
        reference = self._of(self.lanes[lane], quantity) if lane else None
        if reference is None or not is_inexact(reference.dtype):
            return None
        working = as_jax_has_it(reference.dtype, self.x64)
        runs = [self._of(self.lanes[lane.id], quantity) for lane in OLD_LANES]
        baselines = [a for a in runs if a is not None and a.shape == reference.shape]
        scale = self._scale(quantity, reference.shape)
        if working != reference.dtype:  # the original already is in double precision
            single = self._of(self.in_single, quantity)
            fits = single is not None and single.shape == reference.shape
            narrow = [single] if single is not None and fits else []
            return gauge(working, reference, reference, narrow, scale)
        truth = self._of(self.in_double, quantity)
        if truth is not None and not (_is_wider(truth, reference) and self._stays_wide()):
            truth = None
        return gauge(working, reference, truth, baselines, scale)

    def _natural(self, quantity: Quantity) -> float:
        """How large outputs are over the input: the gradient of something like a product."""
        size = self.input_sizes.get(quantity.path, 0.0)
        lane = self.reference
        if not size or lane is None:
            return 0.0
        outputs = self.lanes[lane].outputs
        assert not isinstance(outputs, Failure)
        typical = 0.0
        for array in outputs.values():
            if array is not None and is_inexact(array.dtype):
                finite = np.abs(exact_wide(array[np.isfinite(array)]))
                if finite.size:
                    # The median: a constant of -1e9 in a mask is no measure of anything.
                    typical += float(np.median(finite)) * finite.size
        return typical / size

    def _stays_wide(self) -> bool:
        """Whether the original, run in double precision, gives all its floats in it.

        One that casts to float32 inside gives its gradients in float64 again, but not to the
        digits of float64.
        """
        assert isinstance(self.in_double, Observation)
        outputs = self.in_double.outputs
        assert not isinstance(outputs, Failure)
        floats = [a for a in outputs.values() if a is not None and is_inexact(a.dtype)]
        return all(array.dtype.name in ("float64", "complex128") for array in floats)

    def _scale(self, quantity: Quantity, shape: tuple[int, ...]) -> np.ndarray | None:
        """How large a gradient is with the other cotangents."""
        if quantity.cotangent not in COTANGENTS:
            return None
        found = []
        for cotangent in COTANGENTS:
            other = Quantity(quantity.kind, quantity.path, cotangent)
            lane = self.reference_for(other)
            array = self._of(self.lanes[lane], other) if lane else None
            if array is not None and array.shape == shape:
                found.append(array)
        return in_pieces(_largest_sizes, *found) if found else np.zeros(shape)

    @staticmethod
    def _of(run: Observation | Failure | None, quantity: Quantity) -> np.ndarray | None:
        if run is None or isinstance(run, Failure):
            return None
        value = value_of(run, quantity)
        return None if isinstance(value, Failure) else value


_NO_MORE = Failure("judged", "what is judged needs no other run")


def _no_more(*_: object) -> Any:
    raise AssertionError(_NO_MORE.reason)


def _largest_sizes(*arrays: np.ndarray) -> np.ndarray:
    sizes = [np.abs(exact_wide(array)) for array in arrays]
    return np.max([np.where(np.isfinite(size), size, 0) for size in sizes], 0)


def _light(arrays: Mapping[str, np.ndarray | None] | Failure) -> Any:
    if isinstance(arrays, Failure):
        return arrays
    return {path: None if a is None else stand_in(a) for path, a in arrays.items()}


def _is_wider(truth: np.ndarray, reference: np.ndarray) -> bool:
    """Whether the run in double precision stayed in double precision to the end."""
    wide = truth.dtype.name in ("float64", "complex128") and truth.dtype != reference.dtype
    return wide and truth.shape == reference.shape
