"""Run JAX code that requests `jnp.float32` in double precision instead.

The inputs are in double precision, but arrays that the code creates would be in single precision, and
`jax.lax` functions reject mixed precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# Primitives that create floats of a requested type, and the parameter with the type.
_MAKERS = {"convert_element_type": "new_dtype", "iota": "dtype"}
_WIDE = {"float32": np.dtype("float64"), "complex64": np.dtype("complex128")}


def in_double(
    name: str, operands: Sequence[Any], params: dict[str, Any], cast: Callable[[Any, np.dtype], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Convert single-precision operands and dtype parameters to double precision.

    Operands are converted only if some other operand is in double precision.

    Args:
      name: the primitive's name.
      operands: the operands.
      params: the primitive's parameters.
      cast: converts an array to a dtype.

    Returns:
      The operands and the parameters.
    """
    typed = _MAKERS.get(name)
    if typed is not None and str(params[typed]) in _WIDE:
        params = {**params, typed: _WIDE[str(params[typed])]}
    types = [str(getattr(one, "dtype", "")) for one in operands]
    meeting = {single: wide for single, wide in _WIDE.items() if {single, str(wide)} <= {*types}}
    given = zip(operands, types, strict=True)
    return [cast(o, meeting[t]) if t in meeting else o for o, t in given], params
