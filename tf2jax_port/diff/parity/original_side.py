"""Run TensorFlow's operators on the cases of the table: eagerly, or all cases as one program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from tf2jax_port.diff.parity import points as cases
from tf2jax_port.diff.parity.points import Point
from tf2jax_port.table import Row

_DTYPES = ("dtype", "out_type", "output_type", "out_idx", "dtype_hint", "index_type")


def function_of(row: Row) -> Callable[..., Any]:
    """Return the TensorFlow function that a table row describes."""
    found: Any = tf.compat if row.name.startswith("v1.") else tf
    for part in row.name.split("."):
        found = getattr(found, part)
    return found


def tensors(given: dict[str, Any]) -> dict[str, Any]:
    """Convert arguments to tensors and TensorFlow dtypes."""
    return {name: _as_tensor(name, value) for name, value in given.items()}


def _as_tensor(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return tf.constant(value)
    if isinstance(value, tuple) and any(isinstance(v, (np.ndarray, list)) for v in value):
        return [_as_tensor(name, v) for v in value]
    if name in _DTYPES and isinstance(value, str):
        return tf.as_dtype(value)
    return value


def flat(result: Any) -> list[Any]:
    """Flatten a result to a list of tensors, without `None`."""
    return [t for t in tf.nest.flatten(result) if t is not None]


def is_floating(tensor: Any) -> bool:
    """Return whether a tensor has a floating-point dtype, and thus a gradient."""
    return bool(tensor.dtype.is_floating)


def cotangents(outputs: Sequence[Any]) -> list[list[np.ndarray]]:
    """Return two sets of cotangents: one without zeros, one in which every other element is zero."""
    sets = []
    for keep in (1, 2):
        found = []
        for i, out in enumerate(outputs):
            shape, dtype = np.shape(out), np.asarray(out).dtype
            count = int(np.prod(shape))
            weights = 0.5 + np.cos(np.arange(count) + i) ** 2
            found.append(
                np.where(np.arange(count) % keep == 0, weights, 0).reshape(shape).astype(dtype)
            )
        sets.append(found)
    return sets


def run_together(
    row: Row,
    points: Sequence[Point],
    *,
    jit_compile: bool,
    weights: Sequence[Any] = (),
) -> tuple[list[list[Any]], list[list[Any]]]:
    """Run all cases of an operator as one program; return outputs, and gradients for `weights`.

    Args:
      row: the operator.
      points: its cases.
      jit_compile: whether XLA compiles the program.
      weights: for each case the sets of cotangents of its gradients; empty for no gradients.
    """
    function = function_of(row)
    names = [p.case.arrays() for p in points]
    given = [tensors(cases.arguments(p)) for p in points]

    def outputs(arrays: dict[str, Any], arguments: dict[str, Any]) -> list[Any]:
        return flat(cases.apply(function, row, {**arguments, **arrays}))

    def slopes(point: Point, arrays: Any, arguments: Any, weights: Sequence[Any]) -> list[Any]:
        sources = [arrays[name] for name in cases.floating(point)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            results = outputs(arrays, arguments)
        return [tape.gradient(results, sources, [tf.constant(w) for w in ws]) for ws in weights]

    @tf.function(jit_compile=jit_compile, autograph=False)
    def program(all_arrays: Sequence[Any]) -> Any:
        results = [outputs(a, g) for a, g in zip(all_arrays, given, strict=True)]
        if not weights:
            return results, []
        return results, list(map(slopes, points, all_arrays, given, weights))

    arrays = [{n: g[n] for n in ns} for g, ns in zip(given, names, strict=True)]
    results, gradients = program(arrays)
    return results, gradients
