"""Make the signature of a Keras model: its call in inference."""

from __future__ import annotations

from typing import Any

import jax

from shims._src.errors import errors
from shims._src.function.function import Function, function
from shims._src.types.tensor_spec import TensorSpec


def keras_signature(model) -> Function:
    """Return the call of a Keras model in inference as a function with an input signature.

    Raises:
      ValueError: the shapes of its inputs are not known.
    """
    given: Any = getattr(model, "input", None)  # in the structure of the call
    if given is None and getattr(model, "inputs", None):
        (given,) = model.inputs  # of a sequential model
    if given is None:
        raise ValueError(
            errors.message(
                "saved_model.save",
                "the Keras layer or model has no inputs of known shape.",
                required="a functional or sequential model that begins with `keras.Input`",
                received=type(model).__name__,
                do=(
                    "write `model.save('model.keras')`, or pass `signatures`, or save a `Module` with two "
                    "attributes: the model, and a `function` that calls the model"
                ),
            )
        )

    def call(inputs):
        return model(inputs, training=False)

    specs = jax.tree.map(lambda x: TensorSpec(x.shape, x.dtype), given)
    return function(call, input_signature=[specs])
