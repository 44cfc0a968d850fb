"""Define `Facts`, which contains everything that was observed when one case ran in all lanes."""

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
from tf2jax_port.diff.values.precision import as_jax_has_it, coarse_ulp, exact_wide
from tf2jax_port.diff.values.spill import spilled, stand_in
from tf2jax_port.diff.vocabulary.lanes import OLD_LANES, title

_REFERENCES = OLD_LANES[:2]


@dataclass(frozen=True, slots=True)
class Reruns:
    """The results of running the original program again.

    Attributes:
      again: the results for the same inputs.
      moved: for each direction, the results for inputs perturbed by one and by eight ulp.
      decides: see `Probe`.
    """

    again: Observation
    moved: Sequence[tuple[Observation, Observation]]
    decides: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """The observations of one case in all lanes.

    Attributes:
      case: the number of the case.
      lanes: the observation of each lane.
      in_double: the original's results in double precision, a `Failure` if it does not run there.
      in_single: the original's results in single precision, if the port runs in single precision
        although the original runs in double.
      x64: whether JAX has 64-bit types.
      input_sizes: for each array, the sum of the magnitudes of its elements.
      rerun: a function that runs the original program again; called only if something differs.
      port_in_double: a function that runs a lane of the port, the eager or the compiled one, in
        double precision; called only if something differs.
      draws: the results of repeated calls of some lanes, if distributions are compared.
      as_given: why a case was not run in bfloat16 although that was requested; empty otherwise.
      coarsest: the type with the fewest digits that the original computes in, if that is fewer than float32 has.
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
    coarsest: str = ""
    _gauges: dict[Quantity, Gauge | None] = field(default_factory=dict)

    def judged(self) -> Facts:
        """Return the facts without the data that is no longer needed once they are judged.

        Large arrays are replaced by a `stand_in`, and the original program cannot be run again.
        """
        lanes = {
            lane: replace(
                seen,
                outputs=_shrink(seen.outputs),
                gradients={kind: _shrink(found) for kind, found in seen.gradients.items()},
            )
            for lane, seen in self.lanes.items()
        }
        return replace(
            self,
            lanes=lanes,
            in_double=_NO_MORE,
            in_single=None,
            rerun=_raise_judged,
            port_in_double=_raise_judged,
            draws=None if self.draws is None else {},
            _gauges={},
        )

    @property
    def reference(self) -> str | None:
        """The reference lane of the original: TF eager, or else TF graph; `None` if neither ran.

        TF XLA is never the reference: it may return a result for inputs that both of the others
        reject.
        """
        ran = [lane.id for lane in _REFERENCES if self.lanes[lane.id].ran]
        return ran[0] if ran else None

    def reference_for(self, quantity: Quantity) -> str | None:
        """Return the first of TF eager and TF graph that computed a quantity; `None` if neither did."""
        for lane in _REFERENCES:
            if not isinstance(value_of(self.lanes[lane.id], quantity), Failure):
                return lane.id
        return None

    def quantities(self) -> list[Quantity]:
        """Return the quantities to compare: the original's outputs, then the gradients."""
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
        """Return the gauge for a quantity, cached; `None` if the quantity is not a float."""
        if quantity not in self._gauges:
            made = self._make_gauge(quantity)
            if made is not None and quantity.cotangent in COTANGENTS:
                made = replace(made, natural=self._natural_size(quantity))
            if made is not None:
                made = replace(made, truth=spilled(made.truth), size=spilled(made.size))
            self._gauges[quantity] = made
        return self._gauges[quantity]

    def alternatives(self, quantity: Quantity, apart_from: str) -> list[Alternative]:
        """Return the original's results for a quantity in all lanes except one, and in double precision."""
        found = []
        for lane in OLD_LANES:
            value = value_of(self.lanes[lane.id], quantity)
            usable = lane.id != apart_from and not self.lanes[lane.id].frozen
            if usable and not isinstance(value, Failure):
                found.append(Alternative(title(lane.id), value))
        truth = self._array_of(self.in_double, quantity)
        if truth is not None:
            found.append(Alternative(FLOAT64_RUN, truth))
        return found

    def probe(self, quantity: Quantity) -> Probe | None:
        """Run the original program again; return its results for one quantity, `None` if it fails."""
        runs = self.rerun()
        if runs is None:
            return None
        return Probe(
            self._array_of(runs.again, quantity),
            [(self._array_of(a, quantity), self._array_of(b, quantity)) for a, b in runs.moved],
            runs.decides,
        )

    def double(self, quantity: Quantity, lane: str) -> np.ndarray | None:
        """Run a lane of the port in double precision, and return the result for one quantity."""
        return self._array_of(self.port_in_double(lane), quantity)

    def _make_gauge(self, quantity: Quantity) -> Gauge | None:
        lane = self.reference_for(quantity)
        reference = self._array_of(self.lanes[lane], quantity) if lane else None
        if reference is None or not is_inexact(reference.dtype):
            return None
        working = as_jax_has_it(reference.dtype, self.x64)
        runs = [self._array_of(self.lanes[lane.id], quantity) for lane in OLD_LANES]
        baselines = [a for a in runs if a is not None and a.shape == reference.shape]
        scale = self._scale(quantity, reference.shape)
        if working != reference.dtype:  # the original already is in double precision
            single = self._array_of(self.in_single, quantity)
            fits = single is not None and single.shape == reference.shape
            narrow = [single] if single is not None and fits else []
            return gauge(working, reference, reference, narrow, scale)
        truth = self._array_of(self.in_double, quantity)
        if truth is not None and not (_is_wider(truth, reference) and self._stays_wide()):
            truth = None
        return gauge(working, reference, truth, baselines, scale, coarse_ulp(self.coarsest))

    def _natural_size(self, quantity: Quantity) -> float:
        """Return the size expected of a gradient: the outputs' magnitude divided by the input's."""
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
                    # The median, because a constant of -1e9 in a mask would dominate a mean.
                    typical += float(np.median(finite)) * finite.size
        return typical / size

    def _stays_wide(self) -> bool:
        """Return whether the original computes only float64 outputs when it runs in double precision.

        A function that casts to float32 internally returns float64 gradients, but without the
        accuracy of float64.
        """
        assert isinstance(self.in_double, Observation)
        outputs = self.in_double.outputs
        assert not isinstance(outputs, Failure)
        floats = [a for a in outputs.values() if a is not None and is_inexact(a.dtype)]
        return all(array.dtype.name in ("float64", "complex128") for array in floats)

    def _scale(self, quantity: Quantity, shape: tuple[int, ...]) -> np.ndarray | None:
        """Return the largest absolute value of each gradient element over all cotangents.

        Return `None` for an output, or a gradient computed without cotangents.
        """
        if quantity.cotangent not in COTANGENTS:
            return None
        found = []
        for cotangent in COTANGENTS:
            other = Quantity(quantity.kind, quantity.path, cotangent)
            lane = self.reference_for(other)
            array = self._array_of(self.lanes[lane], other) if lane else None
            if array is not None and array.shape == shape:
                found.append(array)
        return in_pieces(_largest_sizes, *found) if found else np.zeros(shape)

    @staticmethod
    def _array_of(run: Observation | Failure | None, quantity: Quantity) -> np.ndarray | None:
        if run is None or isinstance(run, Failure):
            return None
        value = value_of(run, quantity)
        return None if isinstance(value, Failure) else value


_NO_MORE = Failure("judged", "a judged case is not run again")


def _raise_judged(*_: object) -> Any:
    raise AssertionError(_NO_MORE.reason)


def _largest_sizes(*arrays: np.ndarray) -> np.ndarray:
    sizes = [np.abs(exact_wide(array)) for array in arrays]
    return np.max([np.where(np.isfinite(size), size, 0) for size in sizes], 0)


def _shrink(arrays: Mapping[str, np.ndarray | None] | Failure) -> Any:
    if isinstance(arrays, Failure):
        return arrays
    return {path: None if a is None else stand_in(a) for path, a in arrays.items()}


def _is_wider(truth: np.ndarray, reference: np.ndarray) -> bool:
    """Return whether `truth` is in double precision and `reference` is not, with the same shape."""
    wide = truth.dtype.name in ("float64", "complex128") and truth.dtype != reference.dtype
    return wide and truth.shape == reference.shape
