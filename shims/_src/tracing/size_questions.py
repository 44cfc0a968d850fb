"""Recognize conditions that compare data-dependent sizes, so that a trace can also decide them.

A comparison of sizes is an array that is computed when the program runs. Python code that needs the
answer at once (`if` around code that cannot be staged, `bool(n > 2)`) gets the answer that the dynamic
trace measures or assumes.
Other numbers that are computed from sizes alone (`int(n / 2)`) are decided by the numbers of these sizes.
"""

from __future__ import annotations

import dataclasses
import operator
from typing import Any

import numpy as np
from jax import lax

from shims._src.errors import errors, remedies
from shims._src.platform import jax_private as jp
from shims._src.sizes import (
    dims,
    loop_numbers,
    numbering,
    primitives,
    room,
    size_bounds,
    size_numbers,
    trace,
)
from shims._src.sizes.size_numbers import number_of
from shims._src.tracing import hooked_sizes, size_texts

_PRIMITIVES = {"lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge, "eq": lax.eq, "ne": lax.ne}


@dataclasses.dataclass(frozen=True, eq=False)
class SizeQuestion:
    """A comparison of two sizes or integers, at least one of which is a data-dependent size."""

    name: str
    left: Any
    right: Any

    def answer(self) -> bool:
        """Return the answer of the current dynamic trace: known from bounds, or measured and assumed."""
        return hooked_sizes.QUESTIONS[self.name](self.left, self.right)

    def require_numbers(self, asked: str, do: str) -> None:
        """Trace again with the sizes as numbers, see `size_numbers.number_of`."""
        state = trace.current()
        assert state is not None
        for d in filter(jp.is_symbolic, (self.left, self.right)):
            number_of(state, d, asked, do)

    def array(self):
        """Return the comparison as a traced bool scalar."""
        left, right = self.left, self.right
        if any(map(dims.exceeds_sizes, (left, right))):  # a difference beyond int32 keeps its sign
            left, right = left - right, 0
        left, right = map(_as_number, (left, right))
        return _PRIMITIVES[self.name](left, right)


@dataclasses.dataclass(frozen=True, eq=False)
class ComputedQuestion:
    """A traced bool that is computed from sizes alone, such as `n in (2, 3)`; their numbers decide it."""

    value: Any
    sizes: tuple

    def answer(self) -> bool:
        """Trace again with the sizes as numbers, see `size_numbers.number_of`."""
        self.require_numbers("a condition that is computed from the size", size_numbers.AS_ARRAY)
        raise AssertionError("the sizes are numbers already")

    def require_numbers(self, asked: str, do: str) -> None:
        """Trace again with the sizes as numbers, see `size_numbers.number_of`."""
        state = trace.current()
        assert state is not None
        for d in self.sizes:
            number_of(state, d, asked, do)

    def array(self):
        """Return the traced bool scalar."""
        return self.value


def _as_number(d):
    """Convert a size or an integer to int32; integers are clipped, as no size is out of that range."""
    limits = np.iinfo(np.int32)
    return primitives.as_size(d if jp.is_symbolic(d) else min(max(d, limits.min), limits.max))


def question_of(condition) -> SizeQuestion | ComputedQuestion | None:
    """Return a condition as a question if it is computed from data-dependent sizes, otherwise `None`."""
    if jp.is_symbolic(condition):
        return SizeQuestion("ne", condition, 0) if depend_on_data([condition]) else None
    if not jp.is_tracer(condition) or condition.ndim or trace.current() is None:
        return None
    return _comparison(condition) or _computed(condition)


def _comparison(condition) -> SizeQuestion | None:
    found = _compared(condition)
    sizes = [] if found is None else [s for s in found[1:] if jp.is_symbolic(s)]
    return SizeQuestion(*found) if found is not None and depend_on_data(sizes) else None


def _compared(condition) -> tuple | None:
    """Return `(comparison, left, right)` if a traced bool compares sizes or integers, otherwise `None`."""
    found = jp.defining_equation(jp.primal_tracer(condition))
    if found is None or found[0].primitive.name not in _PRIMITIVES:
        return None
    sides = [_size_of(x) for x in jp.operand_atoms(found[0])]
    if None in [s for s in sides if not jp.is_symbolic(s)]:
        return None
    return found[0].primitive.name, *sides


def known_comparison(condition) -> bool | None:
    """Return what a traced comparison of integers gives that do not depend on the inputs; `None` for any other."""
    if not jp.is_tracer(condition) or condition.ndim:
        return None
    found = _compared(condition)
    if found is None or any(map(jp.is_symbolic, found[1:])):
        return None
    name, left, right = found
    return bool(getattr(operator, name)(left, right))


def _computed(condition) -> ComputedQuestion | None:
    sizes = numbering.sizes_behind(condition) if condition.dtype == bool else None
    return ComputedQuestion(condition, tuple(sizes)) if sizes and depend_on_data(sizes) else None


def _size_of(x):
    """Return the dimension or integer that an operand was computed from, `None` for any other value."""
    constant = jp.constant_of(x)
    if constant is None and x.dtype.kind not in "iu":
        return None
    return numbering.symbolic_value(x)


def depend_on_data(sizes) -> bool:
    """Return whether any of several sizes is data-dependent."""
    state = trace.current()
    return state is not None and any(state.owns(d) and not state.is_input_only(d) for d in sizes)


def exceeds_int32(d) -> bool:
    """Return whether a number that is computed from sizes is out of int32's range even for small sizes."""
    state = trace.current()
    return state is not None and size_bounds.magnitude_of_few(state, d) > room.MOST_SLOTS


# The methods of lists that arrays do not have. `index` and `count` would be those of a different type.
_OF_LISTS = frozenset({"append", "extend", "insert", "pop", "remove", "reverse", "clear", "sort"})


def attribute(state, original, tracer, name: str):
    """Return an attribute of an array; where it is a list that a loop filled, trace again with its length.

    A staged loop fills an array in the place of a list, and an array lacks the methods of a list.
    """
    try:
        return original(tracer, name)
    except AttributeError:
        if name in _OF_LISTS:
            require_length(tracer)
        raise


def text(state, original, tracer, *specification):
    """Return a traced number as text; one that is computed from sizes alone, as the text of its value.

    Messages that only people read show the tracer.
    """
    if getattr(tracer, "ndim", 1) or size_texts.is_message(2):
        return original(tracer, *specification)
    for d in numbering.sizes_behind(tracer) or _lengths_behind(tracer):
        if state.owns(d):
            number_of(state, d, "text", size_numbers.AS_TEXT)
    is_formatted = any(specification)  # which is an error of arrays that have no values
    if is_formatted or loop_numbers.is_number(tracer) or _statements_behind(tracer):
        raise errors.TracedValueError(
            errors.message(
                "",
                "a number must be converted to text, but the number is known only when the program runs.",
                required="a number that is known while the program is traced",
                do=size_numbers.AS_TEXT,
            )
        )
    return original(tracer, *specification)


_STATEMENTS = frozenset({"scan", "while", "cond"})


def _statements_behind(tracer) -> list:
    """Return the equations of the staged statements that give a traced scalar its value."""
    ends = _STATEMENTS | frozenset(numbering.SIZE_READERS)
    found = numbering.equations_behind(tracer, ends=ends)
    return [eqn for eqn in found if eqn is not None and eqn.primitive.name in _STATEMENTS]


def _lengths_behind(tracer) -> list:
    """Return the data-dependent sizes of the arrays over which such statements loop."""
    operands = [x for eqn in _statements_behind(tracer) for x in jp.operand_atoms(eqn)]
    return [d for x in operands for d in x.aval.shape if depend_on_data([d])]


def require_length(x) -> None:
    """Trace again with the length of an array that may stand for a list, if the data determine it."""
    state = trace.current()
    if state is not None and jp.is_tracer(x) and x.ndim and depend_on_data(x.shape[:1]):
        number_of(
            state, x.shape[0], "reading a list that a loop over a size has filled", remedies.ITEMS
        )


def computed(state, original, *operands):
    """Compute with arrays; an answer to a question about sizes is an integer, as Python's bools are.

    Arrays of bools have other rules: `+` is a logical "or" of them, and `-` is an error.
    """
    if any(isinstance(x, list) for x in operands):
        for x in operands:
            require_length(x)
    bools = [x for x in operands if getattr(x, "dtype", None) == np.bool_]
    answers = [x for x in bools if question_of(x) is not None]
    # With an array of bools that is no answer, Python's bools follow the rules of such arrays, too.
    if answers and len(answers) == len(bools):
        operands = tuple(_as_integer(x) if any(x is a for a in answers) else x for x in operands)
    return original(*operands)


def rounded(state, original, number, *digits):
    """Round an array; what stands for a Python number, such as `n / 2` of a size, becomes one that is an integer."""
    result = original(number, *digits)
    is_number = number.weak_type and not number.ndim and not digits
    return jp.as_python_number(result, int) if is_number else result


def _as_integer(answer):
    """Convert an answer to 0 or 1, whose dtype is that of a Python number."""
    return jp.as_python_number(answer, int)


def convert(state, original, aval, tracer):
    """Convert a traced scalar to a Python number: its value is known if it was computed from sizes alone."""
    question = question_of(tracer)
    if question is not None:
        return question.answer()
    _require_numbers(state, tracer)
    return original(aval, tracer)


def as_index(state, original, tracer):
    """Convert a traced scalar to a Python index: its value is known if it was computed from sizes alone."""
    question = question_of(tracer)
    if question is not None:
        return int(question.answer())
    _require_numbers(state, tracer)
    return original(tracer)


def as_numpy(state, original, tracer, *args, **kwargs):
    """Convert a traced array to a NumPy array: its value is known if it was computed from sizes alone."""
    question = question_of(tracer)
    if question is not None:
        return np.asarray(question.answer(), *args, **kwargs)
    _require_numbers(state, tracer)
    return original(tracer, *args, **kwargs)


def _require_numbers(state, tracer) -> None:
    """Trace again with numbers for the sizes from which alone a traced value was computed."""
    for d in numbering.sizes_behind(tracer) or ():
        if state.owns(d):
            number_of(state, d, "reading a number that was computed from the size")


def items(state, original, tracer):
    """Iterate over an array in Python, for which its length must be a number."""
    if tracer.ndim and depend_on_data(tracer.shape[:1]):
        number_of(state, tracer.shape[0], "iterating over an array", remedies.ITEMS)
    return original(tracer)
