"""Run the rewriter on the files of a command, and write files atomically."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Iterable, Iterator

import click

from tf2jax_port.cli.command import detail, is_quiet, tell, wrapped
from tf2jax_port.cli.mistakes import show_word
from tf2jax_port.cli.options import Asked
from tf2jax_port.cli.progress import followed
from tf2jax_port.files import code_base, runs
from tf2jax_port.paths.files_below import write_below
from tf2jax_port.paths.whole_files import write_whole
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.findings.ledger import Entry, Ledger, Skipped, collect

_BROKEN = ("TJ905", "TJ907", "TJ909")  # internal error, no access, changed meanwhile
_FAILING = {
    "manual": (State.MANUAL,),
    "review": (State.MANUAL, State.REVIEW),
    "any": tuple(State),
}
_GONE = {State.REWRITTEN, State.SHIM}
_PASSED_OVER = (
    "(hidden files, build outputs and files that git ignores are skipped; --no-gitignore also reads files that git "
    "ignores)."
)


def results(
    asked: Asked, *, texts: bool, quiet: bool = False, compare: bool = False
) -> Iterator[Entry | Skipped]:
    """Rewrite the selected files; yield the result of each.

    Args:
      asked: the files and options.
      texts: whether entries hold the text before and after.
      quiet: whether the progress bar is hidden, because other output goes to the terminal.
      compare: whether every target is tried on every file.
    """
    if asked.reads_stdin:
        path = pathlib.Path(asked.stdin_filename)
        raw = sys.stdin.buffer.read()
        yield runs.run_text(path, raw, asked.options, compare=compare)
        return
    files = list(code_base.find_files(asked.paths, asked.exclusion))
    if not files:
        tell(f"No Python file in {', '.join(asked.paths)} {_PASSED_OVER}")
    detail(f"{len(files)} files to read")
    found = runs.run_over(files, asked.options, texts=texts, jobs=asked.jobs, compare=compare)
    yield from found if quiet or is_quiet() else followed(found, len(files))


def ledger_of(asked: Asked, *, texts: bool, compare: bool = False) -> Ledger:
    """Rewrite the selected files; return the ledger of all results."""
    return collect(results(asked, texts=texts, compare=compare), asked.options.target)


def exit_code(ledger: Ledger, fail_on: str, *, is_written: bool = False) -> int:
    """Return 0 if no manual work is left, 1 if some is, 2 if a file could not be read or written.

    Findings to review count as manual work if `fail_on` is `review`, and all findings if it is `any`. If the new text
    is written, `any` does not count references that the new text no longer has, and that need no review.
    """
    broken = any(skipped.code in _BROKEN for skipped in ledger.skipped)
    if broken:
        return 2
    states = set(_FAILING[fail_on]) - (_GONE if is_written else set())
    return int(bool(ledger.skipped) or any(f.state in states for f in ledger.findings))


def tell_skipped(skipped: Iterable[Skipped]) -> None:
    """Report skipped files on standard error."""
    for one in skipped:
        click.echo(wrapped(f"{one.path}: {one.code} {one.reason}", sys.stderr, "    "), err=True)
        if not os.path.lexists(one.path):
            show_word(one.path)


def write_entry(entry: Entry) -> None:
    """Replace a file by its new text atomically.

    Raises:
      ChangedMeanwhileError: the file was changed since it was read, or leads out of the named folder.
      OSError: the file cannot be written; its text is kept.
    """
    root, path = pathlib.Path(entry.root), pathlib.Path(entry.path)
    write_below(root, path, entry.outcome.data, entry.before)


def write_report(name: str, text: str) -> None:
    """Write a report atomically.

    Raises:
      UsageError: the file cannot be written.
    """
    try:
        write_whole(pathlib.Path(name), text.encode(errors="backslashreplace"))
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror or error}") from error
    tell(f"wrote {name}")
