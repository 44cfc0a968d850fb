"""Make cotangents, tangents and training steps for the gradients of a comparison."""

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
    """The tangents of the inputs, for forward mode.

    Attributes:
      inputs: the tangent of each input, by its path.
      outputs: the paths of the outputs that have a gradient.
    """

    inputs: Mapping[str, np.ndarray]
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The settings of a training run: gradient descent on the float inputs.

    Attributes:
      count: the number of steps.
      rate: the learning rate.
      cotangents: the cotangents of the outputs, the weights of the sum that is minimized.
      paths: the inputs that are updated.
    """

    count: int
    rate: float
    cotangents: Cotangents
    paths: tuple[str, ...]


# One input of a gradient computation, and all of them by kind.
Feed = Cotangents | Tangents | Steps
Fed = Mapping[str, Feed]


def cotangents(kind: str, outputs: Outputs, seed: int) -> Cotangents:
    """Make a cotangent, of ones or random numbers, for each output that has a gradient.

    Ones give the gradient of a sum, which most programs compute; they miss everything that cancels
    in a sum (a softmax, a permutation), and random numbers find it. The random numbers depend only
    on the seed and on the path of the output.
    """
    return {
        path: np.ones(array.shape, array.dtype) if kind == ONES else _draw_normal(path, array, seed)
        for path, array in outputs.items()
        if array is not None and is_inexact(array.dtype)
    }


def tangents(case: Arguments, outputs: Outputs, seed: int) -> Tangents:
    """Make a random tangent for each differentiable input."""
    found = [i for i, a in enumerate(case.arrays) if i in case.differentiable]
    moving = {case.paths[i]: _draw_normal(case.paths[i], case.arrays[i], seed) for i in found}
    return Tangents(moving, tuple(cotangents(ONES, outputs, seed)))


def trained(
    gradients: Callable[[Arguments, Cotangents], Gradients], case: Arguments, steps: Steps
) -> Gradients:
    """Run gradient descent and return the updated inputs.

    Args:
      gradients: computes the gradient.
      case: the initial inputs.
      steps: the steps to run.
    """
    for _ in range(steps.count):
        found = gradients(case, steps.cotangents)
        case = case.with_arrays(
            [
                _descend(array, found.get(path) if path in steps.paths else None, steps.rate)
                for path, array in zip(case.paths, case.arrays)
            ]
        )
    return {path: array for path, array in zip(case.paths, case.arrays) if path in steps.paths}


def _descend(array: np.ndarray, gradient: np.ndarray | None, rate: float) -> np.ndarray:
    if gradient is None:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return read_only((exact_wide(array) - rate * exact_wide(gradient)).astype(array.dtype))


def _draw_normal(path: str, array: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, zlib.crc32(path.encode())])
    values = rng.standard_normal(array.shape)
    if array.dtype.kind == "c":
        return (values + 1j * rng.standard_normal(array.shape)).astype(array.dtype)
    # Rounded to single precision, so that the run in float64 gets the same numbers.
    narrow = values.astype(np.float32)
    return narrow.astype(array.dtype)
