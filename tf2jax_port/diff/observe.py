"""One case through all lanes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.arguments import Arguments, is_inexact
from tf2jax_port.diff.attempt import attempt
from tf2jax_port.diff.facts import Facts
from tf2jax_port.diff.lane_process import LaneProcess
from tf2jax_port.diff.lane_program import Setup
from tf2jax_port.diff.lanes import TF_EAGER, TF_GRAPH, TF_XLA
from tf2jax_port.diff.observation import Observation
from tf2jax_port.diff.original import Original, feed, forward, with_gradients
from tf2jax_port.diff.parts import Here
from tf2jax_port.diff.port import Port
from tf2jax_port.diff.precision import exact_wide, narrowed, widened
from tf2jax_port.diff.tensorflow_lanes import TensorFlowLanes


class Observer:
    """Runs both functions in all of their lanes.

    Args:
      old: the TensorFlow function.
      new: its port.
      seed: for the cotangents and for the random numbers of the functions.
      x64: whether JAX has 64-bit types.
      elsewhere: what other processes need to know for the lanes that run there.
      variables: those of the original by name, where the cases give their values.
    """

    def __init__(
        self,
        old: Callable[..., Any],
        new: Callable[..., Any],
        seed: int,
        x64: bool,
        elsewhere: Sequence[Setup] = (),
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        setups = {setup.lane: setup for setup in elsewhere}
        self._old = TensorFlowLanes(old, seed, variables)
        self._original = Original(self._old, x64)
        self._new = Port(new, seed, setups)
        xla = setups.get(TF_XLA.id)
        self._xla = LaneProcess(xla) if xla else Here(TF_XLA.id, self._old)
        self._seed = seed
        self._x64 = x64

    def observe(self, case: Arguments, step: Callable[[str], None] = lambda lane: None) -> Facts:
        """Everything there is to know about one case.

        Args:
          case: the call.
          step: told the title of each lane before it runs.
        """
        lanes: dict[str, Observation] = {}
        for lane, run in ((TF_EAGER, self._old.eager), (TF_GRAPH, self._old.graph)):
            step(lane.title)
            lanes[lane.id] = forward(attempt(run, case))
        fed = feed(lanes, self._seed)
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
        original = self._original
        return Facts(
            case=case.index,
            lanes=lanes,
            in_double=original.other_precision(case, widened, fed),
            in_single=None if self._x64 else original.other_precision(case, narrowed, fed),
            x64=self._x64,
            input_sizes=input_sizes(case),
            rerun=functools.cache(lambda: original.rerun(case, fed)),
            port_in_double=functools.cache(lambda: self._new.in_double(case, fed)),
        )

    @property
    def sides(self) -> tuple[Any, Any]:
        """The lanes of the original and of the port in this process."""
        return self._old, self._new.lanes

    def close(self) -> None:
        """End the processes that were started."""
        self._new.close()
        self._xla.close()


def input_sizes(case: Arguments) -> dict[str, float]:
    """For each array of a case, the sum of the sizes of its elements."""
    return {path: _total(a) for path, a in zip(case.paths, case.arrays)}


def _total(array: np.ndarray) -> float:
    if not is_inexact(array.dtype):
        return 0.0
    return float(np.sum(np.abs(exact_wide(array[np.isfinite(array)]))))
