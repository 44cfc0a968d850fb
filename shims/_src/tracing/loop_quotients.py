"""Check the quotients of numbers that a staged loop counts: a divisor of 0 is an error in Python."""

from __future__ import annotations

from collections.abc import Callable

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import loop_numbers, primitives
from shims._src.tracing import comparison_callers, size_questions
from shims._src.tracing.hooked_quotients import QUOTIENTS, is_python_number, zero_divisor


def _quotient(symbol: str, *, reflected: bool) -> Callable:
    """Return the hook of a tracer's quotient or remainder, which checks the counters of staged loops."""

    def method(state, original, x, other):
        dividend, divisor = (other, x) if reflected else (x, other)
        are_numbers = loop_numbers.is_number(divisor) and (
            is_python_number(dividend)
            or jp.is_symbolic(dividend)
            or loop_numbers.is_number(dividend)
        )
        if are_numbers and comparison_callers.program_calls(3):
            text = zero_divisor(symbol, "a number that a loop counts")
            primitives.check(divisor == 0, state.with_origins(text), error=errors.ZeroDivisorError)
        return size_questions.computed(state, original, x, other)

    return method


TRACER_METHODS: dict[str, Callable] = {
    f"_{prefix}{name}": _quotient(symbol, reflected=prefix == "r")
    for prefix, name, symbol in QUOTIENTS
}
