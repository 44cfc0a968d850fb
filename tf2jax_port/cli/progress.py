"""Show the progress of a long run on standard error: a bar or the current step on a terminal, else one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

Item = TypeVar("Item")
_FEW = 40
# In seconds: a run that takes longer says so once where no terminal shows its steps.
_LONG = 10.0


def followed(items: Iterable[Item], total: int, what: str = "files") -> Iterator[Item]:
    """Yield the items; show progress if there are many and standard error is a terminal."""
    if total < _FEW or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(f"reading {what}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total)
        for item in items:
            yield item
            progress.advance(task)


def steps(console: Console, status: Status, is_quiet: bool) -> Callable[[int, int, str], None]:
    """Return a function that shows which case runs in which lane.

    Args:
      console: the console of standard error.
      status: the line of a terminal that is replaced at each step.
      is_quiet: whether to print nothing if there is no terminal.
    """
    start, told = time.monotonic(), is_quiet or console.is_terminal

    def step(done: int, total: int, lane: str) -> None:
        nonlocal told
        status.update(f"Case {done + 1} of {total}, {lane}" if total else f"In {lane}")
        if not told and total and time.monotonic() - start > _LONG:
            told = True
            console.print(f"Comparing {total} cases; {done} are done", highlight=False)

    return step
