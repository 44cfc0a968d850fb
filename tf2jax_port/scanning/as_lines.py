"""Render the findings of a scan as lines, `file:line:column: CODE name: message`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tf2jax_port.messages.counts import counted
from tf2jax_port.messages.spot import Spot
from tf2jax_port.rewrite.findings.findings import Finding, State, count_states
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger
from tf2jax_port.rewrite.rules.codes import find_rule
from tf2jax_port.scanning import targets
from tf2jax_port.scanning.effort import share

_SHOWN = 6  # further places of a group


class Line(NamedTuple):
    """One finding, or several findings to review for the same reason, as text.

    Attributes:
      text: the place and the message.
      others: the other places of the group, empty for a single finding.
      spot: the misspelled word to point at.
    """

    text: str
    others: str = ""
    spot: Spot | None = None


def to_lines(ledger: Ledger, *, every: bool = False, grouped: bool = True) -> Iterator[Line]:
    """Yield the findings that need a person: first manual work, then findings to review.

    Args:
      ledger: the result of the scan.
      every: whether to yield all references, file by file, instead.
      grouped: whether reviews of the same name for the same reason are one line.
    """
    found = [(entry, f) for entry in ledger.entries for f in entry.outcome.findings]
    if every:
        yield from (_line(entry, finding) for entry, finding in found)
        return
    yield from (_line(entry, f) for entry, f in found if f.state is State.MANUAL)
    groups: dict[tuple[object, ...], list[tuple[Entry, Finding]]] = defaultdict(list)
    for entry, finding in found:
        if finding.state is State.REVIEW:
            same = (finding.code, finding.symbol, finding.message)
            groups[same if grouped else (entry.path, finding)].append((entry, finding))
    for group in groups.values():
        yield _line(*group[0], _others(group))


def _line(entry: Entry, finding: Finding, others: str = "") -> Line:
    said = f"{finding.code} {finding.symbol}: {finding.message}"
    return Line(f"{entry.path}:{finding.place}: {said}", others, finding.misspelling)


def _others(group: Sequence[tuple[Entry, Finding]]) -> str:
    """Return the places of a group after the first; a path is named where it changes."""
    path, places = group[0][0].path, []
    for entry, finding in group[1:]:
        places.append(finding.place if entry.path == path else f"{entry.path}:{finding.place}")
        path = entry.path
    if not places:
        return ""
    more = f" and {len(places) - _SHOWN} others" if len(places) > _SHOWN else ""
    return f"also at {', '.join(places[:_SHOWN])}{more}"


def summary(ledger: Ledger) -> str:
    """Summarize the manual work in a sentence."""
    counts = count_states(ledger.findings)
    total = sum(counts.values())
    if not total:
        return "No reference to TensorFlow."
    files = sum(bool(entry.outcome.findings) for entry in ledger.entries)
    done = share(total - counts[State.MANUAL], total)
    told = (
        f"{counted(total, 'reference')} in {files:,} of {len(ledger.entries):,} files: "
        f"{counts[State.MANUAL]:,} to write by hand, {counts[State.REVIEW]:,} to review. "
        f"`tf2jax-port rewrite --write` handles {done}."
    )
    tried = targets.sentence(targets.compared(ledger))
    return " ".join(filter(None, (told, still_needed(ledger), tried)))


def still_needed(ledger: Ledger) -> str:
    """Say in which files TensorFlow is needed after the rewriting, and for what; empty if in none."""
    kept = [
        [f.symbol for f in entry.outcome.findings if f.state is State.KEPT and not f.method]
        for entry in ledger.entries
    ]
    names = [name for name, _ in Counter(name for each in kept for name in each).most_common()]
    if not names:
        return ""
    files = sum(map(bool, kept))
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} other names stay" if len(names) > _SHOWN else ""
    verb = "" if more else " stays" if len(names) == 1 else " stay"
    return f"TensorFlow is still needed in {files:,} file{'s' * (files > 1)}: {shown}{more}{verb}."


def statistics(ledger: Ledger) -> Iterator[str]:
    """Yield a line for each diagnostic: how often it occurs, its state and its name."""
    counts = Counter(finding.code for finding in ledger.findings)
    counts.update(skipped.code for skipped in ledger.skipped)
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        rule = find_rule(code)
        state = "not read" if rule.state is None else rule.state.value
        yield f"{count:>7}  {code}  {state:<9}  {rule.name}"
