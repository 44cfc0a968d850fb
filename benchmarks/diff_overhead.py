"""Measure the overhead of a comparison over the runs themselves: `python -m benchmarks.diff_overhead`.

There are two measures. The first compares a function on inputs of one shape and divides the time by that of
the runs alone: every lane once for values and once for each gradient, in the same processes, with everything
compiled before. The second compares a small function on a thousand cases, from the command line, imports
included.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tf2jax_port.diff.observing.observer import Observer
    from tf2jax_port.diff.values.arguments import Arguments

_LANES = (("old", "eager"), ("old", "graph"), ("old", "xla"), ("new", "eager"), ("new", "jit"))
_FILES = {
    "overhead_tf.py": """
import tensorflow as tf

def small(x, w):
    return tf.nn.softmax(tf.tanh(tf.matmul(x, w)))

def large(x, w):
    for _ in range(8):
        x = tf.tanh(tf.matmul(x, w))
    return x
""",
    "overhead_jax.py": """
import jax
import jax.numpy as jnp

def small(x, w):
    return jax.nn.softmax(jnp.tanh(x @ w))

def large(x, w):
    for _ in range(8):
        x = jnp.tanh(x @ w)
    return x
""",
    "overhead_cases.py": """
import numpy as np

def small():
    rng = np.random.default_rng(0)
    for _ in range(COUNT):
        yield rng.normal(size=(8, 4)).astype(np.float32), rng.normal(size=(4, 4)).astype(np.float32)
""",
}


def thousand(count: int, jobs: int) -> float:
    """Return the seconds for `count` small cases."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILES.items():
            (Path(folder) / name).write_text(text.replace("COUNT", str(count)))
        words = ["overhead_tf.py:small", "overhead_jax.py:small"]
        words += ["--inputs", "overhead_cases.py:small", "--jobs", str(jobs)]
        program = "from tf2jax_port.cli import main; main()"
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, "diff", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - begin
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return took


def overhead(cases: int) -> tuple[float, float]:
    """Return the seconds of a comparison, and of its runs alone."""
    from tf2jax_port.diff.functions.loading import load
    from tf2jax_port.diff.inputs.cases import collect
    from tf2jax_port.diff.observing.observer import Observer
    from tf2jax_port.diff.sessions.run import look

    with tempfile.TemporaryDirectory() as folder:
        for name, text in _FILES.items():
            (Path(folder) / name).write_text(text)
        old = load(f"{folder}/overhead_tf.py:large").function
        new = load(f"{folder}/overhead_jax.py:large").function
        calls = collect(_large, old)[: cases + 1]
        observer = Observer(old, new, 0, False)
        first, *others = calls
        look(first, observer.observe, lambda lane: None)  # compiles
        begin = time.perf_counter()
        for case in others:
            look(case, observer.observe, lambda lane: None)
        compared = time.perf_counter() - begin
        begin = time.perf_counter()
        for case in others:
            _runs(observer, case)
        return compared, time.perf_counter() - begin


def _large() -> Iterator[tuple[np.ndarray, ...]]:
    rng = np.random.default_rng(0)
    for _ in range(20):
        yield tuple((0.05 * rng.normal(size=(512, 512))).astype(np.float32) for _ in range(2))


def _runs(observer: Observer, case: Arguments) -> None:
    """Run all lanes, values and gradients with both cotangents, without comparing."""
    from tf2jax_port.diff.observing.original import feed, forward
    from tf2jax_port.diff.values.attempt import attempt

    old, new = observer.sides
    outputs = forward(attempt(old.eager, case))
    fed = feed({"tf-eager": outputs, "tf-graph": outputs}, 0, case)
    for lanes, name in _LANES:
        side = old if lanes == "old" else new
        if name != "eager" or side is new:
            getattr(side, name)(case)
        for made in fed.values():
            getattr(side, f"{name}_gradients")(case, made)


def main() -> None:
    """Print both measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    compared, alone = overhead(5)
    print(
        f"5 cases of 512 x 512: {compared:.2f} s, the runs alone {alone:.2f} s, {compared / alone:.2f} x"
    )
    took = thousand(asked.cases, asked.jobs)
    print(f"{asked.cases} small cases, --jobs {asked.jobs}: {took:.1f} s with imports")


if __name__ == "__main__":
    main()
