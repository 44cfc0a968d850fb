"""The original apart from its lanes: what is fed in at its outputs, and what it gives when run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.cotangents import Cotangents, cotangents
from tf2jax_port.diff.facts import Reruns
from tf2jax_port.diff.lanes import TF_EAGER, TF_GRAPH
from tf2jax_port.diff.observation import COTANGENTS, Gradients, Observation, Outputs
from tf2jax_port.diff.parts import Fed
from tf2jax_port.diff.perturb import DIRECTIONS, LARGE, SMALL, all_round, perturbed


def feed(lanes: Mapping[str, Observation], seed: int) -> Fed:
    """The cotangents, made for the outputs of the first lane that can be the reference."""
    for lane in (TF_EAGER, TF_GRAPH):
        outputs = lanes[lane.id].outputs
        if not isinstance(outputs, Failure):
            made = {kind: cotangents(kind, outputs, seed) for kind in COTANGENTS}
            return made if all(made.values()) else {}
    return {}


class Original:
    """The original, run operator by operator on other inputs than those of the case.

    Args:
      lanes: a `TensorFlowLanes`, or a `JaxLanes` where a port is its own original.
      x64: whether JAX has 64-bit types.
    """

    def __init__(self, lanes: Any, x64: bool) -> None:
        self._lanes = lanes
        self._x64 = x64

    def eagerly(self, case: Arguments, fed: Fed) -> Observation:
        """Values and gradients."""
        observation = Observation(attempt(self._lanes.eager, case))
        return with_gradients(observation, self._lanes.eager_gradients, case, fed)

    def other_precision(
        self, case: Arguments, change: Callable[..., Any], fed: Fed
    ) -> Observation | Failure:
        """The original on the same elements in another width."""
        other = case.map(change)
        if all(a.dtype == b.dtype for a, b in zip(case.arrays, other.arrays)):
            return Failure("same", "no input has another width")
        observation = self.eagerly(other, fed)
        return observation.outputs if isinstance(observation.outputs, Failure) else observation

    def rerun(self, case: Arguments, fed: Fed) -> Reruns | None:
        """The original on the same inputs, and on inputs that are moved a little."""
        again = self.eagerly(case, fed)
        if not again.ran:
            return None
        every = all_round(case)
        moved = [
            (
                self.eagerly(perturbed(case, SMALL, direction, self._x64, every), fed),
                self.eagerly(perturbed(case, LARGE, direction, self._x64, every), fed),
            )
            for direction in DIRECTIONS
        ]
        return Reruns(again, moved, decides=not every)


def forward(result: tuple[Outputs, str] | Outputs | Failure) -> Observation:
    """The observation of values that a lane gave, with a note or without one."""
    if isinstance(result, tuple):
        return Observation(result[0], note=result[1])
    return Observation(result)


def with_gradients(
    observation: Observation,
    gradients: Callable[[Arguments, Cotangents], Gradients],
    case: Arguments,
    fed: Fed,
) -> Observation:
    """The observation and the gradients of the same lane."""
    if not observation.ran or not case.differentiable:
        return observation
    found: dict[str, Gradients | Failure] = {}
    for kind, made in fed.items():
        # What cannot be differentiated cannot be with other numbers either.
        failed = next((f for f in found.values() if isinstance(f, Failure)), None)
        found[kind] = attempt(gradients, case, made) if failed is None else failed
    return replace(observation, gradients=found)
