"""What may stand in the slots behind an array's end?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import shims

# By the kind of a dtype: what every operation would carry on, if it looked.
FILLINGS = {
    "f": (0.0, np.nan, np.inf, -np.inf, 1e38),
    "c": (0.0, np.nan, complex(np.inf, np.nan), complex(0, -np.inf), 1e38),
    "i": (0, 2**31 - 1, -(2**31), -1, 7),
    "u": (0, 255, 1, 7, 128),
    "b": (False, True, False, True, True),
}


def pad(array: np.ndarray, capacities: dict[int, int], number: int) -> shims.Padded:
    """Pad axes of an array up to capacities, with the filling of a number."""
    widths = [(0, capacities.get(axis, n) - n) for axis, n in enumerate(array.shape)]
    fill = np.asarray(FILLINGS[array.dtype.kind][number]).astype(array.dtype)
    values = jnp.asarray(np.pad(array, widths, constant_values=fill))
    return shims.Padded(values, {axis: jnp.int32(array.shape[axis]) for axis in capacities})


def bits(arrays) -> list[bytes]:
    """List the bytes that must not depend on the filling."""
    return [np.asarray(x).tobytes() for x in arrays if x.dtype != jax.dtypes.float0]
