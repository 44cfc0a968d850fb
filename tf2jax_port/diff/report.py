"""The result of a comparison: plain data that every view is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tf2jax_port.diff.judge import Finding
from tf2jax_port.diff.reasons import Reason

if TYPE_CHECKING:  # locating loads JAX, showing a report does not
    from tf2jax_port.diff.locate.finder import NotLocated
    from tf2jax_port.diff.locate.located import Located

EQUAL, LIMITED, DIFFERENT = "equal", "limited", "different"
INCONCLUSIVE, ERROR = "inconclusive", "error"
VERDICTS = (EQUAL, LIMITED, DIFFERENT, INCONCLUSIVE, ERROR)

EXIT_EQUAL, EXIT_DIFFERENT, EXIT_OTHER = 0, 1, 2


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

    @property
    def exit_code(self) -> int:
        """0 for equal, 1 for different, 2 for everything else."""
        return {EQUAL: EXIT_EQUAL, DIFFERENT: EXIT_DIFFERENT}.get(self.verdict, EXIT_OTHER)

    def _repr_html_(self) -> str:
        """The page as a notebook shows it."""
        from tf2jax_port.diff.as_html import to_html

        return to_html(self)
