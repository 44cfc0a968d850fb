"""Provide the initializers of TensorFlow 1, with its defaults, `dtype` arguments and seeds."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.array import creation
from shims._src.random import stateful
from shims._src.random.initializers import float_dtype
from shims._src.types.dtypes import array_dtype, as_dtype

# The standard deviation of the standard normal distribution truncated at -2 and 2.
_CUT_OFF = 0.87962566103423978
_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("normal", "uniform", "truncated_normal", "untruncated_normal")


class Initializer:
    """Base class of the initializers of TensorFlow 1."""

    _names: tuple[str, ...] = ()
    dtype: Any
    _uniform = staticmethod(stateful.uniform)
    _normal = staticmethod(stateful.normal)
    _truncated_normal = staticmethod(stateful.truncated_normal)
    _zeros = staticmethod(creation.zeros)
    _ones = staticmethod(creation.ones)

    def __init_subclass__(cls):
        cls.__module__ = "shims.v1"

    def __call__(self, shape, dtype=None, partition_info=None):
        """Return an array of the given shape, in the initializer's dtype by default.

        Args:
          shape: the sizes.
          dtype: a dtype.
          partition_info: must be `None`, because `shims` has no partitioned variables.
        """
        if partition_info is not None:
            raise ValueError(f"{type(self).__name__}: `shims` has no partitioned variables.")
        return self._create(shape, self.dtype if dtype is None else as_dtype(dtype))

    def _create(self, shape, dtype):
        raise NotImplementedError

    def _whole(self, shape):
        """Return the shape of the whole variable, which is `shape`, since there are no partitions."""
        return shape

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {name: getattr(self, name) for name in self._names} | {"dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config):
        """Create an initializer from the result of `get_config`."""
        return cls(**config)


class zeros_initializer(Initializer):
    """An initializer that returns zeros.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like `zeros`; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/zeros_initializer
    """

    def __init__(self, dtype=np.float32):
        self.dtype = as_dtype(dtype)

    def _create(self, shape, dtype):
        return self._zeros(shape, dtype)


class ones_initializer(Initializer):
    """An initializer that returns ones.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like `ones`; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/ones_initializer
    """

    def __init__(self, dtype=np.float32):
        self.dtype = as_dtype(dtype)

    def _create(self, shape, dtype):
        return self._ones(shape, dtype)


class constant_initializer(Initializer):
    """An initializer that returns a constant, or fills the array with the given values in order.

    Args:
      value: a number, or one number for each element.
      dtype: the dtype of the result.
      verify_shape: reject values whose shape is not the requested one.

    Raises:
      TypeError: the number of values is neither 1 nor the number of elements, or the values do not
        fit the dtype or the shape.

    Differs from TensorFlow:
      If `value` has too few numbers, `shims` raises an error; in graphs, TensorFlow 1 repeats the
      last number.

    Under jit:
      The result is a constant of the program; the shape must be static.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/constant_initializer
    """

    _names = ("value",)

    def __init__(self, value=0, dtype=np.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value, self.dtype, self._verify_shape = value, as_dtype(dtype), verify_shape

    def _create(self, shape, dtype):
        kind = np.dtype(array_dtype(dtype, "constant_initializer"))
        value, shape = np.asarray(self.value), tuple(int(d) for d in shape)
        count = math.prod(shape)
        fits = value.shape == shape or not self._verify_shape
        if not fits or value.size not in (1, count) or (value.dtype.kind, kind.kind) == ("f", "i"):
            raise TypeError(
                f"constant_initializer: {value.dtype.name}{list(value.shape)} does not fit "
                f"{kind.name}{list(shape)}."
            )
        if value.size == 1:
            value = np.full(shape, value.ravel()[0])
        return jnp.asarray(value.reshape(shape).astype(kind))


class random_uniform_initializer(Initializer):
    """An initializer that samples from a uniform distribution.

    Args:
      minval: the lower bound.
      maxval: the upper bound. `None` means 1 for floats; for integers, it is an error.
      seed: an integer, which gives the initializer its own stream. For `None`, see `random.set_seed`.
      dtype: the dtype of the result.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_uniform_initializer
    """

    _names = ("minval", "maxval", "seed")

    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=np.float32):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def _create(self, shape, dtype):
        return self._uniform(shape, self.minval, self.maxval, dtype, seed=self.seed)


class random_normal_initializer(Initializer):
    """An initializer that samples from a normal distribution.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: an integer, which gives the initializer its own stream. For `None`, see `random.set_seed`.
      dtype: the dtype of the result.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_normal_initializer
    """

    _names = ("mean", "stddev", "seed")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=np.float32):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, float_dtype(dtype)

    def _create(self, shape, dtype):
        return self._normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class truncated_normal_initializer(Initializer):
    """An initializer that samples from a normal distribution truncated at two standard deviations.

    Args:
      mean: the mean.
      stddev: the standard deviation before the truncation.
      seed: an integer, which gives the initializer its own stream. For `None`, see `random.set_seed`.
      dtype: the dtype of the result.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/truncated_normal_initializer
    """

    _names = ("mean", "stddev", "seed")

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=np.float32):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, float_dtype(dtype)

    def _create(self, shape, dtype):
        return self._truncated_normal(shape, self.mean, self.stddev, dtype, seed=self.seed)


class uniform_unit_scaling_initializer(Initializer):
    """An initializer of uniform numbers that preserves the scale of a layer's input.

    Args:
      factor: scales the numbers.
      seed: an integer, which gives the initializer its own stream. For `None`, see `random.set_seed`.
      dtype: the dtype of the result.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/uniform_unit_scaling_initializer
    """

    _names = ("factor", "seed")

    def __init__(self, factor=1.0, seed=None, dtype=np.float32):
        self.factor, self.seed, self.dtype = factor, seed, float_dtype(dtype)

    def _create(self, shape, dtype):
        inputs = max(math.prod(float(d) for d in tuple(self._whole(shape))[:-1]), 1.0)
        limit = math.sqrt(3 / inputs) * self.factor
        return self._uniform(shape, -limit, limit, dtype, seed=self.seed)


class variance_scaling_initializer(Initializer):
    """An initializer whose variance adapts to the size of a layer.

    Args:
      scale: scales the variance; positive.
      mode: the divisor of the variance, which is `fan_in`, `fan_out` or `fan_avg`.
      distribution: `uniform`, `truncated_normal` (also `normal`) or `untruncated_normal`.
      seed: an integer, which gives the initializer its own stream. For `None`, see `random.set_seed`.
      dtype: the dtype of the result.

    Raises:
      ValueError: an argument has a different value.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variance_scaling_initializer
    """

    _names = ("scale", "mode", "distribution", "seed")

    def __init__(
        self,
        scale=1.0,
        mode="fan_in",
        distribution="truncated_normal",
        seed=None,
        dtype=np.float32,
    ):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in _MODES:
            raise ValueError(f"Argument `mode` should be one of {_MODES}. Received: {mode}")
        distribution = distribution.lower()
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Argument `distribution` should be one of {_DISTRIBUTIONS}. "
                f"Received: {distribution}"
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, float_dtype(dtype)

    def _create(self, shape, dtype):
        inputs, outputs = _fans(tuple(int(d) for d in self._whole(shape)))
        fan = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}
        variance = self.scale / max(1.0, fan[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return self._uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return self._normal(shape, 0.0, math.sqrt(variance), dtype, seed=self.seed)
        deviation = math.sqrt(variance) / _CUT_OFF
        return self._truncated_normal(shape, 0.0, deviation, dtype, seed=self.seed)


def _fans(shape) -> tuple[float, float]:
    """Compute the fan-in and fan-out of weights with the given shape."""
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class glorot_uniform_initializer(variance_scaling_initializer):
    """The uniform initializer of Glorot and Bengio (2010).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_uniform_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(variance_scaling_initializer):
    """The normal initializer of Glorot and Bengio (2010).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_normal_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class identity(Initializer):
    """An initializer that returns the identity matrix.

    Args:
      gain: the value on the diagonal.
      dtype: the dtype of the result.

    Raises:
      ValueError: the shape does not have two sizes.

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      The shape must be static; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/identity
    """

    _names = ("gain",)

    def __init__(self, gain=1.0, dtype=np.float32):
        self.gain, self.dtype = gain, float_dtype(dtype)

    def _create(self, shape, dtype):
        if len(shape) != 2:
            raise ValueError(f"The tensor to initialize must be two-dimensional, not {shape}.")
        return self.gain * creation.eye(*shape, dtype=dtype)


def he_normal(seed=None):
    """Create the normal initializer of He et al. (2015).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_normal
    """
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """Create the uniform initializer of He et al. (2015).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_uniform
    """
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """Create the normal initializer of LeCun et al. (1998).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_normal
    """
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """Create the uniform initializer of LeCun et al. (1998).

    Differs from TensorFlow:
      There are no partitioned variables.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_uniform
    """
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)
