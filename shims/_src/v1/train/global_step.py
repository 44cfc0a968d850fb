"""Manage the global step, the variable that counts training steps."""

from __future__ import annotations

import logging

from shims._src.types.dtypes import int64
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.standard_operators import add
from shims._src.v1.train.slots import zeros
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


def get_global_step(graph=None):
    """Return the variable or tensor of the global step, or `None`.

    Args:
      graph: the graph; the default graph when `None`.

    Raises:
      TypeError: the global step is not an integer scalar.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     step = tf.train.create_global_step()
      ...     print(tf.train.get_global_step() is step)
      True

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/get_global_step
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        logging.getLogger("tensorflow").error("Multiple tensors in global_step collection.")
        return None
    if found:
        step = found[0]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def create_global_step(graph=None) -> GraphVariable:
    """Create the variable of the global step: `global_step:0`, an int64 that starts at 0.

    Args:
      graph: the graph; the default graph when `None`.

    Raises:
      ValueError: the graph already has a global step.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/create_global_step
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=int64,
            initializer=zeros,
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph=None):
    """Return the variable of the global step, and create the variable if there is none.

    Args:
      graph: the graph; the default graph when `None`.

    Differs from TensorFlow:
      Nothing.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     step = tf.train.get_or_create_global_step()
      ...     print(step.name, step.shape)
      global_step:0 ()

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/get_or_create_global_step
    """
    graph = graph or get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor) -> None:
    """Raise `TypeError` unless the argument is an integer scalar variable or tensor.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/assert_global_step
    """
    if not isinstance(global_step_tensor, (GraphVariable, Tensor)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    shape = global_step_tensor.shape
    if shape.rank != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')


def global_step(sess, global_step_tensor) -> int:
    """Return the value of the global step in a session, as an `int`.

    Args:
      sess: the session.
      global_step_tensor: the variable or tensor of the global step.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/global_step
    """
    return int(sess.run(global_step_tensor))


_READS = "global_step_read_op_cache"


def read_of_global_step(user: str) -> Tensor:
    """Return a tensor that reads the global step; all hooks of a graph share it.

    Args:
      user: the name of the caller, for the error message.

    Raises:
      RuntimeError: there is no global step.
    """
    graph = get_default_graph()
    known = graph.get_collection(_READS)
    if known:
        return known[0]
    step = get_global_step()
    if step is None:
        raise RuntimeError(
            f"Global step should be created to use {user}: call "
            "tf.train.get_or_create_global_step()."
        )
    with graph.name_scope(None), graph.name_scope(f"{step.op.name}/"):
        read = add(convert_to_tensor(step), convert_to_tensor(0, step.dtype), name="add")
    graph.add_to_collection(_READS, read)
    return read
