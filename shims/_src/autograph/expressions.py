"""Provide `and`, `or`, `not`, conditional expressions and `assert` over traced arrays."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp

from shims._src.autograph import lists, sizes
from shims._src.control_flow.staged_branches import stage_branches
from shims._src.control_flow.staging import current_value, is_array, is_staged, scalar_condition
from shims._src.errors import errors
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import primitives

# The result of the last negation of a traced condition, and its operand.
_NEGATED: ThreadSlot[tuple | None] = ThreadSlot(None)


def and_(left: Callable, right: Callable):
    """Evaluate `left() and right()`; both are evaluated if the left one is traced."""
    value = staged_question(left())
    if not is_staged(value):
        return value and right()
    return jnp.logical_and(scalar_condition(value, "and"), _scalar_operand(right(), "and"))


def or_(left: Callable, right: Callable):
    """Evaluate `left() or right()`; both are evaluated if the left one is traced."""
    value = staged_question(left())
    if not is_staged(value):
        return value or right()
    return jnp.logical_or(scalar_condition(value, "or"), _scalar_operand(right(), "or"))


def not_(value):
    """Evaluate `not value`."""
    value = staged_question(value)
    if not is_staged(value):
        return not value
    result = jnp.logical_not(scalar_condition(value, "not"))
    _NEGATED.value = (result, value)
    return result


def operand_of_negation(condition):
    """Return `x` if `condition` is the result of the most recent `not x`, otherwise `None`."""
    negated = _NEGATED.value
    return negated[1] if negated is not None and negated[0] is condition else None


def staged_question(value):
    """Convert a comparison of data-dependent sizes to a traced bool; return others unchanged."""
    value = current_value(value)
    question = sizes.question_of(value)
    return value if question is None else sizes.array_of(question)


def _scalar_operand(value, label: str):
    value = staged_question(value)
    return scalar_condition(jnp.asarray(value), label) if is_array(value) else bool(value)


def if_exp(condition, if_true: Callable, if_false: Callable):
    """Evaluate `if_true() if condition else if_false()`."""
    condition = current_value(condition)
    question = sizes.question_of(condition)
    thunks = (lambda: (if_true(),), lambda: (if_false(),))
    if question is not None:
        with sizes.attempt() as failure, lists.no_leaks():
            return stage_branches(sizes.array_of(question), thunks, label="if")[0]
        condition = question.answer() if failure else condition
    if not is_staged(condition):
        return if_true() if condition else if_false()
    with lists.no_leaks():
        return stage_branches(condition, thunks, label="if")[0]


def assert_stmt(condition, message: Callable, text: str) -> None:
    """Execute `assert condition, message()`; a traced condition is checked at run time."""
    condition = staged_question(condition)
    if not is_staged(condition):
        if not condition:
            found = message()
            raise AssertionError(*(() if found is None else (found,)))
        return
    found = message()
    shown = f"`{text}` does not hold." if found is None else str(found)
    bad = jnp.logical_not(scalar_condition(condition, "assert"))
    primitives.check(bad, errors.message("assert", shown))
