"""Write or show the changes that `tf2jax-port rewrite` makes, and report the remaining work."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterator, Mapping

import click

from tf2jax_port.cli import options as cli_options
from tf2jax_port.cli.command import tell as sentence
from tf2jax_port.cli.files import results, tell_skipped, write_entry
from tf2jax_port.cli.findings import show_findings
from tf2jax_port.cli.options import Asked
from tf2jax_port.cli.text_diff import diff_lines
from tf2jax_port.paths.whole_files import ChangedMeanwhileError
from tf2jax_port.rewrite.findings.findings import State, count_states
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger, Skipped
from tf2jax_port.scanning.as_lines import still_needed


class Changes:
    """Writes or shows the changes of each file as soon as it is rewritten, to save memory."""

    def __init__(self, asked: Asked, write: bool, *, shows: bool, color: bool | None) -> None:
        self.asked = asked
        self.write = write
        self.shows = shows
        self.color = cli_options.is_colored(color, sys.stdout.isatty())
        self.changed = 0
        self.hidden_by: set[str] = set()  # packages called `shims` beside files that import ours

    def all(self) -> Iterator[Entry | Skipped]:
        """Write or show the changes of every file, and yield the results without their texts."""
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
        """Write or show a changed file; return the reason if it could not be written."""
        if self.asked.reads_stdin and self.shows:
            click.echo(entry.outcome.data, nl=False)
        if not entry.changed:
            return None
        failure = self._write_or_skip(entry) if self.write else None
        if failure is not None:
            return failure
        self.changed += 1
        if b"import shims" in entry.outcome.data:
            self.hidden_by.update(_other_shims(entry))
        if self.shows and not self.asked.reads_stdin:
            click.echo("".join(diff_lines(entry, color=self.color)), nl=False, color=True)
        return None

    def _write_or_skip(self, entry: Entry) -> Skipped | None:
        try:
            write_entry(entry)
        except ChangedMeanwhileError:
            reason = "the file was changed by another program while it was being rewritten; run the rewriter again"
            return Skipped(entry.path, "TJ909", reason)
        except OSError as error:
            return Skipped(entry.path, "TJ907", error.strerror or str(error))
        return None


def _other_shims(entry: Entry) -> Iterator[str]:
    """Yield modules and packages of a project that Python imports in place of this `shims`."""
    for folder in {entry.root, os.path.dirname(entry.path) or "."}:
        for name in ("shims.py", os.path.join("shims", "__init__.py")):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.path.abspath(path) != os.path.abspath(_shims_of_ours()):
                yield path


def _shims_of_ours() -> str:
    """Return the file of the package `shims` that belongs to this program."""
    return str(pathlib.Path(__file__).resolve().parents[2] / "shims" / "__init__.py")


def tell(ledger: Ledger, does: Changes) -> None:
    """Report on standard error what was changed and what work remains."""
    tell_skipped(ledger.skipped)
    for entry in ledger.entries if ledger.target == "auto" else ():
        if entry.choice is not None:
            sentence(f"{entry.path}: {entry.choice.target}: {entry.choice.reason}")
    show_findings(ledger, err=True)
    counts = count_states(ledger.findings)
    done = "rewritten" if does.write else "to be rewritten"
    told = f"{does.changed} of {len(ledger.entries)} files {done}. {_sentence(counts)}"
    sentence(" ".join(filter(None, (told, still_needed(ledger)))))
    for path in sorted(does.hidden_by):
        sentence(
            f"{path} has the name of the package `shims` that rewritten files import: rename it."
        )


_WORDS = {
    State.SHIM: "to shims",
    State.KEPT: "kept as TensorFlow",
    State.MANUAL: "to write by hand",
}


def _sentence(counts: Mapping[str, int]) -> str:
    """Return the number of references by treatment: `6 rewritten, 3 of them to be reviewed; 5 to shims`."""
    reviews = counts[State.REVIEW.value]
    rewritten = counts[State.REWRITTEN.value] + reviews
    parts = [f"{rewritten} rewritten"] if rewritten else []
    if reviews:
        of_them = "all" if reviews == rewritten > 1 else f"{reviews} of them"
        parts[0] += " and to be reviewed" if rewritten == 1 else f", {of_them} to be reviewed"
    parts += [
        f"{counts[state.value]} {word}" for state, word in _WORDS.items() if counts[state.value]
    ]
    return f"References: {'; '.join(parts)}." if parts else "No reference to TensorFlow."
