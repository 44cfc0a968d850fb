"""TensorFlow's side of a random program."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tests.table import reference

from .program import Call, Program, call_row, run


class Answer(NamedTuple):
    """What one run gives: values by name and gradients by source, or the error.

    `gradients` is `None` where TensorFlow has no gradient.
    """

    values: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray] | None
    error: Exception | None


class Side:
    """TensorFlow as `program.run` wants it."""

    constant = staticmethod(tf.constant)

    @staticmethod
    def apply(call: Call, given: dict[str, object]) -> list[tf.Tensor]:
        """The tensors that a call gives."""
        function = reference.function_of(call.row)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what TensorFlow warns of itself
            return reference.flat(call_row(function, call, reference.tensors(given)))


def weights(array) -> np.ndarray:
    """The cotangent of an output: each element's own, so that a permutation is seen.

    In steps that half precision has exactly: they are not what is compared.
    """
    array = np.asarray(array)
    found = np.full(array.shape, 1.5)
    for axis, size in enumerate(array.shape):
        along = [1] * array.ndim
        along[axis] = size
        steps = np.round(64 * np.cos((axis + 1) * np.arange(size))) / 64
        found = found + 0.5 * steps.reshape(along)
    return found.astype(array.dtype)


def answer(program: Program, after=None) -> Answer:
    """TensorFlow's eager answer; `after` is given to `program.run`."""
    inputs = {i.name: tf.constant(i.value) for i in program.inputs}
    sources = {name: inputs[name] for name in program.sources}
    with tf.GradientTape() as tape:
        tape.watch(sources)
        try:
            values = run(program, Side, inputs, after)
        except Exception as error:  # noqa: BLE001, which one is what is compared
            return Answer({}, None, error)
    found = {name: values[name].numpy() for call in program.calls for name in call.results}
    outputs = [values[name] for name in program.returns if values[name].dtype.is_floating]
    if not outputs or not sources:
        return Answer(found, {}, None)
    try:
        slopes = tape.gradient(
            outputs,
            sources,
            [tf.constant(weights(o)) for o in outputs],
            unconnected_gradients="zero",
        )
    except Exception:  # noqa: BLE001, none is registered, or it fails itself (of empty arrays, say)
        return Answer(found, None, None)
    gradients = {n: tf.convert_to_tensor(g).numpy() for n, g in slopes.items()}
    if any(g.shape != sources[n].shape for n, g in gradients.items()):
        return Answer(found, None, None)  # of a single band, say, TensorFlow's lacks an axis
    return Answer(found, gradients, None)


def error_as_graph(program: Program) -> Exception | None:
    """What TensorFlow raises for the program as a graph of unknown sizes, if it does."""

    def body(*tensors):
        inputs = dict(zip([i.name for i in program.inputs], tensors, strict=True))
        values = run(program, Side, inputs)
        return [values[name] for name in program.returns]

    signature = [
        tf.TensorSpec(
            [None if u else s for u, s in zip(i.unknown, i.value.shape, strict=True)],
            i.value.dtype,
        )
        for i in program.inputs
    ]
    try:
        tf.function(body, input_signature=signature, autograph=False)(
            *[tf.constant(i.value) for i in program.inputs]
        )
    except Exception as error:  # noqa: BLE001, which one is what is compared
        return error
    return None
