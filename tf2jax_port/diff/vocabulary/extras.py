"""Define the optional parts of a comparison: further lanes, forward mode, training, distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tf2jax_port.diff.vocabulary.lanes import REQUESTED

# The default learning rate, and the default number of calls of a random function.
RATE = 0.01
DRAWS = 400


@dataclass(frozen=True, slots=True)
class Extras:
    """The optional parts of a comparison that were requested.

    Attributes:
      lanes: further lanes of the port, by their short names: `vmap`, `sharded`, `gpu`.
      forward: whether gradients are also computed in forward mode.
      steps: how many steps of training are compared.
      rate: the learning rate of these steps.
      bfloat16: whether both functions get their floats in bfloat16.
      draws: how often both functions are called to compare distributions; 0 to compare results for
        equal seeds.
    """

    lanes: tuple[str, ...] = ()
    forward: bool = False
    steps: int = 0
    rate: float = RATE
    bfloat16: bool = False
    draws: int = 0

    @property
    def lane_ids(self) -> tuple[str, ...]:
        """The identifiers of the requested lanes."""
        return tuple(REQUESTED[name].id for name in self.lanes)

    def terms(self) -> dict[str, Any]:
        """Return the settings that these extras add to the terms of the comparison; empty if none do."""
        said: dict[str, Any] = {}
        if self.lanes:
            said["requested_lanes"] = list(self.lanes)
        if self.forward:
            said["forward"] = True
        if self.steps:
            said |= {"steps": self.steps, "rate": self.rate}
        if self.bfloat16:
            said["floats"] = "bfloat16"
        if self.draws:
            said["draws"] = self.draws
        return said

    def words(self) -> list[str]:
        """Return the command-line arguments that request these extras."""
        said = [word for name in self.lanes for word in ("--lane", name)]
        said += ["--forward"] if self.forward else []
        said += ["--steps", str(self.steps)] if self.steps else []
        said += ["--rate", repr(self.rate)] if self.steps and self.rate != RATE else []
        said += ["--bfloat16"] if self.bfloat16 else []
        said += ["--random", "distribution"] if self.draws else []
        said += ["--draws", str(self.draws)] if self.draws not in (0, DRAWS) else []
        return said


NOTHING = Extras()
