"""Report mistakes on the command line and in settings: the position, a caret, and a suggestion."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any

import click

from tf2jax_port.cli.command import columns, wrapped
from tf2jax_port.messages.near_path import hint
from tf2jax_port.messages.spot import WIDTH, Spot

WORDS = "tf2jax_port.words"
_PROGRAM = "tf2jax-port"


class MistakeError(click.UsageError):
    """An error of usage that points at a word of the command line, or of a file.

    Attributes:
      word: the argument that is wrong.
      part: the part of the argument that is wrong; empty for all of it.
      spot: the place in a file; `None` if the mistake is on the command line.
    """

    def __init__(
        self, message: str, word: str = "", part: str = "", spot: Spot | None = None
    ) -> None:
        super().__init__(message)
        self.word, self.part, self.spot = word, part, spot

    def show(self, file: IO[str] | None = None) -> None:
        """Print the usage, the place of the mistake, and the message."""
        stream: Any = file or sys.stderr
        if self.ctx is not None:
            usage = self.ctx.get_usage()
            click.echo(f"{usage}\nTry '{self.ctx.command_path} --help' for help.\n", file=stream)
        words = () if self.ctx is None else self.ctx.meta.get(WORDS, ())
        for line in show_spot(self.spot or find_word(words, self.word, self.part)):
            click.echo(line, file=stream)
        click.echo(wrapped(f"Error: {self.format_message()}", stream), file=stream)


class ExistingPath(click.Path):
    """A path that must exist; the error proposes a similar one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.exists = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path.

        Raises:
          MistakeError: it does not exist.
        """
        import pathlib

        if not pathlib.Path(value).exists():
            raise MistakeError(f"{value}: no such file or folder{hint(str(value))}", str(value))
        return super().convert(value, param, ctx)


def pointed(error: click.UsageError, words: Sequence[str]) -> click.UsageError:
    """Turn a usage error of click into an error that points at the wrong word."""
    if isinstance(error, MistakeError):
        return error
    word, message = "", error.format_message()
    if isinstance(error, click.NoSuchOption):
        word = error.option_name
    elif isinstance(error, click.BadParameter) and isinstance(error.param, click.Option):
        word = _value_of(error.param, words)
        if isinstance(error.param.type, click.Choice):
            message += meant(word, map(str, error.param.type.choices))
    found = MistakeError(message, word)
    found.ctx = error.ctx
    return found


def meant(word: str, known: Iterable[str]) -> str:
    """Return the question whether a similar word was meant; empty if there is none."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _value_of(option: click.Option, words: Sequence[str]) -> str:
    """Return the last value that the command line gives to an option."""
    found = ""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in option.opts:
            found = value if equals else "".join(words[index + 1 : index + 2])
    return found


def find_word(words: Sequence[str], word: str, part: str = "") -> Spot | None:
    """Return the position of a word on the command line, or `None`."""
    if not word or not words:
        return None
    quoted = [shlex.quote(each) for each in words]
    holders = [n for n, each in enumerate(words) if each == word]
    holders += [n for n, each in enumerate(words) if each.startswith((f"{word}=", f"{word}:"))]
    holders += [n for n, each in enumerate(words) if word in each]
    if not holders:
        return None
    index = holders[0]
    before = " ".join([_PROGRAM, *quoted[:index], ""])
    line = before + " ".join(quoted[index:])
    start = quoted[index].find(word)
    inside = word.rfind(part) if part else 0
    return Spot(line, len(before) + max(0, start) + max(0, inside) + 1, len(part or word))


def show_spot(spot: Spot | None) -> tuple[str, ...]:
    """Return the lines that point at a position; no lines if it is `None`."""
    return () if spot is None else spot.lines(columns(sys.stderr) or WIDTH)


def show_word(word: str, part: str = "") -> None:
    """Point at a word of the command line on standard error."""
    ctx = click.get_current_context(silent=True)
    words = () if ctx is None else ctx.meta.get(WORDS, ())
    for line in show_spot(find_word(words, word, part)):
        click.echo(line, err=True)
