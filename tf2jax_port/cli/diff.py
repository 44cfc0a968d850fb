"""Provide `tf2jax-port diff`, and the error handling and reports that several commands share."""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from tf2jax_port.cli.command import INTERRUPTED, Command, is_quiet
from tf2jax_port.cli.history import earlier_runs
from tf2jax_port.cli.mistakes import show_word
from tf2jax_port.cli.progress import steps
from tf2jax_port.diff.functions.keras_use import uses_keras
from tf2jax_port.diff.functions.loading import DiffError, require_tensorflow
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.orders import Order, loaded
from tf2jax_port.diff.vocabulary.extras import DRAWS, RATE, Extras
from tf2jax_port.diff.vocabulary.lanes import REQUESTED
from tf2jax_port.diff.vocabulary.verdicts import EXIT_OTHER
from tf2jax_port.paths.whole_files import write_whole

if TYPE_CHECKING:
    from tf2jax_port.diff.lanes.state import Request as StateRequest


INPUTS = (
    "CASES.py (a generator `cases`) or CASES.py:NAME (a generator or Hypothesis strategy), FILE.npz, a "
    "file of `capture` or `record`, `signature`, or a signature: 'x: float32[n, 3]; ids: int32[n] in 0..5'."
)


@click.command(cls=Command)
@click.argument("old", metavar="OLD.py:FUNC")
@click.argument("new", metavar="NEW.py:FUNC")
@click.option(
    "--inputs",
    required=True,
    metavar="INPUTS",
    help=INPUTS,
)
@click.option(
    "--locate",
    is_flag=True,
    help="Find the first operation at which original and port differ; --html also does this.",
)
@click.option(
    "--worst",
    "worst_file",
    metavar="FILE",
    help="Search for the input with the largest error, and write this input to FILE.",
)
@click.option(
    "--strength",
    is_flag=True,
    help="Plant faults into a port that is equal, and report the faults that the cases do not detect.",
)
@click.option(
    "--strengthen",
    "more_file",
    metavar="FILE",
    help="Search for cases that detect more faults, write all cases to FILE, and compare both functions on all cases.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report as an HTML page.")
@click.option("--junit", "junit_file", metavar="FILE", help="Write the report as JUnit XML.")
@click.option(
    "--variables",
    metavar="OLD.py:MODEL",
    help="The original's variables, whose values become the first argument of NEW.",
)
@click.option(
    "--params", metavar="NEW.py:PARAMS", help="A pytree with the structure of NEW's first argument."
)
@click.option(
    "--map",
    "given",
    multiple=True,
    metavar="NAME=PATH",
    help="Match the variable NAME to the leaf PATH of PARAMS.",
)
@click.option(
    "--seed", default=0, show_default=True, help="The seed for cotangents and random numbers."
)
@click.option("--case", "only", type=int, multiple=True, help="Run only this case; repeatable.")
@click.option("--x64/--no-x64", default=None, help="Enable or disable JAX's 64-bit types.")
@click.option(
    "--lane",
    "lanes",
    multiple=True,
    type=click.Choice(list(REQUESTED)),
    help="Also run the port in this lane (way to run a function); repeatable.",
)
@click.option("--forward", is_flag=True, help="Also compare forward-mode gradients.")
@click.option(
    "--steps",
    type=click.IntRange(min=0),
    default=0,
    help="Also compare the results after this number of training steps.",
)
@click.option(
    "--rate", default=RATE, show_default=True, help="The learning rate of the training steps."
)
@click.option("--bfloat16", is_flag=True, help="Pass all floats to both functions in bfloat16.")
@click.option(
    "--random",
    "randomness",
    type=click.Choice(["seeds", "distribution"]),
    default="seeds",
    show_default=True,
    help="Compare the random numbers for the same seeds (seeds), or compare their distributions (distribution).",
)
@click.option(
    "--draws",
    type=click.IntRange(min=100),
    default=DRAWS,
    show_default=True,
    help="The number of calls of each function with --random distribution.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="The number of processes that run cases.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for one case in one lane (one way to run the function).",
)
@click.option(
    "--isolate/--no-isolate",
    default=True,
    show_default=True,
    help="Run both functions in separate processes, so that a crash does not end the comparison.",
)
def diff(
    old: str,
    new: str,
    inputs: str,
    locate: bool,
    worst_file: str | None,
    strength: bool,
    more_file: str | None,
    json_file: str | None,
    html_file: str | None,
    junit_file: str | None,
    variables: str | None,
    params: str | None,
    given: tuple[str, ...],
    seed: int,
    only: tuple[int, ...],
    x64: bool | None,
    lanes: tuple[str, ...],
    forward: bool,
    steps: int,
    rate: float,
    bfloat16: bool,
    randomness: str,
    draws: int,
    jobs: int,
    timeout: float,
    isolate: bool,
) -> None:
    """Compare a TensorFlow function with its port.

    OLD runs eagerly, as a graph with unknown dimensions, and with jit_compile=True. NEW runs
    eagerly and compiled, on the same inputs. The report names the two lanes (ways to run a
    function) that differ, and the stage: interface, NaN placement, values, or gradients. Both
    functions may also be given as package.module:attribute.

    Exit code: 0: equal; 1: different; 2: could not run; 3: limited; 4: inconclusive.
    """
    with ended("diff"):
        writable(json_file, html_file, junit_file, worst_file, more_file)
        state = _state(variables, params, given)
        if state is not None and more_file is not None:
            raise DiffError("diff: --strengthen does not search for values of --variables.")
        drawn = draws if randomness == "distribution" else 0
        extras = Extras(tuple(dict.fromkeys(lanes)), forward, steps, rate, bfloat16, drawn)
        order = Order(
            old,
            new,
            inputs,
            seed,
            x64,
            only,
            state,
            locate or html_file is not None,
            beside=jobs == 1,
            worst=worst_file is not None,
            path=tuple(sys.path),
            extras=extras,
            strength=strength,
            strengthen=more_file is not None,
        )
        console = Console(stderr=True)
        report = _run(console, order, jobs, timeout, isolate)
        wrote_more = more_file is not None and report.more_inputs is not None
        if more_file is not None and wrote_more:
            report = _compare_more(console, order, report, more_file, jobs, timeout, isolate)
        show(report, json=json_file, html=html_file, junit=junit_file)
        if worst_file is not None and report.worst_input is not None:
            write_whole(Path(worst_file), report.worst_input)
            Console().print(f"Written: {worst_file} (for --inputs)", highlight=False)
        runs = earlier_runs(report, inputs)
        if runs and not is_quiet():
            Console().print("\nEarlier runs", style="bold")
            for run in runs:
                Console().print(f"  {run}", markup=False, highlight=False)
        if wrote_more:
            Console().print(f"Written: {more_file} (for --inputs)", highlight=False)
        sys.exit(report.exit_code)


def _compare_more(
    console: Console,
    order: Order,
    first: Report,
    file: str,
    jobs: int,
    timeout: float,
    isolate: bool,
) -> Report:
    """Write the given cases together with the cases that a search added, and compare all of them."""
    assert first.more_inputs is not None
    write_whole(Path(file), first.more_inputs)
    order = replace(order, inputs=file, only=(), strength=False, strengthen=False)
    report = _run(console, order, jobs, timeout, isolate)
    return replace(report, strength=first.strength)


@contextlib.contextmanager
def ended(command: str) -> Iterator[None]:
    """Run the `with` block; on an error, report it under the command's name and exit with code 2."""
    errors = Console(stderr=True)
    try:
        yield
    except DiffError as error:
        show_word(error.word, error.part)
        errors.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(EXIT_OTHER)
    except KeyboardInterrupt:
        errors.print(f"{command}: interrupted, so there is no verdict.", style="red")
        sys.exit(INTERRUPTED)
    except Exception:  # noqa: BLE001 - an internal error must not look like the verdict "different"
        errors.print(traceback.format_exc(), markup=False, highlight=False)
        errors.print(
            f"{command}: this is an error in tf2jax-port itself, not in the port.", style="red"
        )
        sys.exit(EXIT_OTHER)


def show(report: Report, **files: str | None) -> None:
    """Print a report, and write it to a file for each requested format.

    Raises:
      DiffError: a file cannot be written.
    """
    from tf2jax_port.diff.report.as_text import render

    written = _write(report, files)
    console = Console()
    console.print(render(report))
    for line in () if is_quiet() else written:
        console.print(f"\n{line}", markup=False, highlight=False, soft_wrap=True)


def _run(console: Console, order: Order, jobs: int, timeout: float, isolate: bool) -> Report:
    with console.status("Importing TensorFlow and JAX") as status:
        step = steps(console, status, is_quiet())
        if uses_keras(order.new, order.path):
            if not isolate:
                raise DiffError(
                    "diff: the port uses Keras, which can use only one back end per process, but --no-isolate runs "
                    "the original and the port in the same process.\n  Do:       remove --no-isolate",
                    "--no-isolate",
                )
            from tf2jax_port.diff.goldens.apart import compare_apart

            return compare_apart(order, jobs, timeout, step)
        if isolate:
            from tf2jax_port.diff.supervision.supervisor import supervised

            return supervised(order, jobs, timeout, step)
        from tf2jax_port.diff.sessions.run import compare_functions

        require_tensorflow()
        request, source = loaded(order)
        return compare_functions(request, source.calls, step)


def _state(
    variables: str | None, params: str | None, given: tuple[str, ...]
) -> StateRequest | None:
    from tf2jax_port.diff.lanes.state import Request

    if variables is None and params is None and not given:
        return None
    if variables is None or params is None:
        raise DiffError("diff: --variables and --params must be used together.")
    pairs = [(name, leaf) for name, _, leaf in (pair.partition("=") for pair in given)]
    return Request(variables, params, tuple(pairs))


def writable(*files: str | None) -> None:
    """Check that the report files can be written, before a long comparison begins."""
    for path in files:
        if path is not None and not Path(path).resolve().parent.is_dir():
            raise DiffError(
                f"{path}: the report cannot be written.\n  Received: there is no such folder"
            )


def _write(report: Report, files: Mapping[str, str | None]) -> list[str]:
    written = []
    for kind, path in files.items():
        if path is None:
            continue
        module = importlib.import_module(f"tf2jax_port.diff.report.as_{kind}")
        text = getattr(module, f"to_{kind}")(report)
        try:
            write_whole(Path(path), text.encode(errors="backslashreplace"))
        except OSError as error:
            raise DiffError(
                f"{path}: the report cannot be written.\n  Received: {error}"
            ) from error
        written.append(f"Written: {path}")
    return written
