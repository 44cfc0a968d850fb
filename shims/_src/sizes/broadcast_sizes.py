"""Find the size to which sizes broadcast that are known only at run time, where any of them may be 1."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import possible_values, primitives, size_bounds, size_numbers
from shims._src.sizes.decisions import Question


def common(state, sizes: list):
    """Return that of several sizes, none of them the number 1, to which the other sizes are declared equal.

    `v[:1]` and `v[:5]` broadcast to the size of the second, whatever the size of `v` is. Where it depends on the data
    which size is 1, that is decided.

    Raises:
      Respecialize: a size is 1.
      Undecided: the program must be staged for both answers.
    """
    numbers = [d for d in sizes if not jp.is_symbolic(d)]
    if numbers or state is None:
        return next(iter(numbers), sizes[0])
    always = _always_common(state, sizes)
    if always is not None:
        return always
    if all(state.fresh.is_made_inside(d) for d in sizes):
        return _met(state, sizes)
    for d in sizes:
        if str(d) not in jp.variables(d) and not state.is_input_only(d):
            _decide_if_one(state, d)
    return sizes[0]


def _met(state, sizes: list):
    """Return a new size, the common one of sizes that differ from row to row, so that nothing decides which are 1."""
    numbers = map(primitives.as_size, sizes)
    count = functools.reduce(lambda a, b: jnp.where(a == 1, b, a), numbers)
    found = primitives.to_dim(count, label="broadcast")
    state.fresh.note_met(str(found))
    return found


def _always_common(state, sizes: list):
    """Return the size to which the sizes broadcast, whatever their numbers are; `None` if there is none."""
    known = [size_bounds.domain(state, d) for d in sizes]
    if None in known:
        return None
    domain = tuple(sorted({bounds for one in known for bounds in one or ()}))
    values = [possible_values.over(jp.form(d), domain) for d in sizes]
    if any(v is None for v in values):
        return None
    every = np.stack(values)
    is_one = every == 1
    # The size of the operands that do not broadcast; 1 if all do.
    wide = np.where(is_one, -1, every).max(0)
    fits = np.all(is_one | (every == wide), 0)
    wide = np.where(is_one.all(0), 1, wide)
    matching = (d for d, v in zip(sizes, every, strict=True) if np.all(v[fits] == wide[fits]))
    return next(matching, None)


def _decide_if_one(state, d) -> None:
    """Decide whether an operation on sizes is 1, where that is decided before the run; it becomes a constant then."""
    is_decided = state.has_data or state.may_answer(d - 1, Question.ZERO)
    if not is_decided or size_bounds.never_zero(state, d - 1):
        return
    if state.answer(d - 1, Question.ZERO, f"{d} == 1"):
        size_numbers.number_of(state, d, "broadcasting along an axis of size 1")
