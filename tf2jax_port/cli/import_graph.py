"""Provide `tf2jax-port import-graph`."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import click

from tf2jax_port.cli import running_program
from tf2jax_port.cli.command import Command
from tf2jax_port.cli.mistakes import ExistingPath

if TYPE_CHECKING:
    from tf2jax_port.importing.loading import Imported

NAMES = "separated by commas, as in a:0,b:0"


@click.command(cls=Command)
@click.argument("model", type=ExistingPath(), metavar="MODEL", required=False)
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENTS]")
@click.option(
    "--run",
    "program",
    type=ExistingPath(dir_okay=False),
    metavar="FILE.py",
    help="Run this TensorFlow 1 program, and convert the program's first training step.",
)
@click.option(
    "--inputs", metavar="NAMES", help=f"Tensors to feed, {NAMES}. [default: placeholders]"
)
@click.option(
    "--outputs", metavar="NAMES", help=f"Tensors to compute, {NAMES}. [default: unused results]"
)
@click.option(
    "--signature", metavar="NAME", help="A SavedModel's signature. [default: serving_default]"
)
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path),
    metavar="FILE.py|DIR",
    help="Write the program to this file or folder, and its arrays to an .npz file beside the program.",
)
@click.option(
    "--check", is_flag=True, help="Compare the results with TensorFlow, which must be installed."
)
@click.option(
    "--data",
    type=ExistingPath(dir_okay=False),
    metavar="FILE.npz",
    help="With --check: a file with the arrays to feed, named like the inputs. [default: random numbers]",
)
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="With --run: the number of training steps to compare.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="With --run: the time limit in seconds.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The output format: text, or JSON for programs.",
)
def import_graph(
    model: str | None,
    arguments: tuple[str, ...],
    program: str | None,
    inputs: str | None,
    outputs: str | None,
    signature: str | None,
    out: pathlib.Path | None,
    check: bool,
    data: str | None,
    steps: int,
    timeout: float,
    form: str,
) -> None:
    """Convert a frozen graph, a SavedModel or a TensorFlow 1 program to a JAX program.

    MODEL is a GraphDef (.pb, or .pbtxt as text) or the folder of a SavedModel. The command lists the inputs, outputs
    and operators of the model, and names each operator that cannot be imported, with its node. With --out, the command
    writes a module with a pure function `model(variables, feeds)`. Only --check needs TensorFlow.

    With --run, the command runs a TensorFlow 1 program on `shims.compat.v1` up to the first training step. With --run
    and --out, the command writes this training step as readable JAX code, and compares its values, gradients and
    training with the session.

    Exit code: 0: the model can be imported; 1: some operator cannot be imported, or results differ; 2: the command
    could not run.
    """
    if program is not None:
        given = [*([model] if model else []), *arguments]
        asked = running_program.Asked(
            program, given, _split(outputs), _split(inputs), steps, timeout
        )
        raise SystemExit(running_program.convert(asked, out, form))
    if model is None or arguments:
        raise click.UsageError("pass one MODEL, or a program with --run.")
    if data and not check:
        raise click.UsageError("--data is used only by --check: add --check.")
    found = _read(model, _split(inputs), _split(outputs), signature)
    report = _report(model, found)
    can = not found.program.problems
    if can and check:
        report["check"] = _compare(model, found, data)
    if can and out is not None:
        report["written"] = _write(found, out, model)
    click.echo(json.dumps(report, indent=1) if form == "json" else "\n".join(_lines(report)))
    equal = all(entry["equal"] for entry in report.get("check", {}).values())
    raise SystemExit(0 if can and equal else 1)


def _split(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]


def _read(
    model: str, inputs: list[str] | None, outputs: list[str] | None, signature: str | None
) -> Imported:
    from tf2jax_port.importing import loading
    from tf2jax_port.importing.choosing import NoSuchTensorError
    from tf2jax_port.importing.schema import BrokenFileError

    try:
        return loading.read(model, inputs, outputs, signature)
    except (BrokenFileError, NoSuchTensorError, OSError) as error:
        raise click.UsageError(str(error)) from None


def _report(model: str, found: Imported) -> dict[str, Any]:
    nodes = found.model.graph.nodes
    program = found.program
    return {
        "model": model,
        "inputs": {
            key: {
                "dtype": nodes[edge.node].attribute("dtype"),
                "shape": nodes[edge.node].attribute("shape"),
            }
            for key, edge in found.choice.inputs.items()
        },
        "outputs": {key: str(edge) for key, edge in found.choice.outputs.items()},
        "signatures": sorted(found.model.signatures),
        "random_operators": program.draws,
        "operators": dict(sorted(program.operators.items())),
        "variables": len(program.variables),
        "left_out": dict(sorted(program.left_out.items())),
        "unsupported": [problem._asdict() for problem in program.problems],
    }


def _compare(model: str, found: Imported, data: str | None) -> dict[str, Any]:
    from tf2jax_port.diff.functions import imported_graph
    from tf2jax_port.diff.functions.loading import DiffError

    try:
        return imported_graph.compare(model, found, data)
    except DiffError as error:
        raise click.UsageError(str(error)) from None


def _write(found: Imported, out: pathlib.Path, model: str) -> list[str]:
    from tf2jax_port.importing import loading

    source = pathlib.Path(model)
    stem = (source.name if source.is_dir() else source.stem).replace("-", "_").replace(".", "_")
    path = out if out.suffix == ".py" else out / f"{stem}.py"
    try:
        return [str(written) for written in loading.write(found, path, source.name)]
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror or error}") from error


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [f"{report['model']}: {sum(report['operators'].values())} operators"]
    for key, entry in report["inputs"].items():
        shape = "unknown shape" if entry["shape"] is None else str(tuple(entry["shape"]))
        lines.append(f"  input   {key}  {entry['dtype'] or 'any dtype'} {shape}")
    if report["random_operators"]:
        count = report["random_operators"]
        lines.append(
            f"  input   seed  int32 (2,), for {count} operators that draw different random numbers"
        )
    lines += [
        f"  output  {key}" + (f"  {edge}" if edge != key else "")
        for key, edge in report["outputs"].items()
    ]
    if report["signatures"]:
        lines.append(f"  signatures  {', '.join(report['signatures'])}")
    lines.append("  " + ", ".join(f"{op} {count}" for op, count in report["operators"].items()))
    if report["left_out"]:
        left = ", ".join(f"{op} {count}" for op, count in report["left_out"].items())
        lines.append(f"  left out, with no effect on results: {left}")
    for problem in report["unsupported"]:
        lines.append(
            f"  cannot be imported: {problem['op']} at {problem['node']}: {problem['reason']}"
        )
    for key, entry in report.get("check", {}).items():
        verdict = "equal" if entry["equal"] else "DIFFERENT"
        lines.append(f"  {verdict}  {key}  {entry['says']}")
    return lines + [f"  wrote {path}" for path in report.get("written", ())]
