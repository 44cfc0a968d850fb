"""One case through all lanes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.arguments import Arguments, is_inexact
from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.cotangents import Cotangents, cotangents
from tf2jax_port.diff.facts import Facts, Reruns
from tf2jax_port.diff.jax_lanes import JaxLanes
from tf2jax_port.diff.lane_process import LaneProcess
from tf2jax_port.diff.lane_program import Setup
from tf2jax_port.diff.lanes import JAX_EAGER, JAX_JIT, TF_EAGER, TF_GRAPH, TF_XLA, title
from tf2jax_port.diff.observation import COTANGENTS, Gradients, Observation, Outputs
from tf2jax_port.diff.parts import Fed, Here
from tf2jax_port.diff.perturb import DIRECTIONS, LARGE, SMALL, all_round, perturbed
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
    """

    def __init__(
        self,
        old: Callable[..., Any],
        new: Callable[..., Any],
        seed: int,
        x64: bool,
        elsewhere: Sequence[Setup] = (),
    ) -> None:
        self._old = TensorFlowLanes(old, seed)
        self._new = JaxLanes(new, seed)
        setups = {setup.lane: setup for setup in elsewhere}
        self._beside: dict[str, Here | LaneProcess] = {
            lane: LaneProcess(setups[lane]) if lane in setups else Here(lane, lanes)
            for lane, lanes in ((JAX_EAGER.id, self._new), (TF_XLA.id, self._old))
        }
        self._seed = seed
        self._x64 = x64

    def observe(self, case: Arguments, step: Callable[[str], None] = lambda lane: None) -> Facts:
        """Everything there is to know about one case.

        Args:
          case: the call.
          step: told the title of each lane before it runs.
        """
        lanes: dict[str, Observation] = {}
        for lane, forward in ((TF_EAGER, self._old.eager), (TF_GRAPH, self._old.graph)):
            step(lane.title)
            lanes[lane.id] = _forward(attempt(forward, case))
        fed = self._feed(lanes)
        for runner in self._beside.values():
            runner.start(case, fed)
        for lane, run in (
            (TF_EAGER, self._old.eager_gradients),
            (TF_GRAPH, self._old.graph_gradients),
        ):
            lanes[lane.id] = _with_gradients(lanes[lane.id], run, case, fed)
        step(JAX_JIT.title)
        compiled = _forward(attempt(self._new.jit, case))
        lanes[JAX_JIT.id] = _with_gradients(compiled, self._new.jit_gradients, case, fed)
        for lane_id, runner in self._beside.items():
            step(title(lane_id))
            lanes[lane_id] = runner.result()
        return Facts(
            case=case.index,
            lanes=lanes,
            in_double=self._other_precision(case, widened, fed),
            in_single=None if self._x64 else self._other_precision(case, narrowed, fed),
            x64=self._x64,
            input_sizes={path: _total(a) for path, a in zip(case.paths, case.arrays)},
            rerun=functools.cache(lambda: self._rerun(case, fed)),
            port_in_double=functools.cache(lambda: self._port_in_double(case, fed)),
        )

    def close(self) -> None:
        """End the processes that were started."""
        for runner in self._beside.values():
            runner.close()

    def _feed(self, lanes: Mapping[str, Observation]) -> Fed:
        """The cotangents, made for the outputs of the first lane that can be the reference."""
        for lane in (TF_EAGER, TF_GRAPH):
            outputs = lanes[lane.id].outputs
            if not isinstance(outputs, Failure):
                made = {kind: cotangents(kind, outputs, self._seed) for kind in COTANGENTS}
                return made if all(made.values()) else {}
        return {}

    def _eagerly(self, case: Arguments, fed: Fed) -> Observation:
        observation = Observation(attempt(self._old.eager, case))
        return _with_gradients(observation, self._old.eager_gradients, case, fed)

    def _other_precision(
        self, case: Arguments, change: Callable[..., Any], fed: Fed
    ) -> Observation | Failure:
        """The original on the same elements in another width."""
        other = case.map(change)
        if all(a.dtype == b.dtype for a, b in zip(case.arrays, other.arrays)):
            return Failure("same", "no input has another width")
        observation = self._eagerly(other, fed)
        return observation.outputs if isinstance(observation.outputs, Failure) else observation

    def _port_in_double(self, case: Arguments, fed: Fed) -> Observation | Failure:
        """The port on the same elements in double precision."""

        def run() -> Observation:
            outputs, *gradients = self._new.in_double(case.map(widened), list(fed.values()))
            return Observation(outputs, dict(zip(fed, gradients)))

        return attempt(run)

    def _rerun(self, case: Arguments, fed: Fed) -> Reruns | None:
        again = self._eagerly(case, fed)
        if not again.ran:
            return None
        every = all_round(case)
        moved = [
            (
                self._eagerly(perturbed(case, SMALL, direction, self._x64, every), fed),
                self._eagerly(perturbed(case, LARGE, direction, self._x64, every), fed),
            )
            for direction in DIRECTIONS
        ]
        return Reruns(again, moved, decides=not every)


def _total(array: np.ndarray) -> float:
    if not is_inexact(array.dtype):
        return 0.0
    return float(np.sum(np.abs(exact_wide(array[np.isfinite(array)]))))


def _forward(result: tuple[Outputs, str] | Outputs | Failure) -> Observation:
    if isinstance(result, tuple):
        return Observation(result[0], note=result[1])
    return Observation(result)


def _with_gradients(
    observation: Observation,
    gradients: Callable[[Arguments, Cotangents], Gradients],
    case: Arguments,
    fed: Fed,
) -> Observation:
    if not observation.ran or not case.differentiable:
        return observation
    found: dict[str, Gradients | Failure] = {}
    for kind, made in fed.items():
        # What cannot be differentiated cannot be with other numbers either.
        failed = next((f for f in found.values() if isinstance(f, Failure)), None)
        found[kind] = attempt(gradients, case, made) if failed is None else failed
    return replace(observation, gradients=found)
