"""Run many image sizes through the port and the original, and measure differences and time.

    python -m tools.demo.sizes OLD.py NEW.py CASES.py

prints one JSON object. Each call computes the loss and its gradient, as a training loop does.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.monitoring
import numpy as np
import tensorflow as tf

import shims

IMAGES = 200
COMPILED = "/jax/core/compile/backend_compile_duration"
Arguments = tuple[np.ndarray, ...]


def load(file: str) -> Any:
    """Import the module in `file` under its own name."""
    path = pathlib.Path(file)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def images(cases: Any) -> list[Arguments]:
    """Create random images within one bucket of every dimension, mostly of different sizes."""
    rng = np.random.default_rng(7)
    found: list[Arguments] = []
    while len(found) < IMAGES:
        rows, columns, objects = rng.integers([9, 9, 5], [17, 17, 9]).tolist()
        if rows != columns:  # equal sizes are a pattern of their own, with a program of its own
            found.append(cases.image(rng, rows, columns, objects, -1.0, 1.5))
    return found


def port_step(module: Any) -> Callable[..., Any]:
    """Create the port's step: loss and gradients."""

    def loss(deltas: Any, logits: Any, boxes: Any, labels: Any) -> Any:
        return module.training_loss(deltas, logits, boxes, labels)[0]

    # `dynamic` converts the `if` inside, which JAX's own transforms hide from `function`.
    both = jax.value_and_grad(shims.dynamic(loss), argnums=(0, 1))
    return shims.function(both, input_signature=module.HEAD + module.GROUND_TRUTH)


def original_step(module: Any) -> Callable[..., Any]:
    """Create the original's step: loss and gradients."""

    @tf.function(input_signature=module.HEAD + module.GROUND_TRUTH)
    def step(deltas: Any, logits: Any, boxes: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([deltas, logits])
            loss = module.training_loss(deltas, logits, boxes, labels)[0]
        return loss, tape.gradient(loss, [deltas, logits])

    return step


def timed(step: Callable[..., Any], data: list[Arguments]) -> tuple[list[float], list[Any]]:
    """Return the seconds and results of every call."""
    seconds, results = [], []
    for arguments in data:
        start = time.perf_counter()
        results.append([np.asarray(leaf) for leaf in jax.tree.leaves(step(*arguments))])
        seconds.append(time.perf_counter() - start)
    return seconds, results


def largest_difference(ours: list[Any], theirs: list[Any]) -> float:
    """Compute the largest difference, relative to the largest entry of the same array."""
    return max(
        float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30))
        for left, right in zip(ours, theirs, strict=True)
        for a, b in zip(left, right, strict=True)
    )


def main(old: str, new: str, cases: str) -> None:
    """Measure both programs and print the results."""
    compiled: list[float] = []

    def listen(event: str, duration_secs: float, **_: object) -> None:
        if event == COMPILED:
            compiled.append(duration_secs)

    jax.monitoring.register_event_duration_secs_listener(listen)
    data = images(load(cases))
    ours, our_results = timed(port_step(load(new)), data)
    compilations = len(compiled)
    theirs, their_results = timed(original_step(load(old)), data)
    rows = (
        ("first image, tracing and compiling included", ours[0], theirs[0]),
        ("median image: loss and gradients", statistics.median(ours), statistics.median(theirs)),
    )
    found = {
        "images": IMAGES,
        "sizes": len({tuple(array.shape for array in arguments) for arguments in data}),
        "compilations": compilations,
        "difference": f"{largest_difference(our_results, their_results):.1e}",
        "rows": [{"what": what, "port": say(a), "tf": say(b)} for what, a, b in rows],
    }
    print(json.dumps(found))


def say(seconds: float) -> str:
    """Format seconds for a person."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main(*sys.argv[1:])
