"""What TensorFlow gives for a case, eagerly: once per case, for all lanes."""

from __future__ import annotations

import functools
import warnings
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tf2jax_port.diff.parity.original_side import (
    cotangents,
    flat,
    function_of,
    is_floating,
    tensors,
)

from . import cases
from .cases import Point


class Reference(NamedTuple):
    """TensorFlow's outputs, or the error that it raised; gradients for each set of cotangents."""

    outputs: list[np.ndarray]
    error: BaseException | None
    gradients: list[list[np.ndarray]]


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
