"""Run `make demo`: scan, rewrite, compare and prove one real program, and write a report.

It uses the commands as a person would (`tf2jax-port scan`, `rewrite`, `diff`, `capture`, `prove`), keeps their
output in build/demo, and writes one self-contained page. It exits with 0 if the original and the port agree.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table

from tf2jax_port.diff.vocabulary.verdicts import EXIT_LIMITED
from tools.demo import page
from tools.demo.changes import hunks, side_by_side

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "detection"
CASES = "examples/detection/cases.py"
BUILD = ROOT / "build" / "demo"
# The module has one name in both folders, so that its recorded calls find their port.
MODULE = "detection"
OLD, NEW = f"build/demo/original/{MODULE}.py", f"build/demo/port/{MODULE}.py"
CALLS = "build/demo/calls.npz"
ENTRY = "step"
SHOWN_CHANGES = 12
TOLERANCE = 1e-4  # of the two hundred images, relative to the largest entry of each array

console = Console(highlight=False)


def run(words: list[str], may_exit: tuple[int, ...]) -> subprocess.CompletedProcess[str]:
    """Run a program in the root of the repository; it can import the original.

    Raises:
      SystemExit: its exit code is not in `may_exit`.
    """
    colors = {"FORCE_COLOR": "1"} if console.is_terminal else {}
    width = {"COLUMNS": str(console.width), "TF_CPP_MIN_LOG_LEVEL": "3"}
    paths = [str(ROOT), os.environ.get("PYTHONPATH", ""), str((ROOT / OLD).parent)]
    # What the comparison has compiled, the proof need not compile again.
    found = {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "JAX_COMPILATION_CACHE_DIR": str(BUILD / "programs"),
    }
    environment = {**os.environ, **colors, **width, **found}
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    if done.returncode not in may_exit:
        sys.stdout.write(done.stdout)
        console.print(done.stderr, style="red", markup=False)
        console.print(f"[red]{' '.join(words[-4:])} ended with {done.returncode}[/red]")
        raise SystemExit(done.returncode or 1)
    return done


def command(*words: str, may_exit: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    """Run `tf2jax-port` with `words`."""
    program = pathlib.Path(sys.executable).with_name("tf2jax-port")
    return run([str(program), *words], may_exit)


def type_out(*words: str) -> None:
    """Print the command that a person would type."""
    console.print(f"[bold]$ tf2jax-port {' '.join(words)}[/bold]")


def scan() -> Any:
    """Scan the original program, and return the report."""
    console.print(Rule("1. What is in there?"))
    type_out("scan", OLD, "--overview")
    sys.stdout.write(command("scan", OLD, "--overview", may_exit=(0, 1)).stdout)
    sys.stdout.flush()
    return json.loads(command("scan", OLD, "--format", "json", may_exit=(0, 1)).stdout)


def rewrite() -> None:
    """Port the program with the rewriter alone, and print some of its changes."""
    console.print(Rule("2. Rewrite it"))
    type_out("rewrite", NEW, "--write")
    done = command("rewrite", NEW, "--write", may_exit=(0, 1))
    console.print(done.stderr.strip().splitlines()[-1])
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("TensorFlow", ratio=1, overflow="fold", style="red")
    table.add_column("JAX", ratio=1, overflow="fold", style="green")
    rows = side_by_side((ROOT / OLD).read_text(), (ROOT / NEW).read_text())
    changed = [row for hunk in hunks(rows, context=0) for row in hunk if row.old and row.new]
    for row in changed[-SHOWN_CHANGES:]:
        table.add_row(row.old.strip(), row.new.strip())
    console.print(table)
    console.print(f"[dim]{len(changed)} lines in all; the report shows all of them[/dim]")


def compare() -> tuple[int, Any]:
    """Run `diff`, and return its exit code and details."""
    console.print(Rule("3. Is it the same?"))
    words = ("diff", f"{OLD}:{ENTRY}", f"{NEW}:{ENTRY}", "--inputs", CASES)
    type_out(*words)
    with console.status("five lanes, values and gradients; this takes a minute"):
        done = command(*words, "--json", "build/demo/diff.json", may_exit=(0, 1, 2, 3, 4))
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    if not (BUILD / "diff.json").exists():
        console.print(done.stderr, style="red", markup=False)
        raise SystemExit(done.returncode)
    return done.returncode, json.loads((BUILD / "diff.json").read_text())


def measure() -> Any:
    """Measure compilations and seconds over many sizes."""
    console.print(Rule("4. Many sizes, and what they cost"))
    with console.status("two hundred images"):
        done = run([sys.executable, "-m", "tools.demo.sizes", OLD, NEW, CASES], (0,))
    found = json.loads(done.stdout.splitlines()[-1])
    table = Table("", "port", "tf.function", box=None, pad_edge=False)
    for row in found["rows"]:
        table.add_row(row["what"], row["port"], row["tf"])
    console.print(table)
    images, sizes = found["images"], found["sizes"]
    console.print(
        f"{images} images of {sizes} different sizes: {page.compilations(found)}; losses and gradients "
        f"differ by {found['difference']} at most, relative to the largest entry."
    )
    return found


def prove() -> tuple[int, Any]:
    """Prove the whole module by the calls that one run makes, and return the exit code and the proof."""
    console.print(Rule("5. And all of its functions?"))
    program = (sys.executable, "-m", "tools.demo.calls", CASES)
    watched = ("capture", "--package", MODULE, "--most", "1", "-o", CALLS, "--")
    type_out(*watched, "python", *program[1:])
    with console.status("recording calls, under TensorFlow"):
        command(*watched, *program)
    words = (
        "prove",
        CALLS,
        "build/demo/port",
        "--html",
        "build/demo/proof",
        "--timeout",
        "600",
        "--jobs",
        "2",
    )
    type_out(*words)
    with console.status("replaying them, without TensorFlow"):
        done = command(*words, "--json", "build/demo/proof.json", may_exit=(0, 1, 3, 4))
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    return done.returncode, json.loads((BUILD / "proof.json").read_text())


def main() -> int:
    """Run the demo."""
    started = time.monotonic()
    shutil.rmtree(BUILD, ignore_errors=True)
    for path in (OLD, NEW):
        (ROOT / path).parent.mkdir(parents=True)
    shutil.copy(EXAMPLE / "detection_tf.py", ROOT / OLD)
    shutil.copy(ROOT / OLD, ROOT / NEW)
    console.print(
        Panel(
            "A detection head written for TensorFlow: anchors, matching, hard-negative mining, "
            "focal loss, per-class suppression. Nearly every tensor in it has a size that only "
            "the data knows.",
            title="tf2jax-port",
        )
    )
    plan = scan()
    rewrite()
    code, verdict = compare()
    found = measure()
    proved, proof = prove()
    report = BUILD / "report.html"
    old, new = (ROOT / OLD).read_text(), (ROOT / NEW).read_text()
    report.write_text(page.render(old, new, plan, verdict, found, proof))
    console.print(Rule())
    console.print(f"[bold]{verdict['headline']}. {proof['headline']}.[/bold]")
    console.print(
        f"{time.monotonic() - started:.0f} seconds. The report: build/demo/report.html, build/demo/proof/index.html"
    )
    if float(found["difference"]) > TOLERANCE:
        console.print("[red]Losses or gradients of the two hundred images differ.[/red]")
        return 1
    # Sizes that a function takes as tensors are numbers under `jit`, which limits what is proved.
    return code or (0 if proved == EXIT_LIMITED else proved)


if __name__ == "__main__":
    sys.exit(main())
