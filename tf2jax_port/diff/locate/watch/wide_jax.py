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
_WIDE = {"float32": np.dtype("float64"), "complex64": np.dtype("complex128")}


def in_double(
    name: str, operands: Sequence[Any], params: dict[str, Any], cast: Callable[[Any, np.dtype], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """What a primitive takes instead: double where it would be single beside double.

    Args:
      name: of the primitive.
      operands: arrays.
      params: of the primitive.
      cast: gives an array another type.
    """
    typed = _MAKERS.get(name)
    if typed is not None and str(params[typed]) in _WIDE:
        params = {**params, typed: _WIDE[str(params[typed])]}
    types = [str(getattr(one, "dtype", "")) for one in operands]
    meeting = {single: wide for single, wide in _WIDE.items() if {single, str(wide)} <= {*types}}
    given = zip(operands, types, strict=True)
    return [cast(o, meeting[t]) if t in meeting else o for o, t in given], params
