"""Define the options of `scan`, `plan` and `rewrite`, and merge them with `pyproject.toml`."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from tf2jax_port.cli.command import Command, detail
from tf2jax_port.cli.mistakes import MistakeError
from tf2jax_port.files import configuration
from tf2jax_port.files.configuration import Configuration, ConfigurationError
from tf2jax_port.paths import exclusion
from tf2jax_port.paths.exclusion import Exclusion
from tf2jax_port.paths.patterns import parse_patterns

if TYPE_CHECKING:
    from tf2jax_port.rewrite.options import (
        DataName,
        OptimizersName,
        Options,
        RandomName,
        TargetName,
    )

STDIN = "-"
Function = TypeVar("Function", bound=Callable[..., Any])

_READING = (
    click.option(
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="The number of processes. [default: one, or one per processor for a long run]",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip files and folders that match this pattern, which is written like a line of .gitignore. Repeatable.",
    ),
    click.option(
        "--no-gitignore", is_flag=True, help="Also read files that git ignores.", default=None
    ),
    click.option(
        "--force-exclude",
        is_flag=True,
        default=None,
        help="Apply the patterns also to files that are named on the command line.",
    ),
    click.option(
        "--stdin-filename",
        metavar="FILE",
        default="stdin.py",
        help="The file name of the program that is read from standard input if the path is `-`.",
    ),
    click.option(
        "--config",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="Read [tool.tf2jax-port] from this file, not from the nearest pyproject.toml.",
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option(
        "--fail-on",
        type=click.Choice(["manual", "review", "any"]),
        default="review",
        show_default=True,
        help="Exit with 1 only if references must be rewritten by hand (manual), also if references must be reviewed "
        "(review), or if any reference to TensorFlow is left, even if `rewrite` can convert it or keeps it (any).",
    ),
)
_TARGET = click.option(
    "--target",
    type=click.Choice(["jax", "shims", "graph", "auto"]),
    help="jax (the default): write JAX calls. shims: import TensorFlow's names from `shims`, which changes the least code. "
    "graph: run TensorFlow 1 graphs on `shims.compat.v1`. auto: choose the best target for each file.",
)
_CHOOSING = (
    _TARGET,
    click.option(
        "--exact/--no-exact",
        default=None,
        help="If the JAX function differs from TensorFlow in a corner case (zeros, ties, NaN), use the function of `shims`, "
        "which has TensorFlow's result.",
    ),
    click.option(
        "--safe-only/--no-safe-only",
        default=None,
        help="Do what --exact does, and leave a reference unchanged if a rewrite could change results.",
    ),
    click.option(
        "--select",
        metavar="TJ...",
        help="Rewrite only references whose diagnostic begins with one of these codes, such as TJ1,TJ401.",
    ),
    click.option(
        "--ignore",
        metavar="TJ...",
        help="Do not rewrite references whose diagnostic begins with one of these codes.",
    ),
    click.option(
        "--doctests/--no-doctests", default=None, help="Also rewrite the examples in docstrings."
    ),
    click.option(
        "--random",
        type=click.Choice(["tensorflow", "keys"]),
        help="tensorflow (the default): draw TensorFlow's numbers. keys: where possible, draw with JAX keys, "
        "which give different numbers from the same distribution.",
    ),
    click.option(
        "--optimizers",
        type=click.Choice(["keras", "optax"]),
        help="keras (the default): use the optimizers of Keras 3. optax: use Optax if all uses of an optimizer are known. "
        "Both kinds of optimizers take TensorFlow's steps.",
    ),
    click.option(
        "--data",
        type=click.Choice(["tensorflow", "shims"]),
        help="tensorflow (the default): keep `tf.data`, records, images and strings. shims: use `shims` for all of these "
        "in each file for which `shims` has every such name.",
    ),
)


class Sectioned(Command):
    """A command whose help page groups its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options to the help page: the command's own options, options of the rewriter, options for files."""
        records: dict[str, list[tuple[str, str]]] = {"Options": [], **{h: [] for h, _ in _SECTIONS}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                records[_section_of(parameter.name)].append(record)
        for heading, found in records.items():
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)


def _section_of(name: str | None) -> str:
    return next((heading for heading, names in _SECTIONS if name in names), "Options")


_SECTIONS = (
    (
        "What is rewritten",
        (
            "target",
            "exact",
            "safe_only",
            "select",
            "ignore",
            "doctests",
            "random",
            "optimizers",
            "data",
        ),
    ),
    (
        "Which files",
        ("exclude", "no_gitignore", "force_exclude", "stdin_filename", "config", "isolated"),
    ),
)


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """The files and the rewriter's options that a command was called with.

    `is_open` says that neither the command line nor `pyproject.toml` names a target.
    """

    paths: tuple[str, ...]
    options: Options
    exclusion: Exclusion
    stdin_filename: str
    jobs: int | None = None
    fail_on: str = "review"
    is_open: bool = False

    @property
    def reads_stdin(self) -> bool:
        """Whether the program is read from standard input."""
        return self.paths == (STDIN,)


def format_option(
    text: str, choices: tuple[str, ...] = ("text", "json", "sarif", "github")
) -> Callable[[Function], Function]:
    """Return the option for the format of standard output."""
    return click.option(
        "--format",
        "--output-format",
        "form",
        type=click.Choice(choices),
        default="text",
        show_default=True,
        help=text,
    )


def reading_options(command: Function) -> Function:
    """Add the options that select files to a command."""
    return _add_options(command, _READING)


def target_option(command: Function) -> Function:
    """Add the option for the target of the rewriter to a command."""
    return _TARGET(command)


def choosing_options(command: Function) -> Function:
    """Add the options of the rewriter to a command."""
    return _add_options(command, _CHOOSING)


def _add_options(command: Function, options: Iterable[Callable[[Function], Function]]) -> Function:
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def ask(
    paths: tuple[str, ...],
    *,
    jobs: int | None,
    exclude: tuple[str, ...],
    no_gitignore: bool | None,
    force_exclude: bool | None,
    stdin_filename: str,
    config: str | None,
    isolated: bool,
    fail_on: str,
    **choices: Any,
) -> Asked:
    """Merge the command line with `pyproject.toml`; the command line has priority.

    Raises:
      UsageError: options contradict each other.
    """
    if STDIN in paths and paths != (STDIN,):
        raise click.UsageError("`-` means standard input and must be the only path.")
    try:
        said = _configuration(paths, config, isolated)
        options = _options(said, **choices)
    except ConfigurationError as error:
        raise MistakeError(str(error), spot=error.spot) from error
    usual = exclusion.DEFAULT if said.exclude is None else said.exclude
    lists = [
        (said.folder, (*usual, *(said.extend_exclude or ()))),
        (pathlib.Path.cwd(), exclude),
    ]
    respect = said.respect_gitignore is not False if no_gitignore is None else not no_gitignore
    force = bool(said.force_exclude) if force_exclude is None else force_exclude
    excluded = Exclusion.of(lists, gitignore=respect, force=force)
    is_open = not (choices.get("target") or said.target)
    return Asked(paths, options, excluded, stdin_filename, jobs, fail_on, is_open)


def _configuration(paths: tuple[str, ...], config: str | None, isolated: bool) -> Configuration:
    if isolated and config:
        raise click.UsageError(
            "--isolated and --config cannot be combined: remove one of the two options."
        )
    nothing = Configuration(pathlib.Path.cwd())
    if isolated:
        return nothing
    if config:
        return configuration.read_file(pathlib.Path(config))
    file = configuration.find_file(configuration.common_folder(p for p in paths if p != STDIN))
    detail(f"configuration: {file or 'none'}")
    return configuration.read_file(file) if file else nothing


def _options(
    said: Configuration,
    target: str | None = None,
    exact: bool | None = None,
    safe_only: bool | None = None,
    select: str | None = None,
    ignore: str | None = None,
    doctests: bool | None = None,
    random: str | None = None,
    optimizers: str | None = None,
    data: str | None = None,
) -> Options:
    from tf2jax_port.rewrite.options import (
        FileIgnores,
        Options,
    )  # imports the table, which --help must not

    chosen = _codes("--select", select.split(",")) if select is not None else said.select
    left = _codes("--ignore", ignore.split(",")) if ignore is not None else said.ignore
    per_file = tuple(
        FileIgnores(said.folder, parse_patterns([pattern]), _codes("per-file-ignores", codes))
        for pattern, codes in said.per_file_ignores
    )
    return Options(
        target=cast("TargetName", target or said.target or "jax"),
        exact=bool(said.exact) if exact is None else exact,
        safe_only=bool(said.safe_only) if safe_only is None else safe_only,
        select=("TJ",) if chosen is None else _codes("select", chosen),
        ignore=_codes("ignore", left or ()),
        doctests=bool(said.doctests) if doctests is None else doctests,
        random=cast("RandomName", random or said.random or "tensorflow"),
        optimizers=cast("OptimizersName", optimizers or said.optimizers or "keras"),
        data=cast("DataName", data or said.data or "tensorflow"),
        per_file=per_file,
    )


def _codes(where: str, given: Iterable[str]) -> tuple[str, ...]:
    """Check that each code prefix matches a diagnostic, and return the prefixes in upper case."""
    from tf2jax_port.rewrite.rules.codes import RULES

    codes = [code.strip() for code in given if code.strip()]
    for code in codes:
        if not any(rule.code.startswith(code.upper()) for rule in RULES):
            raise MistakeError(f"{where}: no diagnostic begins with `{code.upper()}`.", code)
    return tuple(code.upper() for code in codes)


def is_colored(asked: bool | None, is_terminal: bool) -> bool:
    """Return whether output is colored: as requested, else by environment variable or terminal."""
    if asked is not None:
        return asked
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal
