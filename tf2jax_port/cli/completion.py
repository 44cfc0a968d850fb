"""Print the script that completes commands and options in a shell."""

from __future__ import annotations

import os
import pathlib

import click

_PROGRAM = "tf2jax-port"
_VARIABLE = "_TF2JAX_PORT_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")


def show_completion(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Print the completion script for a shell and exit; `""` means the user's shell."""
    if value is None or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    shell = value or pathlib.Path(os.environ.get("SHELL", "")).name
    found = get_completion_class(shell) if shell in _SHELLS else None
    if found is None:
        raise click.BadParameter(f"'{shell}' is none of {', '.join(_SHELLS)}.", ctx, parameter)
    click.echo(found(ctx.command, {}, _PROGRAM, _VARIABLE).source())
    ctx.exit()
