"""Many images of many sizes through the port and the original: compilations and time per image.

    python -m tools.demo.sizes OLD.py NEW.py CASES.py

prints one JSON object.
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

IMAGES = 100
COMPILED = "/jax/core/compile/backend_compile_duration"


def load(file: str) -> Any:
    """The module in `file`, under its own name."""
    path = pathlib.Path(file)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def images(cases: Any) -> list[tuple[np.ndarray, ...]]:
    """Random images within one bucket of every dimension, nearly all of different sizes."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(5, 9, (IMAGES, 3)).tolist()
    return [cases.image(rng, rows, columns, objects, -1.0, 1.5) for rows, columns, objects in sizes]


def timed(step: Callable[..., Any], data: list[tuple[np.ndarray, ...]]) -> dict[str, float]:
    """Seconds of the first call, and the median of the others."""
    found = []
    for arguments in data:
        start = time.perf_counter()
        jax.block_until_ready([np.asarray(out) for out in step(*arguments)])
        found.append(time.perf_counter() - start)
    return {"first": found[0], "total": sum(found), "median": statistics.median(found[1:])}


def main(old: str, new: str, cases: str) -> None:
    """Measures both and prints."""
    compiled: list[float] = []

    def listen(event: str, duration: float, **_: object) -> None:
        if event == COMPILED:
            compiled.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    data = images(load(cases))
    port = timed(load(new).step, data)
    compilations = len(compiled)
    original = timed(load(old).step, data)
    rows = [
        {"what": what, "port": say(port[key]), "tf": say(original[key])}
        for what, key in (
            ("first image, compilation included", "first"),
            ("median image", "median"),
            (f"all {IMAGES} images", "total"),
        )
    ]
    sizes = len({tuple(array.shape for array in arguments) for arguments in data})
    print(
        json.dumps({"images": IMAGES, "sizes": sizes, "compilations": compilations, "rows": rows})
    )


def say(seconds: float) -> str:
    """Seconds as a person reads them."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


if __name__ == "__main__":
    main(*sys.argv[1:])
