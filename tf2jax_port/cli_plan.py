"""`tf2jax-port plan`."""

from __future__ import annotations

import json
import pathlib

import click

from tf2jax_port.cli_files import run_over
from tf2jax_port.migration import as_html, as_json, as_text
from tf2jax_port.migration.steps import steps_of
from tf2jax_port.rewrite.options import Options

_SHOWN = 40


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option(
    "--html", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write the picture there."
)
@click.option("--all", "whole", is_flag=True, help="Show every step, however many there are.")
def plan(paths: tuple[str, ...], form: str, html: str | None, whole: bool) -> None:
    """Order the files of a code base for migration.

    What is imported comes before what imports it; of the files that are free, those with least left
    for a person come first. Each step says what it needs, what it unlocks, and what stands in its
    way. Nothing is changed and nothing is run.

    Exit code 0: nothing is left for a person; 1: something is; 2: could not run.
    """
    ledger = run_over(paths, Options())
    steps = steps_of(ledger)
    if form == "json":
        click.echo(json.dumps(as_json.to_document(steps, ledger.skipped), indent=1))
    else:
        from rich.console import Console

        console = Console(highlight=False)
        for part in as_text.to_renderables(steps, None if whole else _SHOWN):
            console.print(part, markup=False)
    if html:
        pathlib.Path(html).write_text(as_html.to_html(steps, ", ".join(paths)), encoding="utf-8")
        click.echo(f"wrote {html}", err=True)
    for skipped in ledger.skipped:
        click.echo(f"{skipped.path}: {skipped.code} {skipped.reason}", err=True)
    broken = any(skipped.code in ("TJ905", "TJ907") for skipped in ledger.skipped)
    raise SystemExit(2 if broken else int(ledger.needs_person))
