"""Provide `tf2jax-port weights`."""

from __future__ import annotations

import json
import pathlib
from typing import TYPE_CHECKING, Any

import click

from tf2jax_port.cli.command import Command

if TYPE_CHECKING:
    from tf2jax_port.importing.weights import Weights


@click.command(cls=Command)
@click.argument("path", metavar="PATH")
@click.option(
    "--out",
    type=click.Path(path_type=pathlib.Path, dir_okay=False),
    metavar="FILE",
    help="Write the arrays to FILE.npz, or to FILE.safetensors if safetensors is installed.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The output format: text, or JSON for programs.",
)
def weights(path: str, out: pathlib.Path | None, form: str) -> None:
    """List and extract the variables of a checkpoint, a SavedModel or a Keras file.

    PATH is a checkpoint (without .index), a folder of checkpoints, the folder of a SavedModel, or a .keras, .weights.h5
    or .h5 file. Reading these three kinds of files requires h5py. The name of a variable is the path to its object in
    the model, such as model/layer/kernel. TensorFlow is not needed.

    Exit code: 0: the command succeeded; 2: the command could not run.
    """
    found = _read(path)
    report: dict[str, Any] = {"path": path, "kind": found.kind, "variables": found.described()}
    if out is not None:
        report["written"] = _write(found, out)
    click.echo(json.dumps(report, indent=1) if form == "json" else "\n".join(_lines(report)))


def _read(path: str) -> Weights:
    from tf2jax_port.importing.weights import NoWeightsError, read_weights

    try:
        return read_weights(path)
    except (NoWeightsError, OSError) as error:
        raise click.UsageError(str(error)) from None


def _write(found: Weights, out: pathlib.Path) -> str:
    from tf2jax_port.importing.weights import NoWeightsError, write_weights

    try:
        write_weights(found, out)
    except (NoWeightsError, OSError) as error:
        raise click.UsageError(f"{out}: {error}") from None
    return str(out)


def _lines(report: dict[str, Any]) -> list[str]:
    lines = [f"{report['path']}: {report['kind']}, {len(report['variables'])} variables"]
    lines += [f"  {v['name']}  {v['dtype']} {tuple(v['shape'])}" for v in report["variables"]]
    return lines + ([f"  wrote {report['written']}"] if "written" in report else [])
