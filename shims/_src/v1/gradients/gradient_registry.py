"""Provide functions that register gradients in TensorFlow 1; here most raise an error."""

from __future__ import annotations

from shims._src.v1.graph.graph import gradients_by_type_unsupported


class AggregationMethod:
    """Methods to add the gradients of several uses; all of them compute the same sum.

    https://www.tensorflow.org/api_docs/python/tf/AggregationMethod
    """

    __module__ = "shims.compat.v1"
    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class RegisterGradient:
    """Not supported: gradients cannot be registered per operation type, JAX differentiates.

    Args:
      op_type: the operation type.

    Raises:
      UnimplementedError: always; use `tf.custom_gradient` to define the gradient of a function.

    https://www.tensorflow.org/api_docs/python/tf/RegisterGradient
    """

    __module__ = "shims.compat.v1"

    def __init__(self, op_type):
        raise gradients_by_type_unsupported("RegisterGradient", op_type)


def NotDifferentiable(op_type):
    """Raise an error: not supported; use `tf.stop_gradient` to block gradients.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/no_gradient
    """
    raise gradients_by_type_unsupported("NotDifferentiable", op_type)
