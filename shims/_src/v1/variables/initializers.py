"""The initializers of version 1 in graphs: operations with TensorFlow's names and seeds."""

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

# From this many elements on TensorFlow makes no constant of equal numbers.
_LARGE = 1000


def filled(name: str, shape, value, dtype):
    """A tensor of equal numbers; large ones are no constants of the program."""
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


def _drawn(name: str, type_: str, f, *args, seed=None):
    """The operation of a random operator, with its name in the present scope."""
    return operation_of(
        f, args, {"seed": seed}, public=f"initializer {name}", name=name, type_=type_
    )


class Initializer(eager.Initializer):
    """What the initializers of graphs have in common."""

    _part: Any = None

    def __init_subclass__(cls):
        cls.__module__ = "shims.compat.v1"

    def __call__(self, shape, dtype=None, partition_info=None):
        """A tensor of that shape, of the initializer's dtype unless another one is given.

        Args:
          shape: the sizes.
          dtype: a dtype.
          partition_info: which part of a larger variable it fills.
        """
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        if executing_eagerly():
            return super().__call__(shape, dtype, partition_info)
        self._part = partition_info
        return self._made([int(d) for d in shape], dtype)

    def _whole(self, shape):
        return shape if self._part is None else self._part.full_shape

    def _uniform(self, shape, low, high, dtype, seed=None):
        if executing_eagerly():
            return stateful.uniform(shape, low, high, dtype, seed=seed)
        type_ = "RandomUniformInt" if as_dtype(dtype).is_integer else "AddV2"
        return _drawn("random_uniform", type_, stateful.uniform, shape, low, high, dtype, seed=seed)

    def _normal(self, shape, mean, deviation, dtype, seed=None):
        if executing_eagerly():
            return stateful.normal(shape, mean, deviation, dtype, seed=seed)
        args = (shape, mean, deviation, dtype)
        return _drawn("random_normal", "AddV2", stateful.normal, *args, seed=seed)

    def _truncated_normal(self, shape, mean, deviation, dtype, seed=None):
        f = stateful.truncated_normal
        if executing_eagerly():
            return f(shape, mean, deviation, dtype, seed=seed)
        return _drawn("truncated_normal", "AddV2", f, shape, mean, deviation, dtype, seed=seed)

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
    """Gives zeros.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/zeros_initializer
    """


class ones_initializer(Initializer, eager.ones_initializer):
    """Gives ones.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/ones_initializer
    """


class constant_initializer(Initializer, eager.constant_initializer):
    """Gives a number, or numbers in order, the last one as often as need be.

    Args:
      value: a number, or numbers in nested lists.
      dtype: of the result.
      verify_shape: refuse numbers of another shape than the one to fill.

    Raises:
      TypeError, ValueError: the numbers do not fit.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/constant_initializer
    """

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        """A tensor of that shape; see `Initializer`."""
        if executing_eagerly():
            return super().__call__(shape, dtype, partition_info)
        dtype = self.dtype if dtype is None else as_dtype(dtype)
        verify = self._verify_shape if verify_shape is None else verify_shape
        if np.ndim(self.value) == 0 and not verify and dtype.name != "string":
            return filled("Const", shape, np.asarray(self.value, dtype.dtype)[()], dtype)
        return constant(self.value, dtype, shape, verify_shape=bool(verify))


class random_uniform_initializer(Initializer, eager.random_uniform_initializer):
    """Gives uniform numbers.

    Args:
      minval: the lower bound.
      maxval: the upper bound; 1 for floats where it is `None`.
      seed: the operation's seed.
      dtype: of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_uniform_initializer
    """


class random_normal_initializer(Initializer, eager.random_normal_initializer):
    """Gives normal numbers.

    Args:
      mean: the mean.
      stddev: the standard deviation.
      seed: the operation's seed.
      dtype: of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/random_normal_initializer
    """


class truncated_normal_initializer(Initializer, eager.truncated_normal_initializer):
    """Gives normal numbers within two standard deviations.

    Args:
      mean: the mean.
      stddev: the standard deviation before the truncation.
      seed: the operation's seed.
      dtype: of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/truncated_normal_initializer
    """


class uniform_unit_scaling_initializer(Initializer, eager.uniform_unit_scaling_initializer):
    """Gives uniform numbers that keep the scale of what they multiply.

    Args:
      factor: scales the numbers.
      seed: the operation's seed.
      dtype: of the result.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/uniform_unit_scaling_initializer
    """


class variance_scaling_initializer(Initializer, eager.variance_scaling_initializer):
    """Gives numbers whose variance suits the size of a layer.

    Args:
      scale: scales the variance; positive.
      mode: what the variance is divided by: `fan_in`, `fan_out` or `fan_avg`.
      distribution: `uniform`, `truncated_normal` (also `normal`) or `untruncated_normal`.
      seed: the operation's seed.
      dtype: of the result.

    Raises:
      ValueError: an argument is none of these.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/variance_scaling_initializer
    """


class glorot_uniform_initializer(variance_scaling_initializer):
    """Gives uniform numbers as Glorot and Bengio (2010) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_uniform_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict:
        """The arguments that make another one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class glorot_normal_initializer(variance_scaling_initializer):
    """Gives normal numbers as Glorot and Bengio (2010) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/glorot_normal_initializer
    """

    def __init__(self, seed=None, dtype=np.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict:
        """The arguments that make another one."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class orthogonal_initializer(Initializer):
    """Gives an orthogonal matrix; the axes before the last count as one.

    Args:
      gain: what the matrix is multiplied by.
      seed: the operation's seed.
      dtype: of the result.

    Raises:
      ValueError: the shape has fewer than two axes.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/orthogonal_initializer
    """

    _names = ("gain", "seed")

    def __init__(self, gain=1.0, seed=None, dtype=np.float32):
        self.gain, self.seed, self.dtype = gain, seed, float_dtype(dtype)

    def _made(self, shape, dtype):
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        if executing_eagerly():
            return _orthogonal(shape, self.gain, dtype, seed=self.seed)
        return _drawn("mul_1", "Mul", _orthogonal, shape, self.gain, dtype, seed=self.seed)


def _orthogonal(shape, gain, dtype, seed=None):
    rows, columns = math.prod(shape[:-1]), shape[-1]
    numbers = stateful.normal([max(rows, columns), min(rows, columns)], 0.0, 1.0, dtype, seed=seed)
    q, r = qr(numbers, full_matrices=False)
    q = q * jnp.sign(jnp.diagonal(r))
    return gain * jnp.reshape(q.T if rows < columns else q, shape)


class identity(Initializer, eager.identity):
    """Gives the identity matrix.

    Args:
      gain: what stands on the diagonal.
      dtype: of the result.

    Raises:
      ValueError: the shape is not that of a matrix.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/identity
    """

    def _made(self, shape, dtype):
        if executing_eagerly():
            return super()._made(shape, dtype)
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
    """`random_normal_initializer` with Keras' default of the deviation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/RandomNormal
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=np.float32):
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(random_uniform_initializer):
    """`random_uniform_initializer` with Keras' default bounds.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/RandomUniform
    """

    def __init__(self, minval=-0.05, maxval=0.05, seed=None, dtype=np.float32):
        super().__init__(minval, maxval, seed, dtype)


class TruncatedNormal(truncated_normal_initializer):
    """`truncated_normal_initializer` with Keras' default of the deviation.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/keras/initializers/TruncatedNormal
    """

    def __init__(self, mean=0.0, stddev=0.05, seed=None, dtype=np.float32):
        super().__init__(mean, stddev, seed, dtype)


def he_normal(seed=None):
    """An initializer of normal numbers as He et al. (2015) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_normal
    """
    return variance_scaling_initializer(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed=None):
    """An initializer of uniform numbers as He et al. (2015) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/he_uniform
    """
    return variance_scaling_initializer(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed=None):
    """An initializer of normal numbers as LeCun et al. (1998) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_normal
    """
    return variance_scaling_initializer(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed=None):
    """An initializer of uniform numbers as LeCun et al. (1998) have it.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/initializers/lecun_uniform
    """
    return variance_scaling_initializer(1.0, "fan_in", "uniform", seed)
