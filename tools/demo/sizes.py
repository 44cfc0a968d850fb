"""Many images of many sizes through the port and the original: how far apart, and at what cost.

    python -m tools.demo.sizes OLD.py NEW.py CASES.py

prints one JSON object. Each call is what a training loop does: the loss and its gradient.
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
    """The module in `file`, under its own name."""
    path = pathlib.Path(file)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def images(cases: Any) -> list[Arguments]:
    """Random images within one bucket of every dimension, nearly all of different sizes."""
    rng = np.random.default_rng(7)
    found: list[Arguments] = []
    while len(found) < IMAGES:
        rows, columns, objects = rng.integers([9, 9, 5], [17, 17, 9]).tolist()
        if rows != columns:  # equal sizes are a pattern of their own, with a program of its own
            found.append(cases.image(rng, rows, columns, objects, -1.0, 1.5))
    return found


def port_step(module: Any) -> Callable[..., Any]:
    """Loss and gradients of the port."""

    def loss(deltas: Any, logits: Any, boxes: Any, labels: Any) -> Any:
        return module.training_loss(deltas, logits, boxes, labels)[0]

    # `dynamic` converts the `if` inside, which JAX's own transforms hide from `function`.
    both = jax.value_and_grad(shims.dynamic(loss), argnums=(0, 1))
    return shims.function(both, input_signature=module.HEAD + module.GROUND_TRUTH)


def original_step(module: Any) -> Callable[..., Any]:
    """Loss and gradients of the original."""

    @tf.function(input_signature=module.HEAD + module.GROUND_TRUTH)
    def step(deltas: Any, logits: Any, boxes: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([deltas, logits])
            loss = module.training_loss(deltas, logits, boxes, labels)[0]
        return loss, tape.gradient(loss, [deltas, logits])

    return step


def timed(step: Callable[..., Any], data: list[Arguments]) -> tuple[list[float], list[Any]]:
    """Seconds and results of every call."""
    seconds, results = [], []
    for arguments in data:
        start = time.perf_counter()
        results.append([np.asarray(leaf) for leaf in jax.tree.leaves(step(*arguments))])
        seconds.append(time.perf_counter() - start)
    return seconds, results


def largest_difference(ours: list[Any], theirs: list[Any]) -> float:
    """The largest difference of a loss or gradient, relative to that array's largest entry."""
    return max(
        float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30))
        for left, right in zip(ours, theirs, strict=True)
        for a, b in zip(left, right, strict=True)
    )


def main(old: str, new: str, cases: str) -> None:
    """Measures both and prints."""
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
    """Seconds as a person reads them."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main(*sys.argv[1:])
