"""Define findings: the state and the diagnostic of each TensorFlow reference."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from tf2jax_port.messages.spot import Spot


class State(enum.StrEnum):
    """The outcome of a TensorFlow reference; every reference has exactly one."""

    REWRITTEN = "rewritten"
    REVIEW = "review"  # rewritten, and a person should look: the values may differ
    SHIM = "shim"
    KEPT = "kept"  # stays TensorFlow on purpose
    MANUAL = "manual"

    @property
    def needs_person(self) -> bool:
        """Whether a person must still edit or review the code."""
        return self in (State.REVIEW, State.MANUAL)


class Finding(NamedTuple):
    """The outcome of one TensorFlow reference in a file.

    Attributes:
      line: line in the original text, from 1.
      column: column in the original text, from 1, in characters.
      symbol: TensorFlow's name, such as `tf.reduce_sum`; for a method, such as `Tensor.numpy`.
      state: the outcome.
      code: the diagnostic.
      message: one line that explains the outcome of this reference.
      before: the original text.
      after: the new text, empty if nothing changed.
      method: whether the reference is a method or an attribute of a tensor.
      marker: the line above which the marker comment `# TJ...` belongs, from 1, not counting old
        markers; 0 for none.
      cell: the number of the notebook cell in which lines are counted, from 1; 0 outside of
        notebooks.
      misspelling: the word to point at, if the message proposes another spelling.
    """

    line: int
    column: int
    symbol: str
    state: State
    code: str
    message: str
    before: str = ""
    after: str = ""
    method: bool = False
    marker: int = 0
    cell: int = 0
    misspelling: Spot | None = None

    @property
    def place(self) -> str:
        """Line and column, `4:5`; `cell 3:4:5` in a notebook."""
        inside = f"cell {self.cell}:" if self.cell else ""
        return f"{inside}{self.line}:{self.column}"


class GraphFit(NamedTuple):
    """The answer to whether a file belongs to a program that builds a TensorFlow 1 graph.

    Attributes:
      kind: `needed` if the file is written for a graph, `possible` if it also makes sense in one, else `no`.
      names: TensorFlow's names in it that say so.
      spreads: whether the files around it belong to the same program.
    """

    kind: Literal["needed", "possible", "no"] = "no"
    names: tuple[str, ...] = ()
    spreads: bool = False


NO_GRAPH = GraphFit()


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """The result of rewriting one file.

    Attributes:
      data: the new bytes, equal to the old bytes if nothing changed.
      findings: one finding for each reference, in text order.
      references: the number of references that were found before any was decided.
      imports: the number of TensorFlow names that import statements bind.
      imports_dropped: the number of these names that are no longer imported.
      graph: whether the file belongs to a program that builds a graph.
    """

    data: bytes
    findings: tuple[Finding, ...]
    references: int
    imports: int = 0
    imports_dropped: int = 0
    graph: GraphFit = NO_GRAPH

    def __post_init__(self) -> None:
        """Check that every reference has a finding.

        Raises:
          LedgerError: the numbers of references and findings differ.
        """
        if len(self.findings) != self.references:
            raise LedgerError(self.references, len(self.findings))

    @property
    def needs_person(self) -> bool:
        """Whether a person must still edit or review something."""
        return any(finding.state.needs_person for finding in self.findings)


class LedgerError(Exception):
    """Raised if some references of a file have no finding, which is a bug of the rewriter."""

    def __init__(self, counted: int, ended: int) -> None:
        super().__init__(
            f"the scan counted {counted} TensorFlow references, but {ended} references have a state. The file was "
            "not changed. This is an error in tf2jax-port; please report it."
        )


def count_states(findings: Iterable[Finding]) -> dict[str, int]:
    """Return a dict from each state to the number of its findings, which may be 0."""
    counts = Counter(finding.state for finding in findings)
    return {state.value: counts[state] for state in State}
