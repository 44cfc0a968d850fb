"""Show a progress bar on standard error during a long run, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
_FEW = 40


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
