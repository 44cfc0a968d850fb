"""Render a migration plan for a terminal."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tf2jax_port.messages.counts import counted
from tf2jax_port.migration.steps import Step

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 2


def to_renderables(steps: Sequence[Step], rows: int | None = None) -> Iterable[RenderableType]:
    """Yield the parts of the output: one line per step, then a summary.

    Args:
      steps: the plan.
      rows: the number of steps to show; all of them when `None`.
    """
    from rich.table import Table
    from rich.text import Text

    if not steps:
        yield summary(steps)
        return
    folder = common_folder(steps)
    if folder:
        yield f"Files of {folder}"
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("step", justify="right")
    table.add_column("files, names to write by hand", overflow="fold")
    for name, style in (("automatic", "green"), ("review", "yellow"), ("manual", "red")):
        table.add_column(name, justify="right", style=style, no_wrap=True)
    table.add_column("after")
    table.add_column("unlocks")
    for step in steps[:rows]:
        names = Text("\n".join(relative(step, folder)))
        if step.blockers:
            names.append("\n  " + blockers_of(step), style="dim")
        table.add_row(
            str(step.number),
            names,
            *(str(n or "") for n in (step.automatic, step.review, step.manual)),
            _join_numbers(step.needs),
            _join_numbers(step.unlocks),
        )
    yield table
    if rows is not None and len(steps) > rows:
        yield f"... and {len(steps) - rows} more steps"
    yield ""
    yield summary(steps)


def common_folder(steps: Sequence[Step]) -> str:
    """Return the common parent folder of all files of the plan; empty if there is none."""
    folders = {os.path.dirname(path) for step in steps for path in step.files}
    try:
        return os.path.commonpath(folders) if folders else ""
    except ValueError:  # on two drives, or some absolute and some not
        return ""


def relative(step: Step, folder: str) -> list[str]:
    """Return the paths of a step's files, relative to a folder, with their target if it is not JAX."""
    paths = [os.path.relpath(path, folder) if folder else path for path in step.files]
    targets = ["" if target == "jax" else f" ({target})" for target in step.targets]
    return [path + target for path, target in zip(paths, targets, strict=True)]


def blockers_of(step: Step, shown: int = _SHOWN) -> str:
    """Return the names that most often must be written by hand in a step, as one text."""
    named = [f"{name} ({count})" if count > 1 else name for name, count in step.blockers[:shown]]
    more = len(step.blockers) - shown
    return ", ".join(named) + (f" and {more} more names" if more > 0 else "")


def summary(steps: Sequence[Step]) -> str:
    """Summarize the plan in a sentence."""
    if not steps:
        return "No reference to TensorFlow."
    free = [step for step in steps if not step.manual and not step.review]
    files = sum(len(step.files) for step in steps)
    manual, review = sum(s.manual for s in steps), sum(s.review for s in steps)
    return (
        f"{counted(files, 'file')} in {counted(len(steps), 'step')}. `tf2jax-port rewrite --write` alone finishes "
        f"{sum(len(s.files) for s in free)} of them. In the other files, {manual:,} references must be "
        f"rewritten by hand, and {review:,} must be reviewed."
    )


def _join_numbers(numbers: Sequence[int], shown: int = 4) -> str:
    text = " ".join(map(str, numbers[:shown]))
    return f"{text} +{len(numbers) - shown}" if len(numbers) > shown else text
