"""Provide `tf2jax-port scan`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from tf2jax_port.cli import options as cli_options
from tf2jax_port.cli.command import tell
from tf2jax_port.messages.counts import counted

if TYPE_CHECKING:
    from tf2jax_port.rewrite.findings.ledger import Ledger

_SHOWN = 15


@click.command(cls=cli_options.Sectioned)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@cli_options.format_option("Findings as lines, or for programs, editors and code hosts.")
@click.option(
    "--statistics",
    is_flag=True,
    help="Show how often each diagnostic occurs, instead of the findings.",
)
@click.option(
    "--overview", is_flag=True, help="Show tables by state, file and name, instead of the findings."
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False),
    metavar="FILE.html",
    help="Write a page with the source, its findings, and a map of the files.",
)
@click.option(
    "--all", "whole", is_flag=True, help="Show all references; with --overview, show all rows."
)
@click.option(
    "--group/--no-group",
    default=True,
    show_default=True,
    help="Combine findings to review that have the same name and the same reason.",
)
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE.json",
    help="Leave out the findings that this ledger lists: do not show or count them.",
)
@click.option("--color/--no-color", default=None, help="Color the output. [default: on a terminal]")
@cli_options.choosing_options
@cli_options.reading_options
def scan(
    paths: tuple[str, ...],
    form: str,
    statistics: bool,
    overview: bool,
    html: str | None,
    whole: bool,
    group: bool,
    baseline: str | None,
    color: bool | None,
    **given: Any,
) -> None:
    """List the TensorFlow references that must be ported by hand or reviewed after `rewrite`.

    References that must be rewritten by hand are listed first, then references that must be reviewed. If no target is
    given, every target is tried on every file. The summary, --overview, --html and JSON then say how many references
    each target would rewrite, and which target is recommended. No file is changed.

    Exit code: 0: no manual work is left; 1: manual work is left; 2: the command could not run.
    """
    from tf2jax_port.cli.files import exit_code, ledger_of, tell_skipped, write_report
    from tf2jax_port.cli.findings import show_data, show_findings
    from tf2jax_port.cli.next_step import tell_proof
    from tf2jax_port.scanning import as_lines

    if form != "text" and (statistics or overview):
        raise click.UsageError(
            f"--format {form} already contains all counts: remove --statistics and --overview."
        )
    asked = cli_options.ask(paths, **given)
    # Only the HTML page needs the texts; the formats for editors and code hosts show findings alone.
    compare = asked.is_open and form in ("text", "json") and not statistics
    ledger = ledger_of(asked, texts=html is not None, compare=compare)
    if baseline:
        ledger = _only_new(ledger, baseline)
    every = whole or asked.fail_on == "any"  # what makes the command fail is shown
    if form != "text":
        show_data(ledger, form, every=every)
    if statistics:
        click.echo("".join(f"{line}\n" for line in as_lines.statistics(ledger)), nl=False)
    if overview:
        _show_tables(ledger, None if whole else _SHOWN, color)
    if html:
        from tf2jax_port.scanning import as_html

        write_report(html, as_html.to_html(ledger, ", ".join(paths)))
    tell_skipped(ledger.skipped)
    if form == "text" and not (statistics or overview):
        show_findings(ledger, every=every, grouped=group, color=color)
        if ledger.entries:
            tell(as_lines.summary(ledger))
            tell_proof(entry.path for entry in ledger.entries if entry.outcome.findings)
    raise SystemExit(exit_code(ledger, asked.fail_on))


def _only_new(ledger: Ledger, path: str) -> Ledger:
    """Return a ledger without what the baseline lists."""
    from tf2jax_port.rewrite.findings import baseline

    try:
        found, hidden = baseline.without_known(ledger, baseline.read_baseline(path))
    except baseline.BaselineError as error:
        raise click.UsageError(str(error)) from error
    if hidden:
        new = sum(f.state.needs_person for f in found.findings)
        tell(f"{counted(hidden, 'finding')} of {path} not shown, {new} new.")
    return found


def _show_tables(ledger: Ledger, rows: int | None, color: bool | None) -> None:
    from rich.console import Console

    from tf2jax_port.scanning import as_text

    colored = cli_options.is_colored(color, sys.stdout.isatty())
    console = Console(
        highlight=False, force_terminal=colored, color_system="standard" if colored else None
    )
    for part in as_text.to_renderables(ledger, rows):
        console.print(part, markup=False)
