"""What a diagnostic is: a number, why it exists, how safe it is, and examples that the tests run."""

from __future__ import annotations

import dataclasses

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options


@dataclasses.dataclass(frozen=True, slots=True)
class Rewrites:
    """A program before and after; after a second run it is the same.

    `runs` tells the tests to run both, the first in TensorFlow and the second in JAX, and to compare
    every array that they assign. `options` is what was asked for.
    """

    before: str
    after: str
    runs: bool = True
    options: Options = Options()  # noqa: RUF009, it is frozen


@dataclasses.dataclass(frozen=True, slots=True)
class Leaves:
    """A program that the diagnostic has nothing to say about, and why."""

    code: str
    because: str


@dataclasses.dataclass(frozen=True, slots=True)
class Instead:
    """A program, and the one that a person writes in its place; the tests run both and compare."""

    before: str
    after: str


Example = Rewrites | Leaves | Instead


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One diagnostic.

    Attributes:
      code: its number, for good.
      name: the pattern that it is about.
      state: where references that it names end; `None` for a whole file that was skipped.
      why: what the pattern is, and why it is treated so.
      safety: what can be relied on, and what a person must look at or do.
      examples: programs that the tests rewrite, and run where they can.
    """

    code: str
    name: str
    state: State | None
    why: str
    safety: str
    examples: tuple[Example, ...] = ()
