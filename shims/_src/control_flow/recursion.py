"""Decide the conditions of functions that call themselves: to stage the calls in their branches would not end.

All branches of a staged conditional are traced, also the one that ends a recursion and the one that goes on. From a
certain depth on, the statement is decided while tracing: by the numbers of the sizes that it depends on, or by the data
of a call at the top level.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import TypeVar

from shims._src.control_flow import untaken_branches
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import linear_bounds, numbering, trace
from shims._src.tracing.size_questions import known_comparison, question_of

Staged = TypeVar("Staged")

# The branches that are being staged, by the code of their statement, from the outermost one.
_STAGED: ThreadSlot[tuple[types.CodeType, ...]] = ThreadSlot(())
# The depth from which a statement that is staged inside of its own branch is taken for an endless recursion.
_DEEPEST = 8
# The most statements of one function that are decided by the data of a call.
_MOST_DECIDED = 128
_LOOP = "write a loop, or give the recursion a depth"


class _Recursion(BaseException):
    """Ends the staging of a statement whose branches call the same function again and again."""

    def __init__(self, code: types.CodeType):
        super().__init__(code.co_name)
        self.code = code


def staged(
    condition, branch: Callable, stage: Callable[[], Staged]
) -> tuple[Staged | None, bool | None]:
    """Stage a conditional by `stage()`, unless its branches call the function that contains it without end.

    Args:
      condition: its condition, a size or a traced scalar.
      branch: the function that stands for its first branch.
      stage: stages it.

    Returns:
      `(stage(), None)`, or `(None, holds)` where a recursion is decided: `holds` tells whether the condition does.

    Raises:
      FreshSizeError: nothing decides the recursion while it is traced, but sizes do when it runs.
      RecursionError: nothing decides it, but data do when it runs.
    """
    code = getattr(branch, "__code__", None)
    state, outer = trace.current(), _STAGED.value
    if code is None:
        return stage(), None
    if state is not None and code in state.recursions:
        return None, _decided(condition, code)
    depth = outer.count(code)
    if depth >= _DEEPEST or (depth and _is_of_long_size(condition)):
        raise _Recursion(code)
    mark = (0, 0) if state is None else state.decisions.mark()
    try:
        with _STAGED.holding((*outer, code)):
            return stage(), None
    except _Recursion as found:
        if found.code is not code or code in outer:
            raise
    if state is not None:
        if state.decisions.forget_since(mark):
            state.forget_inner_programs()  # they rely on the decisions
        state.recursions[code] = 0
    return None, _decided(condition, code)


def _is_of_long_size(condition) -> bool:
    """Return whether a condition compares a size that is computed by many operations, such as a half of a half."""
    sizes = [condition] if jp.is_symbolic(condition) else numbering.sizes_behind(condition) or []
    return any(map(linear_bounds.is_long, sizes))


def _decided(condition, code: types.CodeType) -> bool:
    """Return whether a condition holds on which a recursion depends.

    Raises:
      Respecialize: the program is traced again, with sizes as constants.
      FreshSizeError: the condition depends on sizes that are not known.
      RecursionError: it depends on data that are not known, or the recursion is too long.
    """
    known = known_comparison(condition)
    if known is not None:
        return known
    state = trace.current()
    if state is None:
        raise _undecided()
    sizes = [condition] if jp.is_symbolic(condition) else numbering.sizes_behind(condition) or []
    names = frozenset().union(*map(jp.variables, sizes))
    if names and names <= state.input_sizes.keys():
        raise trace.Respecialize(names)
    question = question_of(condition)
    if question is not None:
        question.require_numbers("a recursion", _LOOP)
    state.recursions[code] += 1
    if not state.has_data or state.recursions[code] > _MOST_DECIDED:
        raise _undecided()
    holds = None
    with contextlib.suppress(errors.FreshSizeError):
        holds = untaken_branches.decided(condition)
    if holds is None:
        raise _undecided()
    return holds


def _undecided() -> RecursionError:
    return RecursionError(
        errors.message(
            "if",
            "a function calls itself until a condition holds, but this condition is known only when the program runs, "
            "so the trace does not end.",
            required=f"a condition that is known while the program is traced, or at most {_MOST_DECIDED} calls at the "
            "top level, where the data decide",
            do=_LOOP,
        )
    )
