"""`tf2jax-port rewrite`."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from tf2jax_port import cli_options
from tf2jax_port.cli_diff import diff_lines
from tf2jax_port.cli_files import (
    ChangedMeanwhileError,
    exit_code,
    results,
    tell_skipped,
    write_entry,
    write_report,
)
from tf2jax_port.cli_options import Asked, choosing_options, reading_options
from tf2jax_port.rewrite.findings import State, count_states
from tf2jax_port.rewrite.ledger import Entry, Ledger, Skipped, collect


@click.command(cls=cli_options.Sectioned)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--write", is_flag=True, help="Change the files. Without it, the changes are shown.")
@click.option(
    "--check", is_flag=True, help="Change and show nothing; exit 1 if anything would change."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif"]),
    default="text",
    show_default=True,
    help="A diff, or what became of each reference, for programs.",
)
@click.option(
    "--report", type=click.Path(dir_okay=False), metavar="FILE.json", help="Write the ledger there."
)
@click.option("--color/--no-color", default=None, help="Colour the diff. [default: on a terminal]")
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
    """Turn the TensorFlow calls of Python files into JAX.

    A folder stands for the Python files below it; `-` reads a program from standard input and writes
    the new one to standard output. Every TensorFlow reference ends rewritten, rewritten and to be
    reviewed, as a function of `shims`, kept, or left to a person with a comment.

    Exit code 0: nothing is left for a person; 1: something is (with --check: something would
    change); 2: could not run.
    """
    if write and check:
        raise click.UsageError("--write and --check exclude each other.")
    asked = cli_options.ask(paths, **given)
    if asked.reads_stdin and write:
        raise click.UsageError("--write has no file to write to: `-` is standard input.")
    does = _Does(asked, write, shows=form == "text" and not (write or check), color=color)
    ledger = collect(does.all(), asked.options.target)
    if form == "json":
        click.echo(json.dumps(ledger.document(), indent=1))
    elif form == "sarif":
        from tf2jax_port.scanning import as_sarif

        click.echo(json.dumps(as_sarif.to_document(ledger), indent=1))
    if report:
        write_report(report, json.dumps(ledger.document(), indent=1) + "\n")
    _summary(ledger, does)
    code = exit_code(ledger)
    if asked.reads_stdin and ledger.skipped:
        code = 2  # nothing was written to standard output, and that is no program
    raise SystemExit(int(does.changed > 0) if check and code != 2 else code)


class _Does:
    """What is done with each file as it comes, so that its text need not be kept."""

    def __init__(self, asked: Asked, write: bool, *, shows: bool, color: bool | None) -> None:
        self.asked = asked
        self.write = write
        self.shows = shows
        self.colour = cli_options.is_coloured(color, sys.stdout.isatty())
        self.changed = 0

    def all(self) -> Any:
        """Every result, without its text, after it was dealt with."""
        quiet = self.shows and sys.stdout.isatty()
        for result in results(self.asked, texts=True, quiet=quiet):
            if isinstance(result, Skipped):
                yield result
                continue
            failure = self.one(result)
            yield result.without_texts()
            if failure is not None:
                yield failure

    def one(self, entry: Entry) -> Skipped | None:
        """Writes or shows a file that changes; says why where it could not be written."""
        if self.asked.reads_stdin and self.shows:
            click.echo(entry.outcome.data, nl=False)
        if not entry.changed:
            return None
        failure = self._written(entry) if self.write else None
        if failure is not None:
            return failure
        self.changed += 1
        if self.shows and not self.asked.reads_stdin:
            click.echo("".join(diff_lines(entry, colour=self.colour)), nl=False, color=True)
        return None

    def _written(self, entry: Entry) -> Skipped | None:
        try:
            write_entry(entry)
        except ChangedMeanwhileError:
            reason = "the file was changed while it was being rewritten; run again"
            return Skipped(entry.path, "TJ909", reason)
        except OSError as error:
            return Skipped(entry.path, "TJ907", error.strerror or str(error))
        return None


def _summary(ledger: Ledger, does: _Does) -> None:
    """What was done and what is left, on standard error."""
    tell_skipped(ledger.skipped)
    for entry in ledger.entries:
        for finding in entry.outcome.findings:
            if finding.state.needs_person:
                place = f"{entry.path}:{finding.place}"
                click.echo(f"{place}: {finding.code} {finding.symbol}: {finding.message}", err=True)
    counts = count_states(ledger.findings)
    parts = [f"{counts[state.value]} {_WORDS[state]}" for state in State if counts[state.value]]
    done = "rewritten" if does.write else "to be rewritten"
    click.echo(
        f"{does.changed} of {len(ledger.entries)} files {done}. {_sentence(parts)}", err=True
    )


_WORDS = {
    State.REWRITTEN: "rewritten",
    State.REVIEW: "rewritten, to be reviewed",
    State.SHIM: "to shims",
    State.KEPT: "kept as TensorFlow",
    State.MANUAL: "left to a person",
}


def _sentence(parts: list[str]) -> str:
    return f"References: {', '.join(parts)}." if parts else "No reference to TensorFlow."
