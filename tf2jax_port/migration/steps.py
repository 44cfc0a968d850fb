"""Group the files of a code base into migration steps, dependencies first."""

from __future__ import annotations

import dataclasses
import pathlib
from collections import Counter
from collections.abc import Mapping

from tf2jax_port.migration.imports import import_graph
from tf2jax_port.migration.order import groups_in_order
from tf2jax_port.rewrite.findings.findings import State, count_states
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A migration step: one file, or several files that import each other.

    Attributes:
      number: the position of the step in the order, from 1.
      files: their paths, sorted.
      targets: the target of each file.
      lines: the number of lines of all files.
      automatic: the number of references that `rewrite` converts completely.
      review: the number of references that it rewrites and a person should review.
      manual: the number of references to write by hand.
      blockers: the names of the references in `manual`, as `(name, count)`, the most common first.
      needs: numbers of the steps whose files these files import, directly or through files without
        TensorFlow.
      unlocks: numbers of the steps that depend on this one and on no later one.
    """

    number: int
    files: tuple[str, ...]
    targets: tuple[str, ...]
    lines: int
    automatic: int
    review: int
    manual: int
    blockers: tuple[tuple[str, int], ...]
    needs: tuple[int, ...]
    unlocks: tuple[int, ...]

    @property
    def effort(self) -> float:
        """The estimated manual work: 1 for each reference to write by hand, 1/4 for each to review."""
        return self.manual + self.review / 4


def steps_of(ledger: Ledger) -> tuple[Step, ...]:
    """Compute the migration steps of all files that refer to TensorFlow, imported files first."""
    entries = {pathlib.Path(entry.path): entry for entry in ledger.entries}
    graph = import_graph({path: entry.before for path, entry in entries.items()})
    mine = {path for path, entry in entries.items() if entry.outcome.findings}
    needs = {path: _through(path, graph, mine) for path in mine}
    effort = {path: entries[path].effort for path in mine}
    groups = groups_in_order(needs, lambda group: (sum(effort[p] for p in group), min(group)))
    number = {path: i for i, group in enumerate(groups, 1) for path in group}
    wanted = [
        {number[n] for path in group for n in needs[path]} - {i}
        for i, group in enumerate(groups, 1)
    ]
    return tuple(
        _step(i, [entries[path] for path in sorted(group)], wanted)
        for i, group in enumerate(groups, 1)
    )


def _through(
    path: pathlib.Path, graph: Mapping[pathlib.Path, set[pathlib.Path]], mine: set[pathlib.Path]
) -> set[pathlib.Path]:
    """Return the files in `mine` that a file imports, directly or through files outside of `mine`."""
    found: set[pathlib.Path] = set()
    seen, todo = {path}, list(graph[path])
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in mine:
            found.add(one)
        else:
            todo.extend(graph[one])
    return found


def _step(number: int, entries: list[Entry], wanted: list[set[int]]) -> Step:
    findings = [finding for entry in entries for finding in entry.outcome.findings]
    counts = count_states(findings)
    blockers = Counter(f.symbol for f in findings if f.state is State.MANUAL)
    unlocks = [
        other
        for other, needs in enumerate(wanted, 1)
        if number in needs and all(n <= number for n in needs)
    ]
    return Step(
        number=number,
        files=tuple(entry.path for entry in entries),
        targets=tuple(entry.target for entry in entries),
        lines=sum(entry.lines for entry in entries),
        automatic=len(findings) - counts[State.MANUAL] - counts[State.REVIEW],
        review=counts[State.REVIEW],
        manual=counts[State.MANUAL],
        blockers=tuple(sorted(blockers.items(), key=lambda item: (-item[1], item[0]))),
        needs=tuple(sorted(wanted[number - 1])),
        unlocks=tuple(unlocks),
    )
