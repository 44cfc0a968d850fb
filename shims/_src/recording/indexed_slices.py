"""Define `IndexedSlices`: the gradient of a gather of rows."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.platform.jax_private import is_tracer
from shims._src.sizes.primitives import as_size, to_dim, unify_axis


@jax.tree_util.register_pytree_node_class
class IndexedSlices:
    """Rows of an array that is zero elsewhere; rows with the same index add up.

    Args:
      values: array `[n, ...]`.
      indices: integer vector `[n]`.
      dense_shape: the shape of the whole array.

    Differs from TensorFlow:
      `dense_shape` is a tuple of sizes. JAX functions accept `IndexedSlices` as the dense array.

    Under jit:
      An `IndexedSlices` is a pytree of `values`, `indices` and the sizes that are not static.

    Example:
      >>> IndexedSlices(jnp.ones([2, 1]), jnp.array([0, 0]), (2, 1)).to_dense().tolist()
      [[2.0], [0.0]]

    https://www.tensorflow.org/api_docs/python/tf/IndexedSlices
    """

    __module__ = "shims"

    def __init__(self, values, indices, dense_shape=None):
        self._values, self._indices = values, indices
        self._dense_shape = None if dense_shape is None else _as_sizes(dense_shape)

    @property
    def values(self):
        """The rows."""
        return self._values

    @property
    def indices(self):
        """The position of each row."""
        return self._indices

    @property
    def dense_shape(self):
        """The shape of the dense array, or `None`."""
        shape = self._dense_shape
        if shape is None or _is_of_graph(shape):
            return shape
        return tuple(map(_as_int_if_concrete, shape))

    @property
    def dtype(self):
        """The dtype of the rows."""
        return self._values.dtype

    @property
    def shape(self):
        """The shape of the dense array, or `None`."""
        if _is_of_graph(self._dense_shape):
            return self._dense_shape.graph._constant_value_as_shape(self._dense_shape)
        return self.dense_shape

    def get_shape(self):
        """Return `shape`."""
        return self.shape

    @property
    def is_composite(self) -> bool:
        """Whether the rows are graph tensors; then a session fetches the components one by one."""
        return _is_of_graph(self._values)

    @property
    def op(self):
        """The graph operation that computes the rows."""
        return self._values.op

    @property
    def graph(self):
        """The graph to which the rows belong."""
        return self._values.graph

    @property
    def name(self) -> str:
        """The graph name of the rows."""
        return self._values.name

    @property
    def device(self):
        """The device of the rows."""
        return self._values.device

    def to_dense(self):
        """Return the dense array.

        Raises:
          ValueError: there is no `dense_shape`.
        """
        if _is_of_graph(self._values):
            return self._to_dense_in_graph()
        if self._dense_shape is None:
            raise ValueError(
                "IndexedSlices: without `dense_shape`, the slices cannot be converted to an array.\n  Received: "
                f"{self!r}"
            )
        count = to_dim(self.dense_shape[0], label="IndexedSlices")
        values = unify_axis(self._values, 0, self._indices.shape[0], label="IndexedSlices")
        whole = jnp.zeros((count, *values.shape[1:]), values.dtype)
        return whole.at[self._indices].add(values)

    def _to_dense_in_graph(self):
        """Return the dense graph tensor; add the operation that computes it to the graph."""
        shape = self._dense_shape
        if shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for which the shape is not known."
            )
        if _is_of_graph(shape) and self.shape.is_fully_defined():
            shape = self.shape.as_list()
        slices = IndexedSlices(self._values, self._indices, shape)
        operator = "UnsortedSegmentSum"
        return self.graph._add_call(dense, (slices,), {}, public=operator, name=operator)

    def __jax_array__(self):
        return self.to_dense()

    def __array__(self, dtype=None, copy=None):
        del copy
        return jax.device_get(self.to_dense()).astype(dtype or self.dtype)

    def __neg__(self):
        return IndexedSlices(-self._values, self._indices, self.dense_shape)

    def __repr__(self) -> str:
        return (
            f"IndexedSlices(indices={self._indices!r}, values={self._values!r}, "
            f"dense_shape={self.dense_shape!r})"
        )

    def tree_flatten(self):
        """Return values, indices and traced sizes as children, and the static sizes as static data."""
        shape = self._dense_shape
        if shape is None:
            return (self._values, self._indices), None
        if _is_of_graph(shape):
            return (self._values, self._indices, shape), "tensor"
        open_sizes = [as_size(d) for d in shape if not isinstance(d, int)]
        known = tuple(d if isinstance(d, int) else None for d in shape)
        return (self._values, self._indices, *open_sizes), known

    @classmethod
    def tree_unflatten(cls, known, children):
        """Create `IndexedSlices` from the static data and children that `tree_flatten` returned."""
        values, indices, *open_sizes = children
        if known is None or known == "tensor":
            return cls(values, indices, *open_sizes)
        # Sizes stay arrays, whose values `dense_shape` reads: a node whose structure changes when it is
        # rebuilt crashes compiled JAX calls.
        sizes = iter(open_sizes)
        return cls(values, indices, tuple(next(sizes) if d is None else d for d in known))


def _is_of_graph(value) -> bool:
    """Return whether a value is a graph tensor, which only a session evaluates."""
    return hasattr(value, "graph")


def _as_sizes(shape):
    """Convert a shape to a tuple of sizes.

    A traced vector is indexed element by element, so that each size can be traced back to the dimension
    that it was computed from.
    """
    if _is_of_graph(shape):
        return shape
    if is_tracer(shape):
        return tuple(shape[i] for i in range(shape.shape[0]))
    return tuple(shape)


def _as_int_if_concrete(size):
    """Convert a concrete size to an int; return a traced one unchanged."""
    is_number = isinstance(size, (jax.Array, np.ndarray)) and not is_tracer(size)
    return int(size) if is_number else size


def values_of(t):
    """Return the rows of an `IndexedSlices`; return any other value unchanged."""
    return t.values if isinstance(t, IndexedSlices) else t


def with_values(t, values):
    """Return `t` with its rows replaced if it is an `IndexedSlices`; otherwise return `values`."""
    if not isinstance(t, IndexedSlices):
        return values
    return IndexedSlices(values, t.indices, t.dense_shape)


def dense(gradient):
    """Convert a gradient to a dense array if it is an `IndexedSlices`; return others unchanged."""
    return gradient.to_dense() if isinstance(gradient, IndexedSlices) else gradient


def added(first, second):
    """Add two gradients; the sum of two `IndexedSlices` stays an `IndexedSlices`."""
    if isinstance(first, IndexedSlices) and isinstance(second, IndexedSlices):
        values = jnp.concatenate([first.values, second.values])
        indices = jnp.concatenate([first.indices, second.indices])
        return IndexedSlices(values, indices, first.dense_shape)
    return dense(first) + dense(second)


def rows_of(cotangent, indices, shape) -> IndexedSlices:
    """Return the gradient of `params[indices]` with respect to `params`.

    `cotangent` is the cotangent of the gathered rows, `shape` the shape of `params`.
    """
    indices = as_array(indices)
    count = math.prod(indices.shape)
    values = jnp.reshape(cotangent, (count, *shape[1:]))
    return IndexedSlices(values, jnp.reshape(indices, (count,)), shape)
