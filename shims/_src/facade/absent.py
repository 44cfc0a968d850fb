"""Names of TensorFlow's graphs that have no counterpart: they can be named, not used."""

from __future__ import annotations

from shims._src.errors import errors


def _refused(name: str, why: str, do: str):
    return errors.UnimplementedError(errors.message(name, why, do=do))


class Graph:
    """TensorFlow's graph of operations, which does not exist here; `isinstance` is always False.

    Raises:
      UnimplementedError: one is made.

    https://www.tensorflow.org/api_docs/python/tf/Graph
    """

    __module__ = "shims"

    def __init__(self):
        raise _refused(
            "Graph",
            "there are no graphs to put operations into.",
            "write a function and decorate it with `shims.function`.",
        )


class Operation:
    """A node of TensorFlow's graph, which does not exist here; `isinstance` is always False.

    Raises:
      UnimplementedError: one is made.

    https://www.tensorflow.org/api_docs/python/tf/Operation
    """

    __module__ = "shims"

    def __init__(self, *args, **kwargs):
        raise _refused(
            "Operation",
            "there are no nodes of a graph.",
            "call the operator; what it gives is an array.",
        )


class RegisterGradient:
    """TensorFlow's registry of gradients by name, which does not exist here.

    Args:
      op_type: the name of an operation.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/RegisterGradient
    """

    __module__ = "shims"

    def __init__(self, op_type):
        raise _refused(
            "RegisterGradient",
            f"operations are not known by name, so `{op_type}` has no entry to change.",
            "give the function its gradient with `shims.custom_gradient`.",
        )


def no_gradient(op_type: str):
    """TensorFlow's way to declare an operation without a gradient, which does not exist here.

    Args:
      op_type: the name of an operation.

    Raises:
      UnimplementedError: always.

    https://www.tensorflow.org/api_docs/python/tf/no_gradient
    """
    raise _refused(
        "no_gradient",
        f"operations are not known by name, so `{op_type}` has no entry to change.",
        "wrap the result in `shims.stop_gradient`.",
    )
