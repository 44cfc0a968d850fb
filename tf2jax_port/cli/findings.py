"""Print the findings of a run: as lines for people, or as data for programs."""

from __future__ import annotations

import json
import sys

import click

from tf2jax_port.cli.command import columns, wrapped
from tf2jax_port.cli.options import is_colored
from tf2jax_port.messages.spot import WIDTH
from tf2jax_port.rewrite.findings.ledger import Ledger
from tf2jax_port.scanning import as_github, as_lines, as_sarif


def show_findings(
    ledger: Ledger,
    *,
    every: bool = False,
    grouped: bool = True,
    color: bool | None = None,
    err: bool = False,
) -> None:
    """Print findings as lines; a misspelled word is shown in its line, with carets."""
    stream = sys.stderr if err else sys.stdout
    colored = is_colored(color, stream.isatty())
    for line in as_lines.to_lines(ledger, every=every, grouped=grouped):
        shown = wrapped(line.text, stream, "    ")
        if colored:
            place, space, rest = shown.partition(": ")
            shown = f"{click.style(place, bold=True)}{space}{rest}"
        click.echo(shown, err=err, color=colored)
        if line.spot is not None:
            click.echo("\n".join(line.spot.lines(columns(stream) or WIDTH)), err=err)
        if line.others:
            others = wrapped(f"    {line.others}", stream, "    ")
            click.echo(click.style(others, dim=True) if colored else others, err=err, color=colored)


def show_data(ledger: Ledger, form: str, *, every: bool = False) -> None:
    """Print the ledger in a format for programs: `json`, `sarif` or `github`; with `every`, `github` has all findings."""
    if form == "github":
        for line in as_github.to_lines(ledger, every=every):
            click.echo(line)
        return
    document = ledger.document() if form == "json" else as_sarif.to_document(ledger)
    click.echo(json.dumps(document, indent=1))
