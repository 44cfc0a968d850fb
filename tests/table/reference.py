"""What TensorFlow gives for a case, eagerly: once per case, for all lanes."""

from __future__ import annotations

import functools
import warnings
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from . import cases
from .cases import Point

_DTYPES = ("dtype", "out_type", "output_type", "out_idx", "dtype_hint", "index_type")


class Reference(NamedTuple):
    """TensorFlow's outputs, or the error that it raised; gradients for each set of cotangents."""

    outputs: list[np.ndarray]
    error: BaseException | None
    gradients: list[list[np.ndarray]]


def function_of(row):
    """The TensorFlow object of a row."""
    found = tf.compat if row.name.startswith("v1.") else tf
    for part in row.name.split("."):
        found = getattr(found, part)
    return found


def tensors(given: dict[str, object]) -> dict[str, object]:
    """Arguments as TensorFlow takes them."""
    return {name: _as_tensor(name, value) for name, value in given.items()}


def _as_tensor(name, value):
    if isinstance(value, np.ndarray):
        return tf.constant(value)
    if isinstance(value, tuple) and any(isinstance(v, (np.ndarray, list)) for v in value):
        return [_as_tensor(name, v) for v in value]
    if name in _DTYPES and isinstance(value, str):
        return tf.as_dtype(value)
    return value


def flat(result) -> list:
    """The tensors of a result in order, `None` left out."""
    return [t for t in tf.nest.flatten(result) if t is not None]


def is_floating(tensor) -> bool:
    return tensor.dtype.is_floating


def cotangents(outputs) -> list[list[np.ndarray]]:
    """Two sets: one without zeros, and one where every other element is 0."""
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


@functools.cache
def eager(point: Point) -> Reference:
    """TensorFlow's answer to a case."""
    function = function_of(point.row)
    given = tensors(cases.arguments(point))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what TensorFlow warns of itself
            outputs = flat(cases.apply(function, point.row, given))
    except Exception as error:  # noqa: BLE001 - which one is what the test is about
        return Reference([], error, [])
    return Reference([o.numpy() for o in outputs], None, [])


@functools.cache
def gradients(point: Point) -> list[list[np.ndarray]]:
    """TensorFlow's gradients with respect to `floating(point)`, for each set of cotangents.

    Raises:
      LookupError: TensorFlow does not differentiate the operator.
    """
    function = function_of(point.row)
    given = tensors(cases.arguments(point))
    sources = [given[name] for name in cases.floating(point)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        outputs = [o for o in flat(cases.apply(function, point.row, given)) if is_floating(o)]
    found = []
    for weights in cotangents([o.numpy() for o in outputs]):
        ones = tape.gradient(
            outputs, sources, [tf.constant(w) for w in weights], unconnected_gradients="zero"
        )
        found.append([tf.convert_to_tensor(g).numpy() for g in tf.nest.flatten(ones)])
    return found
