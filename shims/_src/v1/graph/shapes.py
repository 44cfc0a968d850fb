"""Provide `GraphShape`, the `TensorShape` of TensorFlow 1."""

from __future__ import annotations

from shims._src.types.dimension import Dimension
from shims._src.types.tensor_shape import TensorShape
from shims._src.v1.graph.modes import MODES


class GraphShape(TensorShape):
    """The static shape of a tensor in a graph.

    Args:
      dims: sizes, `Dimension`s or `None`s; or `None` for unknown rank.

    Differs from TensorFlow:
      Nothing. After `disable_v2_behavior()`, the elements are `Dimension`s, and unknown sizes are printed as
      `?`.

    https://www.tensorflow.org/api_docs/python/tf/TensorShape
    """

    __slots__ = ()
    __module__ = "shims.compat.v1"

    def __init__(self, dims):
        super().__init__(plain(dims))

    def __getitem__(self, key):
        found = super().__getitem__(key)
        if isinstance(key, slice):
            return GraphShape(found)
        return found if MODES.tensor_shape_v2 else Dimension(found)

    def __iter__(self):
        sizes = super().__iter__()
        return sizes if MODES.tensor_shape_v2 else map(Dimension, sizes)

    def concatenate(self, other):
        """Return the sizes of this shape followed by those of `other`."""
        return GraphShape(TensorShape(self._dims).concatenate(plain(other)))

    def merge_with(self, other):
        """Merge two compatible shapes: a size is known if it is known in either of them."""
        return GraphShape(TensorShape(self._dims).merge_with(plain(other)))

    def with_rank(self, rank):
        """Return this shape if it has the given rank; if its rank is unknown, return unknown sizes.

        Raises:
          ValueError: this shape has a different rank.
        """
        return GraphShape(TensorShape(self._dims).with_rank(rank))

    def is_compatible_with(self, other):
        """Return whether two shapes are compatible: they could be the same if unknown sizes were known."""
        return TensorShape(self._dims).is_compatible_with(plain(other))

    def __eq__(self, other):
        try:
            other = GraphShape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    __hash__ = TensorShape.__hash__

    def __reduce__(self):
        return GraphShape, (self._dims,)

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        unknown = "None" if MODES.tensor_shape_v2 else "?"
        sizes = ", ".join(unknown if d is None else str(d) for d in self._dims)
        return f"({sizes},)" if len(self._dims) == 1 else f"({sizes})"

    def __repr__(self):
        if self._dims is None:
            return "TensorShape(None)"
        return f"TensorShape({list(self._dims) if MODES.tensor_shape_v2 else self.dims})"


def plain(dims):
    """Replace each `Dimension` in `dims` by its size, a number or `None`."""
    if isinstance(dims, TensorShape):
        return dims._dims
    if isinstance(dims, Dimension):
        return dims.value
    if isinstance(dims, (list, tuple)):
        return tuple(d.value if isinstance(d, Dimension) else d for d in dims)
    return dims


def dimension_value(dimension):
    """Return the number of a `Dimension`; return any other value unchanged.

    https://www.tensorflow.org/api_docs/python/tf/compat/dimension_value
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    """Return the `Dimension` of a shape at an index; the dimension is unknown if the rank is unknown.

    https://www.tensorflow.org/api_docs/python/tf/compat/dimension_at_index
    """
    shape = GraphShape(shape)
    return Dimension(None if shape.rank is None else shape.as_list()[index])
