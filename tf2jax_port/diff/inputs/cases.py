"""Collect the inputs of a comparison: the argument tuples that `cases()` returns."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.inputs.fitting import check, to_positional
from tf2jax_port.diff.values.arguments import Arguments, bind
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.precision import representable

# A generator that yields more than this is taken to have no end.
MOST_CASES = 10_000


def collect(
    source: Callable[[], Iterable[Any]],
    old: Callable[..., Any],
    new: Callable[..., Any] | None = None,
) -> list[Arguments]:
    """Collect all cases; arrays are copied, so that no lane can change the inputs of another.

    Args:
      source: `cases`, a function that returns argument tuples, or dicts of arguments by name.
      old: the TensorFlow function, whose parameters name the arrays.
      new: its port, whose parameters name the arrays that have no name in the original.

    Raises:
      DiffError: the generator raises, does not end, or yields something that is not a call of the functions.
    """
    found = attempt(lambda: list(itertools.islice(source(), MOST_CASES + 1)))
    if isinstance(found, Failure):
        raise DiffError(f"cases(): the generator raised an error.\n  Received: {found.reason}")
    if len(found) > MOST_CASES:
        raise DiffError(
            f"cases(): the generator yielded more than {MOST_CASES:,} calls; the loop may be endless.\n"
            "  Do:       end the loop, for example `for _ in range(100):`"
        )
    calls = [_tuple_of(index, call, old) for index, call in enumerate(found)]
    check(calls, old, new)
    return [bind(index, call, old, new) for index, call in enumerate(calls)]


def _tuple_of(index: int, call: Any, old: Callable[..., Any]) -> tuple[Any, ...]:
    if isinstance(call, dict):
        return to_positional(index, call, old)
    if not isinstance(call, tuple):
        raise DiffError(
            f"cases(): case {index} is not a tuple of arguments.\n"
            "  Required: one tuple per call, `yield (x, y)`, for one argument `yield (x,)`; or a dict by\n"
            "            the original's parameters, `yield dict(x=x, y=y)`\n"
            f"  Received: {type(call).__name__}"
        )
    return call


def reported(
    source: Callable[[], Iterable[Any]], step: Callable[[str], None]
) -> Callable[[], Iterator[Any]]:
    """Return a source of the same calls that reports their number so far, once a second."""

    def calls() -> Iterator[Any]:
        step("cases()")
        told = time.monotonic()
        for count, call in enumerate(source(), start=1):
            yield call
            if time.monotonic() - told > 1:
                told = time.monotonic()
                step(f"cases(), {count} so far")

    return calls


def fit(case: Arguments, x64: bool) -> Arguments | Failure:
    """Round the case to values that both libraries can represent; a `Failure` if that is impossible."""
    return attempt(case.map, lambda array: representable(array, x64))
