"""Provide the functions of `tf.data.experimental`, which mostly call a method of datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shims._src.data.dataset import Dataset
from shims._src.data.iterators import Iterator, Optional

Transformation = Callable[[Dataset], Dataset]


def _applying(name: str) -> Callable[..., Transformation]:
    """Return a function that takes the arguments of a method, and returns a function of datasets."""

    def transformation(*args, **kwargs) -> Transformation:
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    transformation.__name__ = name
    transformation.__doc__ = f"Return a transformation that calls `Dataset.{name}`."
    return transformation


bucket_by_sequence_length = _applying("bucket_by_sequence_length")
dense_to_ragged_batch = _applying("ragged_batch")
enumerate_dataset = _applying("enumerate")
group_by_window = _applying("group_by_window")
ignore_errors = _applying("ignore_errors")
scan = _applying("scan")
snapshot = _applying("snapshot")
take_while = _applying("take_while")
unbatch = _applying("unbatch")
unique = _applying("unique")


def shuffle_and_repeat(buffer_size, count=None, seed=None) -> Transformation:
    """Return a transformation that shuffles and then repeats."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func,
    batch_size,
    num_parallel_batches=None,
    drop_remainder=False,
    num_parallel_calls=None,
) -> Transformation:
    """Return a transformation that maps and then batches."""
    del num_parallel_batches, num_parallel_calls
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, **others) -> Any:
    """Return a transformation that interleaves."""
    del sloppy, others
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def prefetch_to_device(device, buffer_size=None) -> Transformation:
    """Return a transformation that computes elements ahead; they stay on the host."""
    del device
    return lambda dataset: dataset.prefetch(-1 if buffer_size is None else buffer_size)


def copy_to_device(target_device, source_device="/cpu:0") -> Transformation:
    """Return a transformation that changes nothing: elements stay on the host."""
    del target_device, source_device
    return lambda dataset: dataset


def cardinality(dataset) -> Any:
    """Return the number of elements of a dataset."""
    return dataset.cardinality()


def get_single_element(dataset) -> Any:
    """Return the only element of a dataset."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator) -> Any:
    """Return the structure of specs of the elements."""
    return dataset_or_iterator.element_spec


def get_next_as_optional(iterator: Iterator) -> Optional:
    """Return the next element of an iterator, or an empty `Optional`."""
    return iterator.get_next_as_optional()


def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None) -> None:
    """Write all elements of a dataset to a folder."""
    dataset.save(path, compression, shard_func, checkpoint_args)
