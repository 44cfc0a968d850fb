"""Define placeholders for TensorFlow's graph classes, which raise an error when they are used."""

from __future__ import annotations

from shims._src.errors import errors


def _unavailable(name: str, why: str, do: str):
    return errors.UnimplementedError(errors.message(name, why, do=do))


class Graph:
    """A stand-in for TensorFlow's graph of operations, which JAX does not have; no object is an instance of this class.

    Raises:
      UnimplementedError: an instance is created.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default() as graph:
      ...     c = tf.constant(1.0, name="c")
      >>> print(graph.get_tensor_by_name("c:0").shape)
      ()

    https://www.tensorflow.org/api_docs/python/tf/Graph
    """

    __module__ = "shims"

    def __init__(self):
        raise _unavailable(
            "Graph",
            "JAX has no graphs; functions are traced instead.",
            "write a function and decorate it with `shims.function`.",
        )


class Operation:
    """A node of TensorFlow's graph, which has no counterpart; `isinstance` is always False.

    Raises:
      UnimplementedError: an instance is created.

    https://www.tensorflow.org/api_docs/python/tf/Operation
    """

    __module__ = "shims"

    def __init__(self, *args, **kwargs):
        raise _unavailable(
            "Operation",
            "JAX has no graph operations.",
            "call the operator; its result is an array.",
        )


class RegisterGradient:
    """TensorFlow's registry of gradients by name, which has no counterpart.

    Args:
      op_type: the name of an operation.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/RegisterGradient
    """

    __module__ = "shims"

    def __init__(self, op_type):
        raise _unavailable(
            "RegisterGradient",
            f"JAX has no registry of operations, so `{op_type}` has no entry to change.",
            "define the gradient of the function with `shims.custom_gradient`.",
        )


def no_gradient(op_type: str):
    """Raise `UnimplementedError`: operations cannot be declared non-differentiable by name.

    Args:
      op_type: the name of an operation.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/no_gradient
    """
    raise _unavailable(
        "no_gradient",
        f"JAX has no registry of operations, so `{op_type}` has no entry to change.",
        "wrap the result in `shims.stop_gradient`.",
    )
