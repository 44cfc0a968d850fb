"""Provide `tf2jax-port capture` and `tf2jax-port prove`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tf2jax_port.cli.command import Command
from tf2jax_port.cli.mistakes import ExistingPath
from tf2jax_port.diff.code_bases import capture as capturing
from tf2jax_port.diff.code_bases import prove as proving
from tf2jax_port.diff.code_bases import table
from tf2jax_port.diff.code_bases.outcomes import Outcome

_REPLAYED = (Outcome.EQUAL, Outcome.RANDOM)


@click.command(cls=Command, context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--package", multiple=True, required=True, help="A package to watch. Repeatable.")
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The calls, an npz file.",
)
@click.option(
    "--most", type=click.IntRange(min=1), default=5, show_default=True, help="Calls per function."
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=3600,
    show_default=True,
    metavar="SECONDS",
    help="The time limit of the command.",
)
def capture(
    command: tuple[str, ...], package: tuple[str, ...], output: Path, most: int, timeout: float
) -> None:
    """Run a command, and record the calls of the functions of some packages.

    Arguments and results are recorded, for calls with other shapes or other numbers in Python. Functions
    under `tf.function` run eagerly meanwhile. Write `--` before the command.

    Exit code: that of the command; 2: it could not be run.
    """
    try:
        calls, code = capturing.capture(command, package, output, most, timeout)
    except capturing.CaptureError as error:
        raise click.UsageError(str(error)) from error
    whole = sum(not call.unfit for call in calls.calls)
    functions = len({(call.module, call.name) for call in calls.calls})
    click.echo(
        f"{len(calls.calls)} calls of {functions} functions, {whole} can be replayed", err=True
    )
    raise SystemExit(code)


@click.command(cls=Command)
@click.argument("calls", type=ExistingPath(dir_okay=False, path_type=Path), metavar="CALLS")
@click.argument("root", type=ExistingPath(file_okay=False, path_type=Path), metavar="ROOT")
@click.option("--json", "json_file", metavar="FILE", help="Write the outcomes as JSON.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="The time limit of one call.",
)
def prove(calls: Path, root: Path, json_file: str | None, timeout: float) -> None:
    """Replay recorded calls against the port in ROOT: eagerly, under `jit`, in `shims.function`.

    A call is equal if its result has the same structure, shapes, kinds of dtypes and, within the precision of
    32 bits, the same values. What raises, crashes or takes too long is an error.

    Exit code: 0 every replayed call is equal, 1 some is not.
    """
    found, results = proving.prove(calls, root.resolve(), timeout)
    for line in table.as_lines(found, results):
        click.echo(line)
    if json_file:
        Path(json_file).write_text(json.dumps(table.as_document(found, results), indent=1))
    raise SystemExit(int(any(r.outcome not in _REPLAYED for r in results.values())))
