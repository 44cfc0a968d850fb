"""Determine the default graph: that of the innermost `with` block, or the global one."""

from __future__ import annotations

from shims._src.random.global_seed import set_seed
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.modes import executing_eagerly, open_graphs

_DEFAULT: list[Graph] = []


def get_default_graph() -> Graph:
    """Return the graph to which new operations are added.

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

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/set_random_seed
    """
    if executing_eagerly():
        set_seed(seed)
    else:
        get_default_graph().seed = seed
