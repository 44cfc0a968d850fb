"""`tf2jax-port rewrite`."""

from __future__ import annotations

import difflib
import json
import os
import pathlib
from typing import cast

import click

from tf2jax_port.cli_files import run_over, write_entry
from tf2jax_port.rewrite.findings import State, count_states
from tf2jax_port.rewrite.ledger import Entry, Ledger, Skipped
from tf2jax_port.rewrite.options import Options, TargetName

_COLOURS = (("+++", "bold"), ("---", "bold"), ("@@", "cyan"), ("+", "green"), ("-", "red"))


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--write", is_flag=True, help="Change the files. Without it, the changes are shown.")
@click.option(
    "--check", is_flag=True, help="Change and show nothing; exit 1 if anything would change."
)
@click.option(
    "--target",
    type=click.Choice(["jax", "shims"]),
    default="jax",
    show_default=True,
    help="JAX itself, or the smallest change that runs: TensorFlow's names from `shims`.",
)
@click.option(
    "--report", type=click.Path(dir_okay=False), metavar="FILE.json", help="Write the ledger there."
)
def rewrite(
    files: tuple[str, ...], write: bool, check: bool, target: str, report: str | None
) -> None:
    """Turn the TensorFlow calls of Python files into JAX.

    A folder stands for the Python files below it. Every TensorFlow reference ends rewritten,
    rewritten and to be reviewed, as a function of `shims`, or left to a person with a comment.

    Exit code 0: nothing is left for a person; 1: something is (with --check: something would
    change); 2: could not run.
    """
    if write and check:
        raise click.UsageError("--write and --check exclude each other.")
    ledger = run_over(files, Options(cast(TargetName, target)))
    changed = [entry for entry in ledger.entries if entry.changed]
    failed: list[Skipped] = []
    if write:
        failed = [skipped for entry in changed if (skipped := _write(entry))]
    elif not check:
        for entry in changed:
            _show(entry)
    if report:
        pathlib.Path(report).write_text(json.dumps(ledger.document(), indent=1) + "\n")
    done = "rewritten" if write else "to be rewritten"
    _summary(ledger, len(changed) - len(failed), done, failed)
    raise SystemExit(_exit_code(ledger, failed, would_change=check and bool(changed), check=check))


def _exit_code(ledger: Ledger, failed: list[Skipped], *, would_change: bool, check: bool) -> int:
    broken = [s for s in ledger.skipped if s.code in ("TJ905", "TJ907")]
    if failed or broken:
        return 2
    if check:
        return int(would_change)
    return int(ledger.needs_person)


def _write(entry: Entry) -> Skipped | None:
    try:
        write_entry(entry)
    except OSError as error:
        return Skipped(entry.path, "TJ907", error.strerror or str(error))
    return None


def _show(entry: Entry) -> None:
    """The change of one file as a diff, coloured in a terminal."""
    colour = True if os.environ.get("FORCE_COLOR") else None
    old = entry.before.decode(errors="replace").splitlines(keepends=True)
    new = entry.outcome.data.decode(errors="replace").splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, entry.path, entry.path):
        style = next((style for start, style in _COLOURS if line.startswith(start)), None)
        text = line if line.endswith("\n") else line + "\n"
        if style is not None:
            text = click.style(text, bold=True) if style == "bold" else click.style(text, fg=style)
        click.echo(text, nl=False, color=colour)


def _summary(ledger: Ledger, count: int, done: str, failed: list[Skipped]) -> None:
    """What was done and what is left, on standard error."""
    for skipped in (*ledger.skipped, *failed):
        click.echo(f"{skipped.path}: {skipped.code} {skipped.reason}", err=True)
    for entry in ledger.entries:
        for finding in entry.outcome.findings:
            if finding.state.needs_person:
                place = f"{entry.path}:{finding.line}:{finding.column}"
                click.echo(f"{place}: {finding.code} {finding.symbol}: {finding.message}", err=True)
    counts = count_states(ledger.findings)
    parts = [f"{counts[state.value]} {_WORDS[state]}" for state in State if counts[state.value]]
    click.echo(f"{count} of {len(ledger.entries)} files {done}. {_sentence(parts)}", err=True)


_WORDS = {
    State.REWRITTEN: "rewritten",
    State.REVIEW: "rewritten, to be reviewed",
    State.SHIM: "to shims",
    State.KEPT: "kept as TensorFlow",
    State.MANUAL: "left to a person",
}


def _sentence(parts: list[str]) -> str:
    return f"References: {', '.join(parts)}." if parts else "No reference to TensorFlow."
