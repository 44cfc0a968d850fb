"""Run functions of the user on the elements of a dataset, as graphs of their own.

A function is called once, on placeholders; a session of its own then computes each element.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shims._src.data import specs, structures
from shims._src.data.dataset import Dataset as Pipeline
from shims._src.errors import errors
from shims._src.v1.data.components import component, outputs_of, spec_of
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.host_calls import at_once
from shims._src.v1.graph.nodes import Tensor, is_graph_value
from shims._src.v1.graph.placeholders import placeholder
from shims._src.v1.session.session import Session


class _FunctionGraph(Graph):
    """The graph of a function, with a placeholder for each tensor of the graph around it that it uses."""

    def __init__(self):
        super().__init__()
        self.captured: dict[Tensor, Tensor] = {}

    def input_of(self, tensor: Tensor) -> Tensor:
        """Return a tensor of this graph, and the placeholder of another one."""
        if tensor.graph is self:
            return tensor
        if tensor not in self.captured:
            block, self.block = self.block, self.root
            try:
                with self.as_default():
                    self.captured[tensor] = placeholder(tensor.dtype, tensor.shape)
            finally:
                self.block = block
        return self.captured[tensor]


class _Traced:
    """The graph of a function: its placeholders and results, and the session that runs it."""

    def __init__(self):
        self.session: Any = None
        self.captured: dict[Tensor, Tensor] = {}
        self.placeholders: list[Tensor] = []
        self.results: Any = None


class ElementFunction:
    """A function of elements.

    Args:
      function: the user's function.
      is_dataset: tells the datasets of `v1.data` from tensors.
      as_dataset: converts a dataset of `shims.data` to one of `v1.data`.
      seed: the seed of the graph in which the function is given.
    """

    def __init__(self, function: Callable, is_dataset: Callable, as_dataset: Callable, seed):
        self._function, self._is_dataset, self._as_dataset = function, is_dataset, as_dataset
        self._seed = seed
        self._traced = _Traced()
        self._drawn: dict = {}
        self._captured_values: list = []

    @property
    def captured(self) -> list[Tensor]:
        """The tensors of the graph around the function that it uses; known after it was called once."""
        return list(self._traced.captured)

    @property
    def is_traced(self) -> bool:
        """Whether the function was called."""
        return self._traced.session is not None

    def fresh(self, value_of: Callable) -> ElementFunction:
        """Return the function for another iterator, which draws random numbers from the start.

        Args:
          value_of: a function that returns the value of a captured tensor.
        """
        found = copy.copy(self)
        found._drawn = {}
        found._captured_values = [value_of(t) for t in self.captured]
        return found

    def results_for(self, spec) -> Any:
        """Return the structure of specs of the results for elements of a structure of specs."""
        self._trace(*(spec if type(spec) is tuple else (spec,)))
        return structures.map_leaves(spec_of, self._traced.results)

    def __call__(self, *arguments) -> Any:
        """Return the results for the parts of an element."""
        if any(isinstance(x, Pipeline) for a in arguments for x in structures.flatten(a)):
            given = [structures.map_leaves(self._as_dataset, a) for a in arguments]
            found = at_once(self._function, *given)
            return structures.map_leaves(self._without_tensors, found)
        traced = self._traced
        if traced.session is None:
            self._trace(*(structures.map_leaves(_spec_of_value, a) for a in arguments))
        if len(traced.captured) != len(self._captured_values):
            raise _unknown_value_error(self.captured)
        values = [v for a in arguments for x in structures.flatten(a) for v in jax.tree.leaves(x)]
        feeds = dict(zip(traced.placeholders, values, strict=True))
        feeds.update(zip(traced.captured.values(), self._captured_values, strict=True))
        leaves = structures.flatten(traced.results)
        needed = list(dict.fromkeys(t for x in leaves for t in self._tensors_in(x)))
        known = dict(zip(needed, self._run(needed, feeds), strict=True))
        return structures.map_leaves(lambda x: self._valued(x, known), traced.results)

    def _run(self, needed, feeds) -> list:
        """Run the graph, with the random numbers that follow those of this iterator."""
        session = self._traced.session
        for key, (slot, _) in session.counters.items():
            slot.stored_value = self._drawn.get(key, np.zeros(2, np.uint32))
        found = session.run(needed, feeds)
        self._drawn = {key: slot.stored_value for key, (slot, _) in session.counters.items()}
        return found

    def _trace(self, *arguments) -> None:
        graph, traced = _FunctionGraph(), self._traced
        traced.captured = graph.captured
        graph.seed = self._seed
        with graph.as_default():
            outputs = [o for a in arguments for s in structures.flatten(a) for o in outputs_of(s)]
            traced.placeholders = [placeholder(dtype, shape) for shape, dtype in outputs]
            leaves = iter(traced.placeholders)
            given = [structures.map_leaves(lambda s: component(s, leaves), a) for a in arguments]
            found = self._function(*given)
            found = tuple(found) if isinstance(found, list) else found
            traced.results = structures.map_leaves(lambda x: self._as_tensor(graph, x), found)
        traced.session = Session(graph=graph)

    def _as_tensor(self, graph, value) -> Any:
        if value is None or self._is_dataset(value) or is_composite_of_tensors(value):
            return value
        return graph.input_of(convert_to_tensor(value))

    def _tensors_in(self, leaf) -> list[Tensor]:
        return leaf.operands if self._is_dataset(leaf) else jax.tree.leaves(leaf)

    def _valued(self, leaf, known) -> Any:
        """Replace the tensors of a result by their values."""
        if self._is_dataset(leaf):
            return leaf.pipeline([known[t] for t in leaf.operands])
        return jax.tree.map(known.__getitem__, leaf)

    def _without_tensors(self, leaf) -> Any:
        return leaf.pipeline() if self._is_dataset(leaf) else leaf


def _unknown_value_error(captured: list[Tensor]) -> errors.UnimplementedError:
    return errors.UnimplementedError(
        errors.message(
            "tf.data",
            f"a function uses {', '.join(t.name for t in captured)} from the enclosing graph, but the value is "
            "not known where the function is called.",
            do=(
                "create the tensor inside the function, or make the tensor part of each element: "
                "`tf.data.Dataset.zip((dataset, tf.data.Dataset.from_tensors(tensor).repeat()))`"
            ),
        )
    )


def is_composite_of_tensors(value) -> bool:
    """Return whether a value is a sparse or ragged tensor of a graph."""
    leaves = jax.tree.leaves(value)
    return (
        not isinstance(value, Tensor)
        and bool(leaves)
        and leaves[0] is not value
        and all(map(is_graph_value, leaves))
    )


def _spec_of_value(value) -> Any:
    """Return the spec of a value whose sizes may all differ in the next element."""
    found = specs.spec_of(value)
    if isinstance(found, specs.TensorSpec):
        return specs.TensorSpec([None] * len(found.shape), found.dtype)
    return found
