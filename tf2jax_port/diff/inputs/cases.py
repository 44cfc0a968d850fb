"""Collect the inputs of a comparison: the argument tuples that `cases()` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.values.arguments import Arguments, bind
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import representable


def collect(source: Callable[[], Iterable[Any]], old: Callable[..., Any]) -> list[Arguments]:
    """Collect all cases; arrays are copied, so that no lane can change the inputs of another.

    Args:
      source: `cases`, a function that returns argument tuples.
      old: the TensorFlow function, whose parameters name the arrays.

    Raises:
      DiffError: the generator raises, or yields something that is not a tuple.
    """
    found = attempt(lambda: list(source()))
    if isinstance(found, Failure):
        raise DiffError(f"cases(): it stopped with an error.\n  Received: {found.reason}")
    collected = []
    for index, call in enumerate(found):
        if not isinstance(call, tuple):
            raise DiffError(
                f"cases(): case {index} is not a tuple of arguments.\n"
                "  Required: one tuple per call, `yield (x, y)`, for one argument `yield (x,)`\n"
                f"  Received: {type(call).__name__}"
            )
        collected.append(bind(index, call, old))
    return collected


def fit(case: Arguments, x64: bool) -> Arguments | Failure:
    """Round the case to values that both libraries can represent; a `Failure` if that is impossible."""
    return attempt(case.map, lambda array: representable(array, x64))
