"""What is fed in when a gradient is taken: at the outputs, at the inputs, or step after step."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.values.arguments import Arguments, is_inexact
from tf2jax_port.diff.values.observation import ONES, Gradients, Outputs
from tf2jax_port.diff.values.precision import exact_wide, read_only

Cotangents = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Tangents:
    """For gradients in forward mode.

    Attributes:
      inputs: by the path of an input, how it moves.
      outputs: the paths of the outputs that have a gradient.
    """

    inputs: Mapping[str, np.ndarray]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """For steps of training: every input of floats follows its gradient downwards.

    Attributes:
      count: how many.
      rate: by how much.
      cotangents: of which sum of the outputs the gradient is.
      paths: the inputs that move.
    """

    count: int
    rate: float
    cotangents: Cotangents
    paths: tuple[str, ...]


# One thing that is fed in, under the name of its kind.
Feed = Cotangents | Tangents | Steps
Fed = Mapping[str, Feed]


def cotangents(kind: str, outputs: Outputs, seed: int) -> Cotangents:
    """One array for each output that has a gradient, of its shape and type.

    Ones give the gradient of a sum, which is what most programs take; they miss whatever cancels
    in a sum (a softmax, a permutation), and random numbers find it. The random numbers depend on
    the seed and on the path of the output, on nothing else.
    """
    return {
        path: np.ones(array.shape, array.dtype) if kind == ONES else _drawn(path, array, seed)
        for path, array in outputs.items()
        if array is not None and is_inexact(array.dtype)
    }


def tangents(case: Arguments, outputs: Outputs, seed: int) -> Tangents:
    """A random direction in which all inputs move."""
    found = [i for i, a in enumerate(case.arrays) if i in case.differentiable]
    moving = {case.paths[i]: _drawn(case.paths[i], case.arrays[i], seed) for i in found}
    return Tangents(moving, tuple(cotangents(ONES, outputs, seed)))


def trained(
    gradients: Callable[[Arguments, Cotangents], Gradients], case: Arguments, steps: Steps
) -> Gradients:
    """Where the inputs are after the steps.

    Args:
      gradients: takes the gradient.
      case: where they begin.
      steps: what is done.
    """
    for _ in range(steps.count):
        found = gradients(case, steps.cotangents)
        case = case.with_arrays(
            [
                _follow(array, found.get(path) if path in steps.paths else None, steps.rate)
                for path, array in zip(case.paths, case.arrays)
            ]
        )
    return {path: array for path, array in zip(case.paths, case.arrays) if path in steps.paths}


def _follow(array: np.ndarray, gradient: np.ndarray | None, rate: float) -> np.ndarray:
    if gradient is None:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return read_only((exact_wide(array) - rate * exact_wide(gradient)).astype(array.dtype))


def _drawn(path: str, array: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, zlib.crc32(path.encode())])
    values = rng.standard_normal(array.shape)
    if array.dtype.kind == "c":
        return (values + 1j * rng.standard_normal(array.shape)).astype(array.dtype)
    # Rounded to single precision, so that the run in float64 gets the same numbers.
    narrow = values.astype(np.float32)
    return narrow.astype(array.dtype)
