"""Pairs of axes that are summed over: TensorFlow asks only the products of their sizes to be equal."""

from __future__ import annotations

import math

from shims._src.arguments.checks import is_known
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace


def settle(pairs) -> None:
    """Have sizes of inputs as numbers where those of a pair differ in this call.

    TensorFlow asks only their products to be equal, and then adds up whatever meets.
    """
    state = trace.current()
    if state is None:
        return
    decided = True
    for one, other in pairs:
        difference = one - other
        if jp.is_symbolic(difference) and state.is_input_only(difference):
            equal = state.decide(difference, lambda value: value == 0, f"{one} == {other}")
            decided = decided and equal
    if not decided:
        sizes = [d for pair in pairs for d in pair if jp.is_symbolic(d) and state.is_input_only(d)]
        raise trace.Respecialize(frozenset(n for d in sizes for n in jp.variables(d)))


def as_one(x, axes, *, last: bool):
    """The axes put together to one, at the end or in front."""
    rest = [i for i in range(x.ndim) if i not in axes]
    sides = [*rest, *axes] if last else [*axes, *rest]
    left = tuple(x.shape[i] for i in rest)
    together = math.prod(x.shape[i] for i in axes)
    return x.transpose(sides).reshape((*left, together) if last else (together, *left))


def differ(pairs) -> bool:
    """Whether known sizes of a pair are not equal."""
    return any(one != other for one, other in _known(pairs))


def have_equal_products(pairs) -> bool:
    """Whether all sizes are known, and their products equal."""
    ours, theirs = zip(*pairs, strict=True)
    return len(_known(pairs)) == len(pairs) and math.prod(ours) == math.prod(theirs)


def _known(pairs):
    return [pair for pair in pairs if all(map(is_known, pair))]
