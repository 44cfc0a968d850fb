"""Compute the result of a lane in parts, which a child process can send one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import FORWARD, Gradients, Observation, Outputs
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER, TF_XLA

Part = Outputs | Gradients | Failure

# The methods of `TensorFlowLanes` and `JaxLanes` for values and gradients, and of `RequestedLane`.
_METHODS = {
    TF_XLA.id: ("xla", "xla_gradients"),
    JAX_EAGER.id: ("eager", "eager_gradients"),
}
_REQUESTED = ("outputs", "gradients")


class Here:
    """A lane that runs in this process, when its result is requested; a crash ends the process.

    Args:
      lane: the name of the lane.
      lanes: a `TensorFlowLanes`, `JaxLanes` or `RequestedLane`.
    """

    def __init__(self, lane: str, lanes: Any) -> None:
        self._lane = lane
        self._lanes = lanes
        self._asked: tuple[Arguments, Fed] | None = None

    def start(self, case: Arguments, fed: Fed) -> None:
        """Store the case to run; it runs when `result` is called."""
        self._asked = case, fed

    def result(self) -> Observation:
        """Run the lane on the stored case."""
        assert self._asked is not None
        case, fed = self._asked
        found = parts(self._lane, self._lanes, case, fed)
        return collected(case, fed, lambda: next(found))

    def close(self) -> None:
        """Do nothing; there is no process to end."""


def parts(lane: str, lanes: Any, case: Arguments, fed: Fed) -> Iterator[Part]:
    """Run a lane; yield its outputs and then the gradients of each kind, as `collected` expects."""
    outputs, gradients = (getattr(lanes, name) for name in _METHODS.get(lane, _REQUESTED))
    found: Part = attempt(outputs, case)
    yield found
    if isinstance(found, Failure) or not case.differentiable:
        return
    failed = False
    for kind, made in fed.items():
        if is_taken(kind, failed):
            found = attempt(gradients, case, made)
            failed = failed or isinstance(found, Failure)
            yield found


def is_taken(kind: str, failed: bool) -> bool:
    """Return whether to compute gradients of a kind.

    After an error in another kind, only forward mode is still tried.
    """
    return kind == FORWARD or not failed


def collected(case: Arguments, fed: Fed, part: Callable[[], Part]) -> Observation:
    """Assemble an observation from the parts that `part` returns one by one."""
    outputs = part()
    gradients: dict[str, Gradients | Failure] = {}
    failed: Failure | None = None
    if isinstance(outputs, Failure) or not case.differentiable:
        return Observation(outputs)
    for kind in fed:
        found = part() if failed is None or is_taken(kind, True) else failed
        failed = failed or (found if isinstance(found, Failure) else None)
        gradients[kind] = found
    return Observation(outputs, gradients)
