"""How many lines `tf2jax-port scan` reads in a second of processor time, beside its peers.

python -m benchmarks.scan_speed [FOLDER...]

Without a folder it reads a part of the installed Keras and of TensorFlow's own Python. The scan is
the whole of it: finding names, deciding about each, the ledger as JSON text. Its peers do less
(`ast.parse` and LibCST only parse) or something else (`tf_upgrade_v2` goes from TensorFlow 1 to 2).
"""

from __future__ import annotations

import ast
import importlib.util
import json
import pathlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable

from benchmarks.timing import Result
from tf2jax_port import code_base, runs
from tf2jax_port.rewrite.ledger import collect
from tf2jax_port.rewrite.options import Options

GOAL = 50_000  # lines per second of processor time
ROUNDS = 3
SLOW = "tf_upgrade_v2"  # once is enough
LINES = 60_000  # of the installed packages; all of them would take `tf_upgrade_v2` minutes
Places = list[tuple[pathlib.Path, pathlib.Path]]


def installed() -> list[str]:
    """The folders to read if none is named."""
    found = []
    for package, inside in (("keras", "src"), ("tensorflow", "python")):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            found.append(str(pathlib.Path(spec.origin).parent / inside))
    return found


def lines_of(places: Places) -> int:
    return sum(path.read_bytes().count(b"\n") for path, _ in places)


def some(places: Places, lines: int) -> Places:
    """Files from everywhere with about so many lines."""
    step = max(1, round(lines_of(places) / lines))
    return places[::step]


def scan(places: Places) -> None:
    ledger = collect(runs.run_over(places, Options(), texts=False), "jax")
    json.dumps(ledger.document())


def parse(places: Places) -> None:
    for path, _ in places:
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue


def parse_with_libcst(places: Places) -> None:
    import libcst

    for path, _ in places:
        try:
            libcst.parse_module(path.read_bytes())
        except (libcst.ParserSyntaxError, UnicodeDecodeError):
            continue


def upgrade(places: Places) -> None:
    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    for path, _ in places:
        try:
            upgrader.update_string_pasta(path.read_text(), str(path))
        except Exception:  # noqa: BLE001, the peer's own failures
            continue


def peers() -> dict[str, Callable[[Places], None]]:
    """Those that are installed."""
    found: dict[str, Callable[[Places], None]] = {"ast.parse": parse}
    if importlib.util.find_spec("libcst"):
        found["LibCST, parsing alone"] = parse_with_libcst
    if importlib.util.find_spec("tensorflow") and importlib.util.find_spec("pasta"):
        found[SLOW] = upgrade
    return found


def seconds(call: Callable[[Places], None], places: Places) -> float:
    """Processor time of one call, that of its threads included."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the escapes of other people's strings
        call(places)
    return time.process_time() - start


def measured(places: Places) -> dict[str, float]:
    """Lines per second of each, in turns; medians."""
    lines = lines_of(places)
    candidates = {"scan": scan, **peers()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for call in candidates.values():
        seconds(call, places[:20])  # what is loaded when it is first needed
    for turn in range(ROUNDS):
        for name, call in candidates.items():
            if turn and name == SLOW:
                continue
            times[name].append(seconds(call, places))
    return {name: lines / statistics.median(found) for name, found in times.items()}


def compared(folders: Iterable[str], limit: int | None) -> list[Result]:
    every = [p for p in code_base.find_files(folders) if p[0].suffix == ".py"]
    every = every if limit is None else some(every, limit)
    with_tensorflow = [p for p in every if b"tensorflow" in p[0].read_bytes()]
    results = []
    for what, places in (("all files", every), ("those with TensorFlow", with_tensorflow)):
        speeds = measured(places)
        ours = speeds.pop("scan")
        question = f"scan, {what} ({lines_of(places):,} lines)"
        said = f"{ours:,.0f} lines/s"
        results.append(Result(question, "the goal", said, f"{GOAL:,} lines/s", GOAL / ours, 1.0))
        results += [
            Result(question, name, said, f"{speed:,.0f} lines/s", speed / ours, None)
            for name, speed in speeds.items()
        ]
    return results


def run() -> list[Result]:
    """The comparison on a part of the installed packages; a ratio below 1 means more lines."""
    return compared(installed(), LINES)


if __name__ == "__main__":
    for result in compared(sys.argv[1:] or installed(), None if sys.argv[1:] else LINES):
        line = f"{result.question}: {result.ours}; {result.against}: {result.theirs}"
        print(f"{line}; ratio {result.ratio:.3g}")
