"""Provide `tf2jax-port scan`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from tf2jax_port.cli import options as cli_options

if TYPE_CHECKING:
    from tf2jax_port.rewrite.findings.ledger import Ledger

_SHOWN = 15


@click.command(cls=cli_options.Sectioned)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
    help="Tables, or the ledger for programs, or SARIF for code hosts and editors.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write a page with a map."
)
@click.option("--all", "whole", is_flag=True, help="Show all files and names.")
@click.option("--color/--no-color", default=None, help="Color the tables. [default: a terminal]")
@cli_options.choosing_options
@cli_options.reading_options
def scan(
    paths: tuple[str, ...],
    form: str,
    html: str | None,
    whole: bool,
    color: bool | None,
    **given: Any,
) -> None:
    """Count the TensorFlow references of Python files, and how `rewrite` would handle them.

    Nothing is changed. Exit code 0: no manual work is left; 1: some is left; 2: could not run.
    """
    from tf2jax_port.cli.files import exit_code, ledger_of, tell_skipped, write_report

    # Only the HTML page needs the texts of the files.
    ledger = ledger_of(cli_options.ask(paths, **given), texts=html is not None)
    if form == "json":
        click.echo(json.dumps(ledger.document(), indent=1))
    elif form == "sarif":
        from tf2jax_port.scanning import as_sarif

        click.echo(json.dumps(as_sarif.to_document(ledger), indent=1))
    else:
        _show(ledger, None if whole else _SHOWN, color)
    if html:
        from tf2jax_port.scanning import as_html

        write_report(html, as_html.to_html(ledger, ", ".join(paths)))
    tell_skipped(ledger.skipped)
    raise SystemExit(exit_code(ledger))


def _show(ledger: Ledger, rows: int | None, color: bool | None) -> None:
    from rich.console import Console

    from tf2jax_port.scanning import as_text

    colored = cli_options.is_colored(color, sys.stdout.isatty())
    console = Console(
        highlight=False, force_terminal=colored, color_system="standard" if colored else None
    )
    for part in as_text.to_renderables(ledger, rows):
        console.print(part, markup=False)
