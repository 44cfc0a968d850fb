"""Define the iterators over datasets, whose position can be saved."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import positions, specs, structures
from shims._src.data.node import Node, Stream, published
from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host


class Iterator:
    """One pass over a dataset: `next` and `get_next` give elements.

    Differs from TensorFlow:
      `get_state` returns the position as a picklable value, which `set_state` restores. A
      `train.Checkpoint` saves an iterator in a form that TensorFlow cannot read; TensorFlow's saved
      iterators cannot be read here.

    https://www.tensorflow.org/api_docs/python/tf/data/Iterator
    """

    __module__ = "shims.data"

    def __init__(self, node: Node):
        self._node = node
        self._stream: Stream = node.stream()

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return structures.map_leaves(_to_be_read, next(self._stream))

    def get_next(self) -> Any:
        """Return the next element.

        Raises:
          OutOfRangeError: there is no next element.
        """
        try:
            return next(self)
        except StopIteration:
            raise errors.OutOfRangeError("End of sequence") from None

    def get_next_as_optional(self) -> Optional:
        """Return the next element, or an empty `Optional` at the end."""
        try:
            return Optional((next(self),), self.element_spec)
        except StopIteration:
            return Optional((), self.element_spec)

    @property
    def element_spec(self) -> Any:
        """The structure of specs of the elements."""
        return self._node.spec

    def get_state(self) -> Any:
        """Return the position as a picklable value."""
        return self._stream.state()

    def set_state(self, state) -> None:
        """Continue from a position that an iterator over the same pipeline gave.

        Args:
          state: the result of `get_state`.
        """
        self._stream.restore(state)

    def checkpoint_arrays(self) -> dict[str, Any]:
        """Return the position for a checkpoint."""
        return {"ITERATOR": np.array(positions.encode(self.get_state()), object)}

    def restore_arrays(self, arrays: dict[str, Any]) -> None:
        """Continue from the position of a checkpoint."""
        self.set_state(positions.decode(arrays["ITERATOR"].item()))

    def __del__(self):
        stream = getattr(self, "_stream", None)
        if stream is not None:
            stream.close()


class NumpyIterator(Iterator):
    """One pass over a dataset as NumPy arrays."""

    def __next__(self) -> Any:
        return structures.map_leaves(_in_numpy, super().__next__())


def _to_be_read(component) -> Any:
    """Return a component of an element, which a program cannot change: the dataset may give it again."""
    found = published(component)
    if isinstance(found, HostTensor):
        found.flags.writeable = False
    return found


def _in_numpy(component) -> Any:
    return component.numpy() if isinstance(component, HostTensor) else component


class Optional:
    """An element, or nothing.

    https://www.tensorflow.org/api_docs/python/tf/experimental/Optional
    """

    __module__ = "shims.experimental"

    def __init__(self, values: tuple, spec):
        self._values, self.element_spec = values, spec

    def has_value(self) -> Any:
        """Return whether there is an element, as a tensor."""
        return host(np.bool_(bool(self._values)))

    def get_value(self) -> Any:
        """Return the element.

        Raises:
          InvalidArgumentError: there is no element.
        """
        if not self._values:
            raise errors.InvalidArgumentError("The given optional does not have a value.")
        return self._values[0]

    @staticmethod
    def empty(element_spec) -> Optional:
        """Return an `Optional` without an element."""
        return Optional((), element_spec)

    @staticmethod
    def from_value(value) -> Optional:
        """Return an `Optional` with an element."""
        return Optional((value,), specs.of_element(value))
