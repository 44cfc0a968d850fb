"""Provide `tf2jax-port capture` and `tf2jax-port prove`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from tf2jax_port.cli.command import Command, columns, tell
from tf2jax_port.cli.diff import ended
from tf2jax_port.cli.files import write_report
from tf2jax_port.cli.mistakes import ExistingPath
from tf2jax_port.diff.code_bases import capture as capturing
from tf2jax_port.diff.code_bases import prove as proving
from tf2jax_port.diff.code_bases.call_file import Calls
from tf2jax_port.diff.code_bases.port_files import PortFiles
from tf2jax_port.diff.functions.languages import imports_jax, imports_tensorflow
from tf2jax_port.diff.proofs import as_github, as_html, as_json, as_junit, as_sarif, as_text
from tf2jax_port.diff.proofs.judging import judged
from tf2jax_port.diff.proofs.proof import Proof
from tf2jax_port.diff.proofs.watching import edits, state_of
from tf2jax_port.messages.counts import counted
from tf2jax_port.paths.whole_files import write_whole


@click.command(cls=Command, context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--package",
    multiple=True,
    required=True,
    help="A package whose calls are recorded; repeatable.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file for the recorded calls, an npz file.",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="The largest number of calls to record for each function.",
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

    For each function, the arguments and results of a few calls with different shapes or Python numbers are recorded.
    While calls are recorded, functions under `tf.function` run eagerly. Write `--` before the command.

    The exit code is the exit code of the command, or 2 if the command could not be run.
    """
    try:
        calls, code = capturing.capture(command, package, output, most, timeout)
    except capturing.CaptureError as error:
        raise click.UsageError(str(error)) from error
    whole = sum(not call.unfit for call in calls.calls)
    functions = len({(call.module, call.name) for call in calls.calls})
    click.echo(
        f"{counted(len(calls.calls), 'call')} of {counted(functions, 'function')}, {whole} can be replayed",
        err=True,
    )
    if not calls.calls:
        names = ", ".join(f"`{name}`" for name in package)
        click.echo(
            f"No function of {names} was called. Is this the name under which the program imports the "
            f"package?",
            err=True,
        )
    raise SystemExit(code)


@click.command(cls=Command)
@click.argument("calls", type=ExistingPath(dir_okay=False, path_type=Path), metavar="CALLS")
@click.argument("root", type=ExistingPath(file_okay=False, path_type=Path), metavar="ROOT")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="The format of the output: tables, or data for programs, editors and code hosts.",
)
@click.option(
    "--html",
    "html_folder",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Write a page for the code base, and a page for each file.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the proof as JSON.")
@click.option("--junit", "junit_file", metavar="FILE", help="Write the proof as JUnit XML.")
@click.option("--sarif", "sarif_file", metavar="FILE", help="Write the proof as SARIF.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=120,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for one call in one lane (one way to run the function).",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The number of processes that replay calls.",
)
@click.option(
    "--strength",
    is_flag=True,
    help="Plant faults into each call that is equal, and report the faults that the calls do not detect.",
)
@click.option(
    "--kept",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file that stores the outcomes between runs. [default: CALLS.kept]",
)
@click.option("--fresh", is_flag=True, help="Replay every call, and ignore stored outcomes.")
@click.option(
    "--watch",
    is_flag=True,
    help="Run the proof again after each change of CALLS or of a file in ROOT.",
)
def prove(
    calls: Path,
    root: Path,
    form: str,
    timeout: float,
    jobs: int,
    strength: bool,
    kept: Path | None,
    fresh: bool,
    watch: bool,
    **files: str | None,
) -> None:
    """Replay recorded calls against the port in ROOT: eagerly, under `jit`, in `shims.function`, with gradients.

    A call is equal if its result has the same structure, shapes and kinds of dtypes as the
    original's result, and the same values within the precision of 32 bits. Its gradients must also
    be the same. A call that raises an error, crashes or takes too long is a fault. Outcomes are
    stored. A call is replayed again if the call, a file that its function imports or a library has
    changed, or if the call crashed or took too long.

    Exit code: 0: every function with tensors is proved; 1: some function is different or raises an error; 2: could not
    run; 3: limited; 4: inconclusive; 5: for some function, no call could be replayed.
    """
    root, kept = root.resolve(), kept or calls.with_name(f"{calls.name}.kept")
    if fresh:
        kept.unlink(missing_ok=True)
    state = state_of(calls, root) if watch else {}
    with ended("prove"):
        proof = _prove(calls, root, timeout, kept, jobs, strength)
    _show(proof, form, files)
    if not watch:
        raise SystemExit(proof.exit_code)
    for changed in edits(calls, root, state):
        tell(f"edited: {', '.join(os.path.relpath(path) for path in changed)}")
        try:
            proof = _prove(calls, root, timeout, kept, jobs, strength)
        except proving.ProveError as error:  # the file of calls may be half written
            tell(str(error))
            continue
        _show(proof, form, files)


def _prove(calls: Path, root: Path, timeout: float, kept: Path, jobs: int, strength: bool) -> Proof:
    console = Console(stderr=True)
    replayed = 0

    def step(done: int, total: int) -> None:
        nonlocal replayed
        replayed = total
        status.update(f"Replayed {done} of {total}")

    with console.status("Reading calls") as status:
        found, results = proving.prove(calls, root, timeout, kept, step, jobs, strength=strength)
    kept_results = len(results) - replayed
    before = f", {kept_results} results come from an earlier run" if kept_results else ""
    tell(f"{counted(replayed, 'replay')}{before}")
    _tell_originals(found, root)
    return judged(found, results, root)


def _tell_originals(calls: Calls, root: Path) -> None:
    """Name the files of the port that import TensorFlow but nothing of JAX: they may be files of the original."""
    files = PortFiles(root)
    found = {files.file_of(call.module) for call in calls.calls}
    texts = {path: path.read_text("utf-8", "replace") for path in found if path is not None}
    kept = sorted(
        p for p, text in texts.items() if imports_tensorflow(text) and not imports_jax(text)
    )
    if kept:
        more = f" and {len(kept) - 1} more" if len(kept) > 1 else ""
        name = os.path.relpath(kept[0])
        tell(
            f"{name}{more}: the code imports TensorFlow, but not JAX. Is {root.name} the folder of the port?"
        )


def _show(proof: Proof, form: str, files: Mapping[str, str | None]) -> None:
    """Print a proof, and write it to each file that was asked for."""
    document = json.dumps(as_json.to_document(proof), indent=1)
    sarif = json.dumps(as_sarif.to_document(proof), indent=1)
    for name, text in (
        ("json_file", document),
        ("junit_file", as_junit.to_junit(proof)),
        ("sarif_file", sarif),
    ):
        path = files[name]
        if path:
            write_report(path, text)
    if files["html_folder"]:
        folder = Path(files["html_folder"])
        folder.mkdir(parents=True, exist_ok=True)
        for page, text in as_html.to_pages(proof).items():
            write_whole(folder / page, text.encode(errors="backslashreplace"))
        tell(f"wrote {folder / as_html.INDEX}")
    if form == "text":
        console = Console(highlight=False, markup=False)
        whole = columns(sys.stdout) is None  # lines are broken in a terminal only
        for part in as_text.to_renderables(proof):
            console.print(part, soft_wrap=whole and not isinstance(part, Table))
    else:
        lines = {"json": [document], "sarif": [sarif], "github": [*as_github.to_lines(proof)]}
        for line in lines[form]:
            click.echo(line)
