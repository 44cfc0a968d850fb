"""Provide TensorFlow 1 initializers that also work in graphs, with its operation names and seeds."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.array import creation
from shims._src.array.cutting import slice as slice_
from shims._src.linalg.factorizations import qr
from shims._src.random import initializers_v1 as eager
from shims._src.random import stateful
from shims._src.random.initializers import float_dtype
from shims._src.types.dtypes import array_dtype, as_dtype
from shims._src.v1.graph.conversion import constant, constant_of
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation

# From this many elements on TensorFlow creates a `Fill` operation instead of a constant.
_LARGE = 1000


def filled(name: str, shape, value, dtype):
    """Create a tensor filled with one value: a constant, or a computed tensor if it is large."""
    dtype = as_dtype(dtype)
    sizes = tuple(int(d) for d in shape)
    graph = get_default_graph()
    if dtype.name == "string":
        array = np.full(sizes, value or b"", object)
        return constant_of(graph, array, graph.unique_name(name))
    if math.prod(sizes) < _LARGE:
        return constant_of(graph, np.full(sizes, value, dtype.dtype), graph.unique_name(name))

    def compute(run, op, values):
        del run, op, values
        return [jnp.full(sizes, value, array_dtype(dtype, name))]

    op = Operation(
        graph,
        "Fill",
        graph.unique_name(name),
        compute,
        (),
        [(sizes, dtype)],
        graph.present_control_inputs(),
    )
    op.attributes["pure"] = True
    op.links = (frozenset(),)
    return op.outputs[0]


def _add_random_operation(name: str, type_: str, f, *args, seed=None):
    """Add an operation that generates random numbers to the graph, named in the current name scope."""
    return operation_of(
        f, args, {"seed": seed}, public=f"initializer {name}", name=name, type_=type_
    )


class Initializer(eager.Initializer):
    """Base class of the initializers in graphs."""

    _part: Any = None

    def __init_subclass__(cls):
        cls.__module__ = "shims.compat.v1"

    def __call__(self, shape, dtype=None, partition_info=None):
        """Create a tensor of the given shape, with the initializer's dtype by default.

        Args:
          shape: the shape.
          dtype: the dtype; the dtype of the initializer when `None`.
          partition_info: the part of a partitioned variable to fill.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        if executing_eagerly():
            return super().__call__(shape, dtype, partition_info)
        self._part = partition_info
        return self._create([int(d) for d in shape], dtype)

    def _whole(self, shape):
        return shape if self._part is None else self._part.full_shape

    def _uniform(self, shape, low, high, dtype, seed=None):
        if executing_eagerly():
            return stateful.uniform(shape, low, high, dtype, seed=seed)
        type_ = "RandomUniformInt" if as_dtype(dtype).is_integer else "AddV2"
        return _add_random_operation(
            "random_uniform", type_, stateful.uniform, shape, low, high, dtype, seed=seed
        )

    def _normal(self, shape, mean, deviation, dtype, seed=None):
        if executing_eagerly():
            return stateful.normal(shape, mean, deviation, dtype, seed=seed)
        args = (shape, mean, deviation, dtype)
        return _add_random_operation("random_normal", "AddV2", stateful.normal, *args, seed=seed)

    def _truncated_normal(self, shape, mean, deviation, dtype, seed=None):
        f = stateful.truncated_normal
        if executing_eagerly():
            return f(shape, mean, deviation, dtype, seed=seed)
        return _add_random_operation(
            "truncated_normal", "AddV2", f, shape, mean, deviation, dtype, seed=seed
        )

    def _zeros(self, shape, dtype):
        return (
            creation.zeros(shape, dtype)
            if executing_eagerly()
            else filled("zeros", shape, 0, dtype)
        )

    def _ones(self, shape, dtype):
        return (
            creation.ones(shape, dtype) if executing_eagerly() else filled("ones", shape, 1, dtype)
        )


class zeros_initializer(Initializer, eager.zeros_initializer):
    """An initializer that generates zeros.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/zeros_initializer
    """


class ones_initializer(Initializer, eager.ones_initializer):
    """An initializer that generates ones.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/ones_initializer
    """


class constant_initializer(Initializer, eager.constant_initializer):
    """An initializer that fills a tensor with constants, repeating the last constant as needed.

    Args:
      value: a number, or nested lists of numbers.
      dtype: the dtype of the result.
      verify_shape: whether to raise an error if the numbers have a different shape.

    Raises:
      TypeError, ValueError: the numbers are incompatible with the dtype or shape.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/constant_initializer
    """

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        """Create a tensor of the given shape; see `Initializer`."""
        if executing_eagerly():
            return super().__call__(shape, dtype, partition_info)
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        verify = self._verify_shape if verify_shape is None else verify_shape
        if np.ndim(self.value) == 0 and not verify and dtype.name != "string":
            return filled("Const", shape, np.asarray(self.value, dtype.dtype)[()], dtype)
        return constant(self.value, dtype, shape, verify_shape=bool(verify))


class random_uniform_initializer(Initializer, eager.random_uniform_initializer):
    """An initializer that samples from a uniform distribution.

    Args:
      minval: the lower bound.
      maxval: the upper bound. `None` means 1 for floats; for integers, it is an error.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_uniform_initializer
    """


class random_normal_initializer(Initializer, eager.random_normal_initializer):
    """An initializer that samples from a normal distribution.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_normal_initializer
    """


class truncated_normal_initializer(Initializer, eager.truncated_normal_initializer):
    """An initializer that samples from a normal distribution truncated at two standard deviations.

    Args:
      mean: the mean.
      stddev: the standard deviation before the truncation.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [2, 3], initializer=tf.truncated_normal_initializer(stddev=0.1))
      ...     print(w.shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/truncated_normal_initializer
    """


class uniform_unit_scaling_initializer(Initializer, eager.uniform_unit_scaling_initializer):
    """An initializer that samples from a uniform distribution which preserves the variance of the input.

    Args:
      factor: a number that all samples are multiplied by.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/uniform_unit_scaling_initializer
    """


class variance_scaling_initializer(Initializer, eager.variance_scaling_initializer):
    """An initializer whose samples have the variance `scale / n`, where `mode` selects `n`.

    Args:
      scale: a positive number.
      mode: `fan_in` (the number of inputs of a unit), `fan_out` (of outputs) or `fan_avg` (their
        mean).
      distribution: `uniform`, `truncated_normal` (also `normal`) or `untruncated_normal`.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    Raises:
      ValueError: an argument has an unsupported value.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     w = tf.get_variable("w", [2, 3], initializer=tf.variance_scaling_initializer(2.0))
      ...     print(w.shape)
      (2, 3)

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variance_scaling_initializer
    """


class glorot_uniform_initializer(variance_scaling_initializer):
    """Glorot uniform initializer (Glorot and Bengio, 2010).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_uniform_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(variance_scaling_initializer):
    """Glorot normal initializer (Glorot and Bengio, 2010).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_normal_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict:
        """Return the arguments that recreate the initializer."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class orthogonal_initializer(Initializer):
    """An initializer that generates an orthogonal matrix; axes before the last are flattened.

    Args:
      gain: a number that the matrix is multiplied by.
      seed: the seed of the operation.
      dtype: the dtype of the result.

    Raises:
      ValueError: the shape has fewer than two axes.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/orthogonal_initializer
    """

    _names = ("gain", "seed")

    def __init__(self, gain=1.0, seed=None, dtype=np.float32):
        self.gain, self.seed, self.dtype = gain, seed, float_dtype(dtype)

    def _create(self, shape, dtype):
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        if executing_eagerly():
            return _orthogonal(shape, self.gain, dtype, seed=self.seed)
        return _add_random_operation(
            "mul_1", "Mul", _orthogonal, shape, self.gain, dtype, seed=self.seed
        )


def _orthogonal(shape, gain, dtype, seed=None):
    rows, columns = math.prod(shape[:-1]), shape[-1]
    numbers = stateful.normal([max(rows, columns), min(rows, columns)], 0.0, 1.0, dtype, seed=seed)
    q, r = qr(numbers, full_matrices=False)
    q = q * jnp.sign(jnp.diagonal(r))
    return gain * jnp.reshape(q.T if rows < columns else q, shape)


class identity(Initializer, eager.identity):
    """An initializer that generates the identity matrix.

    Args:
      gain: the value of the diagonal.
      dtype: the dtype of the result.

    Raises:
      ValueError: the shape does not have two sizes.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/identity
    """

    def _create(self, shape, dtype):
        if executing_eagerly():
            return super()._create(shape, dtype)
        whole = self._whole(shape)
        if len(whole) != 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be two-dimensional. "
                f"Received shape={whole}"
            )
        offset = None if self._part is None else self._part.var_offset
        return operation_of(
            _identity_matrix,
            (self.gain, whole, offset, shape, dtype),
            {},
            public="initializer eye",
            name="mul",
            type_="Mul",
        )


def _identity_matrix(gain, whole, offset, shape, dtype):
    matrix = creation.eye(*whole, dtype=dtype)
    return gain * (matrix if offset is None else slice_(matrix, offset, shape))


class RandomNormal(random_normal_initializer):
    """`random_normal_initializer` with the default standard deviation of Keras.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/RandomNormal
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=np.float32):
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(random_uniform_initializer):
    """`random_uniform_initializer` with the default bounds of Keras.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/RandomUniform
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=np.float32):
        super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(truncated_normal_initializer):
    """`truncated_normal_initializer` with the default standard deviation of Keras.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/TruncatedNormal
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=np.float32):
        super().__init__(mean, stddev, seed, dtype)


def he_normal(seed=None):
    """Create a He normal initializer (He et al., 2015).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_normal
    """
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """Create a He uniform initializer (He et al., 2015).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_uniform
    """
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """Create a LeCun normal initializer (LeCun et al., 1998).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_normal
    """
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """Create a LeCun uniform initializer (LeCun et al., 1998).

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_uniform
    """
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)
