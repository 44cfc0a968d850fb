"""Define a diagnostic: its code, reason, safety, and examples that the tests run."""

from __future__ import annotations

import dataclasses

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options


@dataclasses.dataclass(frozen=True, slots=True)
class Rewrites:
    """A program before and after rewriting; a second run changes nothing.

    If `runs` is set, the tests run both, the first in TensorFlow and the second in JAX, and compare every array
    that they assign. `options` are the options of the run.
    """

    before: str
    after: str
    runs: bool = True
    options: Options = Options()  # noqa: RUF009, it is frozen


@dataclasses.dataclass(frozen=True, slots=True)
class Leaves:
    """A program that the diagnostic does not apply to, and why."""

    code: str
    because: str


@dataclasses.dataclass(frozen=True, slots=True)
class Instead:
    """A program and its manual replacement; the tests run both and compare."""

    before: str
    after: str


Example = Rewrites | Leaves | Instead


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One diagnostic.

    Attributes:
      code: its permanent number.
      name: the name of the pattern.
      state: the state of references with this diagnostic; `None` for a file that was skipped.
      why: the pattern, and the reason for its treatment.
      safety: what is guaranteed, and what a person must check or do.
      examples: programs that the tests rewrite, and run where they can.
    """

    code: str
    name: str
    state: State | None
    why: str
    safety: str
    examples: tuple[Example, ...] = ()
