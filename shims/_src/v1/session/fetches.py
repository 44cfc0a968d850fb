"""What a session is asked for: tensors and operations in nested structures."""

from __future__ import annotations

import collections
from typing import Any

import jax

from shims._src.v1.graph.nodes import Operation, Tensor

SparseTensorValue = collections.namedtuple("SparseTensorValue", "indices values dense_shape")
IndexedSlicesValue = collections.namedtuple("IndexedSlicesValue", "values indices dense_shape")

_VALUE_OF = {"SparseTensor": SparseTensorValue, "IndexedSlices": IndexedSlicesValue}


class Fetches:
    """The tensors and operations in nested fetches.

    Args:
      graph: the session's graph.
      fetches: lists, tuples, named tuples, dicts; tensors, operations, variables, names in them.

    Attributes:
      tensors: what must be computed, in the order of first mention.
      operations: what must run.

    Raises:
      TypeError: something in it cannot be fetched.
      ValueError: something in it is not in the graph.
    """

    def __init__(self, graph, fetches):
        self._graph = graph
        self._found: dict[Any, None] = {}
        self._shape = self._taken(fetches)
        self.tensors = [x for x in self._found if isinstance(x, Tensor)]
        self.operations = [x for x in self._found if isinstance(x, Operation)]

    def structured(self, values: dict[Tensor, Any]):
        """The values in the structure of the fetches."""
        return self._shape(values)

    def _taken(self, fetch):
        """A function that builds the part of the answer which stands for `fetch`."""
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be'
                " None"
            )
        if isinstance(fetch, (list, tuple)):
            parts = [self._taken(f) for f in fetch]
            make = type(fetch)
            if hasattr(fetch, "_fields"):
                return lambda values: make(*(p(values) for p in parts))
            return lambda values: make(p(values) for p in parts)
        if isinstance(fetch, dict):
            named = {k: self._taken(f) for k, f in fetch.items()}
            make = type(fetch)
            if make in (dict, collections.OrderedDict):
                return lambda values: make((k, p(values)) for k, p in named.items())
            return lambda values: {k: p(values) for k, p in named.items()}
        if getattr(fetch, "is_composite", False):
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
