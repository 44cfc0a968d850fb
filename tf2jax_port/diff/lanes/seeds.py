"""Set the seeds before every call of the original program, if it uses random numbers.

`tf.random.set_seed` clears the caches of TensorFlow's kernels and of its optimized graphs: a call of a
small function takes five times as long afterwards. It is therefore skipped if the original uses
no random numbers.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from tf2jax_port.diff.values.attempt import attempt

_SEEDS = {"seed", "seed2"}


def host_state() -> tuple[Any, ...]:
    """Return the state of NumPy's and Python's global random numbers, which every draw changes."""
    _, keys, place, *_ = np.random.get_state()
    return np.asarray(keys).tobytes(), place, random.getstate()


class Seeds:
    """Sets the seeds of `tf.random`, NumPy and Python.

    TensorFlow's own operators request their seeds from one function, when they run or are traced;
    calls of `tf.raw_ops` pass seeds themselves, which shows in the graph. TensorFlow's seed is set
    each time if the original has used random numbers, or if no graph of it was traced yet.

    Args:
      tf: the module `tensorflow`.
      seed: the seed of all three.
    """

    def __init__(self, tf: Any, seed: int) -> None:
        self._tf = tf
        self._seed = seed
        self._draws = False
        self._known = False

    @contextlib.contextmanager
    def fresh(self) -> Iterator[None]:
        """Set all seeds, then run the `with` block."""
        np.random.seed(self._seed)
        random.seed(self._seed)
        if self._draws or not self._known:
            self._tf.random.set_seed(self._seed)
        with self.watched():
            yield

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Detect whether the `with` block runs or traces code that uses TensorFlow's random numbers."""
        from tensorflow.python.framework import random_seed

        asked = random_seed.get_seed

        def get_seed(op_seed: Any) -> Any:
            self._draws = True
            return asked(op_seed)

        random_seed.get_seed = get_seed
        try:
            yield
        finally:
            random_seed.get_seed = asked

    def saw(self, graph: Any) -> None:
        """Record whether a traced graph of the original contains random operations."""
        draws = attempt(_has_seeds, graph)
        if isinstance(draws, bool):
            self._known = True
        self._draws = self._draws or draws is not False


def _has_seeds(graph: Any) -> bool:
    """Return whether an operation in a `FuncGraph`, or in a function that it calls, has a seed."""
    kinds = {operation.type: operation.op_def for operation in graph.get_operations()}
    attributes = [attribute for kind in kinds.values() for attribute in kind.attr]
    if any(attribute.name in _SEEDS for attribute in attributes):
        return True
    if not any(attribute.type in ("func", "list(func)") for attribute in attributes):
        return False
    functions = graph.as_graph_def().library.function
    return any(not _SEEDS.isdisjoint(node.attr) for one in functions for node in one.node_def)
