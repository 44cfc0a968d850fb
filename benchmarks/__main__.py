"""Run the benchmarks, print their ratios, and rewrite the table of docs/performance.md.

python -m benchmarks                 all of them
python -m benchmarks masked_mean     the named ones, printed only
"""

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
    import_time,
    many_sizes,
    masked_mean,
    packed_mask,
    page,
    scan_speed,
    small_call,
)
from benchmarks.timing import Result

ALL = {
    "masked_mean": masked_mean,
    "packed_mask": packed_mask,
    "small_call": small_call,
    "compile_time": compile_time,
    "compilations": compilations,
    "many_sizes": many_sizes,
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
    table = Table("question", "against", "ours", "theirs", "ratio", "goal", title=machine())
    for row in results:
        goal = "" if row.goal is None else f"<= {row.goal:.3g}"
        style = "green" if row.met else "red"
        cells = (row.question, row.against, row.ours, row.theirs, f"{row.ratio:.3g}", goal)
        table.add_row(*cells, style=style if row.goal is not None else "")
    Console().print(table)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return 1 if a goal is missed."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(ALL)}", file=sys.stderr)
        return 2
    console, results = Console(stderr=True), []
    for name in names or ALL:
        console.print(f"[dim]{name} ...[/dim]")
        results += ALL[name].run()
    show(results)
    if not names:
        page.write(results, machine())
    return 0 if all(row.met for row in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
