"""What a person may ask of a run."""

from __future__ import annotations

import dataclasses
from typing import Literal

TargetName = Literal["jax", "shims"]


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """The same for every file of a run; goes to worker processes as a whole.

    Attributes:
      target: `jax`: each operator becomes JAX's; `shims`: each becomes its namesake in `shims`.
    """

    target: TargetName = "jax"
