"""Provide `tf2jax-port explain`."""

from __future__ import annotations

import click

from tf2jax_port.cli.command import Command
from tf2jax_port.cli.mistakes import MistakeError


@click.command(cls=Command)
@click.argument("code", metavar="CODE")
def explain(code: str) -> None:
    """Explain a diagnostic: its meaning, the safety of the rewrite, and examples."""
    from tf2jax_port.rewrite.rules.codes import UnknownCodeError, find_rule
    from tf2jax_port.rewrite.rules.pages import page

    try:
        rule = find_rule(code)
    except UnknownCodeError as error:
        raise MistakeError(str(error), code) from error
    click.echo(page(rule), nl=False)
