"""Write trees of very many small files, and measure what a command needs for one."""

from __future__ import annotations

import os
import pathlib
import resource
import subprocess
import sys
import time

from tests.meta import tree

PER_FOLDER = 500
_PROGRAM = "import tensorflow as tf\n\n\ndef f(x):\n    return tf.square(x) + {n}\n"
_PLAIN = "def f(x):\n    return x + {n}\n"


def write(folder: pathlib.Path, count: int) -> int:
    """Write `count` files, every tenth of which uses TensorFlow; return how many do."""
    for number in range(count):
        if number % PER_FOLDER == 0:
            place = folder / f"p{number // PER_FOLDER:04}"
            place.mkdir()
        text = _PROGRAM if number % 10 == 0 else _PLAIN
        (place / f"m{number:06}.py").write_text(text.format(n=number))
    return (count + 9) // 10


def run(folder: pathlib.Path, *words: str) -> tuple[int, str, float, int]:
    """Run a command on the tree; return its exit code, output, processor seconds and peak of memory in MiB."""
    # `ru_maxrss` of a process has in it what its parent, the run of the tests, held when it forked.
    script = (
        "import re, resource, sys\n"
        "from tf2jax_port.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    own = re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())\n"
        "    peaks = [int(own[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]\n"
        "    sys.stderr.write(f'\\npeak {max(peaks)}')\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", script, *words, str(folder), "--isolated"],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        capture_output=True,
        text=True,
        check=False,
        timeout=3000,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = int(done.stderr.rsplit("peak ", 1)[1]) // 1024
    return done.returncode, done.stdout + done.stderr, seconds, peak


def interrupted(folder: pathlib.Path, *words: str, after: float) -> tuple[int, float]:
    """Interrupt a command; return its exit code, and how many seconds it took to end."""
    import signal

    process = subprocess.Popen(
        [sys.executable, "-c", "from tf2jax_port.cli import main; main()", *words, str(folder)],
        env=dict(os.environ, PYTHONPATH=str(tree.ROOT)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(after)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    start = time.monotonic()
    return process.wait(timeout=100), time.monotonic() - start
