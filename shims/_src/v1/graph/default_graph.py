"""Determine the default graph: the graph of the innermost `with` block, or the global graph."""

from __future__ import annotations

from shims._src.random.global_seed import set_seed
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import executing_eagerly, open_graphs

_DEFAULT: list[Graph] = []


def get_default_graph() -> Graph:
    """Return the graph to which new operations are added.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     c = tf.constant(1.0, name="c")
      ...     print(c.graph is tf.get_default_graph())
      True

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/get_default_graph
    """
    graphs = open_graphs()
    if graphs and graphs[-1] is not None:
        return graphs[-1]
    if not _DEFAULT:
        _DEFAULT.append(Graph())
    return _DEFAULT[0]


def reset_default_graph() -> None:
    """Replace the default graph with an empty one.

    Raises:
      AssertionError: a graph is open in a `with` block.

    Example:
      >>> import shims.compat.v1 as tf
      >>> tf.reset_default_graph()
      >>> print(tf.get_default_graph().get_operations())
      []

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/reset_default_graph
    """
    if open_graphs():
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared "
            "graph, exit the nesting and create a new graph."
        )
    _DEFAULT.clear()


def set_random_seed(seed: int) -> None:
    """Set the seed of the default graph, or the global seed in eager execution.

    Example:
      >>> import shims.compat.v1 as tf
      >>> with tf.Graph().as_default(), tf.Session() as session:
      ...     tf.set_random_seed(1)
      ...     x = tf.random_normal([2])
      ...     print(session.run(x).shape)
      (2,)

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/set_random_seed
    """
    if executing_eagerly():
        set_seed(seed)
    else:
        get_default_graph().seed = seed
