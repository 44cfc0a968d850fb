"""Operators that do nothing but stand in a graph: groups, tuples, nothing at all."""

from __future__ import annotations

from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.recording.contexts import executing_eagerly


def group(*inputs, **kwargs):
    """One operation that stands for several.

    Args:
      *inputs: what they gave: arrays, `None`, and nested ones.
      **kwargs: `name`, which is ignored.

    Returns:
      `None`, as TensorFlow does eagerly; `control_dependencies` and `return` take it.

    Raises:
      ValueError: another keyword.

    Differs from TensorFlow:
      Nothing. What the inputs do is done already, in the order of the program.

    Under jit:
      As above.

    https://www.tensorflow.org/api_docs/python/tf/group
    """
    del inputs
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))


def no_op(name=None):
    """Nothing.

    Args:
      name: ignored.

    Returns:
      `None`, as TensorFlow does eagerly.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/no_op
    """
    del name


def tuple_(tensors, control_inputs=None, name=None):
    """The arrays in a list, each of them computed before any of them is used.

    Args:
      tensors: arrays; `None` stays `None`.
      control_inputs: accepted; they were there before.
      name: ignored.

    Returns:
      A list; `tensors` itself outside of every function.

    Raises:
      ValueError: there is no array among them, inside of a function.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The arrays.

    https://www.tensorflow.org/api_docs/python/tf/tuple
    """
    del control_inputs, name
    if executing_eagerly():
        return tensors
    found = [x if x is None or getattr(x, "is_composite", False) else operand(x) for x in tensors]
    if all(x is None for x in found):
        raise ValueError(
            errors.message("tuple", "there must be at least one array.", received=f"{tensors}")
        )
    return found
