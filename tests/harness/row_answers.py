"""What does TensorFlow answer to a case of the table? Once per case, for all lanes."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tf2jax_port.diff.parity import points
from tf2jax_port.diff.parity.original_side import (
    cotangents,
    flat,
    function_of,
    is_floating,
    tensors,
)
from tf2jax_port.diff.parity.points import Point

from .outcomes import outcome
from .tensorflow_side import quiet


class Answer(NamedTuple):
    """TensorFlow's outputs, or the error that it raised."""

    outputs: list[np.ndarray]
    error: Exception | None


@functools.cache
def eager(point: Point) -> Answer:
    """Call the operator on a case's arguments."""
    function = function_of(point.row)
    given = tensors(points.arguments(point))
    with quiet():
        found = outcome(lambda: flat(points.apply(function, point.row, given)))
    return Answer([o.numpy() for o in found.result or ()], found.error)


@functools.cache
def gradients(point: Point) -> list[list[np.ndarray]]:
    """Differentiate with respect to `floating(point)`, for each set of cotangents.

    Raises:
      LookupError: TensorFlow does not differentiate the operator.
    """
    function = function_of(point.row)
    given = tensors(points.arguments(point))
    sources = [given[name] for name in points.floating(point)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        outputs = [o for o in flat(points.apply(function, point.row, given)) if is_floating(o)]
    found = []
    for weights in cotangents([o.numpy() for o in outputs]):
        slopes = tape.gradient(
            outputs, sources, [tf.constant(w) for w in weights], unconnected_gradients="zero"
        )
        found.append([tf.convert_to_tensor(g).numpy() for g in tf.nest.flatten(slopes)])
    return found
