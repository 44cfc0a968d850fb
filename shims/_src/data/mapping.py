"""Transform elements with functions of the user: map, filter, scan, take_while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.data import elements, function_specs, specs, structures
from shims._src.data.calls import UserFunction
from shims._src.data.node import UNKNOWN_CARDINALITY, Node, Stream
from shims._src.errors import errors


class Map(Node):
    """The results of a function."""

    def __init__(self, source: Node, function: Callable[..., Any]):
        super().__init__(source)
        self.function = UserFunction(function)

    def find_spec(self) -> Any:
        """Find the specs of the results without, or if need be with, the first elements."""
        return function_specs.of_results(self.function, self.input)

    def known_spec(self) -> None:
        """Return `None`: the function would have to be called."""

    def stream(self) -> Stream:
        """Call the function on each element."""
        return _MapStream(self.input.stream(), self.function)


class _MapStream(Stream):
    def __init__(self, source: Stream, function: UserFunction):
        super().__init__(source)
        self.function = function

    def __next__(self) -> Any:
        return self.function.on(next(self.input))


class Filter(Node):
    """The elements for which a predicate holds; with `ends`, only those before the first for which it does not."""

    def __init__(self, source: Node, predicate: Callable[..., Any], ends: bool = False):
        super().__init__(source)
        self.function, self.ends = UserFunction(predicate), ends

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        return UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Call the predicate on each element."""
        return _FilterStream(self.input.stream(), self.function, self.ends)


class _FilterStream(Stream):
    saved = ("is_over",)

    def __init__(self, source: Stream, function: UserFunction, ends: bool):
        super().__init__(source)
        self.function, self.ends, self.is_over = function, ends, False

    def __next__(self) -> Any:
        while not self.is_over:
            element = next(self.input)
            found = np.asarray(self.function.on(element))
            if found.dtype != np.bool_ or found.ndim:
                raise ValueError(
                    "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
                    f"return type is {specs.of_element(elements.element_of(found))}."
                )
            if found:
                return element
            self.is_over = self.ends
        raise StopIteration


class Scan(Node):
    """The results of a function of a state and the element."""

    def __init__(self, source: Node, initial_state, function: Callable[..., Any]):
        super().__init__(source)
        self.initial = elements.element_of(initial_state)
        self.function = UserFunction(function)

    def find_spec(self) -> Any:
        """Find the specs of the results."""
        return function_specs.of_results(lambda x: self.function(self.initial, x)[1], self.input)

    def known_spec(self) -> None:
        """Return `None`: the function would have to be called."""

    def stream(self) -> Stream:
        """Start with the initial state."""
        return _ScanStream(self.input.stream(), self)


class _ScanStream(Stream):
    saved = ("carried",)

    def __init__(self, source: Stream, node: Scan):
        super().__init__(source)
        self.node, self.carried = node, node.initial

    def __next__(self) -> Any:
        found = self.node.function(self.carried, next(self.input))
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and "
                f"the output value but its return type is {type(found)}."
            )
        check_carried("scan_func", self.node.initial, found[0])
        self.carried = found[0]
        return found[1]


def check_carried(name: str, initial, new) -> None:
    """Check that a new state has the structure and the dtypes of the initial one.

    Raises:
      TypeError: it differs in one of them.
    """
    kinds = [
        [getattr(leaf, "dtype", type(leaf)) for leaf in structures.flatten(state)]
        for state in (initial, new)
    ]
    if not structures.are_alike(initial, new) or kinds[0] != kinds[1]:
        raise TypeError(
            errors.message(
                f"`{name}`",
                "The element types for the new state must match the initial state.",
                required=f"{specs.of_element(initial)}",
                received=f"{specs.of_element(new)}",
                do=(
                    "give the initial state the dtype that `scan_func` returns, for instance `np.int64(0)`"
                ),
            )
        )


class IgnoringErrors(Node):
    """The elements that can be computed."""

    def __init__(self, source: Node, log_warning: bool):
        super().__init__(source)
        self.log_warning = log_warning

    def cardinality(self) -> int:
        """Return `UNKNOWN_CARDINALITY`."""
        found = self.input.cardinality()
        return found if found < 0 else UNKNOWN_CARDINALITY

    def stream(self) -> Stream:
        """Leave out each element that raises an error when it is computed."""
        return _IgnoringStream(self.input.stream())


# A source that raises the same error this often without an element in between never ends.
_TRIES = 1000


class _IgnoringStream(Stream):
    tries = 0

    def __next__(self) -> Any:
        while True:
            try:
                found = next(self.input)
                self.tries = 0
                return found
            except StopIteration:
                raise
            except Exception as error:
                self.tries = self.tries + 1 if self.input.is_stuck() else 0
                if self.tries >= _TRIES:
                    raise errors.FailedPreconditionError(
                        errors.message(
                            "`ignore_errors`",
                            f"the source has raised the same error {_TRIES} times in a row; TensorFlow would skip this "
                            "error forever.",
                            received=f"{type(error).__name__}: {error}",
                            do=(
                                "remove the unreadable file or generator from the source, for "
                                "instance `[f for f in files if shims.io.gfile.exists(f)]`"
                            ),
                        )
                    ) from error
