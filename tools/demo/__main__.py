"""`make demo`: one real program through all three doors, and a report that a person enjoys.

It uses the commands as a person would (`tf2jax-port scan`, `rewrite`, `diff`), keeps what they wrote in
build/demo, and ends with one self-contained page. The exit code is that of the comparison.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table

from tools.demo import page
from tools.demo.changes import hunks, side_by_side

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "detection"
BUILD = ROOT / "build" / "demo"
ENTRY = "step"
SHOWN_HUNKS = 6

console = Console()


def command(*words: str, may_exit: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    """Runs `tf2jax-port` with `words`, shows what a person would type, and what it printed.

    Raises:
      SystemExit: it ended with another code than `may_exit` allows.
    """
    console.print(f"[bold]$ tf2jax-port {' '.join(words)}[/bold]")
    program = pathlib.Path(sys.executable).with_name("tf2jax-port")
    colours = {"FORCE_COLOR": "1"} if console.is_terminal else {}
    environment = {
        **os.environ,
        **colours,
        "COLUMNS": str(console.width),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    done = subprocess.run(
        [program, *words], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    if done.returncode not in may_exit:
        console.print(done.stderr, style="red", markup=False)
        console.print(f"[red]tf2jax-port {words[0]} ended with {done.returncode}[/red]")
        raise SystemExit(done.returncode or 1)
    return done


def show_changes(old: str, new: str) -> None:
    """The first few places that the rewriter edited, old beside new."""
    table = Table(show_header=True, box=None, pad_edge=False, expand=True)
    table.add_column("TensorFlow", ratio=1, overflow="fold")
    table.add_column("JAX", ratio=1, overflow="fold")
    places = hunks(side_by_side(old, new), context=0)
    for place in places[:SHOWN_HUNKS]:
        for row in place:
            table.add_row(row.old.strip(), row.new.strip(), style="cyan")
    console.print(table)
    if len(places) > SHOWN_HUNKS:
        console.print(
            f"[dim]... and {len(places) - SHOWN_HUNKS} more places, all on the page[/dim]"
        )


def relative(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT))


def main() -> int:
    """Runs the demo; the exit code of the comparison."""
    started = time.monotonic()
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    old, new = BUILD / "detection_tf.py", BUILD / "detection_jax.py"
    shutil.copy(EXAMPLE / "detection_tf.py", old)
    shutil.copy(old, new)
    console.print(
        Panel(
            "A detection head written for TensorFlow: anchors, matching, hard-negative mining, focal "
            "loss,\nper-class suppression. Nearly every tensor in it has a size that only the data "
            "knows.",
            title="tf2jax-port, the demo",
        )
    )

    console.print(Rule("1. What is in there?"))
    command("scan", relative(old), may_exit=(0, 1))
    plan = json.loads(command("scan", relative(old), "--format", "json", may_exit=(0, 1)).stdout)

    console.print(Rule("2. Rewrite it"))
    command("rewrite", relative(new), "--write", may_exit=(0, 1))
    show_changes(old.read_text(), new.read_text())

    console.print(Rule("3. Is it the same?"))
    verdict = BUILD / "diff.json"
    done = command(
        "diff",
        f"{relative(old)}:{ENTRY}",
        f"{relative(new)}:{ENTRY}",
        "--inputs",
        relative(EXAMPLE / "cases.py"),
        "--json",
        relative(verdict),
        may_exit=(0, 1),
    )

    report = BUILD / "report.html"
    report.write_text(
        page.render(old.read_text(), new.read_text(), plan, json.loads(verdict.read_text()))
    )
    console.print(Rule())
    console.print(f"{time.monotonic() - started:.0f} seconds. The report: {relative(report)}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
