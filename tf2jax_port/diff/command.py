"""`tf2jax-port diff`: the only module of this package that prints and writes files."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from tf2jax_port.diff.loading import DiffError, load, require_tensorflow
from tf2jax_port.diff.report import EXIT_OTHER, Report


@click.command()
@click.argument("old", metavar="OLD.py:FUNC")
@click.argument("new", metavar="NEW.py:FUNC")
@click.option(
    "--inputs",
    required=True,
    metavar="CASES.py",
    help="Where `cases()` is, a generator of argument tuples; CASES.py:NAME for another name.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the report as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report as one page.")
@click.option("--seed", default=0, show_default=True, help="For cotangents and random numbers.")
@click.option("--case", "only", type=int, multiple=True, help="Run only this case; repeatable.")
@click.option("--x64/--no-x64", default=None, help="JAX's 64-bit types, whatever is set.")
def diff(
    old: str,
    new: str,
    inputs: str,
    json_file: str | None,
    html_file: str | None,
    seed: int,
    only: tuple[int, ...],
    x64: bool | None,
) -> None:
    """Compare a TensorFlow function with its port.

    Runs OLD eagerly, as a graph with unknown dimensions and under jit_compile=True, runs NEW
    eagerly and compiled, on the same inputs, and says which pair of lanes differs, at which stage:
    interface, NaN placement, values, gradients. Either function may also be given as
    package.module:attribute.

    Exit code: 0 equal, 1 different, 2 everything else.
    """
    console, errors = Console(), Console(stderr=True)
    try:
        _check_folders(json_file, html_file)
        report = _run(errors, old, new, inputs, seed, only, x64)
        written = _write(report, json_file, html_file)
    except DiffError as error:
        errors.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(EXIT_OTHER)
    except KeyboardInterrupt:
        errors.print("diff: interrupted; nothing was decided.", style="red")
        sys.exit(EXIT_OTHER)
    except Exception:  # noqa: BLE001 - a fault of ours must not look like the verdict "different"
        errors.print(traceback.format_exc(), markup=False, highlight=False)
        errors.print("diff: this is a fault of tf2jax-port itself, not of the port.", style="red")
        sys.exit(EXIT_OTHER)
    from tf2jax_port.diff.as_text import render

    console.print(render(report))
    for line in written:
        console.print(f"\n{line}", markup=False, highlight=False, soft_wrap=True)
    sys.exit(report.exit_code)


def _run(
    console: Console,
    old: str,
    new: str,
    inputs: str,
    seed: int,
    only: tuple[int, ...],
    x64: bool | None,
) -> Report:
    from tf2jax_port.diff.run import Request, compare_functions

    with console.status("Importing TensorFlow and JAX") as status:
        require_tensorflow()
        request = Request(load(old), load(new), inputs, seed, x64, only)
        source = load(inputs, default="cases").function

        def step(done: int, total: int, lane: str) -> None:
            status.update(f"Case {done + 1} of {total}, {lane}")

        return compare_functions(request, source, step)


def _check_folders(*files: str | None) -> None:
    """Say that a report cannot be written before it is made, which takes longer."""
    for path in files:
        if path is not None and not Path(path).resolve().parent.is_dir():
            raise DiffError(
                f"{path}: the report cannot be written.\n  Received: there is no such folder"
            )


def _write(report: Report, json_file: str | None, html_file: str | None) -> list[str]:
    written = []
    for path, text in ((json_file, _as_json), (html_file, _as_html)):
        if path is None:
            continue
        try:
            Path(path).write_text(text(report), encoding="utf-8")
        except OSError as error:
            raise DiffError(
                f"{path}: the report cannot be written.\n  Received: {error}"
            ) from error
        written.append(f"Written: {path}")
    return written


def _as_json(report: Report) -> str:
    from tf2jax_port.diff.as_json import to_json

    return to_json(report)


def _as_html(report: Any) -> str:
    from tf2jax_port.diff.as_html import to_html

    return to_html(report)
