"""Compare the peak memory of examples with that of TensorFlow and of JAX written by hand.

python -m benchmarks.peak_memory EXAMPLE PROGRAM      the megabytes of one of them

Each program runs in a process of its own. After calls that compile it, its peak is the most memory that the
process held during one more call, less what it held before: the temporaries and the results, not the
arguments. Linux only.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import os
import pathlib
import re
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import Result, finish

SETTLING = 1.0  # seconds
WARM = 20  # from the sixteenth on, calls of the same sizes run a program for exactly these sizes
PROGRAMS = {"ours": "port", "TF graph": "original", "hand-written JAX": "by hand"}
# Freed arrays go back to the system at once, so that what a process holds is what it uses.
_ALLOCATION = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}


@dataclasses.dataclass(frozen=True)
class Example:
    """An example of the repository at the size of real data.

    Attributes:
      folder: its folder in `examples/`.
      function: the name of the function; for a class `C.f`, the method `f` of an object `C(model)`.
      by_hand: the module with the function in JAX written by hand.
      inputs: makes the arguments.
    """

    folder: str
    function: str
    by_hand: str
    inputs: Callable[[np.random.Generator], tuple[np.ndarray, ...]]


def _sequences(rng):
    labels = rng.integers(2, 1000, (64, 256)).astype(np.int32)
    labels[np.arange(64), rng.integers(64, 256, 64)] = 1
    return rng.normal(size=(64, 256, 1000)).astype(np.float32), labels


def _tokens(rng):
    lengths = rng.integers(1, 101, 4_000).astype(np.int32)
    return rng.normal(size=(lengths.sum(), 64)).astype(np.float32), lengths, np.ones(64, np.float32)


def _points(rng):
    points = rng.normal(0.0, 4.0, (500_000, 3))
    points[::6] *= 1000.0
    return points.astype(np.float32), rng.normal(size=(500_000, 16)).astype(np.float32)


def _anchors(rng):
    corner = rng.uniform(0.0, 900.0, (500_000, 2))
    anchors = np.concatenate([corner, corner + rng.uniform(2.0, 90.0, corner.shape)], axis=1)
    deltas = rng.normal(0.0, 0.3, anchors.shape)
    return tuple(np.float32(a) for a in (rng.normal(size=500_000), deltas, anchors, [1e3, 1e3]))


def _readings(rng):
    tags = rng.integers(-1, 4, (256, 2_000)).astype(np.int32)
    return rng.normal(size=(256, 2_000, 3)).astype(np.float32), tags


EXAMPLES = {
    example.folder: example
    for example in (
        Example("sequence_loss", "sequence_loss", "examples.sequence_loss.plain", _sequences),
        Example("token_pooling", "pool", "benchmarks.by_hand", _tokens),
        Example("point_clouds", "voxels", "benchmarks.by_hand", _points),
        Example("proposals", "propose", "benchmarks.by_hand", _anchors),
        Example("keras_loop", "Trainer.step", "examples.keras_loop.plain", _readings),
    )
}


def call(example: Example, program: str) -> Callable[[], object]:
    """Return a call of an example's function with arguments that lie where the program computes."""
    arguments = example.inputs(np.random.default_rng(0))
    path = example.by_hand if program == "by hand" else f"examples.{example.folder}.{program}"
    module = importlib.import_module(path)
    if program == "original":
        import tensorflow as tf

        arguments = tuple(map(tf.constant, arguments))
    else:
        import jax

        arguments = jax.device_put(arguments)
    owner, _, method = example.function.rpartition(".")
    holder = getattr(module, owner)(module.tagger()) if owner else module
    return lambda: getattr(holder, method)(*arguments)


def _status(name: str) -> int:
    return int(re.search(rf"{name}:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])


def megabytes(run: Callable[[], object]) -> float:
    """Return the peak of one call, after calls that compile it."""
    for _ in range(WARM):
        finish(run())
    gc.collect()
    time.sleep(SETTLING)  # the threads of JAX and TensorFlow free arrays a little later
    held = _status("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak begins again here
    finish(run())
    return (_status("VmHWM") - held) / 1024


def measured(folder: str, program: str) -> float:
    """Return the megabytes of a program of an example, in a process of its own."""
    backend = "tensorflow" if program == "original" else "jax"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.peak_memory", folder, program],
        env={**os.environ, **_ALLOCATION, "KERAS_BACKEND": backend},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.split()[-1])


def run() -> list[Result]:
    """Measure all of them."""
    if not sys.platform.startswith("linux"):
        return []
    results = []
    for folder in EXAMPLES:
        peaks = {name: measured(folder, program) for name, program in PROGRAMS.items()}
        ours = peaks.pop("ours")
        question = f"peak memory of a call, example `{folder}`"
        for name, theirs in peaks.items():
            said = (f"{ours:.3g} MB", f"{theirs:.3g} MB")
            results.append(Result(question, name, *said, ours / theirs, None))
    return results


if __name__ == "__main__":
    print(megabytes(call(EXAMPLES[sys.argv[1]], sys.argv[2])))
