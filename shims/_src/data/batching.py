"""Join consecutive elements into batches, and split batches again."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.data import components, elements, specs, structures
from shims._src.data.node import UNKNOWN_CARDINALITY, Node, Stream
from shims._src.errors import errors
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec


class Batch(Node):
    """Batches of `size` elements; the last one may be smaller unless it is dropped.

    An error of an element ends its batch. If `is_fused`, the other elements of that batch are read and
    dropped, as by TensorFlow's fusion of `map` and `batch`, so that the next batch starts where it
    would without errors.
    """

    def __init__(self, source: Node, size: int, drops_remainder: bool, is_fused: bool = False):
        super().__init__(source)
        self.is_fused = is_fused
        if size <= 0:
            raise errors.InvalidArgumentError("Batch size must be greater than zero.")
        self.size, self.drops_remainder = size, drops_remainder

    def find_spec(self) -> Any:
        """Add an axis to the specs."""
        return self._of(self.input.spec)

    def known_spec(self) -> Any:
        """Add an axis to the specs if those of the elements are known."""
        found = self.input.known_spec()
        return None if found is None else self._of(found)

    def _of(self, spec) -> Any:
        size = self.size if self.drops_remainder else None
        return structures.map_leaves(lambda s: self.batched(s, size), spec)

    def batched(self, spec, size: int | None) -> Any:
        """Return the spec of a batch of components."""
        return specs.batched(spec, size)

    def cardinality(self) -> int:
        """Divide."""
        size = self.input.cardinality()
        if size < 0:
            return size
        return size // self.size if self.drops_remainder else -(-size // self.size)

    def stream(self) -> Stream:
        """Collect elements."""
        return _BatchStream(self)

    def joined(self, batch: list) -> Any:
        """Join elements to a batch."""
        known = self.input.known_spec()
        each = None if known is None else structures.flatten(known)
        columns = zip(*map(structures.flatten, batch), strict=True)
        stacked = [
            self.stacked(list(column), i, None if each is None else each[i])
            for i, column in enumerate(columns)
        ]
        return structures.pack(batch[0], iter(stacked))

    def stacked(self, column: list, position: int, spec) -> Any:
        """Join the components of one position."""
        return components.stack(column, position, spec)


class _BatchStream(Stream):
    def __init__(self, node: Batch):
        super().__init__(node.input.stream())
        self.node = node

    def __next__(self) -> Any:
        batch: list[Any] = []
        failure: Exception | None = None
        for _ in range(self.node.size):
            try:
                batch.append(next(self.input))
            except StopIteration:
                break
            except Exception as error:
                if not self.node.is_fused:
                    raise
                failure = failure or error
        if failure is not None:
            raise failure
        if not batch or (self.node.drops_remainder and len(batch) < self.node.size):
            raise StopIteration
        return self.node.joined(batch)


class RaggedBatch(Batch):
    """Batches whose components are ragged tensors unless all their sizes are known."""

    def __init__(self, source: Node, size: int, drops_remainder: bool, splits_dtype):
        super().__init__(source, size, drops_remainder)
        self.splits_dtype = splits_dtype

    def batched(self, spec, size: int | None) -> Any:
        """Return a ragged spec for a component of unknown size."""
        if not _is_ragged_when_batched(spec):
            return specs.batched(spec, size)
        rank = max(i for i, n in enumerate(spec.shape) if n is None) + 1
        return RaggedTensorSpec([size, *spec.shape], spec.dtype, rank, self.splits_dtype)

    def joined(self, batch: list) -> Any:
        """Join elements, for which their specs must be known."""
        self.input.spec  # noqa: B018 - found once, before the first batch
        each = structures.flatten(self.input.spec)
        columns = zip(*map(structures.flatten, batch), strict=True)
        stacked = [self.stacked(list(c), i, each[i]) for i, c in enumerate(columns)]
        return structures.pack(batch[0], iter(stacked))

    def stacked(self, column: list, position: int, spec) -> Any:
        """Join the components of one position."""
        if not _is_ragged_when_batched(spec):
            return components.stack(column, position, spec)
        inner = max(i for i, n in enumerate(spec.shape) if n is None)
        return components.stack_ragged([_ragged_to(c, inner) for c in column])


def _is_ragged_when_batched(spec) -> bool:
    return (
        isinstance(spec, TensorSpec) and bool(spec.shape.rank) and not spec.shape.is_fully_defined()
    )


def _ragged_to(component: HostTensor, axes: int) -> Any:
    """Turn the first axes of an array into ragged axes."""
    if axes == 0:
        return component
    array = np.asarray(component)
    inner = host(array.reshape((-1, *array.shape[2:])))
    splits = np.arange(array.shape[0] + 1) * array.shape[1]
    return elements.ragged(_ragged_to(inner, axes - 1), splits)


class PaddedBatch(Batch):
    """Batches of elements that are padded to equal shapes.

    Args:
      source: the dataset.
      size: the number of elements in a batch.
      drops_remainder: whether a smaller last batch is dropped.
      shapes: a structure of shapes, `None` for sizes to find; or `None`.
      values: a structure of values, or one value, to pad with; or `None`.
    """

    def __init__(self, source: Node, size: int, drops_remainder: bool, shapes, values):
        super().__init__(source, size, drops_remainder)
        spec = source.spec
        each = structures.flatten(spec)
        if any(isinstance(s, (RaggedTensorSpec, SparseTensorSpec)) for s in each):
            raise TypeError(
                f"`padded_batch` is only supported for datasets that produce tensor elements but the "
                f"input dataset produces elements of unsupported type {spec}."
            )
        are_given = shapes is not None
        if not are_given:
            shapes = structures.map_leaves(_own_shape, spec)
        self.shapes = [
            _padded_shape(given, s) for given, s in zip(_flat_shapes(shapes, spec), each)
        ]
        # A spec may know sizes from a few elements only: what it says never makes a later one too large.
        found: list[list[int | None]] = [[None] * len(s) for s in self.shapes]
        self.wanted = self.shapes if are_given else found
        self.values = [_padding(v, s) for v, s in zip(_flat_values(values, spec), each)]

    def find_spec(self) -> Any:
        """Return the padded shapes with an axis for the batch."""
        size = self.size if self.drops_remainder else None
        each = structures.flatten(self.input.spec)
        found = [TensorSpec([size, *n], s.dtype) for n, s in zip(self.shapes, each)]
        return structures.pack(self.input.spec, iter(found))

    known_spec = find_spec

    def joined(self, batch: list) -> Any:
        """Join elements to a padded batch."""
        columns = zip(*map(structures.flatten, batch), strict=True)
        padded = [
            components.pad(list(column), i, self.wanted[i], self.values[i])
            for i, column in enumerate(columns)
        ]
        return structures.pack(batch[0], iter(padded))


def _own_shape(spec) -> TensorShape:
    if spec.shape.rank is None:
        raise ValueError(
            "You must provide `padded_shapes` argument because component 0 has unknown rank."
        )
    return spec.shape


def _flat_shapes(shapes, spec) -> list:
    """Flatten a structure of shapes, whose leaves may be lists, tuples, arrays or `TensorShape`."""
    if not structures.is_container(spec):
        return [shapes]
    pairs = zip(structures.children(_as(spec, shapes)), structures.children(spec), strict=True)
    return [shape for given, inner in pairs for shape in _flat_shapes(given, inner)]


def _as(spec, shapes) -> Any:
    return tuple(shapes) if isinstance(spec, tuple) and isinstance(shapes, list) else shapes


def _flat_values(values, spec) -> list:
    if values is None or (structures.is_container(spec) and not structures.is_container(values)):
        return [values] * len(structures.flatten(spec))
    if not structures.is_container(spec):
        return [values]
    pairs = zip(structures.children(values), structures.children(spec), strict=True)
    return [value for given, inner in pairs for value in _flat_values(given, inner)]


def _padded_shape(given, spec) -> list[int | None]:
    """Check a padded shape against the shape of the components, and return it as a list."""
    sizes = given.as_list() if isinstance(given, TensorShape) else np.asarray(given).tolist()
    sizes = [None if n is None or n == -1 else int(n) for n in sizes]
    known = spec.shape
    fits = known.rank is None or (
        len(sizes) == known.rank
        and all(None in (n, m) or n >= m for n, m in zip(sizes, known, strict=True))
    )
    if not fits:
        raise ValueError(
            f"The padded shape {tuple(sizes)} is not compatible with the shape {known} of the "
            "corresponding input component."
        )
    return sizes


def _padding(value, spec) -> Any:
    """Return the value to pad with: 0, an empty text, or the caller's, whose dtype must fit."""
    if value is None:
        return b"" if spec.dtype.hasobject else np.zeros((), spec.dtype)
    found = elements.component_of(value)
    if not hasattr(value, "dtype") and np.can_cast(found.dtype, spec.dtype, "same_kind"):
        found = elements.component_of(value, spec.dtype)
    if found.dtype != spec.dtype or np.ndim(found):
        raise TypeError(
            "Mismatched type between padding value and input dataset component, which is of type "
            f"{specs.dtype_text(spec.dtype)}: {value!r}."
        )
    return np.asarray(found)[()]


class Unbatch(Node):
    """The rows of the elements."""

    def find_spec(self) -> Any:
        """Remove an axis from the specs."""
        return structures.map_leaves(specs.row_of, self.input.spec)

    def known_spec(self) -> Any:
        """Remove an axis if the specs are known."""
        found = self.input.known_spec()
        return None if found is None else structures.map_leaves(specs.row_of, found)

    def cardinality(self) -> int:
        """Multiply by the size of the batches if that is known."""
        size, known = self.input.cardinality(), self.input.known_spec()
        rows = None if known is None else specs.rows_in(known)
        return size if size <= 0 else UNKNOWN_CARDINALITY if rows is None else size * rows

    def stream(self) -> Stream:
        """Give the rows in order."""
        return _UnbatchStream(self.input.stream())


class _UnbatchStream(Stream):
    saved = ("at", "element")

    def __init__(self, source: Stream):
        super().__init__(source)
        self.at, self.size, self.element = 0, 0, None
        self.rows: list[Any] | None = None

    def __next__(self) -> Any:
        while self.rows is None or self.at >= self.size:
            if self.rows is None and self.element is not None:
                self._open(self.element, self.at)  # after a position was restored
            else:
                self._open(next(self.input), 0)
        self.at += 1
        return structures.pack(self.element, iter([row(self.at - 1) for row in self.rows]))

    def _open(self, element, at: int) -> None:
        leaves = structures.flatten(element)
        self.element, self.at = element, at
        self.rows = [components.rows_of(c) for c in leaves]
        sizes = {components.row_count(c) for c in leaves}
        if len(sizes) > 1:
            raise ValueError(
                f"Input element must have the same batch size in each component: {sizes}"
            )
        self.size = sizes.pop()

    def restore(self, state: dict[str, Any]) -> None:
        """Open the element at a saved position again."""
        super().restore(state)
        self.rows = None
