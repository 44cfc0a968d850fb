"""The lane TF XLA in this process, for functions that no other process could import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.cotangents import Cotangents
from tf2jax_port.diff.observation import Gradients, Observation, Outputs
from tf2jax_port.diff.tensorflow_lanes import TensorFlowLanes

Fed = Mapping[str, Cotangents]
Part = Outputs | Gradients | Failure


class XlaHere:
    """Runs the lane when its result is asked for; a crash of TensorFlow ends everything.

    Args:
      lanes: the old function.
    """

    def __init__(self, lanes: TensorFlowLanes) -> None:
        self._lanes = lanes
        self._asked: tuple[Arguments, Fed] | None = None

    def start(self, case: Arguments, fed: Fed) -> None:
        """Say what is to be run."""
        self._asked = case, fed

    def result(self) -> Observation:
        """What the lane gives for that."""
        assert self._asked is not None
        case, fed = self._asked
        parts = xla_parts(self._lanes, case, fed)
        return collected(case, fed, lambda: next(parts))

    def close(self) -> None:
        """There is nothing to close."""


def xla_parts(lanes: TensorFlowLanes, case: Arguments, fed: Fed) -> Iterator[Part]:
    """The outputs, and then the gradients for each set of cotangents."""
    yield attempt(lanes.xla, case)
    for made in fed.values() if case.differentiable else ():
        yield attempt(lanes.xla_gradients, case, made)


def collected(case: Arguments, fed: Fed, part: Callable[[], Part]) -> Observation:
    """The observation that consists of these parts; no part is asked for after one that failed."""
    outputs = part()
    gradients: dict[str, Gradients | Failure] = {}
    failed = outputs if isinstance(outputs, Failure) else None
    for kind in fed if failed is None and case.differentiable else ():
        # What cannot be differentiated cannot be with other numbers either.
        found = failed or part()
        failed = found if isinstance(found, Failure) else None
        gradients[kind] = found
    return Observation(outputs, gradients)
