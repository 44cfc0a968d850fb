"""Compare a BERT of 110 million parameters with a correct and a wrong port.

python -m benchmarks.at_scale

It prints the time, the memory and the located fault. Memory is the largest sum of the proportional set sizes
of the command and all its workers, sampled every half second; memory shared by several processes is counted
once. Linux only.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
RIGHT, WRONG = "approximate=False", "approximate=True"


def family(root: int) -> list[int]:
    """Return a process and all its descendants."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            parents[int(folder.name)] = int(fields[1])
    found = [root]
    for known in found:  # grows while it is walked
        found += [child for child, parent in parents.items() if parent == known]
    return found


def proportional(pid: int) -> int:
    """Return the proportional set size of a process in bytes."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def compare(folder: Path) -> dict[str, object]:
    """Run `diff --locate` once, and return its seconds, its peak of memory and its result."""
    program = "from tf2jax_port.cli import main; main()"
    words = ["diff", "bert_tf.py:encode", "bert_jax.py:encode", "--inputs", "bert_cases.py"]
    words += ["--locate", "--json", "found.json", "--timeout", "1800"]
    begin, peak = time.perf_counter(), 0
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        while running.poll() is None:
            peak = max(peak, sum(proportional(pid) for pid in family(running.pid)))
            time.sleep(0.5)
    said = json.loads((folder / "found.json").read_text())
    return {
        "seconds": round(time.perf_counter() - begin),
        "peak GiB": round(peak / 2**30, 1),
        "verdict": said["verdict"],
        "located": said["located"],
    }


def main() -> None:
    for flag in (RIGHT, WRONG):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file in ("bert_tf.py", "bert_jax.py", "bert_cases.py"):
                shutil.copy(HERE / file, folder)
            port = folder / "bert_jax.py"
            port.write_text(port.read_text().replace(RIGHT, flag))
            print(flag, json.dumps(compare(folder)), flush=True)


if __name__ == "__main__":
    main()
