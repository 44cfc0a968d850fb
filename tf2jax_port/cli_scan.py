"""`tf2jax-port scan`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tf2jax_port.cli_files import run_over
from tf2jax_port.rewrite.findings import State, count_states
from tf2jax_port.rewrite.ledger import Ledger
from tf2jax_port.rewrite.options import Options

if TYPE_CHECKING:
    from rich.table import Table

_SHOWN = 15
_STYLES = {
    State.REWRITTEN: "green",
    State.REVIEW: "yellow",
    State.SHIM: "cyan",
    State.KEPT: "dim",
    State.MANUAL: "red",
}


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def scan(paths: tuple[str, ...], form: str) -> None:
    """Count what Python files use of TensorFlow, and what `rewrite` would make of it.

    Nothing is changed. Exit code 0: nothing is left for a person; 1: something is; 2: could not run.
    """
    ledger = run_over(paths, Options(), texts=False)
    if form == "json":
        click.echo(json.dumps(ledger.document(), indent=1))
    else:
        _show(ledger)
    for skipped in ledger.skipped:
        click.echo(f"{skipped.path}: {skipped.code} {skipped.reason}", err=True)
    broken = any(skipped.code in ("TJ905", "TJ907") for skipped in ledger.skipped)
    raise SystemExit(2 if broken else int(ledger.needs_person))


def _show(ledger: Ledger) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_files(ledger))
    blockers = ledger.symbols(State.MANUAL)
    if blockers:
        console.print(_blockers(blockers))


def _files(ledger: Ledger) -> Table:
    """One line for each file, those with most to do first."""
    from rich.table import Table

    table = Table(title="TensorFlow references", title_justify="left", box=None, pad_edge=False)
    table.add_column("file", overflow="fold")
    for state in State:
        table.add_column(state.value, justify="right", style=_STYLES[state])
    table.add_column("done", justify="right")
    rows = [
        (entry.path, count_states(entry.outcome.findings))
        for entry in ledger.entries
        if entry.outcome.findings
    ]
    rows.sort(key=lambda row: (-row[1][State.MANUAL], row[0]))
    for path, counts in rows[:_SHOWN]:
        table.add_row(path, *_cells(counts))
    if len(rows) > _SHOWN:
        table.add_row(f"... and {len(rows) - _SHOWN} more files")
    table.add_row("all", *_cells(count_states(ledger.findings)), style="bold")
    return table


def _cells(counts: dict[str, int]) -> list[str]:
    total = sum(counts.values())
    done = total - counts[State.MANUAL]
    share = f"{100 * done // total} %" if total else ""
    return [str(counts[state] or "") for state in State] + [share]


def _blockers(symbols: list[tuple[str, int]]) -> Table:
    from rich.table import Table

    table = Table(title="\nLeft to a person", title_justify="left", box=None, pad_edge=False)
    table.add_column("name")
    table.add_column("references", justify="right")
    for symbol, count in symbols[:_SHOWN]:
        table.add_row(symbol, str(count))
    if len(symbols) > _SHOWN:
        table.add_row(f"... and {len(symbols) - _SHOWN} more names")
    return table
