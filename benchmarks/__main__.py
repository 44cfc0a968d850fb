"""Run the benchmarks, print their ratios, and rewrite the table of docs/performance.md and its pictures.

python -m benchmarks                 all of them
python -m benchmarks masked_mean     the named ones, printed only
python -m benchmarks --accept        all of them; rows that are worse than in the last table are written, too

The exit code is 1 if a goal is missed or a row is worse than in the last table by more than the spreads of
both, and 3 if other programs took part of the machine: then no verdict holds, and the page stays as it is.
"""

import dataclasses
import os
import platform
import sys
from importlib import metadata

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is imported below

from rich.console import Console
from rich.table import Table

from benchmarks import (
    compilations,
    compile_time,
    dynamic_operators,
    eager_calls,
    graph_session,
    idleness,
    import_time,
    many_sizes,
    masked_mean,
    packed_mask,
    page,
    peak_memory,
    plot,
    scan_speed,
    small_call,
)
from benchmarks.timing import MOST_OTHERS, Result

ALL = {
    "masked_mean": masked_mean,
    "packed_mask": packed_mask,
    "small_call": small_call,
    "compile_time": compile_time,
    "compilations": compilations,
    "many_sizes": many_sizes,
    "peak_memory": peak_memory,
    "import_time": import_time,
    "eager_calls": eager_calls,
    "dynamic_operators": dynamic_operators,
    "graph_session": graph_session,
    "scan_speed": scan_speed,
}


def machine() -> str:
    """Describe the machine on which the figures were measured."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("jax", "tensorflow"))
    return f"{os.cpu_count()} CPU cores, Python {platform.python_version()}, {versions}"


def show(results: list[Result]) -> None:
    """Print the table to the terminal."""
    names = ("question", "against", "ours", "theirs", "ratio", "spread", "goal")
    table = Table(*names, title=machine())
    styles = {"met": "green", "missed": "red", "noisy": "yellow"}
    for row in results:
        cells = (row.question, row.against, row.ours, row.theirs, f"{row.ratio:.3g}")
        cells = (*cells, page.said_spread(row), page.said_goal(row))
        table.add_row(*cells, style=styles.get(row.verdict, ""))
    Console().print(table)


def measured(names: list[str], console: Console) -> list[Result]:
    """Run benchmarks, and note what others took of the machine during each."""
    results = []
    for name in names:
        console.print(f"[dim]{name} ...[/dim]")
        with idleness.watched() as shares:
            found = ALL[name].run()
        others = shares[0] if shares else 0.0
        if others > MOST_OTHERS:
            console.print(
                f"[yellow]{name}: other programs took {others:.0%} of the machine[/yellow]"
            )
        results += [dataclasses.replace(row, others=others) for row in found]
    return results


def worse(results: list[Result], console: Console) -> int:
    """Say which rows are worse than in the last table; return their number."""
    known, last = page.last_table(page.PAGE.read_text())
    if known != machine():
        console.print(f"The last table is not compared with: it was measured on {known}.")
        return 0
    found = page.regressions(results, last)
    for row, old in found:
        ranges = (f"{r.ratio:.3g} ({r.range[0]:.3g} to {r.range[1]:.3g})" for r in (row, old))
        console.print(f"[red]worse: {row.question}, {row.against}: {' after '.join(ranges)}[/red]")
    return len(found)


def code_of(results: list[Result], regressed: int) -> int:
    """Return the exit code for results, of which some are worse than in the last table."""
    if regressed or any(row.verdict == "missed" for row in results):
        return 1
    return 3 if any(row.is_noisy for row in results) else 0


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all; return the exit code."""
    names = [name for name in arguments if name != "--accept"]
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(ALL)}", file=sys.stderr)
        return 2
    console = Console(stderr=True)
    results = measured(names or list(ALL), console)
    show(results)
    regressed = worse(results, console)
    if names:
        return code_of(results, regressed)
    if any(row.is_noisy for row in results):
        console.print("The page stays as it is: the machine was not idle.")
    elif regressed and "--accept" not in arguments:
        console.print("The page stays as it is: --accept writes rows that are worse.")
    else:
        page.write(results, machine())
        _, written = page.last_table(page.PAGE.read_text())  # rounded, as a reader sees it
        for path, text in plot.pictures(written).items():
            (page.PAGE.parents[1] / path).write_text(text)
    return code_of(results, regressed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
