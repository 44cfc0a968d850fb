"""Call operators on the symbolic tensors of Keras' functional API.

`keras.Input` has a shape and a dtype, but no values. An operator called on such a tensor becomes a node
of the model: Keras calls the operator again with arrays when the model runs.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import jax


def are_among(args, kwargs) -> bool:
    """Return whether an argument is, or contains, a symbolic tensor of Keras."""
    keras = sys.modules.get("keras")
    kind = getattr(keras, "KerasTensor", None)  # missing while Keras is being imported
    return kind is not None and any(isinstance(x, kind) for x in jax.tree.leaves((args, kwargs)))


def symbolic_call(f: Callable, args, kwargs):
    """Return the symbolic result of an operator, a new node of the functional model."""
    return _operation_class()(f).symbolic_call(*args, **kwargs)


@functools.cache
def _operation_class() -> Any:
    keras: Any = sys.modules["keras"]

    class ShimsOperation(keras.Operation):
        """A `shims` operator as a node of a functional model."""

        def __init__(self, f: Callable):
            super().__init__()
            self.f = f

        def call(self, *args, **kwargs):
            """Compute the operator on arrays."""
            return self.f(*args, **kwargs)

    return ShimsOperation
