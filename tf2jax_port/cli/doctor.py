"""Provide `tf2jax-port doctor`."""

from __future__ import annotations

import json
import sys

import click

from tf2jax_port.cli.command import Command, wrapped
from tf2jax_port.cli.options import format_option


@click.command(cls=Command)
@format_option("The output format: text, or JSON for programs.", ("text", "json"))
def doctor(form: str) -> None:
    """Check the installation: versions, devices, settings, and the missing packages for each task.

    Exit code: 0: no problem was found, although optional packages may be missing; 1: a problem was found.
    """
    from tf2jax_port.cli import environment

    found = environment.examine()
    if form == "json":
        click.echo(json.dumps(found._asdict(), indent=1))
    else:
        for line in environment.lines(found):
            click.echo(wrapped(line, sys.stdout, "      "))
    raise SystemExit(int(bool(found.problems)))
