"""Run a case in all lanes of the original program and of the port."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.closeness.distribution import Draws, draw
from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.lanes.parts import Here
from tf2jax_port.diff.lanes.tensorflow_lanes import TensorFlowLanes
from tf2jax_port.diff.observing.original import Original, feed, forward, with_gradients
from tf2jax_port.diff.observing.port import Port
from tf2jax_port.diff.processes.lane_process import LaneProcess
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.attempt import attempt
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import ONES, Observation
from tf2jax_port.diff.values.precision import exact_wide, narrowed, widened
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER, JAX_JIT, TF_EAGER, TF_GRAPH, TF_XLA, Lane


class Observer:
    """Runs the original and the port in all lanes, one case at a time.

    Args:
      old: the TensorFlow function.
      new: its port.
      seed: the seed of cotangents and of random numbers.
      x64: whether JAX has 64-bit types.
      elsewhere: the setups of the lanes that run in other processes.
      variables: a dict from names to the original's variables, if the cases give their values.
      extras: the optional parts that were requested.
    """

    def __init__(
        self,
        old: Callable[..., Any],
        new: Callable[..., Any],
        seed: int,
        x64: bool,
        elsewhere: Sequence[Setup] = (),
        variables: Mapping[str, Any] | None = None,
        extras: Extras = NOTHING,
    ) -> None:
        setups = {setup.lane: setup for setup in elsewhere}
        self._old = TensorFlowLanes(old, seed, variables)
        self._original = Original(self._old, x64)
        self._new = Port(new, seed, setups, extras.lane_ids)
        self._extras = extras
        xla = setups.get(TF_XLA.id)
        self._xla = LaneProcess(xla) if xla else Here(TF_XLA.id, self._old)
        self._seed = seed
        self._x64 = x64

    def observe(self, case: Arguments, step: Callable[[str], None] = lambda lane: None) -> Facts:
        """Run one case in all lanes and collect the results.

        Args:
          case: the call.
          step: called with the title of each lane before it runs.
        """
        lanes: dict[str, Observation] = {}
        for lane, run in ((TF_EAGER, self._old.eager), (TF_GRAPH, self._old.graph)):
            step(lane.title)
            lanes[lane.id] = forward(attempt(run, case))
        fed = feed(lanes, self._seed, case, self._extras)
        self._new.start(case, fed)
        self._xla.start(case, fed)
        for lane, gradients in (
            (TF_EAGER, self._old.eager_gradients),
            (TF_GRAPH, self._old.graph_gradients),
        ):
            lanes[lane.id] = with_gradients(lanes[lane.id], gradients, case, fed)
        lanes |= self._new.results(case, fed, step)
        step(TF_XLA.title)
        lanes[TF_XLA.id] = self._xla.result()
        original, coarsest = self._original, self._old.coarsest(case)
        return Facts(
            case=case.index,
            lanes=lanes,
            in_double=original.other_precision(case, widened, fed),
            in_single=None if self._x64 else original.other_precision(case, narrowed, fed),
            x64=self._x64,
            input_sizes=input_sizes(case),
            rerun=functools.cache(lambda: original.rerun(case, fed, coarsest)),
            port_in_double=functools.cache(lambda lane: self._new.in_double(case, fed, lane)),
            draws=self._draws(case, fed, step) if self._extras.draws else None,
            coarsest=coarsest,
        )

    def _draws(self, case: Arguments, fed: Fed, step: Callable[[str], None]) -> Mapping[str, Draws]:
        """Sample outputs of the original and the port repeatedly, and gradients of the eager lanes."""
        new = self._new.lanes
        ones = {kind: made for kind, made in fed.items() if kind == ONES}

        def eagerly(lanes: Any, case: Arguments) -> Observation:
            found = forward(attempt(lanes.eager, case))
            return with_gradients(found, lanes.eager_gradients, case, ones)

        runs: list[tuple[Lane, Any, Callable[[Arguments], Observation]]] = [
            (TF_EAGER, self._old, functools.partial(eagerly, self._old)),
            (JAX_EAGER, new, functools.partial(eagerly, new)),
            (JAX_JIT, new, lambda case: forward(attempt(new.jit, case))),
        ]
        found = {}
        for lane, lanes, run in runs:
            step(f"{lane.title}, {self._extras.draws} draws")
            run(case)  # sets the seeds
            lanes.drawing = True
            found[lane.id] = draw(run, case, self._extras.draws)
            lanes.drawing = False
        return found

    @property
    def sides(self) -> tuple[Any, Any]:
        """A pair: the lanes of the original, and the lanes of the port that run in this process."""
        return self._old, self._new.lanes

    def close(self) -> None:
        """End the processes that were started."""
        self._new.close()
        self._xla.close()


def input_sizes(case: Arguments) -> dict[str, float]:
    """Return a dict from the arrays of a case to the sum of their elements' magnitudes."""
    return {path: _sum_of_magnitudes(a) for path, a in zip(case.paths, case.arrays)}


def _sum_of_magnitudes(array: np.ndarray) -> float:
    if not is_inexact(array.dtype):
        return 0.0
    return float(np.sum(np.abs(exact_wide(array[np.isfinite(array)]))))
