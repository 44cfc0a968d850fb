"""Provide initializers such as `random_normal_initializer`: functions from a shape to an array."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.array import creation
from shims._src.random import stateful, stateless
from shims._src.types.dtypes import array_dtype, as_dtype

_PARTITION = ("partition_shape", "partition_offset")


class Initializer:
    """Base class of the initializers."""

    def __init_subclass__(cls):
        cls.__module__ = "shims"

    def __call__(self, shape, dtype=None, **kwargs):
        """Return an array of the given shape."""
        raise NotImplementedError

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {}

    @classmethod
    def from_config(cls, config):
        """Create an initializer from the result of `get_config`."""
        return cls(**{k: v for k, v in config.items() if k != "dtype"})

    def _part(self, shape, kwargs, *, divisible=True):
        """Return the shape to fill: the argument `partition_shape` if given, else `shape`."""
        for name in kwargs:
            if name not in _PARTITION:
                raise TypeError(
                    f"Keyword argument should be one of {list(_PARTITION)}. Received: {name}"
                )
            if not divisible:
                raise ValueError(
                    f"{type(self).__name__} initializer doesn't support partition-related arguments"
                )
        return kwargs.get("partition_shape", shape)


def float_dtype(dtype):
    """Convert a dtype to a `DType`, and check that it is floating-point.

    Raises:
      ValueError: the dtype is not floating.
    """
    kind = as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {kind}.")
    return kind


def _number_dtype(dtype):
    try:
        kind = as_dtype(dtype)
    except TypeError:
        kind = None
    if kind is None or kind.name == "string":
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {dtype}.")
    return kind


def _random(kind: str, seed, shape, *parameters, dtype):
    """Sample with the initializer's own seed, or else from the global stream of `set_seed`."""
    if seed is None:
        return getattr(stateful, kind)(shape, *parameters, dtype=dtype)
    return getattr(stateless, f"stateless_{kind}")(shape, [seed, 0], *parameters, dtype=dtype)


class zeros_initializer(Initializer):
    """An initializer that returns zeros.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Behaves like `zeros`; the initializer itself stores no array.

    Example:
      >>> import shims
      >>> print(shims.zeros_initializer()([2, 2]))
      [[0. 0.]
       [0. 0.]]

    https://www.tensorflow.org/api_docs/python/tf/zeros_initializer
    """

    def __call__(self, shape, dtype=np.float32, **kwargs):
        """Return an array of zeros."""
        return creation.zeros(self._part(shape, kwargs), _number_dtype(dtype))


class ones_initializer(Initializer):
    """An initializer that returns ones.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Behaves like `ones`; the initializer itself stores no array.

    Example:
      >>> import shims
      >>> print(shims.ones_initializer()([2, 2]))
      [[1. 1.]
       [1. 1.]]

    https://www.tensorflow.org/api_docs/python/tf/ones_initializer
    """

    def __call__(self, shape, dtype=np.float32, **kwargs):
        """Return an array of ones."""
        return creation.ones(self._part(shape, kwargs), _number_dtype(dtype))


class constant_initializer(Initializer):
    """An initializer that returns a constant, or fills the array with the given values in order.

    Args:
      value: a number, or one number for each element.
      support_partition: whether partition arguments are accepted.

    Raises:
      TypeError: the number of values is neither 1 nor the number of elements.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Behaves like `constant`; the initializer itself stores no array.

    Example:
      >>> import shims
      >>> print(shims.constant_initializer(2.5)([2, 2]))
      [[2.5 2.5]
       [2.5 2.5]]

    https://www.tensorflow.org/api_docs/python/tf/constant_initializer
    """

    def __init__(self, value=0, support_partition=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, "
                "list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape, dtype=None, **kwargs):
        """Return an array of the given shape with the constant."""
        self._part(shape, kwargs, divisible=self.support_partition)
        value = np.asarray(self.value)
        if dtype is None and value.dtype.kind in "fi" and not isinstance(self.value, np.ndarray):
            dtype = np.float32 if value.dtype.kind == "f" else np.int32
        kind = array_dtype(value.dtype if dtype is None else dtype, "constant_initializer")
        shape = tuple(int(d) for d in shape)
        if value.size not in (1, int(np.prod(shape))):
            raise TypeError(
                f"constant_initializer: value has {value.size} elements, shape is {shape} with "
                f"{int(np.prod(shape))} elements."
            )
        value = (
            value.reshape(shape) if value.size != 1 else np.broadcast_to(value.ravel()[0], shape)
        )
        return jnp.asarray(value.astype(kind))

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"value": self.value}


class random_uniform_initializer(Initializer):
    """An initializer that samples from a uniform distribution.

    Args:
      minval: the lower bound.
      maxval: the upper bound.
      seed: an integer, so that every call returns the same numbers. For `None`, see `random.set_seed`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    Example:
      >>> import shims
      >>> print(shims.random_uniform_initializer(seed=1)([2, 3]).shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/random_uniform_initializer
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None):
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape, dtype=np.float32, **kwargs):
        """Return an array of uniform random numbers of the given shape."""
        kind = _number_dtype(dtype)
        shape = self._part(shape, kwargs)
        return _random("uniform", self.seed, shape, self.minval, self.maxval, dtype=kind)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class random_normal_initializer(Initializer):
    """An initializer that samples from a normal distribution.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: an integer, so that every call returns the same numbers. For `None`, see `random.set_seed`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Behaves like the random operator that it calls; the initializer itself stores no array.

    Example:
      >>> import shims
      >>> print(shims.random_normal_initializer(stddev=0.1, seed=1)([2, 3]).shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/random_normal_initializer
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None):
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape, dtype=np.float32, **kwargs):
        """Return an array of normal random numbers of the given shape."""
        kind = float_dtype(dtype)
        shape = self._part(shape, kwargs)
        return _random("normal", self.seed, shape, self.mean, self.stddev, dtype=kind)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}
