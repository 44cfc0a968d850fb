"""Provide `tf2jax-port record` and `tf2jax-port verify`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from tf2jax_port.cli.command import Command
from tf2jax_port.cli.diff import INPUTS, ended, show, writable
from tf2jax_port.diff.functions.loading import DiffError, load
from tf2jax_port.diff.golden_file.document import MOST_BYTES
from tf2jax_port.diff.golden_file.golden import Golden
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.vocabulary.reasons import Reason
from tf2jax_port.diff.vocabulary.verdicts import EXIT_OTHER

_MEGABYTE = 1 << 20
_isolate = click.option(
    "--isolate/--no-isolate",
    default=True,
    show_default=True,
    help="Run the function in a separate process, so that a crash does not end this command.",
)
_timeout = click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for one case in one lane (one way to run the function).",
)
_most = click.option(
    "--most-mb",
    type=click.IntRange(min=1),
    default=MOST_BYTES // _MEGABYTE,
    show_default=True,
    help="The largest size of a golden, in MiB.",
)


@click.command(cls=Command)
@click.argument("function", metavar="FILE.py:FUNC")
@click.option("--inputs", required=True, metavar="INPUTS", help=INPUTS)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The golden to write, which is a safetensors file.",
)
@click.option("--update", is_flag=True, help="Replace the golden, and list the changes.")
@click.option(
    "--seed", default=0, show_default=True, help="The seed for cotangents and random numbers."
)
@click.option("--case", "only", type=int, multiple=True, help="Record only this case; repeatable.")
@click.option("--x64/--no-x64", default=False, help="Record a golden for ports with 64-bit types.")
@click.option(
    "--framework",
    type=click.Choice(["tensorflow", "jax"]),
    help="The framework of FUNC. [default: TensorFlow if loading FUNC imports TensorFlow, otherwise JAX]",
)
@_timeout
@_isolate
@_most
def record(
    function: str,
    inputs: str,
    output: Path,
    update: bool,
    seed: int,
    only: tuple[int, ...],
    x64: bool,
    framework: str | None,
    timeout: float,
    isolate: bool,
    most_mb: int,
) -> None:
    """Record the results of a function in a golden, which `verify` reads.

    The function runs on every input in all lanes (for TensorFlow: eager, graph, XLA). The golden contains inputs,
    outputs and gradients; the results in double precision and on slightly perturbed inputs;
    fingerprints of intermediate values; versions, device and seed. It contains no code. You can
    also record a port, to detect later changes. If a case crashes, exceeds the time limit or comes
    after an interrupt, the golden lists the case as not recorded.

    Exit code: 0: the golden was written, or did not change; 2: the golden was not written, or is incomplete.
    """
    with ended("record"):
        before = _before(output, update, most_mb)
        words = (function, inputs, seed, only, x64, framework)
        golden, whole = _record_elsewhere(*words, timeout) if isolate else (_record(*words), True)
        _check_results(function, golden)
        lines = _store(golden, output, before, most_mb * _MEGABYTE)
        for line in lines:
            click.echo(line)
        if not whole:
            sys.exit(EXIT_OTHER)


@click.command(cls=Command)
@click.argument("golden", type=click.Path(dir_okay=False, path_type=Path), metavar="GOLDEN")
@click.argument("new", metavar="NEW.py:FUNC")
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report as an HTML page.")
@click.option("--junit", "junit_file", metavar="FILE", help="Write the report as JUnit XML.")
@click.option(
    "--case", "only", type=int, multiple=True, help="Run only this case. May be repeated."
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The number of processes that run cases.",
)
@_timeout
@_isolate
@_most
def verify(
    golden: Path,
    new: str,
    json_file: str | None,
    html_file: str | None,
    junit_file: str | None,
    only: tuple[int, ...],
    jobs: int,
    timeout: float,
    isolate: bool,
    most_mb: int,
) -> None:
    """Compare a port with a golden, without TensorFlow.

    The golden takes the place of the original. Stages, tolerances, verdicts and exit codes are the same as in `diff`.

    Exit code: 0: equal; 1: different; 2: could not run; 3: limited; 4: inconclusive.
    """
    with ended("verify"):
        writable(json_file, html_file, junit_file)
        from tf2jax_port.diff.goldens import verify as replay

        kept = _read(golden, most_mb * _MEGABYTE)
        with Console(stderr=True).status("Importing JAX") as status:

            def step(done: int, total: int, lane: str) -> None:
                status.update(f"Case {done + 1} of {total}, {lane}")

            if isolate:
                report = replay.verify_elsewhere(
                    kept, golden, new, only=only, jobs=jobs, timeout=timeout, step=step
                )
            else:
                report = replay.verify(kept, golden, load(new), only=only, step=step)
        show(report, json=json_file, html=html_file, junit=junit_file)
        sys.exit(report.exit_code)


def _before(output: Path, update: bool, most_mb: int) -> Golden | None:
    if not output.exists():
        return None
    if not update:
        raise DiffError(
            f"{output}: the file already exists.\n  Do:       use --update, which replaces the file and shows the "
            "changes"
        )
    return _read(output, most_mb * _MEGABYTE)


def _read(path: Path, most: int) -> Golden:
    from tf2jax_port.diff.golden_file.document import read
    from tf2jax_port.diff.golden_file.golden import from_document

    document, store = read(path, most)
    if "terms" not in document:
        raise DiffError(
            f"{path}: the file contains captured calls, which are inputs for `record`, and is not a golden."
        )
    return from_document(document, store)


def _record(
    function: str,
    inputs: str,
    seed: int,
    only: tuple[int, ...],
    x64: bool,
    framework: str | None,
) -> Golden:
    from tf2jax_port.diff.goldens.record import record as run
    from tf2jax_port.diff.inputs.sources import source_of

    loaded = load(function)
    source = source_of(inputs, loaded.function, seed)
    return run(
        loaded, source.calls, source.module, seed=seed, x64=x64, only=only, framework=framework
    )


def _check_results(function: str, golden: Golden) -> None:
    """Refuse a golden without any result: every port would agree with it."""
    found = [case.lanes["tf-eager"] for case in golden.cases]
    if not any(each.ran for each in found):
        reasons = [each.outputs.reason for each in found if isinstance(each.outputs, Failure)]
        why = f": {reasons[0]}" if reasons else ""
        raise DiffError(f"{function}: no case has a result, so no golden is written{why}")


def _record_elsewhere(
    function: str,
    inputs: str,
    seed: int,
    only: tuple[int, ...],
    x64: bool,
    framework: str | None,
    timeout: float,
) -> tuple[Golden, bool]:
    """Record a golden in another process; return it and whether all cases were recorded."""
    from tf2jax_port.diff.goldens.record import record_elsewhere

    with Console(stderr=True).status("Recording") as status:

        def step(done: int, total: int, lane: str) -> None:
            status.update(f"Case {done + 1} of {total}")

        golden, whole = record_elsewhere(
            function,
            inputs,
            seed=seed,
            x64=x64,
            only=only,
            framework=framework,
            timeout=timeout,
            step=step,
        )
    for what, why, cases in golden.skipped:
        click.echo(Reason(what, why, cases).text, err=True)
    return golden, whole


def _store(golden: Golden, output: Path, before: Golden | None, most: int) -> Iterator[str]:
    """Write the golden file, and yield lines that describe what changed since the previous one."""
    from tf2jax_port.diff.golden_file.document import write
    from tf2jax_port.diff.golden_file.golden import to_document
    from tf2jax_port.diff.goldens.changes import changes

    document, store = to_document(golden)
    lines = changes(before, golden) if before else []
    if before and not lines:
        yield f"{output}: nothing changes."
        return
    yield from lines
    write(output, document, store, most)
    ran = sum(case.lanes["tf-eager"].ran for case in golden.cases)
    yield f"Written: {output} ({len(golden.cases)} cases, {ran} of them with results, " + (
        f"{output.stat().st_size} bytes)"
    )
