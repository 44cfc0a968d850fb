"""Divide the batches of datasets among replicas."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from shims._src.distribute.per_replica import PerReplica
from shims._src.errors import errors


class DistributedDataset:
    """A dataset of which each replica gets a part of every element.

    https://www.tensorflow.org/api_docs/python/tf/distribute/DistributedDataset
    """

    __module__ = "shims.distribute"

    def __init__(self, parts, mesh):
        self._parts, self._mesh = parts, mesh

    def __iter__(self) -> DistributedIterator:
        """Begin a pass: an iterator over structures of the values of all replicas."""
        return DistributedIterator(
            placed(capacity, parts, self._mesh) for capacity, parts in self._parts()
        )


class DistributedIterator:
    """A pass over a distributed dataset.

    https://www.tensorflow.org/api_docs/python/tf/distribute/DistributedIterator
    """

    __module__ = "shims.distribute"

    def __init__(self, elements: Iterator[Any]):
        self._elements = elements

    def __iter__(self) -> DistributedIterator:
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def get_next(self) -> Any:
        """Return the next element.

        Raises:
          OutOfRangeError: there is none.
        """
        try:
            return next(self._elements)
        except StopIteration:
            raise errors.OutOfRangeError("End of sequence") from None


def divided(dataset, mesh) -> DistributedDataset:
    """Divide each batch of a dataset: each replica gets rows that follow each other."""
    count = len(mesh.local_devices)

    def parts() -> Iterator[tuple[int, list]]:
        capacity = 0
        for element in dataset:
            rows = {np.shape(x)[0] for x in jax.tree.leaves(element) if np.ndim(x)}
            if len(rows) != 1:
                raise _no_batch(element)
            sizes = _shares(rows.pop(), count)
            capacity = max(capacity, sizes[0])
            ends = list(itertools.accumulate(sizes))
            yield (
                capacity,
                [
                    jax.tree.map(lambda x, a=end - size, b=end: _rows(x, a, b), element)
                    for size, end in zip(sizes, ends, strict=True)
                ],
            )

    return DistributedDataset(parts, mesh)


def grouped(dataset, mesh) -> DistributedDataset:
    """Give each replica a batch of a dataset, one after another; those that get none have an empty one."""
    count = len(mesh.local_devices)

    def parts() -> Iterator[tuple[int, list]]:
        elements = iter(dataset)
        while found := list(itertools.islice(elements, count)):
            capacity = max(np.shape(x)[0] for e in found for x in jax.tree.leaves(e) if np.ndim(x))
            nothing = jax.tree.map(lambda x: _rows(x, 0, 0), found[0])
            yield capacity, found + [nothing] * (count - len(found))

    return DistributedDataset(parts, mesh)


def _shares(rows: int, count: int) -> list[int]:
    """Divide a number of rows as TensorFlow does: the shares are equal, but the last shares may be smaller or empty."""
    share = -(-rows // count)
    return [min(share, max(0, rows - i * share)) for i in range(count)]


def _rows(x, first: int, end: int) -> np.ndarray:
    x = np.asarray(x)
    return x[first:end] if x.ndim else x


def placed(capacity: int, parts: list, mesh) -> Any:
    """Return a structure of `PerReplica`s, given one structure for each device of this process.

    Args:
      capacity: at least the first size of each array; the same in all processes.
      parts: the structures.
      mesh: the mesh of the replicas.
    """
    return jax.tree.map(lambda *xs: _placed(capacity, list(map(np.asarray, xs)), mesh), *parts)


def _placed(capacity: int, parts: list, mesh) -> PerReplica:
    over = NamedSharding(mesh, PartitionSpec(mesh.axis_names[0]))
    if not parts[0].ndim or (not mesh.is_multi_process and len({x.shape for x in parts}) == 1):
        return PerReplica(jax.make_array_from_process_local_data(over, np.stack(parts)))
    # Another process may have fewer rows, and all must run the same program.
    stacked = np.stack([_padded(x, capacity) for x in parts])
    sizes = np.array([x.shape[0] for x in parts], np.int32)
    return PerReplica(*(jax.make_array_from_process_local_data(over, x) for x in (stacked, sizes)))


def _padded(x: np.ndarray, capacity: int) -> np.ndarray:
    return np.concatenate([x, np.zeros((capacity - x.shape[0], *x.shape[1:]), x.dtype)])


def _no_batch(element):
    return errors.InvalidArgumentError(
        errors.message(
            "Strategy.experimental_distribute_dataset",
            "the arrays of an element have different sizes along axis 0, so the rows cannot be divided among the "
            "replicas.",
            required="arrays `[batch, ...]`",
            received=str(jax.tree.map(np.shape, element)),
            do="`batch` the dataset before it is distributed.",
        )
    )
