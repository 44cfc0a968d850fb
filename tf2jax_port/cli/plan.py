"""Provide `tf2jax-port plan`."""

from __future__ import annotations

import json
from typing import Any

import click

from tf2jax_port.cli import options as cli_options

_SHOWN = 40


@click.command(cls=cli_options.Sectioned)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@cli_options.format_option("The output format: a table, or JSON for programs.", ("text", "json"))
@click.option(
    "--html",
    type=click.Path(dir_okay=False),
    metavar="FILE.html",
    help="Write a page with the steps, their reasons, and a diagram.",
)
@click.option("--all", "whole", is_flag=True, help="Show all steps.")
@cli_options.target_option
@cli_options.reading_options
def plan(paths: tuple[str, ...], form: str, html: str | None, whole: bool, **given: Any) -> None:
    """Order the files of a code base for migration.

    Imported files come before the files that import them. Among the files that can be next, files with the least manual
    work come first. Each step lists the steps that must come before, the steps that become possible, and the names
    that must be ported by hand. No file is changed, and no code is run.

    Exit code: 0: no manual work is left; 1: manual work is left; 2: the command could not run.
    """
    from tf2jax_port.cli.files import exit_code, ledger_of, tell_skipped, write_report
    from tf2jax_port.cli.next_step import tell_proof
    from tf2jax_port.migration import as_html, as_json, as_text
    from tf2jax_port.migration.steps import steps_of

    asked = cli_options.ask(paths, **given)
    ledger = ledger_of(asked, texts=True)
    steps = steps_of(ledger)
    if form == "json":
        click.echo(json.dumps(as_json.to_document(steps, ledger.skipped), indent=1))
    else:
        from rich.console import Console

        console = Console(highlight=False)
        for part in as_text.to_renderables(steps, None if whole else _SHOWN):
            console.print(part, markup=False)
    if html:
        write_report(html, as_html.to_html(steps, ", ".join(paths)))
    tell_skipped(ledger.skipped)
    if form == "text":
        tell_proof(path for step in steps for path in step.files)
    raise SystemExit(exit_code(ledger, asked.fail_on))
