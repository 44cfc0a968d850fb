"""What TensorFlow 1 says of the gradients of whole kinds of operations."""

from __future__ import annotations

from shims._src.v1.graph.graph import gradients_by_type_unsupported


class AggregationMethod:
    """How gradients of several uses are added up; all of these give the same sum.

    https://www.tensorflow.org/api_docs/python/tf/AggregationMethod
    """

    __module__ = "shims.compat.v1"
    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class RegisterGradient:
    """Not supported: JAX differentiates, and knows no kinds of operations.

    Args:
      op_type: the kind of operation.

    Raises:
      UnimplementedError: always; `tf.custom_gradient` gives one function a gradient of its own.

    https://www.tensorflow.org/api_docs/python/tf/RegisterGradient
    """

    __module__ = "shims.compat.v1"

    def __init__(self, op_type):
        raise gradients_by_type_unsupported("RegisterGradient", op_type)


def NotDifferentiable(op_type):
    """Not supported; `tf.stop_gradient` lets nothing be differentiated behind a tensor.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/no_gradient
    """
    raise gradients_by_type_unsupported("NotDifferentiable", op_type)
