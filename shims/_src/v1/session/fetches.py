"""Flatten the fetches of a session run to tensors and operations, and rebuild their structure."""

from __future__ import annotations

import collections
from typing import Any

import jax

from shims._src.types.composite import is_composite
from shims._src.v1.graph.nodes import Operation, Tensor

SparseTensorValue = collections.namedtuple("SparseTensorValue", "indices values dense_shape")
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", "values indices dense_shape")

_VALUE_OF = {"SparseTensor": SparseTensorValue, "IndexedSlices": IndexedSlicesValue}


class Fetches:
    """The tensors and operations in a nested structure of fetches.

    Args:
      graph: the session's graph.
      fetches: nested lists, tuples, named tuples and dicts of tensors, operations, variables and names.

    Attributes:
      tensors: the tensors that must be computed, in the order of first mention.
      operations: the operations that must run.

    Raises:
      TypeError: an element cannot be fetched.
      ValueError: an element is not in the graph.
    """

    def __init__(self, graph, fetches):
        self._graph = graph
        self._found: dict[Any, None] = {}
        self._shape = self._result_builder(fetches)
        self.tensors = [x for x in self._found if isinstance(x, Tensor)]
        self.operations = [x for x in self._found if isinstance(x, Operation)]

    def structured(self, values: dict[Tensor, Any]):
        """Arrange the values of the fetched tensors in the structure of the fetches."""
        return self._shape(values)

    def _result_builder(self, fetch):
        """Return a function that builds the result for `fetch` from the values of all tensors."""
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be'
                " None"
            )
        if isinstance(fetch, (list, tuple)):
            parts = [self._result_builder(f) for f in fetch]
            make = type(fetch)
            if hasattr(fetch, "_fields"):
                return lambda values: make(*(p(values) for p in parts))
            return lambda values: make(p(values) for p in parts)
        if isinstance(fetch, dict):
            named = {k: self._result_builder(f) for k, f in fetch.items()}
            make = type(fetch)
            if make in (dict, collections.OrderedDict):
                return lambda values: make((k, p(values)) for k, p in named.items())
            return lambda values: {k: p(values) for k, p in named.items()}
        if is_composite(fetch):
            return self._composite(fetch)
        return self._single(fetch)

    def _composite(self, fetch):
        parts = [self._single(t) for t in jax.tree.leaves(fetch)]
        make = _VALUE_OF.get(type(fetch).__name__)
        if make is not None:
            missing = len(make._fields) - len(parts)
            return lambda values: make(*(p(values) for p in parts), *[None] * missing)
        tree = jax.tree.structure(fetch)
        return lambda values: jax.tree.unflatten(tree, [p(values) for p in parts])

    def _single(self, fetch):
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from None
        self._found[element] = None
        return lambda values: values.get(element)
