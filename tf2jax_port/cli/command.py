"""Define the base class of all commands, with the options that every command has."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from typing import Any, TextIO

import click

from tf2jax_port.formats.release import PACKAGE, release

INTERRUPTED = 130  # the exit code that shells use
_LEVEL = "tf2jax_port.verbosity"


class Command(click.Command):
    """A command with `-v`, `-q` and `--version`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Click keeps the help option of the first context that asks, which may be one without a group.
        self.context_settings.setdefault("help_option_names", ["-h", "--help"])
        self.params += common_options()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; with `-v`, print the version and the time that it took."""
        started = time.monotonic()
        try:
            return super().invoke(ctx)
        finally:
            python = ".".join(map(str, sys.version_info[:3]))
            seconds = time.monotonic() - started
            detail(f"{PACKAGE} {release()}, Python {python}: {seconds:.1f} seconds")


def common_options() -> list[click.Parameter]:
    """Return the options that every command has."""
    return [
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            callback=_set_level,
            help="Also print details: settings, versions and time.",
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_set_level,
            help="Print only results and errors, without a summary and without progress.",
        ),
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_print_version,
            help="Show the version and exit.",
        ),
    ]


def _set_level(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if not value:
        return
    level = 1 if parameter.name == "verbose" else -1
    if ctx.meta.setdefault(_LEVEL, level) != level:
        raise click.UsageError("-v and -q cannot be combined: remove one of the two options.", ctx)


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"{PACKAGE}, version {release()}")
        ctx.exit()


def is_quiet() -> bool:
    """Return whether the user asked for results and errors only."""
    return _level() < 0


def _level() -> int:
    ctx = click.get_current_context(silent=True)
    return 0 if ctx is None else int(ctx.meta.get(_LEVEL, 0))


def tell(text: str) -> None:
    """Print a sentence to standard error, unless the command is quiet."""
    if not is_quiet():
        click.echo(wrapped(text, sys.stderr), err=True)


def detail(text: str) -> None:
    """Print a sentence to standard error if the command is verbose."""
    if _level() > 0:
        click.echo(wrapped(text, sys.stderr), err=True)


def columns(stream: TextIO) -> int | None:
    """Return the width of a terminal, or of `COLUMNS`; `None` for files and pipes."""
    if os.environ.get("COLUMNS", "").isdigit() or stream.isatty():
        return max(20, shutil.get_terminal_size().columns)
    return None


def wrapped(text: str, stream: TextIO, indent: str = "") -> str:
    """Break the lines of a text where the terminal ends; later lines are indented."""
    width = columns(stream)
    if width is None:
        return text
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join("\n".join(wrapper.wrap(line)) or line for line in text.split("\n"))
