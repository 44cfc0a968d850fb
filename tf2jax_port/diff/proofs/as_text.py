"""Render a proof for a terminal: the wrong functions, the places where faults begin, and a line per file."""

from __future__ import annotations

import os.path
from collections import Counter
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tf2jax_port.diff.proofs.proof import NOWHERE, SCOPE, WITHIN, WRONG, Proof, Row, Status, share
from tf2jax_port.diff.proofs.wording import headline, listed, short, summary
from tf2jax_port.diff.vocabulary.verdicts import shown
from tf2jax_port.messages.counts import counted

_MOST = 10
_FEW = 3
_COLUMNS: tuple[tuple[str, tuple[Status, ...], str], ...] = (
    ("proved", (Status.PROVED,), "green"),
    ("limited", (Status.LIMITED,), "yellow"),
    ("wrong", WRONG, "red"),
    ("not\nreplayed", (Status.NOT_REPLAYED,), "yellow"),
    ("not\nreached", (Status.NOT_REACHED,), ""),
)
_TOLD = tuple(s for s in Status if s not in (Status.NOT_REACHED, Status.NO_TENSORS))


def to_renderables(proof: Proof) -> Iterator[RenderableType]:
    """Yield the parts of the report."""
    style = "red" if proof.faults else ""
    yield Text(f"{shown(proof.verdict).upper()}: {headline(proof)}", style=f"bold {style}")
    yield ""
    yield from _files(proof)
    faults = proof.faults
    if faults:
        yield Text("\nWhere faults begin", style="bold")
        for row in faults[:_MOST]:
            yield from _fault(row)
        if len(faults) > _MOST:
            yield f"  and {len(faults) - _MOST} more; --html and --json list all"
    with_them = [row for row in proof.rows if row.status in WRONG and not row.begins]
    if with_them:
        yield Text("\nAlso wrong, because they call one of these functions", style="bold")
        yield Text(
            "  "
            + ", ".join(map(short, with_them[:_MOST]))
            + (" …" if len(with_them) > _MOST else "")
        )
    yield from _strengths(proof)
    yield from _told("Equal within limits", [r for r in proof.rows if r.status is Status.LIMITED])
    yield from _told(
        "Not reached",
        [
            r
            for r in proof.rows
            if r.status is Status.NOT_REACHED and r.why not in (WITHIN, NOWHERE)
        ],
    )
    if proof.unfit:
        yield Text("\nNot replayed", style="bold")
        yield Text(f"  {counted(sum(proof.unfit.values()), 'call')}: {listed(proof.unfit, 5)}")
    yield Text(f"\n{summary(proof)}. {SCOPE}")


def _told(heading: str, rows: list[Row]) -> Iterator[RenderableType]:
    """Yield functions with the reasons of their status."""
    if rows:
        yield Text(f"\n{heading}", style="bold")
        yield from (Text(f"  {short(row)}: {row.why}") for row in rows[:_MOST])
        if len(rows) > _MOST:
            yield f"  and {len(rows) - _MOST} more; --html and --json list all"


def _strengths(proof: Proof) -> Iterator[RenderableType]:
    """Yield what the calls could have caught; functions whose calls notice least come first."""
    known = [(row, row.strength) for row in proof.rows if row.strength is not None]
    if not known:
        return
    planted = sum(found.planted for _, found in known)
    noticed = sum(found.noticed for _, found in known)
    yield Text("\nFaults that the calls can detect", style="bold")
    yield Text(
        f"  {noticed} of {planted} faults that were planted into {counted(len(known), 'function')} change a result"
    )
    least = sorted(known, key=lambda item: item[1].noticed / item[1].planted)
    for row, found in [item for item in least if item[1].missed][:_MOST]:
        yield Text(f"  {short(row)}: {found.noticed} of {found.planted}")
        for one in found.missed[:_FEW]:
            needs = f"; to detect it, a call needs {one.needs}" if one.needs else ""
            yield Text(f"    {one.place}  {one.text}\n      not noticed: {one.kind}{needs}")


def _fault(row: Row) -> Iterator[RenderableType]:
    yield Text(f"  {row.place or row.function[0]}: {short(row)}: {row.status}, {row.why}")


def _files(proof: Proof) -> Iterator[RenderableType]:
    files = proof.files()
    shown = {path: rows for path, rows in files.items() if any(r.status in _TOLD for r in rows)}
    folder = os.path.commonpath(map(os.path.dirname, shown)) if all(shown) and shown else ""
    if folder:
        yield f"Files of {folder}"
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("file", overflow="fold")
    for name, _, style in _COLUMNS:
        table.add_column(name, justify="right", style=style)
    table.add_column("lines", justify="right")
    table.add_column("branches", justify="right")
    for path, rows in shown.items():
        table.add_row(
            *_cells(os.path.relpath(path, folder or ".") if path else "not in the port", rows)
        )
    table.add_row(*_cells("all", list(proof.rows)), style="bold")
    yield table
    left = len(files) - len(shown)
    if left:
        yield Text(f"and {counted(left, 'file')} not reached by any recorded call", style="dim")


def _cells(name: str, rows: list[Row]) -> list[str]:
    counts = Counter(row.status for row in rows)
    shares = [share(rows, "lines"), share(rows, "branches")]
    return [
        name,
        *(str(sum(counts[s] for s in statuses) or "") for _, statuses, _ in _COLUMNS),
        *("" if found is None else found.text for found in shares),
    ]
