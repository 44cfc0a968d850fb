"""Summarize each intermediate value of the original program in a few numbers."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.golden_file.golden import Fingerprint
from tf2jax_port.diff.values import user_files
from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.precision import exact_wide

# The first iterations of a long loop are enough.
MOST = 2000


def fingerprints(lanes: Any, case: Arguments) -> tuple[Fingerprint, ...]:
    """Summarize all float tensors that an eager run computes, in order, up to `MOST` of them.

    Args:
      lanes: a `TensorFlowLanes`.
      case: the call.
    """
    from tensorflow.python.framework import op_callbacks

    found: list[Fingerprint] = []

    def see(
        op: str | bytes,
        inputs: Any,
        attrs: Any,
        outputs: Any,
        op_name: Any = None,
        graph: Any = None,
    ) -> None:
        if graph is not None or len(found) >= MOST:
            return
        at, name = _user_line(), op.decode() if isinstance(op, bytes) else op
        for output in outputs:
            if is_inexact(np.dtype(output.dtype.as_numpy_dtype)):
                found.append(fingerprint(name, at, output.numpy()))

    op_callbacks.add_op_callback(see)
    try:
        lanes.eager(case)
    finally:
        op_callbacks.remove_op_callback(see)
    return tuple(found[:MOST])


def fingerprint(op: str, at: str, array: np.ndarray) -> Fingerprint:
    """Summarize one array in a few numbers."""
    finite = np.abs(array) < np.inf if array.dtype.kind == "c" else np.isfinite(array)
    wide = exact_wide(array[finite])
    if not wide.size:
        return Fingerprint(op, at, array.dtype.name, array.shape, (0.0, 0.0, 0.0, 0.0), 0)
    size = np.abs(wide)
    real = wide.real
    with np.errstate(over="ignore"):
        numbers = (real.mean(), np.sqrt(np.mean(size * size)), real.min(), real.max())
    mean, rms, low, high = (float(number) for number in numbers)
    return Fingerprint(op, at, array.dtype.name, array.shape, (mean, rms, low, high), wide.size)


def _user_line() -> str:
    """Return the innermost line of the call stack that belongs to the user's own code."""
    for frame in reversed(traceback.extract_stack(limit=60)):
        if user_files.is_users(frame.filename):
            return f"{Path(frame.filename).name}:{frame.lineno}"
    return ""
