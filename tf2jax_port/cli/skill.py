"""Provide `tf2jax-port skill`."""

from __future__ import annotations

import pathlib

import click

from tf2jax_port.cli.command import Command

SKILL = pathlib.Path(__file__).parent.parent / "SKILL.md"


@click.command(cls=Command)
@click.option("--path", is_flag=True, help="Print the path of the file instead of the content.")
def skill(path: bool) -> None:
    """Print the instructions for a coding agent that ports code with this tool.

    They are a skill file (SKILL.md): put it where your agent looks for skills, or link to its path.
    """
    click.echo(str(SKILL) if path else SKILL.read_text(encoding="utf-8"), nl=path)
