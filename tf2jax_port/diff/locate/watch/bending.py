"""Run a recorded operation on operands whose shapes differ from the recorded ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Operations that are not elementwise.
_SHAPED = {
    "dot_general",
    "conv_general_dilated",
    "gather",
    "scatter",
    "concatenate",
    "dynamic_slice",
}


def bent(primitive: Any, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
    """Apply a recorded operation to operands of other shapes, with NumPy broadcasting.

    If a mean is taken over the wrong axes, the operations after it were recorded with its wrong
    shape. They must accept the correct shape when the correct mean is injected.

    Args:
      primitive: the operation.
      params: its recorded parameters.
      operands: its new operands.

    Raises:
      ValueError: the shapes are incompatible, or the operation is not elementwise.
    """
    import jax.numpy as jnp

    (first, *rest) = operands
    if primitive.name in ("broadcast_in_dim", "reshape", "squeeze"):
        wanted = params.get("shape") or params.get("new_sizes")
        if wanted is None or np.size(first) == int(np.prod(wanted)):
            return [first if wanted is None else jnp.reshape(first, wanted)]
        # Broadcast if possible; otherwise keep the shape for the next operation.
        fits = all(a in (1, b) for a, b in zip(np.shape(first)[::-1], wanted[::-1]))
        return [jnp.broadcast_to(first, wanted) if fits else first]
    if not rest or primitive.name in _SHAPED or primitive.multiple_results:
        raise ValueError("this operation does not accept another shape")
    shape = np.broadcast_shapes(*(np.shape(one) for one in operands))
    return [primitive.bind(*(jnp.broadcast_to(one, shape) for one in operands), **params)]
