"""What does TensorFlow answer to a random program?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from tests.harness import tensorflow_side
from tests.harness.outcomes import outcome
from tests.harness.weights import cotangent
from tf2jax_port.diff.parity import original_side

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
        function = original_side.function_of(call.row)
        with tensorflow_side.quiet():
            return original_side.flat(call_row(function, call, original_side.tensors(given)))


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
            [tf.constant(cotangent(o)) for o in outputs],
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

    given = [i.value for i in program.inputs]
    signature = tensorflow_side.specs(program.shapes(), given)
    function = tf.function(body, signature, autograph=False)
    return outcome(lambda: function(*map(tf.constant, given))).error
