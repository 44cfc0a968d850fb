"""Provide `tf2jax-port rewrite`."""

from __future__ import annotations

import json
from typing import Any

import click

from tf2jax_port.cli import options as cli_options
from tf2jax_port.cli.options import choosing_options, reading_options


@click.command(cls=cli_options.Sectioned)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--write",
    is_flag=True,
    help="Change the files. Without --write, the changes are only shown.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Change no file and show no changes; exit with 1 if a file would change.",
)
@cli_options.format_option(
    "The output format: a diff, or the findings for programs and code hosts."
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False),
    metavar="FILE.json",
    help="Write the ledger to this file.",
)
@click.option("--color/--no-color", default=None, help="Color the diff. [default: on a terminal]")
@choosing_options
@reading_options
def rewrite(
    paths: tuple[str, ...],
    write: bool,
    check: bool,
    form: str,
    report: str | None,
    color: bool | None,
    **given: Any,
) -> None:
    """Rewrite the TensorFlow calls in Python files to JAX.

    If PATH is a folder, all Python files in it and in its subfolders are rewritten. If PATH is `-`, a program is read
    from standard input, and the new program is written to standard output. Every TensorFlow reference gets one state:
    rewritten, rewritten but to be reviewed, replaced by a function of `shims`, kept, or left as manual work with a
    comment.

    Exit code: 0: no manual work is left; 1: manual work is left (with --check: a file would change); 2: the command
    could not run.
    """
    if write and check:
        raise click.UsageError(
            "--write and --check cannot be combined: remove one of the two options."
        )
    asked = cli_options.ask(paths, **given)
    if asked.reads_stdin and write:
        raise click.UsageError("--write needs a file, but `-` is standard input: remove --write.")
    from tf2jax_port.cli.changes import Changes, tell
    from tf2jax_port.cli.files import exit_code, write_report
    from tf2jax_port.cli.findings import show_data
    from tf2jax_port.rewrite.findings.ledger import collect

    does = Changes(asked, write, shows=form == "text" and not (write or check), color=color)
    ledger = collect(does.all(), asked.options.target)
    if form != "text":
        show_data(ledger, form)
    if report:
        write_report(report, json.dumps(ledger.document(), indent=1) + "\n")
    tell(ledger, does)
    code = exit_code(ledger, asked.fail_on, is_written=write)
    if asked.reads_stdin and ledger.skipped:
        code = 2  # standard output is empty, which is no valid program
    raise SystemExit(int(does.changed > 0) if check and code != 2 else code)
