"""Provide `xw_plus_b`, `relu_layer`, `arg_max` and `arg_min` of TensorFlow 1."""

from __future__ import annotations

import shims
from shims._src.types import dtypes
from shims._src.v1.graph.deferred_operators import deferred


def _xw_plus_b(x, weights, biases, name=None):
    return shims.nn.bias_add(shims.matmul(x, weights), biases)


def _relu_layer(x, weights, biases, name=None):
    return shims.nn.relu(_xw_plus_b(x, weights, biases))


_AFFINE = deferred(_xw_plus_b, "nn.xw_plus_b")
_RECTIFIED = deferred(_relu_layer, "nn.relu_layer")
_SMALLEST = deferred(shims.argmin, "ArgMin")
_LARGEST = deferred(shims.argmax, "ArgMax")


def xw_plus_b(x, weights, biases, name=None):
    """Compute `matmul(x, weights) + biases`.

    Args:
      x: array `[batch, inputs]`.
      weights: array `[inputs, outputs]` of the same dtype.
      biases: vector `[outputs]` of the same dtype.
      name: name of the operation.

    Returns:
      An array `[batch, outputs]`.

    Raises:
      ValueError: the shapes are incompatible.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/xw_plus_b
    """
    return _AFFINE(x, weights, biases, name)


def relu_layer(x, weights, biases, name=None):
    """Compute `relu(matmul(x, weights) + biases)`; see `nn.xw_plus_b`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/relu_layer
    """
    return _RECTIFIED(x, weights, biases, name)


def arg_max(input, dimension, output_type=dtypes.int64, name=None):
    """Return the index of the largest element along an axis.

    Args:
      input: array.
      dimension: the axis.
      output_type: int32 or int64.
      name: name of the operation.

    Returns:
      The indices, without that axis.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/arg_max
    """
    return _LARGEST(input, dimension, output_type, name)


def arg_min(input, dimension, output_type=dtypes.int64, name=None):
    """Return the index of the smallest element along an axis; see `arg_max`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/arg_min
    """
    return _SMALLEST(input, dimension, output_type, name)
