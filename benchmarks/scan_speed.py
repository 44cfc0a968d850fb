"""Measure how many lines `tf2jax-port scan` reads per second of processor time, beside its peers.

python -m benchmarks.scan_speed [FOLDER...]

Without a folder it reads the installed Keras and TensorFlow's own Python, whole: a scan follows the imports of
a project, and a sample of the files would pay for files that are not in it. The whole scan is timed: finding names, deciding about each, the ledger as JSON text. Its peers do less (`ast.parse` and LibCST
only parse) or something else (`tf_upgrade_v2` converts TensorFlow 1 to 2).

All of them read the same few files in turn, so that other load on the machine affects each equally: the ratio
to `ast.parse` is more reliable than lines per second. Then the peak memory of the scan is measured on the
first folder, on five, and on all.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import itertools
import json
import pathlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.timing import Result
from tf2jax_port.files import code_base, runs
from tf2jax_port.rewrite.findings.ledger import collect
from tf2jax_port.rewrite.options import Options

# The time of a scan is at most this many times that of `ast.parse`: 50,000 lines per second where `ast.parse`
# reads 275,000. A number of lines per second alone would measure the machine.
GOAL = 5.5
ROUNDS = 3
STEP = 12  # files that one reads before it is the next one's turn
SLOW = "tf_upgrade_v2"  # a sample of the files is enough, and once
SAMPLE = 10_000  # lines
LINES = 60_000  # of the installed packages, for the memory
Places = list[tuple[pathlib.Path, pathlib.Path]]
Reader = Callable[[Places], Iterator[object]]  # gives something after each file
# What a process held at most since it began to run this; how much its parent held is not in it.
SCAN = """
import re, sys
from tf2jax_port.cli import main
try:
    main(["scan", "--jobs", "1", *sys.argv[1:]])
finally:
    print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1], file=sys.stderr)
"""


def installed() -> list[str]:
    """Return the folders to read if none is named."""
    found = []
    for package, inside in (("keras", "src"), ("tensorflow", "python")):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            found.append(str(pathlib.Path(spec.origin).parent / inside))
    return found


def lines_of(places: Places) -> int:
    return sum(path.read_bytes().count(b"\n") for path, _ in places)


def some(places: Places, lines: int) -> Places:
    """Sample files from all places with about `lines` lines."""
    step = max(1, round(lines_of(places) / lines))
    return places[::step]


def scan(places: Places) -> Iterator[object]:
    found = []
    for result in runs.run_over(places, Options(), texts=False):
        found.append(result)
        yield result
    json.dumps(collect(found, "jax").document(), indent=1)


def parse(places: Places) -> Iterator[object]:
    for path, _ in places:
        with contextlib.suppress(SyntaxError, ValueError):
            ast.parse(path.read_bytes())
        yield path


def parse_with_libcst(places: Places) -> Iterator[object]:
    import libcst

    for path, _ in places:
        with contextlib.suppress(libcst.ParserSyntaxError, UnicodeDecodeError):
            libcst.parse_module(path.read_bytes())
        yield path


def upgrade(places: Places) -> Iterator[object]:
    from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

    upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
    for path, _ in places:
        # Its messages and its failures are its own.
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
            upgrader.update_string_pasta(path.read_text(), str(path))
        yield path


def readers() -> dict[str, Reader]:
    """Return the scan, and the peers that are installed."""
    found: dict[str, Reader] = {"scan": scan, "ast.parse": parse}
    if importlib.util.find_spec("libcst"):
        found["LibCST, parsing alone"] = parse_with_libcst
    if importlib.util.find_spec("tensorflow") and importlib.util.find_spec("pasta"):
        found[SLOW] = upgrade
    return found


def measured(places: Places) -> dict[str, list[float]]:
    """Return each reader's lines per second of processor time, round by round.

    The first figure is that of the best round of each step.
    """
    racing = readers()
    slow = {SLOW: racing.pop(SLOW)} if SLOW in racing else {}
    for reader in (*racing.values(), *slow.values()):
        for _ in reader(places[:20]):  # what is loaded when it is first needed
            pass
    rounds = [in_turns(racing, places) for _ in range(ROUNDS)]
    lines, speeds = lines_of(places), {}
    for name in racing:
        steps = [times[name] for times in rounds]
        best = [min(step) for step in zip(*steps, strict=True)]
        speeds[name] = [lines / sum(times) for times in (best, *steps)]
    sample = some(places, SAMPLE)
    for name, times in in_turns(slow, sample).items():
        speeds[name] = [lines_of(sample) / sum(times)] * (ROUNDS + 1)
    return speeds


def in_turns(racing: dict[str, Reader], places: Places) -> dict[str, list[float]]:
    """Return the processor time of each step of each reader."""
    running = {name: reader(places) for name, reader in racing.items()}
    times: dict[str, list[float]] = {name: [] for name in running}
    for _ in range(0, len(places) + STEP, STEP):
        for name, steps in running.items():
            start = time.process_time()
            for _ in itertools.islice(steps, STEP):
                pass
            times[name].append(time.process_time() - start)
    return times


def compared(folders: Iterable[str]) -> list[Result]:
    every = [p for p in code_base.find_files(folders) if p[0].suffix == ".py"]
    with_tensorflow = [p for p in every if b"tensorflow" in p[0].read_bytes()]
    results = []
    for what, places in (("all files", every), ("files with TensorFlow", with_tensorflow)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the escapes of other people's strings
            speeds = measured(places)
        ours = speeds.pop("scan")
        question = f"scan, {what} ({lines_of(places):,} lines)"
        for name, theirs in speeds.items():
            said = (f"{speed[0]:,.0f} lines/s" for speed in (ours, theirs))
            ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
            goal = GOAL if name == "ast.parse" else None
            results.append(
                Result(question, name, *said, ratios[0], goal, (min(ratios), max(ratios)))
            )
    return results


def peak(paths: Sequence[str]) -> int:
    """Return the peak memory of a scan of some paths, in megabytes."""
    run = subprocess.run([sys.executable, "-c", SCAN, *paths], capture_output=True, check=False)
    return int(run.stderr.split()[-1]) // 1024


def memory(parts: Sequence[Sequence[str]]) -> list[Result]:
    """Compare the peak memory of the last list of paths with that of each other one; Linux only."""
    if not sys.platform.startswith("linux"):
        return []
    counts = [sum(1 for _ in code_base.find_files(part)) for part in parts]
    peaks = [peak(part) for part in parts]
    question = f"memory of a scan, {counts[-1]:,} files"
    return [
        Result(
            question, f"{count:,} files", f"{peaks[-1]} MB", f"{most} MB", peaks[-1] / most, None
        )
        for count, most in zip(counts[:-1], peaks[:-1], strict=True)
    ]


def run() -> list[Result]:
    """Compare on the installed packages; a ratio below 1 means more lines per second."""
    folders = installed()
    files = [str(path) for path, _ in some(list(code_base.find_files(folders)), LINES)]
    return compared(folders) + memory([files[:10], files[:50], files])


if __name__ == "__main__":
    named = sys.argv[1:]
    found = compared(named) + memory([named[:1], named[:5], named]) if named else run()
    for result in found:
        line = f"{result.question}: {result.ours}; {result.against}: {result.theirs}"
        print(f"{line}; ratio {result.ratio:.3g}")
