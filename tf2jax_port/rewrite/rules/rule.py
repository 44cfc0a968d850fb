"""Define a diagnostic: its code, reason, safety, and examples that the tests run."""

from __future__ import annotations

import dataclasses

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options


@dataclasses.dataclass(frozen=True, slots=True)
class Rewrites:
    """An example program before and after rewriting; rewriting it again changes nothing.

    If `runs` is set, the tests run both programs, the first in TensorFlow and the second in JAX, and compare every array
    that they assign. `options` are the options of the rewriter.
    """

    before: str
    after: str
    runs: bool = True
    options: Options = Options()  # noqa: RUF009, it is frozen


@dataclasses.dataclass(frozen=True, slots=True)
class Leaves:
    """An example program to which the diagnostic does not apply, and the reason."""

    code: str
    because: str


@dataclasses.dataclass(frozen=True, slots=True)
class Instead:
    """An example program and its manual replacement; the tests run both and compare the results."""

    before: str
    after: str


Example = Rewrites | Leaves | Instead


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """The definition of one diagnostic.

    Attributes:
      code: the permanent number of the diagnostic.
      name: the name of the pattern.
      state: the state of references with this diagnostic; `None` for a file that is skipped.
      why: the pattern, and the reason for its treatment.
      safety: what is guaranteed, and what a person must check or do.
      examples: programs that the tests rewrite and, if possible, run.
    """

    code: str
    name: str
    state: State | None
    why: str
    safety: str
    examples: tuple[Example, ...] = ()
