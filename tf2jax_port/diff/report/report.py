"""The result of a comparison: plain data that every view is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from tf2jax_port.diff.judge.judge import Finding
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import (
    DIFFERENT,
    EQUAL,
    EXIT_DIFFERENT,
    EXIT_EQUAL,
    EXIT_OTHER,
)

if TYPE_CHECKING:  # locating loads JAX, showing a report does not
    from tf2jax_port.diff.locate.result.located import Located, NotLocated


@dataclass(frozen=True, slots=True)
class Pair:
    """Two lanes over all cases.

    Attributes:
      lanes: their names.
      state: `"equal"`, `"different"` or `"not covered"`.
      stage: the first stage that fails anywhere, where one does.
      compared: how many quantities were compared.
      differing: how many of them differ.
      example: the first of them, with its case.
    """

    lanes: tuple[str, str]
    state: str
    stage: str | None
    compared: int
    differing: int
    example: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """One output, or one gradient, over all cases and both lanes of the port.

    Attributes:
      title: `output['boxes']`, or `d/d x (random)`.
      kind: `"output"`, `"gradient"` or `"structure"`.
      state: the worst outcome.
      compared: in how many cases it was compared.
      worst: the finding that the state comes from; where all agree, the one with the largest R.
      lanes: the worst outcome in each lane of the port.
    """

    title: str
    kind: str
    state: str
    compared: int
    worst: Finding
    lanes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case.

    Attributes:
      index: its number.
      inputs: every argument in a few words.
      states: for each lane `"ran"` or why it did not; for a lane of the port its worst outcome.
      sentence: what stands out.
    """

    index: int
    inputs: tuple[str, ...]
    states: Mapping[str, str]
    sentence: str


@dataclass(frozen=True, slots=True)
class LaneState:
    """What a lane covered.

    Attributes:
      lane: its name.
      values: in how many cases it gave values.
      gradients: in how many cases it gave gradients.
      reasons: why not.
      details: the messages in full.
    """

    lane: str
    values: int
    gradients: int
    reasons: tuple[Reason, ...]
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that there is to show.

    Attributes:
      verdict: one of `VERDICTS`.
      stage: the first stage that fails, for a verdict of `different`.
      headline: the verdict in one sentence.
      reasons: what lowers the verdict, or the differences.
      old: the specification of the original.
      new: the specification of the port.
      pairs: every pair of lanes.
      lanes: every lane.
      leaves: every output and gradient.
      cases: every case.
      culprit: the finding that the verdict of `different` rests on.
      knife_edges: inputs on which the original disagrees with itself.
      notes: what is worth knowing and takes nothing from the verdict.
      counts: outputs, gradients, inputs, cases compared.
      seed: for cotangents and random numbers.
      terms: the contract that was checked.
      contract: its fingerprint.
      reproduce: the command that does it again.
      versions: of what was run.
      located: where the two programs part, or why nobody knows; `None` where nobody looked.
      worst_input: the worst input that was looked for, as a file of calls.
    """

    verdict: str
    stage: str | None
    headline: str
    reasons: tuple[Reason, ...]
    old: str
    new: str
    pairs: tuple[Pair, ...]
    lanes: tuple[LaneState, ...]
    leaves: tuple[Leaf, ...]
    cases: tuple[CaseRow, ...]
    culprit: Finding | None
    knife_edges: tuple[Reason, ...]
    notes: tuple[Reason, ...]
    counts: Mapping[str, int]
    seed: int
    terms: Mapping[str, object]
    contract: str
    reproduce: str
    versions: Mapping[str, str]
    located: Located | NotLocated | None = None
    worst_input: bytes | None = None
    # How a notebook shows it; `as_html` sets it.
    _repr_html_: ClassVar[Callable[[Report], str]]

    @property
    def exit_code(self) -> int:
        """0 for equal, 1 for different, 2 for everything else."""
        return {EQUAL: EXIT_EQUAL, DIFFERENT: EXIT_DIFFERENT}.get(self.verdict, EXIT_OTHER)
