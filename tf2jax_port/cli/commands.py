"""The command line: `tf2jax-port`. Each command is a module that is loaded when it is called."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any

import click

INTERRUPTED = 130  # as shells have it

# Command, where it is, and its line in `--help`, which must not load it.
COMMANDS = (
    ("scan", "tf2jax_port.cli.scan:scan", "Count what a code base uses of TensorFlow."),
    ("plan", "tf2jax_port.cli.plan:plan", "Order the files of a code base for migration."),
    ("rewrite", "tf2jax_port.cli.rewrite:rewrite", "Turn TensorFlow calls into JAX."),
    ("diff", "tf2jax_port.cli.diff:diff", "Prove that a port gives the same numbers."),
    ("record", "tf2jax_port.cli.goldens:record", "Freeze what a function gives."),
    ("verify", "tf2jax_port.cli.goldens:verify", "Compare a port with what was frozen."),
    ("parity", "tf2jax_port.cli.parity:parity", "Compare TF graph, TF XLA and JAX."),
    ("import-graph", "tf2jax_port.cli.import_graph:import_graph", "Turn a frozen graph into JAX."),
    ("explain", "tf2jax_port.cli.explain:explain", "Explain a diagnostic, for instance TJ101."),
    ("skill", "tf2jax_port.cli.skill:skill", "Print the instructions for coding agents."),
)


class LazyCommands(MutableMapping[str, click.Command]):
    """Commands by name; one is imported when it is asked for."""

    def __init__(self) -> None:
        self.places = {name: place for name, place, _ in COMMANDS}
        self.loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self.loaded:
            module, _, attribute = self.places[name].partition(":")
            self.loaded[name] = getattr(importlib.import_module(module), attribute)
        return self.loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self.loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


class LazyGroup(click.Group):
    """A group whose help page loads no command."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; an end that nobody planned is none of the codes that mean something."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted. Each file is the old one or the new one.", err=True)
            raise SystemExit(INTERRUPTED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception:  # noqa: BLE001, Python's own exit code would say that something is left
            click.echo(traceback.format_exc(), err=True)
            click.echo("This is a fault of tf2jax-port; please report it.", err=True)
            raise SystemExit(2) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table above."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, _, line in COMMANDS])


@click.group(
    cls=LazyGroup, commands=LazyCommands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(package_name="tf2jax-port", prog_name="tf2jax-port")
def main() -> None:
    """Port TensorFlow code to JAX: see what is there, rewrite it, prove that it is the same.

    JSON goes to standard output, prose to standard error. Nothing ever asks a question.
    """
