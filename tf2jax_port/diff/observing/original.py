"""Make cotangents from the original program's outputs, and run it again on other inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tf2jax_port.diff.closeness.facts import Reruns
from tf2jax_port.diff.closeness.perturb import DIRECTIONS, LARGE, SMALL, Perturbed
from tf2jax_port.diff.lanes.parts import is_taken
from tf2jax_port.diff.lanes.state import VARIABLES
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Fed, Feed, Steps, cotangents, tangents
from tf2jax_port.diff.values.observation import (
    COTANGENTS,
    FORWARD,
    RANDOM,
    STEPS,
    Gradients,
    Observation,
    Outputs,
)
from tf2jax_port.diff.values.other_seeds import other_seeds
from tf2jax_port.diff.values.precision import coarse_ulp
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras
from tf2jax_port.diff.vocabulary.lanes import TF_EAGER, TF_GRAPH


def feed(
    lanes: Mapping[str, Observation], seed: int, case: Arguments, extras: Extras = NOTHING
) -> Fed:
    """Make cotangents, and on request tangents and training steps, from the original's outputs.

    The outputs are TF eager's, or TF graph's if TF eager failed.
    """
    for lane in (TF_EAGER, TF_GRAPH):
        outputs = lanes[lane.id].outputs
        if isinstance(outputs, Failure):
            continue
        made: dict[str, Feed] = {k: cotangents(k, outputs, seed) for k in COTANGENTS}
        if not all(made.values()):
            return {}
        if extras.steps:
            # Unequal weights, because the plain sum of a softmax has no gradient.
            drawn = cotangents(RANDOM, outputs, seed)
            fed = {path: np.asarray(0.5 + abs(a)).astype(a.dtype) for path, a in drawn.items()}
            made[STEPS] = Steps(extras.steps, extras.rate, fed, _trained_paths(case))
        if extras.forward:
            made[FORWARD] = tangents(case, outputs, seed)
        return made
    return {}


def _trained_paths(case: Arguments) -> tuple[str, ...]:
    """Return the inputs that training updates: the original's variables, or all float inputs."""
    paths = [case.paths[i] for i in case.differentiable]
    variables = [path for path in paths if path.startswith(f"{VARIABLES}[")]
    return tuple(variables or paths)


class Original:
    """Runs the original program eagerly on inputs other than the case's.

    Args:
      lanes: a `TensorFlowLanes`, or a `JaxLanes` if a port is its own original.
      x64: whether JAX has 64-bit types.
    """

    def __init__(self, lanes: Any, x64: bool) -> None:
        self._lanes = lanes
        self._x64 = x64

    def eagerly(self, case: Arguments, fed: Fed) -> Observation:
        """Compute the outputs and gradients eagerly."""
        observation = Observation(attempt(self._lanes.eager, case))
        return with_gradients(observation, self._lanes.eager_gradients, case, fed)

    def other_precision(
        self, case: Arguments, change: Callable[..., Any], fed: Fed
    ) -> Observation | Failure:
        """Run the original program on the same numbers in a different precision."""
        other = case.map(change)
        if all(a.dtype == b.dtype for a, b in zip(case.arrays, other.arrays)):
            return Failure("same", "no input has another width")
        observation = self.eagerly(other, fed)
        return observation.outputs if isinstance(observation.outputs, Failure) else observation

    def rerun(self, case: Arguments, fed: Fed, coarsest: str = "") -> Reruns | None:
        """Run the original program again: on the same and on slightly perturbed inputs.

        They are perturbed by units of the coarsest type in the program, if that is coarser than float32: a
        smaller change may be lost when the input is cast to float16.
        """
        with other_seeds(1):
            again = self.eagerly(case, fed)
        if not again.ran:
            return None
        near = Perturbed(case, self._x64, coarse_ulp(coarsest))
        moved = [
            (
                self.eagerly(near.by(SMALL, direction), fed),
                self.eagerly(near.by(LARGE, direction), fed),
            )
            for direction in DIRECTIONS
        ]
        return Reruns(again, moved, decides=not near.all_round)


def forward(result: tuple[Outputs, str] | Outputs | Failure) -> Observation:
    """Convert the outputs of a lane, possibly with a note, to an `Observation`."""
    if isinstance(result, tuple):
        return Observation(result[0], note=result[1])
    return Observation(result)


def with_gradients(
    observation: Observation,
    gradients: Callable[[Arguments, Feed], Gradients],
    case: Arguments,
    fed: Fed,
) -> Observation:
    """Compute the gradients in the lane of an observation; return the observation with them."""
    if not observation.ran or not case.differentiable:
        return observation
    found: dict[str, Gradients | Failure] = {}
    for kind, made in fed.items():
        failed = next((f for f in found.values() if isinstance(f, Failure)), None)
        if failed is None or is_taken(kind, True):
            found[kind] = attempt(gradients, case, made)
        else:
            found[kind] = failed
    return replace(observation, gradients=found)
