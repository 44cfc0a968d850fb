"""Provide `Dataset`, the input pipeline of a program."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from shims._src.data import (
    buffering,
    choosing,
    elements,
    files,
    generator_values,
    keras_adapter,
    order,
    sources,
)
from shims._src.data.function_methods import FunctionMethods
from shims._src.data.iterators import Iterator, NumpyIterator
from shims._src.data.node import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Node, Published
from shims._src.data.options import Options
from shims._src.data.order_methods import OrderMethods
from shims._src.data.random_numbers import SeedSource
from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_spec import as_numpy_dtype


class Dataset(OrderMethods, FunctionMethods):
    """Elements that a program reads one after the other: structures of tensors on the host.

    Each component of an element is a `HostTensor` with TensorFlow's dtype (64-bit dtypes included),
    or a ragged or sparse tensor of `HostTensor`s.

    Differs from TensorFlow:
      Functions are not traced once, but called with the values of every element. Python code in the functions
      runs each time, and the `element_spec` of their results comes from calls with placeholder elements.
      Elements are computed in order, whatever `num_parallel_calls` and `deterministic` say. With the same
      seeds, however, `shuffle` returns the elements in the same order as TensorFlow.

    Under jit:
      Datasets are computed on the host. A compiled function accepts elements of a dataset as
      arguments.

    Example:
      >>> import shims
      >>> ds = shims.data.Dataset.range(5).map(lambda x: x * 2).batch(2)
      >>> [batch.numpy().tolist() for batch in ds]
      [[0, 2], [4, 6], [8]]

    https://www.tensorflow.org/api_docs/python/tf/data/Dataset
    """

    __module__ = "shims.data"

    def __init__(self, node: Node):
        self.node = node
        keras_adapter.bind(Dataset)
        self._options: Options | None = None

    def __shims_dataset__(self) -> Node:
        return self.node

    # ---- sources ---------------------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors, name=None) -> Dataset:
        """Return a dataset of one element."""
        del name
        return Dataset(sources.Values([elements.element_of(tensors)]))

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> Dataset:
        """Return a dataset of the rows of a structure of arrays, ragged and sparse tensors."""
        del name
        return Dataset(sources.Slices(elements.element_of(tensors)))

    @staticmethod
    def from_generator(
        generator,
        output_types=None,
        output_shapes=None,
        args=None,
        output_signature=None,
        name=None,
    ) -> Dataset:
        """Return a dataset of the values of a generator function, which every pass calls again."""
        del name
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None:
            if output_types is None:
                raise TypeError(
                    "Either `output_signature` or `output_types` must be specified in a call to "
                    "`Dataset.from_generator`."
                )
            output_signature = generator_values.declared(output_types, output_shapes)
        elif output_types is not None or output_shapes is not None:
            raise TypeError(
                "`output_types` and `output_shapes` must not be given with `output_signature`."
            )
        return Dataset(sources.Generated(generator, tuple(args or ()), output_signature))

    @staticmethod
    def range(*args, output_type=np.int64, name=None) -> Dataset:
        """Return a dataset of the numbers from `start` to below `stop`."""
        del name
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3: {args}"
            )
        given = [int(np.asarray(n)) for n in args]
        start, stop, step = [0, *given, 1] if len(given) == 1 else [*given, 1][:3]
        return Dataset(sources.Range(start, stop, step, as_numpy_dtype(output_type)))

    @staticmethod
    def counter(start=0, step=1, dtype=np.int64, name=None) -> Dataset:
        """Return an endless dataset of the numbers from `start`."""
        del name
        last = np.iinfo(np.int64).max if step > 0 else np.iinfo(np.int64).min
        return Dataset(sources.Range(int(start), int(last), int(step), as_numpy_dtype(dtype), True))

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None) -> Dataset:
        """Return an endless dataset of the random numbers that TensorFlow draws for the same seeds."""
        del name
        return Dataset(sources.Random(SeedSource(seed, bool(rerandomize_each_iteration))))

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> Dataset:
        """Return a dataset of the names of the files that match a pattern or several patterns."""
        del name
        found = files.matching(file_pattern)
        names = Dataset.from_tensor_slices(np.array([f.encode() for f in found], object))
        if shuffle is None or shuffle:
            return names.shuffle(len(found), seed=seed)
        return names

    @staticmethod
    def sample_from_datasets(
        datasets,
        weights=None,
        seed=None,
        stop_on_empty_dataset=False,
        rerandomize_each_iteration=None,
    ) -> Dataset:
        """Take each element from a dataset that is drawn with probabilities `weights`."""
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        nodes = [d.node for d in datasets]
        if isinstance(weights, Dataset):
            return Dataset(choosing.by_weights(weights.node, nodes, seed, stop_on_empty_dataset))
        changes = bool(rerandomize_each_iteration)
        return Dataset(choosing.sampled(nodes, weights, seed, stop_on_empty_dataset, changes))

    @staticmethod
    def load(path, element_spec=None, compression=None, reader_func=None, wait=False) -> Dataset:
        """Return a dataset of the elements that `save` wrote."""
        del compression, reader_func, wait
        return Dataset(buffering.Saved(str(path), element_spec))

    def save(self, path, compression=None, shard_func=None, checkpoint_args=None) -> None:
        """Write all elements to a folder, which `load` can read, but TensorFlow cannot."""
        del compression, shard_func, checkpoint_args
        buffering.write(str(path), self.node)

    # ---- reading ---------------------------------------------------------------------------------

    def __iter__(self) -> Iterator:
        return Iterator(self.node)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Return an iterator that gives NumPy arrays, and `bytes` for strings."""
        return NumpyIterator(self.node)

    def get_single_element(self, name=None) -> Any:
        """Return the only element.

        Raises:
          InvalidArgumentError: the dataset has no element, or more than one.
        """
        del name
        found = list(builtins.zip(self, builtins.range(2)))
        if len(found) != 1:
            few = "Dataset was empty." if not found else "Dataset had more than one element."
            raise errors.InvalidArgumentError(few)
        return found[0][0]

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self.node.spec

    def cardinality(self) -> HostTensor:
        """Return the number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`."""
        return host(np.int64(self.node.cardinality()))

    def __len__(self) -> int:
        size = self.node.cardinality()
        if size == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return size

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec}>"

    # ---- options ---------------------------------------------------------------------------------

    def with_options(self, options, name=None) -> Dataset:
        """Return the same dataset with settings, which have no effect."""
        del name
        out = Dataset(self.node)
        out._options = self.options().merge(options)
        return out

    def options(self) -> Options:
        """Return the settings."""
        return self._options or Options()


Published.as_dataset = Dataset


def assert_cardinality(expected_cardinality) -> Any:
    """Return a transformation that declares the number of elements.

    Args:
      expected_cardinality: the number of elements, which every complete pass checks.

    Returns:
      A function of datasets for `Dataset.apply`.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/assert_cardinality
    """
    expected = int(np.asarray(expected_cardinality))
    return lambda dataset: Dataset(order.AssertedCardinality(dataset.node, expected))
