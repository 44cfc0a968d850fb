"""Define `tf.TensorArray`, a list whose elements are written and read by position."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.array.cutting import entries
from shims._src.array.shapes import size_of
from shims._src.control_flow.element_buffer import ElementBuffer
from shims._src.control_flow.staging import ambient_is_staging, is_staged
from shims._src.control_flow.tensor_array_checks import check_parts, check_slices, lengths_of_parts
from shims._src.control_flow.tensor_array_state import ListState, Settings
from shims._src.control_flow.tensor_array_storage import Elements, Stacked, parts_of, unwritten
from shims._src.sizes import primitives
from shims._src.types.tensor_shape import TensorShape


@jax.tree_util.register_pytree_node_class
class TensorArray(ListState):
    """A list of arrays of the same dtype, written and read by position.

    In eager execution, a write changes the object and returns the object. While a program is
    traced, a write returns a new object and leaves the old object unchanged, as in TensorFlow.

    Args:
      dtype: the dtype of the elements.
      size: the number of elements, which may be traced inside `shims.function`; 0 when `None`.
      dynamic_size: whether writing past the end makes the list longer.
      clear_after_read: whether an element can be read only once in eager execution; True when `None`.
      tensor_array_name: ignored.
      handle: must be `None`.
      flow: ignored.
      infer_shape: whether all elements must have the same shape.
      element_shape: the shape of the elements, as far as it is known.
      colocate_with_first_write_call: ignored.
      name: ignored.

    Raises:
      ValueError: `handle` is given.

    Differs from TensorFlow:
      `grad` does not exist: gradients flow through all methods.

    Under jit:
      A `TensorArray` may be the state of a loop. An element that was never written is 0.

    Example:
      >>> import shims
      >>> array = shims.TensorArray(shims.float32, size=2)
      >>> array = array.write(1, 5.0)
      >>> array.stack().tolist()
      [0.0, 5.0]

    https://www.tensorflow.org/api_docs/python/tf/TensorArray
    """

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        if handle is not None:
            raise ValueError(
                "TensorArray: `handle` is an argument of TensorFlow 1, and is not supported."
            )
        self._settings = Settings.of(
            dtype, dynamic_size, clear_after_read, infer_shape, element_shape
        )
        size = size_of("TensorArray", 0 if size is None else size)
        self._storage = unwritten(size)

    # ---- what is known ---------------------------------------------------------------------------

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._settings.dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes the list longer."""
        return self._settings.dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return TensorShape(self._settings.element_shape)

    @property
    def flow(self):
        """A scalar 0; TensorFlow uses it to order operations."""
        return jnp.zeros(())

    @property
    def handle(self):
        """`None`; handles belong to TensorFlow 1."""
        return None

    def identity(self) -> TensorArray:
        """Return the list itself."""
        return self

    def close(self, name=None) -> None:
        """Do nothing; memory is released automatically."""

    def size(self, name=None):
        """Return the number of elements, an int32 scalar.

        Args:
          name: ignored.
        """
        return primitives.as_size(self._storage.count)

    # ---- one element -----------------------------------------------------------------------------

    def write(self, index, value, name=None) -> TensorArray:
        """Return the list with an element written at a position.

        Args:
          index: an integer scalar.
          value: the element.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          InvalidArgumentError: the dtype differs.
          ValueError: the shape differs from the shape of the other elements.
        """
        value = self._operand(value)
        self._check_element("write", value.shape, value.dtype)
        new = self._target(index, value)
        (index,) = entries([index])
        if isinstance(new._storage, Elements) and not is_staged(index) and is_known(index):
            new._storage.put(int(index), value, grows=self.dynamic_size)
        elif self._settings.capacity is not None:
            new._storage = self._written_in_buffer(jnp.asarray(index, jnp.int32), value)
        else:
            before = self._stacked_to_write("write", value.shape)
            new._storage = before.write(index, value, grows=self.dynamic_size)
        return new

    def read(self, index, name=None):
        """Return the element at a position.

        Args:
          index: an integer scalar.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          InvalidArgumentError: the element was read before (eagerly, with `clear_after_read`), or
            it was not written and its shape is not known.
        """
        staged = ambient_is_staging() or is_staged(index)
        (index,) = entries([index])
        storage = self._storage
        if isinstance(storage, Elements) and not is_staged(index) and is_known(index):
            clear = self._settings.clear_after_read and not staged
            value = storage.take(index, clear=clear)
            if value is not None:
                return value
            if self._zero_shape() is None:
                self._need_stacked("read")
            return jnp.zeros(self._zero_shape(), self.dtype)
        buffer = storage if isinstance(storage, ElementBuffer) else self._need_stacked("read")
        return buffer.read(index)

    # ---- all elements ----------------------------------------------------------------------------

    def stack(self, name=None):
        """Stack all elements along a new leading axis, with 0 where nothing was written.

        Args:
          name: ignored.

        Raises:
          InvalidArgumentError: the elements have different shapes, or their shape is not known.
        """
        return self._need_stacked("stack").array

    def gather(self, indices, name=None):
        """Return the elements at some positions as one array.

        Args:
          indices: an integer vector.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
        """
        if isinstance(self._storage, Elements) and not is_staged(indices):
            found = self._storage.gathered(indices)
            if found is not None:
                return found
        return self._need_stacked("gather").gathered(indices)

    def concat(self, name=None):
        """Concatenate all elements along their first axis.

        Args:
          name: ignored.

        Raises:
          InvalidArgumentError: there is no element with an axis, or shapes are incompatible.
        """
        storage = self._storage
        if isinstance(storage, Elements) and storage.items:
            if self._zero_shape() is None:
                self._need_stacked("concat")
            return storage.joined(self._zero_shape(), self.dtype)
        return self._need_stacked("concat").joined()

    def unstack(self, value, name=None) -> TensorArray:
        """Return the list with the slices of an array as its only elements.

        Args:
          value: an array.
          name: ignored.

        Raises:
          ValueError: there are more slices than elements, or shapes are incompatible.
        """
        value = self._operand(value)
        if value.ndim == 0:
            raise checks.invalid("TensorArray.unstack", "a scalar has no slices.")
        self._check_element("unstack", value.shape[1:], value.dtype)
        new = self._target(value)
        if not self.dynamic_size:
            check_slices(value.shape[0], self._storage.count)
        staged = is_staged(value) or ambient_is_staging()
        new._storage = Stacked(value) if staged else Elements(list(value))
        return new

    def scatter(self, indices, value, name=None) -> TensorArray:
        """Return the list with the slices of an array written at some positions.

        Args:
          indices: an integer vector.
          value: an array with one slice per position.
          name: ignored.

        Raises:
          OutOfRangeError: there is no such position.
          ValueError: shapes are incompatible.
        """
        value = self._operand(value)
        self._check_element("scatter", value.shape[1:], value.dtype)
        new = self._target(indices, value)
        storage = new._storage
        if isinstance(storage, Elements) and not is_staged(indices) and is_known(value.shape[0]):
            for i, index in enumerate(np.asarray(indices).ravel().tolist()):
                storage.put(int(index), value[i], grows=self.dynamic_size)
            return new
        indices = operand(indices)
        value = primitives.unify_axis(value, 0, indices.shape[0], label="TensorArray.scatter")
        before = self._stacked_to_write("scatter", value.shape[1:])
        new._storage = before.scatter(indices, value, grows=self.dynamic_size)
        return new

    def split(self, value, lengths, name=None) -> TensorArray:
        """Return the list with consecutive parts of an array as its elements.

        Args:
          value: an array.
          lengths: an integer vector of the lengths of the parts; known while a program is traced.
          name: ignored.

        Raises:
          InvalidArgumentError: the lengths do not add up to the size of `value`.
          FreshSizeError: the lengths are traced.
        """
        value = self._operand(value)
        sizes = lengths_of_parts(value, lengths)
        value = primitives.unify_axis(value, 0, sum(sizes), label="TensorArray.split")
        settings, count = self._settings, self._storage.count
        if settings.infer_shape and len(set(sizes)) > 1 and settings.element_shape is None:
            self._settings = dataclasses.replace(settings, infer_shape=False)
        new = self._target(value)
        if not self.dynamic_size:
            check_parts(len(sizes), count)
        left = 0 if self.dynamic_size else count - len(sizes)
        new._storage = Elements([*parts_of(value, sizes), *[None] * left])
        return new

    def __repr__(self) -> str:
        count = "some" if is_staged(self._storage.count) else self._storage.count
        return f"<TensorArray of {count} elements, {self.dtype.name}>"
