"""Decide questions about sizes exactly where the traced program handles the error that an answer may cause.

Most of JAX takes "not known to be equal" for "not equal" and raises an error, from which a trace recovers with more
facts. Where the program handles errors, its handler would run instead, for sizes that are no error as exact numbers.
"""

from __future__ import annotations

from shims._src.errors import errors, refusals
from shims._src.platform import jax_messages, user_source
from shims._src.platform import jax_private as jp
from shims._src.sizes import size_numbers, trace
from shims._src.sizes.decisions import Question, only_zero
from shims._src.sizes.size_numbers import are_handled

_OF_TRACING = (errors.TracedValueError, errors.FreshSizeError)


def is_zero(state: trace.DynamicTrace, d, text: str) -> bool:
    """Return whether an expression over sizes is 0; assume that it is not where nothing depends on that.

    Raises:
      FreshSizeError: the program handles errors of this step, and nothing decides the answer.
    """
    if not are_handled():
        return state.is_zero(d, text)
    answer = state.answer(d, Question.ZERO, text)
    if answer is None:
        raise undecidable(text)
    note(state, d)
    # JAX compares the sizes again in the code that follows, which numbers can tell: `min(u0, 4)` is 4.
    if not state.has_data:
        state.pin_operations(d)
    elif (
        answer and only_zero(d) is None
    ):  # a run checks the numbers of sizes, but none of an operation
        size_numbers.number_of(state, d, "a step with an error that the program handles")
    return answer


def note(state: trace.DynamicTrace, d) -> None:
    """Record that a question about an expression over sizes was decided exactly for the user's current line."""
    state.decided_at.update((errors.user_line(), name) for name in jp.variables(d))


def needs_value(error: BaseException) -> bool:
    """Return whether an error that the program handles exists only because values are unknown while tracing.

    A handler that names errors of tracing is written for them.
    """
    state = trace.current()
    if state is None or is_handled_by_name(error):
        return False
    if any(error is refusal for refusal in state.raised):
        return True
    if jax_messages.hashes_tracer(error):  # arrays are no keys either
        return state.has_traced_numbers
    return refusals.is_of_traced_operand(error)


def as_number(array, kind: type):
    """Convert a traced array to one that stands for a Python number of a type, such as the result of `int`."""
    state = trace.current()
    if state is not None:
        state.has_traced_numbers = True
    return jp.as_python_number(array, kind)


def is_handled_by_name(error: BaseException) -> bool:
    """Return whether the handler of an error in the first step of its traceback names a class of JAX's errors, or ours."""
    step = error.__traceback__
    kinds = [] if step is None else user_source.handled_as(step, error)
    return any(kind in _OF_TRACING or kind.__module__.startswith("jax.") for kind in kinds)


def may_be_due_to_sizes(error: BaseException) -> bool:
    """Return whether an error that the program handles may be due to sizes that the current trace does not know."""
    state = trace.current()
    if state is None or not refusals.may_be_due_to_sizes(error):
        return False
    line = refusals.line_of_error(error)
    return not any((line, name) in state.decided_at for name in refusals.sizes_at_hand(error))


def undecidable(question: str) -> errors.FreshSizeError:
    """Create the error for Python code that branches on a size that is unknown while tracing."""
    return errors.FreshSizeError(
        errors.message(
            "",
            f"`{question}` needs a data-dependent size while the program is traced.",
            required="a condition that does not depend on traced data",
            do="compare the number instead, `shims.size(y)` with `shims.cond`, or let "
            "`shims.where` choose between the results",
        )
    )
