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

from shims._src.errors import errors
from shims._src.sizes.padded import Padded


def are_among(args, kwargs) -> bool:
    """Return whether an argument is, or contains, a symbolic tensor of Keras."""
    keras = sys.modules.get("keras")
    kind = getattr(keras, "KerasTensor", None)  # missing while Keras is being imported
    return kind is not None and any(isinstance(x, kind) for x in jax.tree.leaves((args, kwargs)))


def symbolic_call(f: Callable, args, kwargs):
    """Return the symbolic result of an operator, a new node of the functional model.

    Raises:
      UnimplementedError: the result has a size that depends on data, which no symbolic tensor has.
    """
    kind: Any = sys.modules["keras"].KerasTensor
    leaves, tree = jax.tree.flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, kind)]

    line = errors.user_line()

    def of_tensors(*tensors):
        given = dict(zip(places, tensors, strict=True))
        args, kwargs = tree.unflatten([given.get(i, leaf) for i, leaf in enumerate(leaves)])
        return _without_sizes(f, f(*args, **kwargs), line)

    return _operation_class()(of_tensors).symbolic_call(*(leaves[i] for i in places))


def _without_sizes(f: Callable, result, line: str):
    """Return the result of an operator if a Keras tensor can stand for it."""
    is_padded = lambda x: isinstance(x, Padded)
    if any(map(is_padded, jax.tree.leaves(result, is_leaf=is_padded))):
        raise errors.UnimplementedError(
            errors.message(
                getattr(f, "__name__", "shims"),
                "a symbolic tensor of Keras cannot have a size that depends on data.",
                required="an operator whose result has a known size",
                at=line,
                do="write a layer whose `call`, decorated with `shims.dynamic`, returns such a result",
            )
        )
    return result


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
