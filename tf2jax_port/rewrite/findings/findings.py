"""What became of each TensorFlow reference: its state, why, and the count that must add up."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class State(enum.StrEnum):
    """Where a reference ended. Every reference has exactly one of these."""

    REWRITTEN = "rewritten"
    REVIEW = "review"  # rewritten, and a person should look: the values may differ
    SHIM = "shim"
    KEPT = "kept"  # stays TensorFlow on purpose
    MANUAL = "manual"

    @property
    def needs_person(self) -> bool:
        """Whether something is left to do for a person."""
        return self in (State.REVIEW, State.MANUAL)


class Finding(NamedTuple):
    """One reference of a file.

    Attributes:
      line: line in the original text, from 1.
      column: column in the original text, from 1, in characters.
      symbol: TensorFlow's name, `tf.reduce_sum`; a method reads `Tensor.numpy`.
      state: where it ended.
      code: the diagnostic.
      message: one line for this very place.
      before: the text as it was; `after` what stands there now, empty where nothing changed.
      marker: the line, counted from 1 and without old markers, above which a marker comment
        belongs; 0 for none.
      cell: in a notebook the cell, from 1, in which the line is counted; 0 outside of notebooks.
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

    @property
    def place(self) -> str:
        """`4:5`, line and column; `cell 3:4:5` in a notebook."""
        inside = f"cell {self.cell}:" if self.cell else ""
        return f"{inside}{self.line}:{self.column}"


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    """What the rewriter makes of one file.

    Attributes:
      data: the new bytes, the old ones where nothing changed.
      findings: one for each reference, in text order.
      references: how many references the scan counted, before anything was decided.
      imports: import statements of TensorFlow: how many names they bring, how many were dropped.
    """

    data: bytes
    findings: tuple[Finding, ...]
    references: int
    imports: int = 0
    imports_dropped: int = 0

    def __post_init__(self) -> None:
        """Refuses a ledger that does not add up.

        Raises:
          LedgerError: the scan counted another number of references than have a state.
        """
        if len(self.findings) != self.references:
            raise LedgerError(self.references, len(self.findings))

    @property
    def needs_person(self) -> bool:
        """Whether something is left to do for a person."""
        return any(finding.state.needs_person for finding in self.findings)


class LedgerError(Exception):
    """The states of a file do not add up to what the scan counted: a fault of the rewriter."""

    def __init__(self, counted: int, ended: int) -> None:
        super().__init__(
            f"the scan counted {counted} TensorFlow references, {ended} of them have a state; "
            "this is a fault of tf2jax-port, and the file was left as it was"
        )


def count_states(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings ended in each state, every state named."""
    counts = Counter(finding.state for finding in findings)
    return {state.value: counts[state] for state in State}
