"""Find the specs of the results of a function of the user.

The function is called on two made-up elements that differ in every value and in every unknown size: what
is equal in both results is known. If it refuses them, as a decoder of pictures does, it is called on
the first elements of the dataset.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from shims._src.data import elements, specs, structures
from shims._src.data.calls import UserFunction
from shims._src.data.node import Node, Stream
from shims._src.errors import errors
from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.types.host_tensor import host


def of_results(function: Callable[..., Any], source: Node) -> Any:
    """Return the specs of what a function returns for the elements of a node.

    Raises:
      ValueError: the function refuses made-up elements, and there are no others.
    """
    declared = getattr(getattr(function, "function", function), "results_for", None)
    if declared is not None:
        return declared(source.spec)
    call = UserFunction(function.function).on if isinstance(function, UserFunction) else function
    found, error = _results(call, made_up_elements(source))
    if len(found) < 2:
        more, error = _results(call, first_elements(source, _TRIED))
        found += more
    if not found:
        raise unknown("map") if error is None else error
    return specs.of_elements(found)


def made_up_elements(source: Node) -> list:
    """Return two elements of the specs of a node that differ in values and in unknown sizes."""
    return [_made_up(source.spec, number) for number in (0, 1)]


_TRIED = 4  # elements of the dataset that are tried


def _results(function: Callable[..., Any], tried: list) -> tuple[list, Exception | None]:
    """Return the results of a function where it has some, and the last error."""
    found, last = [], None
    for element in tried:
        try:
            found.append(function(element))
        except Exception as error:  # noqa: BLE001 - an element without results shows no specs
            last = error
    return found, last


def unknown(name: str) -> ValueError:
    """Return the error of a dataset without elements whose specs only elements show."""
    return ValueError(
        errors.message(
            f"`{name}`",
            "the specs of the elements are unknown, because the dataset is empty and the function fails for an "
            "element of zeros.",
            do="do not read `element_spec` of an empty dataset",
        )
    )


def first_elements(source: Node, count: int) -> list:
    """Return the first elements of a node; later passes do not notice that they were read."""
    with undisturbed(source):
        stream = source.stream()
        found = list(itertools.islice(stream, count))
        stream.close()
    return found


@contextlib.contextmanager
def undisturbed(source: Node) -> Iterator[None]:
    """Open a block after which the random numbers of a node and its inputs are as before."""
    saved: list[tuple[Any, str, Any]] = []
    pending = [source]
    while pending:
        node = pending.pop()
        pending.extend(node.inputs)
        for holder, name in node.random_state():
            saved.append((holder, name, copy.copy(getattr(holder, name))))
    yield
    for holder, name, value in saved:
        setattr(holder, name, value)


def _made_up(spec, number: int) -> Any:
    """Return an element of a structure of specs: zeros, or ones and other sizes."""
    return structures.map_leaves(lambda s: made_up(s, number), spec)


def made_up(spec, number: int) -> Any:
    """Return a made-up component of a spec: zeros, or ones and other sizes."""
    if isinstance(spec, specs.NoneTensorSpec):
        return None
    if isinstance(spec, specs.DatasetSpec):
        return _SameElements(spec.element_spec, number)
    sizes = [n if n is not None else 2 + number for n in spec.shape or ()]
    if isinstance(spec, SparseTensorSpec):
        rank = len(sizes)
        indices = np.zeros((number, rank), np.int64)
        return elements.sparse(
            host(indices), host(np.ones(number, spec.dtype)), host(np.array(sizes, np.int64))
        )
    if isinstance(spec, RaggedTensorSpec) and spec.ragged_rank:
        return _ragged(spec, sizes, number)
    if spec.dtype.hasobject:
        return host(np.full(sizes, b"10" if number else b"0", object))
    return host(np.full(sizes, number, spec.dtype))


def _ragged(spec, sizes: list, number: int) -> Any:
    """Return a ragged tensor whose rows have different lengths where no length is known."""
    levels, rows = [], sizes[0]
    for axis in range(1, spec.ragged_rank + 1):
        lengths = np.full(rows, sizes[axis])
        if spec.shape[axis] is None:
            lengths = 1 + (np.arange(rows) + number) % 3
        levels.append(np.concatenate([[0], np.cumsum(lengths)]))
        rows = int(levels[-1][-1])
    shape = (rows, *sizes[spec.ragged_rank + 1 :])
    is_text = spec.dtype.hasobject
    found: Any = host(
        np.full(shape, b"0", object) if is_text else np.full(shape, number, spec.dtype)
    )
    for splits in reversed(levels):
        found = elements.ragged(found, splits)
    return found


class _SameElements(Node):
    """A made-up dataset: a few equal elements."""

    def __init__(self, spec, number: int):
        super().__init__()
        self._spec, self.number = (spec,), number

    def cardinality(self) -> int:
        """Return a number other than that of the other made-up dataset."""
        return 2 + self.number

    def stream(self) -> Stream:
        """Repeat the element."""
        return _SameStream(_made_up(self.spec, self.number), 2 + self.number)


class _SameStream(Stream):
    saved = ("left",)

    def __init__(self, element, count: int):
        super().__init__()
        self.element, self.left = element, count

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.element
