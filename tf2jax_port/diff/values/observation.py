"""Represent the results of one lane on one case as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tf2jax_port.diff.values.attempt import Failure

Outputs = Mapping[str, np.ndarray | None]
Gradients = Mapping[str, np.ndarray | None]

# The two cotangents of every gradient, and the kinds that are computed on request.
ONES, RANDOM = "ones", "random"
COTANGENTS = (ONES, RANDOM)
FORWARD, STEPS = "forward", "steps"
KINDS = (*COTANGENTS, FORWARD, STEPS)

# The note on a lane whose program draws its random numbers only while it is traced.
FROZEN = (
    "the random numbers come from NumPy or Python, which draw only once, while the function is traced: every later "
    "call repeats the same numbers (in a port, draw with a key of jax.random)"
)


@dataclass(frozen=True, slots=True)
class Observation:
    """The outputs and gradients of one lane on one case.

    Attributes:
      outputs: a dict from output paths to arrays (`None` if the function returned `None`), or a
        `Failure` if the lane could not run.
      gradients: for each kind, a dict from input paths to gradients (`None` if the lane reports that
        there is no gradient), or a `Failure` if the lane could not compute them. The kind is a
        cotangent, `FORWARD` or `STEPS`. `FORWARD` has the tangents of the outputs by output path,
        `STEPS` the inputs after training.
      note: how the lane was run, if that is worth reporting.
    """

    outputs: Outputs | Failure
    gradients: Mapping[str, Gradients | Failure] = field(default_factory=dict)
    note: str = ""

    @property
    def frozen(self) -> bool:
        """Whether the lane repeats the random numbers of the time when it was traced."""
        return FROZEN in self.note

    @property
    def ran(self) -> bool:
        """Whether the lane returned outputs."""
        return not isinstance(self.outputs, Failure)


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """The name of one array to compare: an output, or the gradient with respect to one input.

    Attributes:
      kind: `"output"`, `"gradient"`, or `"structure"` for the set of outputs.
      path: the output, or the input of a gradient.
      cotangent: for a gradient, the kind of cotangent, or another of the `KINDS`.
    """

    kind: str
    path: str
    cotangent: str = ""

    @property
    def title(self) -> str:
        """The title in reports: `output['boxes']`, or `d/d x (random)`."""
        if self.cotangent == STEPS:
            return f"{self.path} after training"
        if self.cotangent == FORWARD:
            return f"d {self.path} (forward)"
        return f"d/d {self.path} ({self.cotangent})" if self.kind == "gradient" else self.path


def value_of(observation: Observation, quantity: Quantity) -> np.ndarray | Failure | None:
    """Return the array of one output or gradient in an observation; a `Failure` if there is none."""
    if isinstance(observation.outputs, Failure):
        return observation.outputs
    if quantity.kind == "output":
        if quantity.path not in observation.outputs:
            return Failure("missing", f"there is no {quantity.path}")
        return observation.outputs[quantity.path]
    gradients = observation.gradients.get(quantity.cotangent)
    if gradients is None:
        return Failure("missing", "no gradient was taken")
    if isinstance(gradients, Failure):
        return gradients
    if quantity.path not in gradients:
        return Failure("missing", f"there is no {quantity.path}")
    return gradients[quantity.path]
