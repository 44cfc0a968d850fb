"""Define the command line, `tf2jax-port`; each command's module is imported when it is called."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any

import click

from tf2jax_port.cli.command import INTERRUPTED, common_options
from tf2jax_port.cli.completion import show_completion
from tf2jax_port.cli.mistakes import WORDS, MistakeError, meant, pointed

# The name, location and `--help` line of each command; the help page must not import it.
COMMANDS = (
    ("scan", "tf2jax_port.cli.scan:scan", "Count the TensorFlow references of a code base."),
    ("plan", "tf2jax_port.cli.plan:plan", "Order the files of a code base for migration."),
    ("rewrite", "tf2jax_port.cli.rewrite:rewrite", "Rewrite TensorFlow calls to JAX."),
    ("diff", "tf2jax_port.cli.diff:diff", "Compare a TensorFlow function with its port."),
    ("record", "tf2jax_port.cli.goldens:record", "Record the results of a function."),
    ("verify", "tf2jax_port.cli.goldens:verify", "Compare a port with recorded results."),
    ("capture", "tf2jax_port.cli.prove:capture", "Record the calls of a code base."),
    ("prove", "tf2jax_port.cli.prove:prove", "Replay recorded calls against the port."),
    ("parity", "tf2jax_port.cli.parity:parity", "Compare TensorFlow graphs, XLA and JAX."),
    ("import-graph", "tf2jax_port.cli.import_graph:import_graph", "Convert a frozen graph to JAX."),
    ("weights", "tf2jax_port.cli.weights:weights", "Extract variables from a saved model."),
    ("explain", "tf2jax_port.cli.explain:explain", "Explain a diagnostic, for instance TJ101."),
    ("doctor", "tf2jax_port.cli.doctor:doctor", "Check the installation."),
    ("skill", "tf2jax_port.cli.skill:skill", "Print the instructions for coding agents."),
)


def _print_names_of_any_bytes() -> None:
    """Let the output pass on names of files unchanged that are not text in its encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="surrogateescape")


class LazyCommands(MutableMapping[str, click.Command]):
    """A dict from names to commands that imports a command only when it is looked up."""

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
    """A command group that shows its help page without importing any command."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> click.Context:
        """Parse the options of the group, and keep the words of the command line for messages."""
        words = tuple(args)
        try:
            ctx = super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            raise pointed(error, words) from None
        ctx.meta[WORDS] = words
        return ctx

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command.

        Raises:
          MistakeError: there is no such command.
        """
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            message = f"No such command '{name}'.{meant(name, self.commands)}"
            error = MistakeError(message, name)
            error.ctx = ctx
            raise error
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an unexpected exception is printed and exits with code 2."""
        _print_names_of_any_bytes()
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise pointed(error, ctx.meta[WORDS]) from None
        except KeyboardInterrupt:
            click.echo("Interrupted. No file was written in part.", err=True)
            raise SystemExit(INTERRUPTED) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception:  # noqa: BLE001, Python's exit code 1 would mean that manual work is left
            click.echo(traceback.format_exc(), err=True)
            click.echo("This is an error in tf2jax-port. Please report it.", err=True)
            raise SystemExit(2) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of `COMMANDS`."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands to the help page, with the summaries in `COMMANDS`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, _, line in COMMANDS])


@click.group(
    cls=LazyGroup, commands=LazyCommands(), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--show-completion",
    is_flag=False,
    flag_value="",
    is_eager=True,
    expose_value=False,
    metavar="[bash|zsh|fish]",
    callback=show_completion,
    help="Print the completion script for a shell. [default: your shell]",
)
def main() -> None:
    """Port TensorFlow code to JAX: scan it, rewrite it, and compare the results.

    JSON goes to standard output, prose to standard error. No command asks for input.
    """


main.params += common_options()
