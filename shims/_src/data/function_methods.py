"""Provide the methods of datasets that call functions of the user."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from shims._src.data import elements, interleaving, mapping, structures, windows
from shims._src.data.calls import UserFunction
from shims._src.data.node import Node, published


class FunctionMethods:
    """Methods that take functions; each is called on every element, eagerly.

    Attributes:
      node: the description of the elements.
    """

    node: Node

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> Any:
        """Replace each element by the result of a function of the element."""
        del num_parallel_calls, deterministic, synchronous, use_unbounded_threadpool, name
        return published(mapping.Map(self.node, _callable("map_func", map_func)))

    def filter(self, predicate, name=None) -> Any:
        """Keep the elements for which a function returns true."""
        del name
        return published(mapping.Filter(self.node, _callable("predicate", predicate)))

    def take_while(self, predicate, name=None) -> Any:
        """Keep the elements before the first for which a function returns false."""
        del name
        return published(mapping.Filter(self.node, _callable("predicate", predicate), ends=True))

    def flat_map(self, map_func, name=None) -> Any:
        """Join the datasets that a function returns for the elements."""
        del name
        return published(interleaving.Interleave(self.node, _callable("map_func", map_func), 1, 1))

    def interleave(
        self,
        map_func,
        cycle_length=None,
        block_length=None,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> Any:
        """Read in turn from the datasets that a function returns, `cycle_length` of them at a time."""
        del num_parallel_calls, deterministic, name
        cycle = -1 if cycle_length is None else int(cycle_length)
        if cycle == -1:
            cycle = len(os.sched_getaffinity(0))
        block = 1 if block_length is None else int(block_length)
        if cycle <= 0 or block <= 0:
            raise ValueError("`cycle_length` and `block_length` must be greater than zero.")
        return published(
            interleaving.Interleave(self.node, _callable("map_func", map_func), cycle, block)
        )

    def scan(self, initial_state, scan_func, name=None) -> Any:
        """Replace each element by the second result of a function of a state and the element."""
        del name
        return published(mapping.Scan(self.node, initial_state, scan_func))

    def reduce(self, initial_state, reduce_func, name=None) -> Any:
        """Return the state after a function of the state and each element."""
        del name
        state = initial = elements.element_of(initial_state)
        function = UserFunction(reduce_func)
        for element in self.node.stream():
            state = function(state, element)
            mapping.check_carried("reduce_func", initial, state)
        return structures.map_leaves(published, state)

    def group_by_window(
        self, key_func, reduce_func, window_size=None, window_size_func=None, name=None
    ) -> Any:
        """Join the datasets that a function returns for windows of elements with equal keys."""
        del name
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        size_of = window_size_func or (lambda key: window_size)
        return published(
            windows.GroupByWindow(self.node, key_func, reduce_func, lambda k: int(size_of(k)))
        )

    def bucket_by_sequence_length(
        self,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes=None,
        padding_values=None,
        pad_to_bucket_boundary=False,
        no_padding=False,
        drop_remainder=False,
        name=None,
    ) -> Any:
        """Join elements of similar length into padded batches."""
        del name
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        sizes = [int(n) for n in bucket_batch_sizes]

        def bucket(*element):
            length = int(element_length_func(*element))
            return np.int64(np.searchsorted(bucket_boundaries, length, side="right"))

        def batches(key, group):
            size = sizes[int(key)]
            if no_padding:
                return group.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structures.map_leaves(lambda s: s.shape, group.element_spec)
            if pad_to_bucket_boundary:
                if int(key) >= len(bucket_boundaries):
                    raise ValueError(
                        "When pad_to_bucket_boundary=True, elements must have length < "
                        "max(bucket_boundaries)."
                    )
                shapes = _filled(shapes, group.element_spec, bucket_boundaries[int(key)] - 1)
            return group.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, batches, window_size_func=lambda key: sizes[int(key)])

    def ignore_errors(self, log_warning=False, name=None) -> Any:
        """Leave out each element that raises an error when it is computed."""
        del name
        return published(mapping.IgnoringErrors(self.node, log_warning))

    def apply(self, transformation_func) -> Any:
        """Return the result of a function of datasets for this dataset."""
        found = transformation_func(self)
        if not hasattr(found, "node"):
            raise TypeError(
                "Invalid `transformation_func`. `transformation_func` must return a "
                f"`tf.data.Dataset` object. Got {type(found)}."
            )
        return found


def _callable(name: str, function) -> Any:
    if not callable(function):
        raise TypeError(f"`{name}` must be callable, got: {function!r}")
    return function


def _filled(shapes, spec, size: int) -> Any:
    """Replace the unknown sizes in a structure of shapes."""
    if structures.is_container(spec):
        pairs = zip(structures.children(shapes), structures.children(spec), strict=True)
        return structures.rebuild(spec, [_filled(shape, s, size) for shape, s in pairs])
    return [size if n is None or n == -1 else n for n in shapes]
