"""Provide placeholders: tensors whose values are fed when a session runs."""

from __future__ import annotations

from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation
from shims._src.v1.graph.shapes import GraphShape


def placeholder(dtype, shape=None, name=None):
    """Create a tensor that must be fed.

    Args:
      dtype: the dtype.
      shape: the static shape; unknown when `None`.
      name: the name.

    Raises:
      RuntimeError: eager execution is on.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     x = tf.placeholder(tf.float32, [None])
      ...     print(session.run(2.0 * x, {x: [1.0, 2.0]}))
      [2. 4.]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/placeholder
    """
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    graph = get_default_graph()
    name = graph.unique_name(name or "Placeholder")
    op = Operation(
        graph, "Placeholder", name, _raise_not_fed, (), [(GraphShape(shape), as_dtype(dtype))]
    )
    op.links = (frozenset(),)
    op.on_host = op.outputs[0].dtype.name == "string"
    return op.outputs[0]


def placeholder_with_default(input, shape, name=None):
    """Create a tensor that may be fed, and otherwise has the value of `input`.

    Args:
      input: the default value, which is a tensor or numbers.
      shape: the static shape.
      name: the name.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     x = tf.placeholder_with_default([1.0, 2.0], [None])
      ...     print(session.run(x), session.run(x, {x: [5.0]}))
      [1. 2.] [5.]

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/placeholder_with_default
    """
    graph = get_default_graph()
    name = graph.unique_name(name or "PlaceholderWithDefault")
    with graph.name_scope(f"{name}/"):
        given = convert_to_tensor(input, name="input")
    shape = GraphShape(shape)
    if not shape.is_compatible_with(given.shape):
        raise ValueError(
            f"Shape {shape} of `{name}` does not match the shape {given.shape} of the default value."
        )
    op = Operation(
        graph,
        "PlaceholderWithDefault",
        name,
        lambda run, op, values: values,
        [given],
        [(shape, given.dtype)],
    )
    op.links = (frozenset([0]),)
    return op.outputs[0]


def _raise_not_fed(run, op, values):
    del run, values
    tensor = op.outputs[0]
    text = (
        f"You must feed a value for placeholder tensor '{op.name}' with dtype "
        f"{tensor.dtype.name} and shape {tensor.shape}"
    )
    raise errors.InvalidArgumentError(errors.with_place(text, errors.user_line()))
