"""Report what each target would handle in the files of a scan, and recommend a target for each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.ledger import Choice, Entry, Ledger
from tf2jax_port.scanning.effort import share

TARGETS = ("jax", "shims", "graph")


class Compared(NamedTuple):
    """A file on which every target was tried, and the recommended target."""

    entry: Entry
    choice: Choice

    def settled(self, target: str) -> str:
        """Return the share of references that a target handles; empty if it cannot be used."""
        return share(*_settled(self.choice, target)) if target in self.choice.states else ""


def compared(ledger: Ledger) -> list[Compared]:
    """Return the files on which every target was tried, those with the most references first."""
    found = [Compared(entry, entry.choice) for entry in ledger.entries if entry.choice is not None]
    return sorted(found, key=lambda c: (-c.entry.outcome.references, c.entry.path))


def sentence(files: Sequence[Compared]) -> str:
    """Summarize the comparison; empty if there was none, or if JAX suits every file."""
    counts = Counter(file.choice.target for file in files)
    if counts["jax"] == len(files):
        return ""
    shares = ", ".join(f"{target} {share(*_sum(files, target))}" for target in (*TARGETS, "auto"))
    suits = ", ".join(f"{target} for {counts[target]:,}" for target in TARGETS if counts[target])
    return f"Share that each target handles: {shares}. `--target auto` would choose {suits}, of {len(files):,} files."


def rows(files: Sequence[Compared]) -> Iterator[tuple[str, ...]]:
    """Yield for each file its path, what each target handles, the recommended target and the reason."""
    for file in files:
        settled = (file.settled(target) for target in TARGETS)
        yield (file.entry.path, *settled, file.choice.target, file.choice.reason)


def _sum(files: Sequence[Compared], target: str) -> tuple[int, int]:
    pairs = [_settled(f.choice, f.choice.target if target == "auto" else target) for f in files]
    return sum(done for done, _ in pairs), sum(total for _, total in pairs)


def _settled(choice: Choice, target: str) -> tuple[int, int]:
    """Return how many references a target handles, and of how many; without a graph `graph` is `shims`."""
    states = choice.states.get(target) or choice.states["shims"]
    total = sum(states.values())
    return total - states[State.MANUAL], total
