"""Define the methods of variables that read and assign rows and slices by position."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.checks import check_positions
from shims._src.arguments.conversion import as_array
from shims._src.array import gather, scatter
from shims._src.errors import errors
from shims._src.recording import state
from shims._src.recording.indexed_slices import IndexedSlices


class Scattered:
    """The base class of `Variable` with the methods that read or change rows and slices by position.

    The subclass defines `_set`, which assigns a new value.
    """

    def sparse_read(self, indices, name=None):
        """Gather rows by position, like the function `gather`."""
        del name
        return gather.gather(state.read(self), indices)

    def gather_nd(self, indices, name=None):
        """Gather slices by coordinates, like the function `gather_nd`."""
        del name
        return gather.gather_nd(state.read(self), indices)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Replace rows; if a row has several updates, the last update is kept.

        Args:
          sparse_delta: `IndexedSlices` with the new rows and their positions.
          use_locking: accepted and ignored, because a program runs in one thread.
          name: ignored.

        Returns:
          The variable.

        Raises:
          TypeError: `sparse_delta` is not an `IndexedSlices`.
          InvalidArgumentError: a position is out of range, or the rows have a different shape.
        """
        return self._scattered(scatter.tensor_scatter_nd_update, sparse_delta)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Add to rows; the arguments are those of `scatter_update`."""
        return self._scattered(scatter.tensor_scatter_nd_add, sparse_delta)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtract from rows; the arguments are those of `scatter_update`."""
        return self._scattered(scatter.tensor_scatter_nd_sub, sparse_delta)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Take the elementwise maximum of rows and updates; the arguments are those of `scatter_update`."""
        return self._scattered(scatter.tensor_scatter_nd_max, sparse_delta)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Take the elementwise minimum of rows and updates; the arguments are those of `scatter_update`."""
        return self._scattered(scatter.tensor_scatter_nd_min, sparse_delta)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiply rows; the arguments are those of `scatter_update`."""
        return self._scattered(multiply_rows, sparse_delta)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divide rows; the arguments are those of `scatter_update`."""
        return self._scattered(divide_rows, sparse_delta)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Replace rows within each batch element; the arguments are those of `scatter_update`."""
        value, indices, updates = self._parts(sparse_delta)
        batch = [
            jnp.broadcast_to(
                jnp.arange(n).reshape([-1 if a == i else 1 for a in range(indices.ndim)]),
                indices.shape,
            )
            for i, n in enumerate(indices.shape[:-1])
        ]
        places = jnp.stack([*batch, indices], axis=-1)
        return self._set(scatter.tensor_scatter_nd_update(value, places, updates), True)

    def scatter_nd_update(self, indices, updates, name=None):
        """Replace the slices at given coordinates.

        Args:
          indices: coordinates, as for `tensor_scatter_nd_update`.
          updates: the new slices.
          name: ignored.

        Returns:
          The variable.

        Raises:
          InvalidArgumentError: coordinates are out of range, or the slices have a different shape.
        """
        return self._scattered_nd(scatter.tensor_scatter_nd_update, indices, updates)

    def scatter_nd_add(self, indices, updates, name=None):
        """Add to slices; the arguments are those of `scatter_nd_update`."""
        return self._scattered_nd(scatter.tensor_scatter_nd_add, indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtract from slices; the arguments are those of `scatter_nd_update`."""
        return self._scattered_nd(scatter.tensor_scatter_nd_sub, indices, updates)

    def scatter_nd_max(self, indices, updates, name=None):
        """Take the elementwise maximum of slices; the arguments are those of `scatter_nd_update`."""
        return self._scattered_nd(scatter.tensor_scatter_nd_max, indices, updates)

    def scatter_nd_min(self, indices, updates, name=None):
        """Take the elementwise minimum of slices; the arguments are those of `scatter_nd_update`."""
        return self._scattered_nd(scatter.tensor_scatter_nd_min, indices, updates)

    def _parts(self, sparse_delta):
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(
                "Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: "
                f"{sparse_delta}"
            )
        value = state.read(self)
        return value, as_array(sparse_delta.indices), as_array(sparse_delta.values, value.dtype)

    def _scattered(self, combine, sparse_delta):
        with state.changing():
            value, indices, updates = self._parts(sparse_delta)
            return self._set(combined_rows(combine, value, indices, updates), True)

    def _scattered_nd(self, combine, indices, updates):
        with state.changing():
            value = state.read(self)
            return self._set(combine(value, indices, as_array(updates, value.dtype)), True)


def combined_rows(combine, value, indices, updates):
    """Return the value of a variable with some of its rows changed.

    Args:
      combine: `tensor_scatter_nd_update` or a function like it.
      value: the value before.
      indices: positions of rows.
      updates: the rows, of shape `indices.shape + value.shape[1:]`, or a scalar.

    Raises:
      InvalidArgumentError: a position is out of range, or the rows have a different shape.
    """
    check_positions("Variable", "sparse_delta.indices", indices, value.shape[0])
    shape = (*indices.shape, *value.shape[1:])
    if updates.ndim and updates.ndim != len(shape):
        raise errors.InvalidArgumentError(
            errors.message(
                "Variable",
                "`sparse_delta.values` must have the shape of the rows.",
                required=f"shape {shape}, or a scalar",
                received=f"shape {updates.shape}",
            )
        )
    if not updates.ndim:
        updates = jnp.broadcast_to(updates, shape)
    return combine(value, indices[..., None], updates)


def multiply_rows(x, i, u):
    """Multiply the rows `i` of `x` by the updates `u`; if a row has several updates, all are applied."""
    return x.at[i[..., 0]].multiply(u)


def divide_rows(x, i, u):
    """Divide the rows `i` of `x` by the updates `u`; if a row has several updates, all are applied."""
    return x.at[i[..., 0]].divide(u)
