"""Running an operation on operands of another shape than it was written down with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Operations on elements take operands of one shape; these are not among them.
_SHAPED = {
    "dot_general",
    "conv_general_dilated",
    "gather",
    "scatter",
    "concatenate",
    "dynamic_slice",
}


def bent(primitive: Any, params: dict[str, Any], operands: Sequence[Any]) -> Sequence[Any]:
    """The results of an operation whose operands have other shapes, as NumPy would broadcast them.

    A mean over the wrong axes has another shape than the right one; what follows was written down for
    the wrong one.

    Args:
      primitive: the operation.
      params: as it was written down.
      operands: of it.

    Raises:
      ValueError: if the shapes do not fit together.
    """
    import jax.numpy as jnp

    (first, *rest) = operands
    if primitive.name in ("broadcast_in_dim", "reshape", "squeeze"):
        wanted = params.get("shape") or params.get("new_sizes")
        if wanted is None or np.size(first) == int(np.prod(wanted)):
            return [first if wanted is None else jnp.reshape(first, wanted)]
        # What is stretched comes next; without the axes that it lost it stays as it is.
        fits = all(a in (1, b) for a, b in zip(np.shape(first)[::-1], wanted[::-1]))
        return [jnp.broadcast_to(first, wanted) if fits else first]
    if not rest or primitive.name in _SHAPED or primitive.multiple_results:
        raise ValueError("this operation takes no other shape")
    shape = np.broadcast_shapes(*(np.shape(one) for one in operands))
    return [primitive.bind(*(jnp.broadcast_to(one, shape) for one in operands), **params)]
