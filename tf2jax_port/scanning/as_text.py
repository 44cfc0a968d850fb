"""Render the overview of a scan for a terminal."""

from __future__ import annotations

import itertools
import os.path
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tf2jax_port.rewrite.findings.findings import State, count_states
from tf2jax_port.rewrite.findings.ledger import Ledger
from tf2jax_port.scanning import targets
from tf2jax_port.scanning.as_lines import still_needed
from tf2jax_port.scanning.effort import (
    Blocker,
    FileEffort,
    blockers,
    by_file,
    common_folder,
    finished,
    share,
)
from tf2jax_port.scanning.targets import Compared

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_STYLES = {
    State.REWRITTEN: "green",
    State.REVIEW: "yellow",
    State.SHIM: "cyan",
    State.KEPT: "dim",
    State.MANUAL: "red",
}
_MEANINGS = {
    State.REWRITTEN: "JAX has the same operator",
    State.REVIEW: "rewritten; the message names a difference to review",
    State.SHIM: "a function of `shims`, with TensorFlow's results",
    State.KEPT: "not changed on purpose, still uses TensorFlow",
    State.MANUAL: "to write by hand",
}


def to_renderables(ledger: Ledger, rows: int | None = None) -> Iterable[RenderableType]:
    """Yield the parts of the output: totals, files with the most work, names to write by hand.

    Args:
      ledger: the result of the scan.
      rows: the number of files and names to show; all of them when `None`.
    """
    files = by_file(ledger)
    if not files:
        yield "No reference to TensorFlow."
        return
    yield _totals(ledger)
    yield ""
    folder = common_folder(files)
    if folder:
        yield f"Files of {folder}"
    yield _files(files, folder, rows)
    tried = targets.compared(ledger)
    if tried:
        yield ""
        yield _targets(tried, folder, rows)
    found = blockers(ledger)
    if found:
        yield ""
        yield _blockers(found, rows)
    yield ""
    told = summary(ledger, files), still_needed(ledger), targets.sentence(tried)
    yield " ".join(filter(None, told))


def summary(ledger: Ledger, files: Sequence[FileEffort]) -> str:
    """Summarize the scan in one sentence."""
    counts = count_states(ledger.findings)
    total = sum(counts.values())
    lines = sum(file.entry.lines for file in files)
    computing = sum(bool(file.entry.computing) for file in files)
    done = sum(file.entry.has_computing_done for file in files)
    return (
        f"{len(files)} of {len(ledger.entries)} files refer to TensorFlow, {lines:,} lines. `tf2jax-port rewrite "
        f"--write` handles {share(total - counts[State.MANUAL], total)} of {total:,} references. Fully migrated "
        f"files: {finished(files)}. Files in which all computing code is finished: {done} of {computing}."
    )


def _table(title: str) -> Table:
    from rich.table import Table

    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)


def _totals(ledger: Ledger) -> Table:
    counts = count_states(ledger.findings)
    total = sum(counts.values())
    table = _table("TensorFlow references")
    table.add_column("state")
    table.add_column("references", justify="right")
    table.add_column("share", justify="right")
    table.add_column("meaning", style="dim")
    for state in State:
        count = counts[state]
        cells = (str(count), share(count, total), _MEANINGS[state])
        table.add_row(state.value, *cells, style=_STYLES[state] if count else "dim")
    table.add_row("all", str(total), "", "", style="bold")
    return table


def _files(files: Sequence[FileEffort], folder: str, rows: int | None) -> Table:
    """Return a table with one row per file, sorted by the manual work left."""
    table = _table("Effort by file: 1 to write by hand, 1/4 to review")
    table.add_column("file", overflow="fold")
    for state in State:
        table.add_column(state.value, justify="right", style=_STYLES[state])
    table.add_column("effort", justify="right")
    for file in files[:rows]:
        name = os.path.relpath(file.entry.path, folder) if folder else file.entry.path
        table.add_row(name, *_cells(file.counts), f"{file.effort:g}")
    if rows is not None and len(files) > rows:
        table.add_row(f"... and {len(files) - rows} more files (--all)")
    sums = {state.value: sum(file.counts[state] for file in files) for state in State}
    table.add_row("all", *_cells(sums), f"{sum(f.effort for f in files):g}", style="bold")
    return table


def _targets(files: Sequence[Compared], folder: str, rows: int | None) -> Table:
    """Return a table of what each target handles in each file; files with the most references come first."""
    table = _table("References that each target handles")
    table.add_column("file", overflow="fold")
    for target in targets.TARGETS:
        table.add_column(target, justify="right")
    table.add_column("recommended")
    table.add_column("why", style="dim")
    for path, *cells in itertools.islice(targets.rows(files), rows):
        table.add_row(os.path.relpath(path, folder) if folder else path, *cells)
    if rows is not None and len(files) > rows:
        table.add_row(f"... and {len(files) - rows} more files (--all)")
    return table


def _cells(counts: dict[str, int]) -> list[str]:
    return [str(counts[state] or "") for state in State]


def _blockers(found: Sequence[Blocker], rows: int | None) -> Table:
    table = _table("To write by hand")
    table.add_column("name", overflow="fold")
    table.add_column("references", justify="right")
    table.add_column("files", justify="right")
    table.add_column("code")
    table.add_column("why", style="dim")
    for blocker in found[:rows]:
        table.add_row(
            blocker.symbol,
            str(len(blocker.places)),
            str(blocker.files),
            " ".join(blocker.codes),
            blocker.message,
        )
    if rows is not None and len(found) > rows:
        table.add_row(f"... and {len(found) - rows} more names (--all)")
    return table
