"""Define the initializers of `contrib.layers`, whose variance depends on the size of a layer."""

from __future__ import annotations

import math

import numpy as np

from shims._src.random.initializers import float_dtype
from shims._src.v1.variables.initializers import Initializer

_MODES = ("FAN_IN", "FAN_OUT", "FAN_AVG")


class _VarianceScaling(Initializer):
    """An initializer whose samples have the variance `factor / n`.

    Here `n` is the fan-in, the fan-out or their mean.
    """

    def __init__(self, factor, mode, uniform, seed, dtype):
        self.factor, self.mode, self.uniform = factor, mode, uniform
        self.seed, self.dtype = seed, dtype

    def _create(self, shape, dtype):
        sizes = [float(d) for d in self._whole(shape)] or [1.0]
        inner = math.prod(sizes[:-2])
        inputs, outputs = sizes[-2 if len(sizes) > 1 else -1] * inner, sizes[-1] * inner
        n = {"FAN_IN": inputs, "FAN_OUT": outputs, "FAN_AVG": (inputs + outputs) / 2.0}[self.mode]
        if self.uniform:
            limit = math.sqrt(3.0 * self.factor / n)
            return self._uniform(shape, -limit, limit, dtype, seed=self.seed)
        deviation = math.sqrt(1.3 * self.factor / n)
        return self._truncated_normal(shape, 0.0, deviation, dtype, seed=self.seed)


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=np.float32
):
    """Create an initializer whose samples have the variance `factor / n`, where `mode` selects `n`.

    Args:
      factor: a positive number.
      mode: `FAN_IN` (the number of inputs of a unit), `FAN_OUT` (of outputs) or `FAN_AVG` (their
        mean).
      uniform: whether the distribution is uniform; otherwise it is truncated normal.
      seed: the operation's seed.
      dtype: the dtype of the result.

    Raises:
      TypeError: the dtype is not floating-point, or the mode is unknown.
    """
    kind = float_dtype(dtype)
    if mode not in _MODES:
        raise TypeError(f"Unknown mode {mode} {list(_MODES)}")
    return _VarianceScaling(factor, mode, uniform, seed, kind)


def xavier_initializer(uniform=True, seed=None, dtype=np.float32):
    """Create a Xavier (Glorot) initializer, which keeps gradients of all layers at the same scale.

    Args:
      uniform: whether the distribution is uniform; otherwise it is truncated normal.
      seed: the operation's seed.
      dtype: the dtype of the result.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer
