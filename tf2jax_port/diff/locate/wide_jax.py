"""Running JAX code in double precision that says `jnp.float32`.

Its inputs are double; what it makes itself would be single, and functions of `jax.lax` refuse the two
together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Primitives that make floats of a type that the program names, and the parameter that holds it.
_MAKERS = {"convert_element_type": "new_dtype", "iota": "dtype"}


def in_double(
    name: str, operands: Sequence[Any], params: dict[str, Any], cast: Callable[[Any], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """What a primitive takes instead: double where it would be single beside double.

    Args:
      name: of the primitive.
      operands: arrays.
      params: of the primitive.
      cast: makes double of an array.
    """
    typed = _MAKERS.get(name)
    if typed is not None and params[typed] == np.float32:
        params = {**params, typed: np.dtype("float64")}
    types = [str(getattr(one, "dtype", "")) for one in operands]
    if "float64" in types and "float32" in types:
        operands = [cast(o) if t == "float32" else o for o, t in zip(operands, types, strict=True)]
    return list(operands), params
