"""Provide operators that matter only in TensorFlow's graphs: `group`, `no_op`, `tuple`."""

from __future__ import annotations

from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.recording.contexts import executing_eagerly
from shims._src.types.composite import is_composite


def group(*inputs, **kwargs):
    """Group several operations into one; this has no effect here.

    Args:
      *inputs: the results of the operations, which are arrays, `None` or nested structures.
      **kwargs: `name`, which is ignored.

    Returns:
      `None`, as in TensorFlow's eager mode; `control_dependencies` and `return` accept `None`.

    Raises:
      ValueError: a keyword argument is unknown.

    Differs from TensorFlow:
      Nothing. The inputs have already run, in program order.

    Under jit:
      No effect, as in eager execution.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     v = tf.get_variable("v", [], initializer=tf.zeros_initializer())
      ...     both = tf.group(v.initializer, tf.no_op())
      ...     session.run(both)
      ...     print(session.run(v))
      0.0

    https://www.tensorflow.org/api_docs/python/tf/group
    """
    del inputs
    kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))


def no_op(name=None):
    """Do nothing.

    Args:
      name: ignored.

    Returns:
      `None`, as in TensorFlow's eager mode.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Adds nothing to the program.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     print(session.run(tf.no_op()))
      None

    https://www.tensorflow.org/api_docs/python/tf/no_op
    """
    del name


def tuple_(tensors, control_inputs=None, name=None):
    """Return the arrays as a list; all tensors are computed before any tensor is used.

    Args:
      tensors: arrays; `None` stays `None`.
      control_inputs: ignored; the operations have already run.
      name: ignored.

    Returns:
      A list; `tensors` itself outside a function.

    Raises:
      ValueError: inside a function, if `tensors` contains no array.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Returns the traced arrays themselves.

    https://www.tensorflow.org/api_docs/python/tf/tuple
    """
    del control_inputs, name
    if executing_eagerly():
        return tensors
    found = [x if x is None or is_composite(x) else operand(x) for x in tensors]
    if all(x is None for x in found):
        raise ValueError(
            errors.message("tuple", "there must be at least one array.", received=f"{tensors}")
        )
    return found
