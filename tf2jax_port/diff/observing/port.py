"""Run the port in all of its lanes: some in this process, others in parallel processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tf2jax_port.diff.lanes.jax_lanes import JaxLanes
from tf2jax_port.diff.lanes.parts import Here
from tf2jax_port.diff.lanes.requested_lanes import RequestedLane
from tf2jax_port.diff.observing.original import forward, with_gradients
from tf2jax_port.diff.processes.lane_process import LaneProcess
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.values.precision import widened
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER, JAX_JIT, title


class Port:
    """Runs the port in all of its lanes, one case at a time.

    Args:
      function: the port.
      seed: the seed of its random numbers.
      elsewhere: the setups of the lanes that run in other processes.
      requested: the names of the lanes that run on request.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        seed: int,
        elsewhere: Mapping[str, Setup],
        requested: Sequence[str] = (),
    ) -> None:
        self.lanes = JaxLanes(function, seed)
        here: dict[str, Any] = {JAX_EAGER.id: self.lanes}
        here |= {lane: RequestedLane(lane, self.lanes) for lane in requested}
        self._beside = {
            lane: LaneProcess(elsewhere[lane]) if lane in elsewhere else Here(lane, lanes)
            for lane, lanes in here.items()
        }

    def start(self, case: Arguments, fed: Fed) -> None:
        """Start the lanes that run in other processes."""
        for lane in self._beside.values():
            lane.start(case, fed)

    def results(
        self, case: Arguments, fed: Fed, step: Callable[[str], None]
    ) -> dict[str, Observation]:
        """Run the remaining lanes on the started case; return the observations of all lanes."""
        step(JAX_JIT.title)
        compiled = forward(attempt(self.lanes.jit, case))
        compiled = with_gradients(compiled, self.lanes.jit_gradients, case, fed)
        found = {JAX_JIT.id: compiled}
        for lane, beside in self._beside.items():
            step(title(lane))
            found[lane] = beside.result()
        return found

    def in_double(self, case: Arguments, fed: Fed, lane: str) -> Observation | Failure:
        """Run the port on the same numbers in double precision, eagerly or compiled."""
        runs = self.lanes.compiled_in_double if lane == JAX_JIT.id else self.lanes.in_double

        def run() -> Observation:
            outputs, *gradients = runs(case.map(widened), list(fed.values()))
            return Observation(outputs, dict(zip(fed, gradients)))

        return attempt(run)

    def close(self) -> None:
        """End the processes that were started."""
        for lane in self._beside.values():
            lane.close()
