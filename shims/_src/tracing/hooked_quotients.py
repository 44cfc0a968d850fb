"""Divide by sizes and raise to their power as Python's integers do, also where a size is 0.

A quotient by 0 is an error in Python's code, and infinity or 0 in that of NumPy and JAX. Only operators on numbers
and sizes are checked, in the user's code and in the functions of `jax.numpy` that Python runs; the shape rules of
JAX divide by the sizes of empty arrays, too.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, room, size_bounds
from shims._src.sizes.decisions import Question
from shims._src.tracing import comparison_callers, handled_errors


def integer_of(value) -> int | None:
    """Return a Python or NumPy integer as an `int`, `None` for any other value."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    is_scalar = isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "iu"
    return int(value) if is_scalar else None


def as_operand(value):
    """Convert a size to a traced number; return other values unchanged."""
    return value.__jax_array__() if jp.is_symbolic(value) else value


def is_python_number(value) -> bool:
    """Return whether a value is a number with Python's operators; NumPy's scalars have their own."""
    return isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)


# ---- quotients -----------------------------------------------------------------------------------


def _quotient(symbol: str, *, reflected: bool) -> Callable:
    """Return the method of a quotient or a remainder, which checks that the divisor is not 0."""

    def method(state, inherited, d, other):
        is_number = is_python_number(other) or jp.is_symbolic(other)
        if is_number and _is_checked():
            _require_nonzero(state, d if reflected else other, symbol)
        return inherited(d, other)

    return method


def zero_divisor(symbol: str, divisor: str) -> str:
    """Return the message of an error for a divisor of 0."""
    return errors.message(
        symbol,
        "division by zero.",
        required="a number other than 0",
        received=f"{divisor}, which is 0",
        do="test the number first, `if n`, or divide by `max(n, 1)`",
    )


def _resize(state, original, image, shape, *args, **kwargs):
    """Resize an image; JAX divides by its sizes, which are arrays then, along the axes that change."""
    for old, new in zip(np.shape(image), shape):
        if jp.is_symbolic(old) and not jp.core.definitely_equal(old, new):
            _require_nonzero(state, old, "jax.image.resize")
    return original(image, shape, *args, **kwargs)


def transform_transpose(state, original, cotangent, operand, *, fft_type, fft_lengths):
    """Transpose a Fourier transform; JAX's rule divides by the length, which may be 0 in a branch that does not run."""
    if fft_type != lax.FftType.IRFFT or 0 not in fft_lengths:
        return original(cotangent, operand, fft_type=fft_type, fft_lengths=fft_lengths)
    text = zero_divisor("irfft", "the length of the transform")
    primitives.check(jnp.ones((), bool), text, error=errors.ZeroDivisorError)
    return [jnp.zeros(operand.aval.shape, operand.aval.dtype)]


FUNCTIONS = (("resize", _resize),)


def _is_checked() -> bool:
    """Return whether the user's code divides, or a function of `jax.numpy` and its kin."""
    by_user = comparison_callers.program_calls(3)
    return by_user or comparison_callers.code_asks(3) is comparison_callers.Asker.ARRAY_CODE


def _require_nonzero(state, divisor, symbol: str) -> None:
    """Raise Python's error for a divisor of 0; the value of a data-dependent size is checked at run time."""
    if not jp.is_symbolic(divisor):
        if divisor == 0:
            raise ZeroDivisionError("division by zero")
        return
    if size_bounds.never_zero(state, divisor):
        return
    if state.is_input_only(divisor):
        if state.decide(divisor, Question.ZERO, f"{divisor} == 0"):
            raise ZeroDivisionError("division by zero")
        return
    text = zero_divisor(symbol, f"the size `{divisor}`")
    if handled_errors.are_handled():
        answer = state.answer(divisor, Question.ZERO, f"{divisor} == 0")
        if answer:
            raise refusals.of_data(errors.ZeroDivisorError(text))
        if answer is not None:
            return
    size = divisor.__jax_array__()
    primitives.check(size == 0, state.with_origins(text), error=errors.ZeroDivisorError)


# ---- powers --------------------------------------------------------------------------------------


def _power(state, inherited, d, exponent, modulo=None):
    if modulo is not None:
        return d**exponent % modulo
    number = integer_of(exponent)
    if number is not None and number >= 0:
        return inherited(d, number)
    _require_base(state, d, exponent)
    base = d.__jax_array__()
    if number is not None:
        return base.astype(float) ** number
    if jp.is_symbolic(exponent):
        _require_positive_exponent(state, exponent)
        require_int32(state, base.astype(float) ** as_operand(exponent).astype(float))
    return base ** as_operand(exponent)


def _power_of(state, inherited, d, base, modulo=None):
    if modulo is not None:
        return base**d % modulo
    exponent, number = d.__jax_array__(), integer_of(base)
    if number is not None:
        _require_positive_exponent(state, d)
        require_int32(state, jnp.float32(abs(number)) ** exponent.astype(float))
    return base**exponent


def require_int32(state, magnitude) -> None:
    """Check that the result of an operator on sizes, given as a float, is in the range of int32."""
    text = state.with_origins(room.beyond_int32())
    primitives.check(magnitude >= jnp.float32(2.0**31), text)


def _require_base(state, d, exponent) -> None:
    """Check that a power of a size has a real value in Python; `0 ** -1` and `(-1) ** 0.5` do not."""
    if not is_python_number(exponent):
        return
    if exponent.imag or exponent.real < 0:
        _require_nonzero(state, d, "**")
    if isinstance(exponent, float) and not exponent.is_integer():
        problem = "a negative number to a fractional power is complex."
        do = "write `abs(n) ** 0.5`, or `jnp.asarray(n, complex) ** 0.5`"
        _require_nonnegative(state, d, problem, do)


def _require_positive_exponent(state, d) -> None:
    """Check that a size is not negative when it is the exponent of an integer."""
    problem = "the exponent of an integer is negative."
    _require_nonnegative(state, d, problem, "make the base a float: `float(base) ** n`")


def _require_nonnegative(state, d, problem: str, do: str) -> None:
    if size_bounds.sign(d) == 1:
        return
    if state.is_input_only(d) and state.decide(d, Question.NONNEGATIVE, f"{d} >= 0"):
        return
    text = errors.message(
        "**",
        problem,
        required="a size >= 0",
        received=f"the size `{d}`, which is negative",
        do=do,
    )
    primitives.check(d.__jax_array__() < 0, state.with_origins(text))


# ---- NumPy's functions ---------------------------------------------------------------------------


def _zero_for_zero(function: Callable) -> Callable:
    """Return a function of JAX that gives 0 for integers divided by 0, as NumPy's does."""

    def call(dividend, divisor):
        dividend, divisor = (jnp.asarray(as_operand(x)) for x in (dividend, divisor))
        dividend, divisor = jnp.broadcast_arrays(dividend, divisor)
        result = function(dividend, divisor)
        if not all(
            jnp.issubdtype(x.dtype, jnp.integer) or x.dtype == bool for x in (dividend, divisor)
        ):
            return result
        if isinstance(result, tuple):
            return tuple(jnp.where(divisor == 0, 0, part) for part in result)
        return jnp.where(divisor == 0, 0, result)

    return call


NUMPY_FUNCTIONS: dict[Callable, Callable] = {
    np.floor_divide: _zero_for_zero(jnp.floor_divide),
    np.remainder: _zero_for_zero(jnp.remainder),
    np.divmod: _zero_for_zero(jnp.divmod),
}

# The prefix, the name and the symbol of each method of a quotient or a remainder.
QUOTIENTS = [
    (prefix, name, symbol)
    for name, symbol in (("truediv", "/"), ("floordiv", "//"), ("mod", "%"), ("divmod", "divmod"))
    for prefix in ("", "r")
]
METHODS: dict[str, Callable] = {
    f"__{prefix}{name}__": _quotient(symbol, reflected=prefix == "r")
    for prefix, name, symbol in QUOTIENTS
} | {"__pow__": _power, "__rpow__": _power_of}
