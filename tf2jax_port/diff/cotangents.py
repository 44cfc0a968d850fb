"""What is fed in at the outputs when a gradient is taken: ones, and seeded random numbers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping

import numpy as np

from tf2jax_port.diff.arguments import is_inexact
from tf2jax_port.diff.observation import ONES, Outputs

Cotangents = Mapping[str, np.ndarray]


def cotangents(kind: str, outputs: Outputs, seed: int) -> Cotangents:
    """One array for each output that has a gradient, of its shape and type.

    Ones give the gradient of a sum, which is what most programs take; they miss whatever cancels
    in a sum (a softmax, a permutation), and random numbers find it. The random numbers depend on
    the seed and on the path of the output, on nothing else.
    """
    return {
        path: _one(kind, path, array, seed)
        for path, array in outputs.items()
        if array is not None and is_inexact(array.dtype)
    }


def _one(kind: str, path: str, array: np.ndarray, seed: int) -> np.ndarray:
    if kind == ONES:
        return np.ones(array.shape, array.dtype)
    rng = np.random.default_rng([seed, zlib.crc32(path.encode())])
    values = rng.standard_normal(array.shape)
    if array.dtype.kind == "c":
        return (values + 1j * rng.standard_normal(array.shape)).astype(array.dtype)
    # Rounded to single precision, so that the run in float64 gets the same numbers.
    narrow = values.astype(np.float32)
    return narrow.astype(array.dtype)
