"""Cache the compiled programs for one combination of fetches and feeds, by the arguments' shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shims._src.function.function import Function
from shims._src.types.tensor_spec import TensorSpec
from shims._src.v1.graph.nodes import Tensor

_OPTIONS: dict[str, Any] = {
    "autograph": False,
    "reduce_retracing": False,
    "buckets": "powers_of_two",
    "overflow": "grow",
    "on_specialize": "warn",
    "unpad": True,
}


class ProgramCache:
    """A cache: one exact program for the first shapes, and padded programs for all other shapes.

    Most users always feed the same shapes, which then run without padding. Other shapes of the same
    ranks share a program with symbolic sizes.

    Args:
      make_pure: a function that creates a new function `(values of variables, arguments) ->
        (results, new values)`.
      arguments: the tensors whose values are the arguments.
    """

    def __init__(self, make_pure: Callable[[], Callable], arguments: Sequence[Tensor]):
        self._make_pure = make_pure
        self._arguments = arguments
        # A size that decides the rank of a tensor must be static.
        self._rank_sizes = [
            (i, t.op.attributes["rank_axis"])
            for i, t in enumerate(arguments)
            if "rank_axis" in t.op.attributes
        ]
        self._exact: tuple[tuple, Function] | None = None
        self._by_rank: dict[tuple, Function] = {}

    @property
    def compilations(self) -> int:
        """The number of compiled programs."""
        exact = [] if self._exact is None else [self._exact[1]]
        return sum(f.counts.compilations for f in [*exact, *self._by_rank.values()])

    def function_for(self, shapes: tuple[tuple[int, ...], ...], values: Sequence) -> Function:
        """Return the function that handles arguments of the given shapes.

        Args:
          shapes: the shape of each argument.
          values: the values of the variables.
        """
        if self._exact is None:
            self._exact = (shapes, self._compile(None))
        first, function = self._exact
        if shapes == first:
            return function
        key = (*map(len, shapes), *(shapes[i][axis] for i, axis in self._rank_sizes))
        if key not in self._by_rank:
            given = [TensorSpec(np.shape(v), v.dtype) for v in values]
            self._by_rank[key] = self._compile([given, self._specs(shapes)])
        return self._by_rank[key]

    def _compile(self, input_signature) -> Function:
        pure = self._make_pure()
        pure.__name__ = "Session.run"  # the name in warnings
        return Function(pure, **_OPTIONS, input_signature=input_signature)

    def _specs(self, shapes) -> list[TensorSpec]:
        """Return the `TensorSpec` of each argument, with `None` for sizes that are not static."""
        sizes = [
            t.shape.as_list() if t.shape.rank is not None else [None] * len(shape)
            for t, shape in zip(self._arguments, shapes, strict=True)
        ]
        for i, axis in self._rank_sizes:
            sizes[i][axis] = shapes[i][axis]
        pairs = zip(sizes, self._arguments, strict=True)
        return [TensorSpec(shape, t.dtype) for shape, t in pairs]
