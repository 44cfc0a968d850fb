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
      exact: where JAX's spelling differs from TensorFlow in a corner, `shims` is called instead.
      safe_only: nothing is written that could differ; implies `exact`.
      select: beginnings of the diagnostics whose references are rewritten.
      ignore: beginnings of the diagnostics whose references are left alone.
      doctests: examples in docstrings are rewritten too.
    """

    target: TargetName = "jax"
    exact: bool = False
    safe_only: bool = False
    select: tuple[str, ...] = ("TJ",)
    ignore: tuple[str, ...] = ()
    doctests: bool = False

    @property
    def takes_exact(self) -> bool:
        """Whether TensorFlow's corners are kept where they can be."""
        return self.exact or self.safe_only

    def selects(self, code: str) -> bool:
        """Whether references with a diagnostic are rewritten: the longest beginning decides."""
        selected = max((len(s) for s in self.select if code.startswith(s)), default=-1)
        ignored = max((len(s) for s in self.ignore if code.startswith(s)), default=-1)
        return selected > ignored
