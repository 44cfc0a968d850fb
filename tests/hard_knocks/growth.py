"""Call functions many times, in many ways, and count what is left: objects, memory, traces, open files."""

from __future__ import annotations

import contextlib
import gc
import os
import pathlib
import random
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import shims as tf

SCALAR = tf.TensorSpec([], tf.float32)


class Setting:
    """A static argument that equals only itself."""

    factor = 2.0


class Layer:
    """An object with a variable and a compiled method."""

    def __init__(self):
        self.weight = tf.Variable(2.0)

    @tf.function
    def __call__(self, x):
        """Return `x`, scaled."""
        return x * self.weight


def _refuses(x):
    if x.shape[0] == 3:
        raise ValueError("three")
    return x


def _host(x):
    if x < 0:
        raise ValueError("negative")
    return x


class Programs:
    """The functions that are called, and the ways to call them."""

    def __init__(self, seed: int = 0):
        self.rng = random.Random(seed)
        self.count = tf.Variable(0)
        self.selected = tf.function(
            lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)), [tf.TensorSpec([None])]
        )
        self.scaled = tf.function(lambda x, setting: x * setting.factor)
        self.refusing = tf.function(_refuses)
        self.calling = tf.function(lambda x: tf.py_function(_host, [x], SCALAR))
        self.counting = tf.function(lambda: self.count.assign_add(1))
        self.eager = tf.dynamic(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0)))
        self.setting = Setting()

    def lengths(self) -> np.ndarray:
        """Return an array of a random length."""
        return np.ones(self.rng.randint(0, 70), np.float32)

    def tape(self) -> None:
        """Differentiate a compiled function."""
        x = tf.constant(self.lengths())
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = self.selected(x)
        tape.gradient(y, x)

    def ways(self) -> dict[str, tuple[float, Callable[[], Any]]]:
        """Return how often each way comes among a hundred calls, and the call."""
        three, two = np.ones(3, np.float32), np.ones(2, np.float32)
        return {
            "other lengths": (34, lambda: self.selected(self.lengths())),
            "one static object": (20, lambda: self.scaled(two, self.setting)),
            "a variable": (15, self.counting),
            "a Python function": (10, lambda: self.calling(np.float32(1))),
            "an operator": (5, lambda: tf.boolean_mask(three, three > 0)),
            "a new variable": (5, lambda: tf.Variable(two).assign_add(two)),
            "a random number": (4, lambda: tf.random.uniform([2])),
            "a tape": (1, self.tape),
            "an argument of a wrong rank": (1, lambda: self.selected(np.ones((2, 2), np.float32))),
            "an error of a Python function": (1, lambda: self.calling(np.float32(-1))),
            "dynamic": (0.5, lambda: self.eager(self.lengths())),
            "an error while tracing": (0.2, lambda: self.refusing(three)),
            "a new static object": (0.2, lambda: self.scaled(two, Setting())),
            "a method of a new object": (0.1, lambda: Layer()(two)),
        }

    def call(self, name: str, times: int) -> None:
        """Call in one way; errors are part of some."""
        _, way = self.ways()[name]
        for _ in range(times):
            with contextlib.suppress(Exception):
                way()

    def mixed(self, times: int) -> None:
        """Call in all ways, in a random order."""
        ways = self.ways()
        weights = [weight for weight, _ in ways.values()]
        for name in self.rng.choices(list(ways), weights, k=times):
            self.call(name, 1)

    def traces(self) -> int:
        """Return how often the functions were traced that always have the same kinds of arguments."""
        return sum(f.stats().traces for f in (self.selected, self.calling, self.counting))


def left() -> dict[str, int]:
    """Count objects, open files and kibibytes, without what JAX keeps for later."""
    jax.clear_caches()
    gc.collect()
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return {
        "objects": len(gc.get_objects()),
        "files": len(os.listdir("/proc/self/fd")),
        "kibibytes": pages * os.sysconf("SC_PAGE_SIZE") // 1024,
    }


def growth(times: int, warm: int) -> dict[str, int]:
    """Call in all ways `warm` times, then `times` times; return how much more is left."""
    programs = Programs()
    programs.mixed(warm)
    for name in programs.ways():
        programs.call(name, 20)
    traces, before = programs.traces(), left()
    programs.mixed(times)
    found = {name: number - before[name] for name, number in left().items()}
    return {"calls": times, "traces": programs.traces() - traces, **found}


def main() -> None:
    """Print the counts: `python -m tests.hard_knocks.growth TIMES`."""
    import json
    import logging
    import sys
    import warnings

    warnings.simplefilter("ignore")
    logging.disable()  # JAX logs the errors of Python functions
    sys.stdout.write(json.dumps(growth(int(sys.argv[1]), int(sys.argv[1]) // 10)))


if __name__ == "__main__":
    main()
