"""Evaluate `and`, `or`, `not`, conditional expressions and `assert` in converted code."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp

from shims._src.autograph import aliases, effects, lists, sizes
from shims._src.control_flow import recursion, untaken_branches
from shims._src.control_flow.staged_branches import join_blocks, stage_branches
from shims._src.control_flow.staging import (
    Block,
    Slot,
    current_value,
    is_array,
    is_number,
    is_staged,
    scalar_condition,
    trace_block,
)
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import primitives, trace
from shims._src.tracing import handled_errors
from shims._src.tracing.size_questions import known_comparison, question_of

# The result of the last negation of a traced condition, and its operand.
_NEGATED: ThreadSlot[tuple | None] = ThreadSlot(None)


def and_(left: Callable, right: Callable):
    """Evaluate `left() and right()`; if `left()` is traced, `right()` is evaluated even if it is not needed."""
    return _one_of(left(), right, "and")


def or_(left: Callable, right: Callable):
    """Evaluate `left() or right()`; if `left()` is traced, `right()` is evaluated even if it is not needed."""
    return _one_of(left(), right, "or")


def _one_of(value, right: Callable, label: str):
    """Return the operand that `and` or `or` chooses; if the first is traced, choose at run time.

    Operands chosen at run time are promoted and broadcast as by `jnp.where`.
    """
    value = current_value(value)
    question = question_of(value)
    if question is None and not is_staged(value):
        return (value and right()) if label == "and" else (value or right())
    first = staged_number(value)
    truth = scalar_condition(first, label)
    watched = effects.staging(lambda: question is not None, right)
    with sizes.attempt() as failure, watched:
        effects.begin()
        block = trace_block(lambda: (staged_number(current_value(right())),))
        effects.end()
        if _may_fail(block):
            kept = trace_block(lambda: (first,))
            pair = (block, kept) if label == "and" else (kept, block)
            return join_blocks(truth, pair, names=("the result",), label=label)[0]
        other = _only_output(block)
        if not (is_array(other) or is_number(other)):
            raise _not_an_operand(label, other)
        if label == "and":
            return _chosen(truth, other, first)
        return _chosen(truth, first, other)
    if question is None:
        chosen = truth if label == "and" else jnp.logical_not(truth)
        untaken_branches.skip_unless_reached(lambda: chosen, failure[0])
        return first
    holds = question.answer()
    return right() if holds == (label == "and") else value


def _may_fail(block: Block) -> bool:
    """Return whether the second operand of `and` or `or` reads arrays or has effects, so must be evaluated only if needed."""
    if trace.current() is None:
        return False
    steps = list(equations(block.closed))
    avals = [v.aval for eqn in steps for v in eqn.invars]
    reads = any(jp.is_symbolic(d) for aval in avals for d in getattr(aval, "shape", ()))
    checks = any(eqn.primitive is primitives.check_p for eqn in steps)
    return reads or checks or bool(block.written)


def _only_output(block: Block):
    """Evaluate a block that assigns nothing, and return its output."""
    arrays, _ = block.run()

    def value_of(leaf):
        if not isinstance(leaf, Slot):
            return leaf
        return arrays[leaf.position] if leaf.passed is None else leaf.passed

    return jax.tree.unflatten(block.trees[0], map(value_of, block.leaves[0]))


def _chosen(truth, if_true, if_false):
    """Choose one of two operands by the traced bool `truth`, which may be an operand itself."""
    if _is_bool(if_true) and _is_bool(if_false):
        if if_false is truth:
            return jnp.logical_and(truth, if_true)
        if if_true is truth:
            return jnp.logical_or(truth, if_false)
    return jnp.where(truth, if_true, if_false)


def _is_bool(value) -> bool:
    return isinstance(value, bool) or (is_array(value) and value.dtype == bool and not value.ndim)


def _not_an_operand(label: str, value):
    return TypeError(
        errors.message(
            label,
            f"traced data choose an operand of `{label}`, but the operand is not an array.",
            required="arrays and numbers",
            received=f"{value!r}",
            do="choose the operand with a Python condition, or use a number instead.",
        )
    )


def truth(value, label: str):
    """Return the truth value of an operand of `and` or `or` inside a condition."""
    value = staged_question(value)
    return scalar_condition(value, label) if is_staged(value) else bool(value)


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
    """Convert a symbolic size used as a condition to a traced bool if it depends on data.

    Other values are returned unchanged.
    """
    value = current_value(value)
    if not jp.is_symbolic(value):
        return value
    question = question_of(value)
    return value if question is None else question.array()


def decided_where_handled(condition):
    """Decide a condition on sizes if the program handles errors of this step.

    A branch that raises an error could not be staged: its handler is Python.
    """
    if not handled_errors.are_handled() or not effects.is_of_sizes(staged_question(condition)):
        return condition
    return bool(condition)


def staged_number(value):
    """Convert a symbolic size to an array; return any other value unchanged."""
    return value.__jax_array__() if jp.is_symbolic(value) else value


def if_exp(condition, if_true: Callable, if_false: Callable):
    """Evaluate `if_true() if condition else if_false()`."""
    condition = current_value(condition)
    question, known = question_of(condition), known_comparison(condition)
    condition = condition if known is None else known
    found: list[dict] = []
    thunks = tuple(functools.partial(_of_branch, run, found) for run in (if_true, if_false))

    def stage():
        holds = condition
        if question is not None:
            watched = effects.staging(lambda: True, if_true, if_false)
            with sizes.attempt() as failure, watched, lists.no_leaks():
                effects.begin()
                (chosen,) = stage_branches(question.array(), thunks, label="if")
                effects.end()
                return aliases.joined(chosen, found)
            holds = question.answer() if failure else condition
        if not is_staged(holds):
            return if_true() if holds else if_false()
        with lists.no_leaks():
            found.clear()
            (chosen,) = stage_branches(holds, thunks, label="if", raised=holds)
            return aliases.joined(chosen, found)

    if question is None and not is_staged(condition):
        return if_true() if condition else if_false()
    chosen, holds = recursion.staged(condition, if_true, stage)
    if holds is None:
        return chosen
    return if_true() if holds else if_false()


def _of_branch(run: Callable, found: list[dict]) -> tuple:
    """Evaluate an operand of a conditional expression; append to `found` the containers that it names."""
    with aliases.scope():
        value = lists.result_of(run)
        found.append(aliases.outside_of_block(aliases.sources_of(value)))
    return (aliases.copied(value),)


def assert_stmt(condition, message: Callable, text: str) -> None:
    """Execute `assert condition, message()`; a traced condition is checked at run time."""
    condition = staged_question(decided_where_handled(condition))
    if not is_staged(condition):
        if not condition:
            found = message()
            raise AssertionError(*(() if found is None else (found,)))
        return
    found = message()
    shown = f"`{text}` is false." if found is None else str(found)
    bad = jnp.logical_not(scalar_condition(condition, "assert"))
    given = () if found is None else (found,)
    untaken_branches.raise_if_handled(bad, AssertionError(*given))
    primitives.check(bad, errors.message("assert", shown))
