"""Provide the command line, with one file per command."""

from tf2jax_port.cli.commands import main

__all__ = ["main"]
