"""Define `TensorShape`: a shape whose sizes, or whose rank, may be unknown."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator

from shims._src.platform import jax_private as jp
from shims._src.types.dimension import Dimension


class TensorShape:
    """A shape whose sizes are known, unknown (`None`), or unknown but named (`"batch"`).

    Sizes that carry the same name are equal to each other. Inside a dynamic trace a size may also
    be symbolic, as in `TensorShape(x.shape)`.

    Args:
      dims: an iterable of sizes, one size, another `TensorShape`, or `None` for unknown rank.

    Raises:
      TypeError: a size is not an integer, `None` or a name.
      ValueError: a size is negative.

    Differs from TensorFlow:
      Sizes may be names.

    Under jit:
      A shape is static; nothing is traced.

    Example:
      >>> TensorShape(["batch", None, 3]).concatenate([4])
      TensorShape(['batch', None, 3, 4])

    https://www.tensorflow.org/api_docs/python/tf/TensorShape
    """

    __slots__ = ("_dims",)
    __module__ = "shims"

    def __init__(self, dims):
        if isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        elif isinstance(dims, str) or not isinstance(dims, Iterable):
            self._dims = (_validate_size(dims),)
        else:
            self._dims = tuple(_validate_size(d) for d in dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or `None`."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list | None:
        """The sizes as `Dimension`s (symbolic and named sizes unchanged), or `None` for unknown rank."""
        if self._dims is None:
            return None
        return [Dimension(d) if isinstance(d, int | None) else d for d in self._dims]

    def as_list(self) -> list:
        """Return the sizes as a list.

        Raises:
          ValueError: the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self):
        """Return the product of the sizes, or `None` unless all of them are known."""
        return math.prod(self._dims) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Return whether every size is a number."""
        return self._dims is not None and not any(_is_unknown(d) for d in self._dims)

    def is_compatible_with(self, other) -> bool:
        """Return whether some fully known shape matches both shapes."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(map(_may_equal, self._dims, other._dims))

    def is_subtype_of(self, other) -> bool:
        """Return whether `other` matches every shape that this one matches."""
        other = TensorShape(other)
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims))

    def merge_with(self, other) -> TensorShape:
        """Merge two shapes: numbers take precedence over names, names over `None`.

        Raises:
          ValueError: the two are not compatible.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None or other._dims is None:
            return other if self._dims is None else self
        return TensorShape(map(_more_specific, self._dims, other._dims))

    def concatenate(self, other) -> TensorShape:
        """Return the sizes of this shape followed by those of `other`."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def most_specific_compatible_shape(self, other) -> TensorShape:
        """Return the most specific shape that matches both, `None` where they differ."""
        other = TensorShape(other)
        if self.rank is None or self.rank != other.rank:
            return TensorShape(None)
        return TensorShape(a if a == b else None for a, b in zip(self._dims, other._dims))

    def most_specific_common_supertype(self, others) -> TensorShape:
        """Return the most specific shape that matches this one and all `others`."""
        shape = self
        for other in others:
            shape = shape.most_specific_compatible_shape(other)
        return shape

    def with_rank(self, rank: int) -> TensorShape:
        """Return this shape after checking its rank; if that is unknown, a shape of unknown sizes.

        Raises:
          ValueError: the shape has a different rank.
        """
        if self._dims is None:
            return TensorShape([None] * rank)
        return self._require(len(self._dims) == rank, f"must have rank {rank}")

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Return this shape after checking that its rank is at least `rank`."""
        return self._require(
            self._dims is None or len(self._dims) >= rank, f"must have rank at least {rank}"
        )

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Return this shape after checking that its rank is at most `rank`."""
        return self._require(
            self._dims is None or len(self._dims) <= rank, f"must have rank at most {rank}"
        )

    def assert_has_rank(self, rank: int) -> None:
        """Raise `ValueError` unless this shape may have `rank` dimensions."""
        self._require(self.rank in (None, rank), f"must have rank {rank}")

    def assert_same_rank(self, other) -> None:
        """Raise `ValueError` if the two shapes are known to differ in rank."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other) -> None:
        """Raise `ValueError` unless the two shapes are compatible."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raise `ValueError` unless every size is a number."""
        self._require(self.is_fully_defined(), "is not fully defined")

    def _require(self, holds: bool, what: str) -> TensorShape:
        if not holds:
            raise ValueError(f"Shape {self} {what}")
        return self

    def __getitem__(self, key):
        if self._dims is not None:
            found = self._dims[key]
            return TensorShape(found) if isinstance(key, slice) else found
        if not isinstance(key, slice):
            return None
        # Of a shape of unknown rank, only a slice with both ends has a known length.
        start = key.start or 0
        if key.stop is None or key.step is not None or start < 0 or key.stop < 0:
            return TensorShape(None)
        return TensorShape([None] * max(key.stop - start, 0))

    def __iter__(self) -> Iterator:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __add__(self, other) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other) -> bool:
        try:
            other = TensorShape(other)
        except (TypeError, ValueError):
            return NotImplemented
        return self._dims == other._dims

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self):
        return TensorShape, (self._dims,)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        sizes = ", ".join(str(d) for d in self._dims)
        return f"({sizes},)" if len(self._dims) == 1 else f"({sizes})"

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"


def _validate_size(d):
    """Validate one size: a non-negative integer, `None`, a name, a `Dimension`, or a symbolic dimension."""
    if isinstance(d, Dimension):
        return d.value
    if d is None or jp.is_symbolic(d):
        return d
    if isinstance(d, str) and d.isidentifier():
        return d
    try:
        d = operator.index(d)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None, a name, or have an __index__ method, "
            f"got value {d!r} with type '{type(d)}'"
        ) from None
    if d < 0:
        raise ValueError(f"Dimension {d} must be >= 0")
    return d


def _is_unknown(d) -> bool:
    return d is None or isinstance(d, str)


def _may_equal(a, b) -> bool:
    return _is_unknown(a) or _is_unknown(b) or a == b


def _more_specific(a, b):
    if not _is_unknown(b):
        return b
    return b if a is None else a
