"""`tf2jax-port skill`."""

from __future__ import annotations

import pathlib

import click

SKILL = pathlib.Path(__file__).parent.parent / "SKILL.md"


@click.command()
@click.option("--path", is_flag=True, help="Print where the file is, not what it says.")
def skill(path: bool) -> None:
    """Print what a coding agent needs to know to port code with this tool.

    It is a skill file (SKILL.md): put it where your agent looks for skills, or link to its path.
    """
    click.echo(str(SKILL) if path else SKILL.read_text(encoding="utf-8"), nl=path)
