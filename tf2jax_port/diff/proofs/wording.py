"""Provide the sentences of the reports of a proof."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from tf2jax_port.diff.proofs.proof import Proof, Row, Status, only_gradients_differ
from tf2jax_port.diff.vocabulary.verdicts import EQUAL, INCONCLUSIVE
from tf2jax_port.messages.counts import counted

_LONGEST = 200  # characters of a reason
_VERBS = {
    Status.DIFFERENT: "gives different values",
    Status.RAISES: "raises",
    Status.FAILS_UNDER_JIT: "fails under jit",
}


def listed(reasons: Mapping[str, int], most: int = 2) -> str:
    """Return the most frequent reasons as one text."""
    ordered = sorted(reasons, key=lambda reason: -reasons[reason])
    more = len(ordered) - most
    return ", ".join(ordered[:most]) + (f" and {more} more reasons" if more > 0 else "")


def short(row: Row) -> str:
    """Return the name of a function, after the last part of its module's name."""
    module, name = row.function
    return f"{module.rpartition('.')[2]}.{name}"


def headline(proof: Proof) -> str:
    """Say in a line of English what is wrong, or how much is proved."""
    counts = proof.counts
    asked = sum(counts.values()) - counts[Status.NO_TENSORS]
    if proof.verdict == INCONCLUSIVE:
        if not asked:
            return "Nothing is proved: no call was recorded"
        return f"Nothing is proved: no call of {counted(asked, 'function')} could be replayed"
    if proof.verdict == EQUAL:
        return f"All {asked} functions that tensors pass through give the same values and gradients"
    faults = proof.faults
    if not faults:
        return f"No function is wrong: {summary(proof)}"
    first = faults[0]
    where = f" ({first.place.rpartition('/')[2]})" if first.place else ""
    why = textwrap.shorten(first.why, _LONGEST, placeholder=" …")
    gradients = first.status is Status.DIFFERENT and only_gradients_differ(first.lanes)
    verb = "gives other gradients" if gradients else _VERBS[first.status]
    text = f"{short(first)} {verb}{where}, in {why}"
    if first.above:
        calling = ("that calls it is", "that call it are")[first.above > 1]
        text += f"; {counted(first.above, 'function')} {calling} wrong, too"
    others = len(faults) - 1
    begins = ("fault begins", "faults begin")[others > 1]
    return f"{text}; {others} other {begins} elsewhere" if others else text


def summary(proof: Proof) -> str:
    """Return the number of functions of each status that occurs, and what was compared."""
    counts = proof.counts
    asked = sum(counts.values()) - counts[Status.NO_TENSORS]
    order = [Status.PROVED, *(s for s in Status if s not in (Status.PROVED, Status.NO_TENSORS))]
    parts = [f"{counts[status]} {status}" for status in order if counts[status]]
    return ", ".join([*parts, f"of {counted(asked, 'function')}"]) if parts else "No function"
