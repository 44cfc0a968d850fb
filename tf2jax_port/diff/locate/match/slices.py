"""Reduce runs to the operations on which single outputs depend, to shorten the search."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from tf2jax_port.diff.locate.match.frontier import before
from tf2jax_port.diff.locate.watch.trail import Trail

# Programs of more operations are searched output by output first, the smallest slice first.
LARGE = 2000
# The largest useful part of a program in a slice.
_MOST = 0.7


def slices(
    old: Trail, new: Trail, pairs: Mapping[str, tuple[int, int]]
) -> Iterator[tuple[Trail, Trail, dict[str, tuple[int, int]]]]:
    """Yield both runs, reduced to the operations on which one output depends, smallest first.

    Args:
      old: the original's run.
      new: the port's run.
      pairs: a dict from the paths of the differing outputs to their value numbers in the two runs.
    """
    needed = {path: before(new, [mine]) for path, (_, mine) in pairs.items()}

    def order(path: str) -> tuple[bool, int, str]:
        # Counts and flags can agree by accident.
        return _kind(new, pairs[path][1]) not in "fc", len(needed[path]), path

    for path in sorted(needed, key=order):
        if len(needed[path]) > _MOST * len(new.values):
            continue
        theirs, mine = pairs[path]
        a = _sliced(old, path, theirs, before(old, [theirs]))
        b = _sliced(new, path, mine, needed[path])
        yield a, b, {path: (a.outputs[path], b.outputs[path])}


def _kind(trail: Trail, number: int) -> str:
    array = trail.array(number)
    return "" if array is None else array.dtype.kind


def _sliced(trail: Trail, path: str, output: int, needed: Collection[int]) -> Trail:
    """Return a renumbered run with only the needed values and the operations that compute them."""
    numbers = {number: at for at, number in enumerate(sorted(needed))}
    made = Trail(counter=trail.counter)
    made.outputs[path] = numbers[output]
    made.names = {numbers[n]: name for n, name in trail.names.items() if n in numbers}
    steps: dict[int, int] = {}
    for step in trail.steps:
        if numbers.keys().isdisjoint(step.results):
            continue
        # If one of several results is needed, the others are kept too.
        for extra in step.results:
            numbers.setdefault(extra, len(numbers))
        steps[step.number] = len(made.steps)
        made.steps.append(
            replace(
                step,
                number=len(made.steps),
                operands=tuple(numbers[o] for o in step.operands),
                results=tuple(numbers[r] for r in step.results),
            )
        )
    for number in numbers:
        maker = trail.makers[number]
        made.arrays[made.value(trail.values[number], maker if maker is None else steps[maker])] = (
            trail.array(number)
        )
    return made
