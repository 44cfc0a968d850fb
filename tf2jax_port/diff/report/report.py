"""Define the report of a comparison as plain data, from which all formats are rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from tf2jax_port.diff.judge.judge import Finding
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import EXIT_CODES

if TYPE_CHECKING:  # finding a divergence imports JAX, showing a report does not
    from tf2jax_port.diff.locate.result.located import Located, NotLocated
    from tf2jax_port.diff.strength.strength import Strength


@dataclass(frozen=True, slots=True)
class Pair:
    """The comparison of two lanes over all cases.

    Attributes:
      lanes: their names.
      state: `"equal"`, `"different"` or `"not covered"`.
      stage: the first stage that fails in any case, if one does.
      compared: the number of quantities that were compared.
      differing: the number of them that differ.
      example: the first difference, with its case.
    """

    lanes: tuple[str, str]
    state: str
    stage: str | None
    compared: int
    differing: int
    example: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """The comparison of one output or gradient over all cases and all lanes of the port.

    Attributes:
      title: `output['boxes']`, or `d/d x (random)`.
      kind: `"output"`, `"gradient"` or `"structure"`.
      state: the worst outcome.
      compared: the number of cases in which it was compared.
      worst: the finding that determines the state; if all agree, the one with the largest R.
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
    """One case in the report's table of cases.

    Attributes:
      index: its number.
      inputs: every argument in a few words.
      states: a dict from lanes to `"ran"` or `"not covered"`; a lane of the port that was compared has its worst
        outcome instead.
      sentence: the worst finding that is different, unsteady or a knife edge; empty if there is none.
    """

    index: int
    inputs: tuple[str, ...]
    states: Mapping[str, str]
    sentence: str


@dataclass(frozen=True, slots=True)
class LaneState:
    """The number of cases that a lane covered.

    Attributes:
      lane: its name.
      values: the number of cases in which it returned values.
      gradients: the number of cases in which it returned gradients.
      reasons: why it did not in the others.
      details: the full messages.
    """

    lane: str
    values: int
    gradients: int
    reasons: tuple[Reason, ...]
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The complete result of a comparison.

    Attributes:
      verdict: one of `VERDICTS`.
      stage: the first stage that fails, for a verdict of `different`.
      headline: the verdict in one sentence.
      reasons: why the verdict is not `equal`, or the differences.
      old: the specification of the original.
      new: the specification of the port.
      pairs: every pair of lanes.
      lanes: every lane.
      leaves: every output and gradient.
      cases: every case.
      culprit: the finding that determines a verdict of `different`.
      knife_edges: inputs on which lanes of the original disagree.
      notes: remarks that do not change the verdict.
      counts: outputs, gradients, inputs, cases compared; `ran` is the number of cases that returned on both
        sides, `reviews` that of places to be reviewed of which no case shows a difference.
      seed: the seed of cotangents and random numbers.
      terms: the contract that was checked.
      contract: the fingerprint of `terms`.
      reproduce: the command that reproduces the report.
      versions: the versions of the libraries that were used.
      located: the first divergence, or why it was not found; `None` if it was not requested.
      worst_input: the worst input that was found on request, as a file of calls.
      strength: what the cases could have caught; `None` if it was not requested.
      more_inputs: all cases and those that a search added, as a file of calls.
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
    strength: Strength | None = None
    more_inputs: bytes | None = None
    # The view in notebooks; set by `as_html`.
    _repr_html_: ClassVar[Callable[[Report], str]]

    @property
    def exit_code(self) -> int:
        """The exit code of the verdict."""
        return EXIT_CODES[self.verdict]
