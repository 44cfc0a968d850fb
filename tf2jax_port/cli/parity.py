"""Provide `tf2jax-port parity`."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from tf2jax_port.cli.command import Command
from tf2jax_port.cli.diff import INPUTS, ended, writable
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.vocabulary.verdicts import EXIT_DIFFERENT, EXIT_EQUAL
from tf2jax_port.paths.whole_files import write_whole

MOST_BYTES = 2 << 20


@click.command(cls=Command)
@click.argument("old", required=False, metavar="[OLD.py:FUNC")
@click.argument("new", required=False, metavar="NEW.py:FUNC]")
@click.option("--inputs", metavar="INPUTS", help=INPUTS)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Compare only this operator, such as `nn.relu`. May be repeated.",
)
@click.option(
    "--golden",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read TensorFlow's results from this file; for functions, the file must have been written by `record`.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write TensorFlow's results for operators to this file.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for one case in one lane (one way to run the function), if functions are compared.",
)
def parity(
    old: str | None,
    new: str | None,
    inputs: str | None,
    only: tuple[str, ...],
    golden: Path | None,
    record: Path | None,
    json_file: str | None,
    timeout: float,
) -> None:
    """Compare the results of TensorFlow's graphs, TensorFlow's XLA (jit_compile=True) and JAX.

    If no functions are given, the values of all operators of the table are compared on their test inputs. Known
    differences and errors of TensorFlow's XLA are expected; an expected difference that does not occur is reported,
    too. If OLD and NEW are given, a function and its port are compared on INPUTS. If TensorFlow is not installed,
    `--golden` names a file with TensorFlow's results. JAX runs on the accelerator that is available.

    Exit code: 0: all results are as expected; 1: some results are unexpected; 2: the comparison failed.
    """
    with ended("parity"):
        writable(json_file)
        if golden is not None and new is None and old is not None:
            old, new = None, old
        if new is not None:
            sys.exit(_compare_functions(old, new, inputs, golden, timeout))
        sys.exit(_compare_operators(only, golden, record, json_file))


def _compare_functions(
    old: str | None, new: str, inputs: str | None, golden: Path | None, timeout: float
) -> int:
    from tf2jax_port.diff.parity.operators import PAIRS
    from tf2jax_port.diff.vocabulary.lanes import title

    report = _report(old, new, inputs, golden, timeout)
    found = {pair.lanes: pair for pair in report.pairs}
    click.echo(f"{report.old}  ->  {report.new}")
    for pair in PAIRS:
        state = found[pair]
        words = f"{state.state}: {state.example}" if state.example else state.state
        click.echo(
            f"{' and '.join(title(lane) for lane in pair):24}{words} ({state.compared} compared)"
        )
    for lane in report.lanes:
        for reason in lane.reasons if lane.lane in ("tf-graph", "tf-xla", "jax-jit") else ():
            click.echo(f"{title(lane.lane)}: {reason.text}")
    if report.exit_code not in (EXIT_EQUAL, EXIT_DIFFERENT):
        for reason in report.reasons:
            click.echo(reason.text)
    differs = any(found[pair].state == "different" for pair in PAIRS[:2])
    return EXIT_DIFFERENT if differs else EXIT_EQUAL if report.exit_code == 0 else report.exit_code


def _report(
    old: str | None, new: str, inputs: str | None, golden: Path | None, timeout: float
) -> Report:
    if golden is not None:
        from tf2jax_port.diff.golden_file.document import read
        from tf2jax_port.diff.golden_file.golden import from_document
        from tf2jax_port.diff.goldens.verify import verify_elsewhere

        return verify_elsewhere(from_document(*read(golden)), golden, new, timeout=timeout)
    if old is None or inputs is None:
        raise DiffError("parity: OLD, NEW and --inputs must be used together.")
    from tf2jax_port.diff.sessions.orders import Order
    from tf2jax_port.diff.supervision.supervisor import supervised

    path = tuple(sys.path)
    order = Order(old, new, inputs, 0, None, (), None, False, beside=True, worst=False, path=path)
    return supervised(order, 1, timeout, lambda done, total, lane: None)


def _compare_operators(
    only: tuple[str, ...], golden: Path | None, record: Path | None, json_file: str | None
) -> int:
    import jax

    from tf2jax_port.diff.judge.contract import versions
    from tf2jax_port.diff.parity import operators, showing
    from tf2jax_port.diff.parity.answers import store
    from tf2jax_port.diff.parity.points import named

    chosen = named(only)
    rows, kept = {}, {}
    with contextlib.ExitStack() as stack:
        tensorflow = _tensorflow(golden, stack)
        status = stack.enter_context(Console(stderr=True).status("Starting"))
        for done, (name, points) in enumerate(chosen.items()):
            status.update(f"{done + 1} of {len(chosen)}: {name}")
            lanes, rows[name] = operators.compare(points, tensorflow)
            kept[name] = points, lanes
    for line in showing.lines(rows):
        click.echo(line)
    if record is not None:
        store(record, kept, MOST_BYTES)
        click.echo(f"Written: {record} ({record.stat().st_size} bytes)")
    if json_file is not None:
        data = showing.to_data(rows, versions(), jax.devices()[0].device_kind)
        write_whole(Path(json_file), f"{json.dumps(data, indent=1)}\n".encode())
        click.echo(f"Written: {json_file}")
    odd = any(state.unexpected for states in rows.values() for state in states)
    return EXIT_DIFFERENT if odd else EXIT_EQUAL


def _tensorflow(golden: Path | None, stack: contextlib.ExitStack) -> Callable[..., Any]:
    from tf2jax_port.diff.parity.answers import Recorded
    from tf2jax_port.diff.parity.operators import TensorFlow

    if golden is not None:
        return Recorded(golden).lanes
    if importlib.util.find_spec("tensorflow") is None:
        raise DiffError(
            "parity: TensorFlow is not installed.\n"
            "  Do:       read TensorFlow's recorded results from a file (--golden FILE)"
        )
    return stack.enter_context(contextlib.closing(TensorFlow())).lanes
