"""The port in both of its lanes: compiled here, operator by operator beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.jax_lanes import JaxLanes
from tf2jax_port.diff.lane_process import LaneProcess
from tf2jax_port.diff.lane_program import Setup
from tf2jax_port.diff.lanes import JAX_EAGER, JAX_JIT
from tf2jax_port.diff.observation import Observation
from tf2jax_port.diff.original import forward, with_gradients
from tf2jax_port.diff.parts import Fed, Here
from tf2jax_port.diff.precision import widened


class Port:
    """Runs a port, one case at a time.

    Args:
      function: the port.
      seed: for its random numbers.
      elsewhere: what another process needs to know, where its eager lane runs in one.
    """

    def __init__(
        self, function: Callable[..., Any], seed: int, elsewhere: Mapping[str, Setup]
    ) -> None:
        self.lanes = JaxLanes(function, seed)
        setup = elsewhere.get(JAX_EAGER.id)
        self._eager = LaneProcess(setup) if setup else Here(JAX_EAGER.id, self.lanes)

    def start(self, case: Arguments, fed: Fed) -> None:
        """Let the eager lane begin, where it runs beside this process."""
        self._eager.start(case, fed)

    def results(
        self, case: Arguments, fed: Fed, step: Callable[[str], None]
    ) -> dict[str, Observation]:
        """What both lanes give for the case that was started."""
        step(JAX_JIT.title)
        compiled = forward(attempt(self.lanes.jit, case))
        compiled = with_gradients(compiled, self.lanes.jit_gradients, case, fed)
        step(JAX_EAGER.title)
        return {JAX_EAGER.id: self._eager.result(), JAX_JIT.id: compiled}

    def in_double(self, case: Arguments, fed: Fed) -> Observation | Failure:
        """The port on the same elements in double precision."""

        def run() -> Observation:
            outputs, *gradients = self.lanes.in_double(case.map(widened), list(fed.values()))
            return Observation(outputs, dict(zip(fed, gradients)))

        return attempt(run)

    def close(self) -> None:
        """End the process that was started."""
        self._eager.close()
