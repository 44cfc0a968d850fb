"""Match pairs of contracted axes; TensorFlow requires only equal products of their sizes."""

from __future__ import annotations

import math

from shims._src.arguments.checks import is_known
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace
from shims._src.sizes.decisions import Question


def settle(pairs) -> None:
    """Make input sizes constants if the two sizes of a pair of contracted axes differ in this call.

    Only with numbers can the products of the sizes be compared, which TensorFlow requires to be equal.
    """
    state = trace.current()
    if state is None:
        return
    decided = True
    for one, other in pairs:
        difference = one - other
        if jp.is_symbolic(difference) and state.is_input_only(difference):
            equal = state.decide(difference, Question.ZERO, f"{one} == {other}")
            decided = decided and equal
    if not decided:
        sizes = [d for pair in pairs for d in pair if jp.is_symbolic(d) and state.is_input_only(d)]
        raise trace.Respecialize(frozenset(n for d in sizes for n in jp.variables(d)))


def as_one(x, axes, *, last: bool):
    """Merge some axes of an array into one axis, which becomes the last or the first."""
    rest = [i for i in range(x.ndim) if i not in axes]
    sides = [*rest, *axes] if last else [*axes, *rest]
    left = tuple(x.shape[i] for i in rest)
    together = math.prod(x.shape[i] for i in axes)
    return x.transpose(sides).reshape((*left, together) if last else (together, *left))


def differ(pairs) -> bool:
    """Return whether the two sizes of any pair are known and differ."""
    return any(one != other for one, other in _known_pairs(pairs))


def have_equal_products(pairs) -> bool:
    """Return whether all sizes are known, and their products on both sides are equal."""
    ours, theirs = zip(*pairs, strict=True)
    return len(_known_pairs(pairs)) == len(pairs) and math.prod(ours) == math.prod(theirs)


def _known_pairs(pairs):
    return [pair for pair in pairs if all(map(is_known, pair))]
