"""Provide the methods of datasets that choose, order and join elements."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from shims._src.data import (
    batching,
    buffering,
    combining,
    mapping,
    order,
    specs,
    structures,
    windows,
)
from shims._src.data.node import Node, published
from shims._src.data.random_numbers import SeedSource

_PREFETCHED = 2  # elements that are computed ahead when the number is left to the library


class OrderMethods:
    """Methods without functions of the user.

    Attributes:
      node: the description of the elements.
    """

    node: Node

    def batch(
        self,
        batch_size,
        drop_remainder=False,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> Any:
        """Join `batch_size` consecutive elements; ragged and sparse components stay ragged or sparse."""
        del deterministic, name
        is_fused = num_parallel_calls is None and isinstance(self.node, mapping.Map)
        return published(batching.Batch(self.node, int(batch_size), bool(drop_remainder), is_fused))

    def padded_batch(
        self,
        batch_size,
        padded_shapes=None,
        padding_values=None,
        drop_remainder=False,
        name=None,
    ) -> Any:
        """Join consecutive elements, padded to `padded_shapes` or to the largest of the batch."""
        del name
        return published(
            batching.PaddedBatch(
                self.node, int(batch_size), bool(drop_remainder), padded_shapes, padding_values
            )
        )

    def ragged_batch(
        self, batch_size, drop_remainder=False, row_splits_dtype=np.int64, name=None
    ) -> Any:
        """Join consecutive elements to ragged tensors where sizes are unknown."""
        del name
        return published(
            batching.RaggedBatch(self.node, int(batch_size), bool(drop_remainder), row_splits_dtype)
        )

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> Any:
        """Change the size of batches."""
        del name
        rows = batching.Unbatch(self.node)
        return published(batching.Batch(rows, int(batch_size), bool(drop_remainder)))

    def unbatch(self, name=None) -> Any:
        """Split elements into their rows."""
        del name
        return published(batching.Unbatch(self.node))

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None) -> Any:
        """Group `size` elements into a nested dataset, starting every `shift` elements."""
        del name
        size = int(size)
        shift = size if shift is None else int(shift)
        return published(windows.Window(self.node, size, shift, int(stride), bool(drop_remainder)))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None) -> Any:
        """Draw elements at random from a buffer, in TensorFlow's order for the same seeds."""
        del name
        size = int(buffer_size)
        if size == 0 or size < -2:
            raise ValueError(
                f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY: {size}"
            )
        changes = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        return published(order.Shuffle(self.node, size, SeedSource(seed, changes)))

    def repeat(self, count=None, name=None) -> Any:
        """Repeat the dataset `count` times, without end if it is `None` or -1."""
        del name
        return published(order.Repeat(self.node, -1 if count is None else int(count)))

    def take(self, count, name=None) -> Any:
        """Keep the first `count` elements, all of them if it is -1."""
        del name
        count = int(count)
        return published(order.Part(self.node, 0, None if count < 0 else count))

    def skip(self, count, name=None) -> Any:
        """Leave out the first `count` elements, all of them if it is -1."""
        del name
        count = int(count)
        if count < 0:
            return published(order.Repeat(self.node, 0))
        return published(order.Part(self.node, count, None))

    def shard(self, num_shards, index, name=None) -> Any:
        """Keep every `num_shards`-th element, from `index` on."""
        from shims._src.errors import errors

        del name
        shards, index = int(num_shards), int(index)
        if shards < 1:
            raise errors.InvalidArgumentError(
                f"Number of shards must be greater than zero (currently num_shards = {shards})."
            )
        if not 0 <= index < shards:
            raise errors.InvalidArgumentError(
                f"Index must be between 0 and {shards - 1} (currently index = {index})."
            )
        return published(order.Part(self.node, index, None, shards))

    def cache(self, filename="", name=None) -> Any:
        """Cache the elements of the first complete pass, in memory or in a file."""
        del name
        return published(buffering.Cache(self.node, _text(filename)))

    def snapshot(
        self, path, compression="AUTO", reader_func=None, shard_func=None, name=None
    ) -> Any:
        """Keep the elements of the first whole pass in a file."""
        del compression, reader_func, shard_func, name
        return published(buffering.Cache(self.node, _text(path)))

    def prefetch(self, buffer_size, name=None) -> Any:
        """Compute the next elements in a thread; -1 leaves their number to the library."""
        del name
        size = int(buffer_size)
        if size == 0:
            return published(order.Part(self.node, 0, None))
        return published(buffering.Prefetch(self.node, _PREFETCHED if size < 0 else size))

    def concatenate(self, dataset, name=None) -> Any:
        """Append another dataset."""
        del name
        return published(combining.Concatenate(self.node, dataset.node))

    def enumerate(self, start=0, name=None) -> Any:
        """Pair each element with its number."""
        del name
        return published(combining.Enumerate(self.node, int(start)))

    def unique(self, name=None) -> Any:
        """Keep each element once."""
        del name
        return published(combining.Unique(self.node))

    @staticmethod
    def zip(*args, datasets=None, name=None) -> Any:
        """Put the elements of datasets side by side: several datasets, or a structure of them."""
        del name
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        structure = datasets if not args else args[0] if len(args) == 1 else args
        return published(combining.Zip(structures.map_leaves(_node_in_zip, structure)))

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True) -> Any:
        """Take each element from the dataset that `choice_dataset` names."""
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        spec = choice_dataset.node.spec
        wanted = specs.TensorSpec([], np.int64)
        if not (isinstance(spec, specs.TensorSpec) and spec.is_compatible_with(wanted)):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {spec}."
            )
        nodes = [d.node for d in datasets]
        return published(combining.Choose(choice_dataset.node, nodes, bool(stop_on_empty_dataset)))


def _node_in_zip(dataset) -> Node:
    if not isinstance(dataset, OrderMethods):
        raise TypeError(
            "Invalid `datasets`. `datasets` is expected to be a (nested) structure of "
            f"`tf.data.Dataset` objects, but encountered object of type {type(dataset)}."
        )
    return dataset.node


def _text(path) -> str:
    found = path.numpy() if hasattr(path, "numpy") else path
    if isinstance(found, bytes):
        return found.decode(sys.getfilesystemencoding())
    return str(found)
