"""Provide iterators of graphs, whose `get_next` is an operation that a session advances."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shims._src.data import iterators, structures
from shims._src.data.specs import TensorSpec
from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype, string
from shims._src.v1.data.components import component, outputs_of
from shims._src.v1.data.datasets import Dataset, Elements
from shims._src.v1.data.turns import turn_of
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.host_calls import at_once
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape


class Iterator(Elements):
    """A position in a dataset, which each session keeps for itself.

    Args:
      spec: the structure of specs of the elements.
      initializer: the operation that moves the iterator to the first element, or `None`.
      handle: the string tensor that names the iterator.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/data/Iterator
    """

    __module__ = "shims.compat.v1.data"

    def __init__(self, spec, initializer, handle: Tensor):
        self.element_spec = spec
        self._initializer, self._handle = initializer, handle

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """Create an iterator without a dataset; `make_initializer` gives it one.

        Args:
          output_types: the structure of dtypes of the elements.
          output_shapes: the structure of static shapes; unknown by default.
          shared_name: accepted and ignored.
          output_classes: accepted and ignored, because only tensors are supported.
        """
        return Iterator(_declared(output_types, output_shapes), None, _resource())

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """Create an iterator that, during a run, acts as the iterator that `string_handle` names."""
        handle = convert_to_tensor(string_handle, string)
        return Iterator(_declared(output_types, output_shapes), None, handle)

    @property
    def initializer(self) -> Operation:
        """The operation that moves the iterator to the first element.

        Raises:
          ValueError: the iterator is initialized in another way.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Dataset, name=None) -> Operation:
        """Return an operation that moves the iterator to the start of a dataset of the same structure.

        Raises:
          TypeError: the dataset has elements of other dtypes or shapes.
        """
        given = structures.flatten(dataset.output_types), structures.flatten(dataset.output_shapes)
        own = structures.flatten(self.output_types), structures.flatten(self.output_shapes)
        same = structures.are_alike(dataset.output_types, self.output_types) and given[0] == own[0]
        if not same or not all(map(GraphShape.is_compatible_with, *(own[1], given[1]))):
            raise TypeError(
                f"Expected output types {self.output_types!r} and shapes {self.output_shapes!r} but "
                f"got dataset with output types {dataset.output_types!r} and shapes "
                f"{dataset.output_shapes!r}."
            )
        return _initializer(dataset, self._handle, name or "make_initializer")

    def get_next(self, name=None) -> Any:
        """Return the tensors of the next element; each run in which they are used advances once."""
        graph = get_default_graph()
        outputs = [out for s in structures.flatten(self.element_spec) for out in outputs_of(s)]
        unique = graph.unique_name(name or "IteratorGetNext")
        controls = graph.present_control_inputs()
        op = Operation(
            graph, "IteratorGetNext", unique, _next_values, [self._handle], outputs, controls
        )
        op.on_host = True
        op.links = (frozenset(),) * len(outputs)
        leaves = iter(op.outputs)
        return structures.map_leaves(lambda s: component(s, leaves), self.element_spec)

    def string_handle(self, name=None) -> Tensor:
        """Return the scalar string that names this iterator in `from_string_handle`."""
        return self._handle


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """Return an iterator that starts at the first element by itself.

    Raises:
      ValueError: the dataset depends on tensors of the graph that are not constants.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/data/make_one_shot_iterator
    """
    if executing_eagerly():
        return iter(dataset)
    values = [t.op.attributes.get("value") for t in dataset.operands]
    if any(value is None for value in values):
        names = [t.name for t, v in zip(dataset.operands, values, strict=True) if v is None]
        raise ValueError(
            f"make_one_shot_iterator: the dataset depends on {', '.join(names)}. Use "
            "`make_initializable_iterator` instead."
        )

    def started(session):
        return iterators.Iterator(dataset.pipeline(values).node)

    return Iterator(dataset.element_spec, None, _resource(started))


def bind_iterators() -> None:
    """Define the methods of datasets that create iterators."""
    cls: Any = Dataset
    cls.make_one_shot_iterator = make_one_shot_iterator
    cls.make_initializable_iterator = make_initializable_iterator


def make_initializable_iterator(dataset: Dataset, shared_name=None) -> Iterator:
    """Return an iterator that starts when its `initializer` runs.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/data/make_initializable_iterator
    """
    if executing_eagerly():
        raise RuntimeError(
            "dataset.make_initializable_iterator is not supported when eager execution is enabled. "
            "Use `for element in dataset` instead."
        )
    handle = _resource()
    return Iterator(dataset.element_spec, _initializer(dataset, handle, "MakeIterator"), handle)


def _declared(output_types, output_shapes) -> Any:
    """Return the structure of specs for a structure of dtypes and, perhaps, one of shapes."""
    if output_shapes is None:
        return structures.map_leaves(lambda d: TensorSpec(None, as_dtype(d).dtype), output_types)
    return structures.map_leaves(
        lambda d, shape: TensorSpec(
            None if GraphShape(shape).rank is None else GraphShape(shape).as_list(),
            as_dtype(d).dtype,
        ),
        output_types,
        output_shapes,
    )


def _resource(start=None) -> Tensor:
    """Add the operation that names an iterator; `start` makes its position when it is first used."""
    graph = get_default_graph()
    kind = "IteratorV2" if start is None else "OneShotIterator"
    name = graph.unique_name(kind)
    handle = np.array(name.encode(), object)

    def compute(session, op, values):
        return [handle]

    op = Operation(graph, kind, name, compute, (), [((), string)])
    op.on_host = True
    op.links = (frozenset(),)
    graph.storage.setdefault("iterators", {})[handle.item()] = start
    graph.count(1)
    return op.outputs[0]


def _initializer(dataset: Dataset, handle: Tensor, name: str) -> Operation:
    graph = get_default_graph()

    def compute(session, op, values):
        found = dataset.pipeline(values[1:])
        session.iterators[values[0].item()] = at_once(iterators.Iterator, found.node)
        return []

    inputs = [handle, *dataset.operands]
    op = Operation(graph, "MakeIterator", graph.unique_name(name), compute, inputs)
    op.on_host = True
    return op


def _next_values(session, op: Operation, values) -> list:
    """Return the components of the next element of the iterator that `values` names."""
    handle = values[0].item()
    with turn_of(session, f"iterator {handle}"):
        element = _advanced(session, handle)
    leaves = [x for x in structures.flatten(element) if x is not None]
    found = [np.asarray(part) for leaf in leaves for part in jax.tree.leaves(leaf)]
    for value, tensor in zip(found, op.outputs, strict=True):
        tensor.shape.assert_is_compatible_with(GraphShape(value.shape))
    return found


def _advanced(session, handle) -> Any:
    """Return the next element of an iterator, which starts when it is first used."""
    if handle not in session.iterators:
        start = session.graph.storage.get("iterators", {}).get(handle)
        if start is None:
            raise errors.FailedPreconditionError(
                errors.with_place(
                    "GetNext() failed because the iterator has not been initialized. Ensure that "
                    "you have run the initializer operation for this iterator before getting the "
                    "next element.",
                    errors.user_line(),
                )
            )
        session.iterators[handle] = start(session)
    return at_once(session.iterators[handle].get_next)
