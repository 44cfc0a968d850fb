"""Assert properties of values: at once, at the end of a call, or by `checkify`.

Eagerly, a failed assertion raises TensorFlow's message. Inside `shims.function` it is checked with the
other run-time checks of the call. In an enclosing trace it becomes a check that
`jax.experimental.checkify` reports; without `checkify` it has no effect, and a warning says so.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from shims._src.arguments.operands import broadcasting, matching, operand
from shims._src.errors import errors
from shims._src.native import operators
from shims._src.platform import device_arrays, user_frames
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace
from shims._src.sizes.initial_values import known_value
from shims._src.tracing.dispatch import operator

_SHOWN = 3
_VALUES_UNAVAILABLE = "(the values are not available inside a compiled function)"


def must_hold(
    holds, told: Callable[[], Sequence[str]], later: Sequence[str], *, static: bool = False
) -> None:
    """Raise if a condition does not hold: at once, after the call, or in a checkified program.

    Args:
      holds: bool array, all of whose elements must be True.
      told: a function that returns the lines of the message when the values are available.
      later: the lines of the message when the values are not available.
      static: whether a condition that does not depend on arguments raises while it is traced.

    Raises:
      InvalidArgumentError: the condition does not hold.
    """
    if not jp.is_tracer(holds):
        if not device_arrays.is_all(holds):
            raise errors.InvalidArgumentError(_with_user_line(told()))
        return
    known = known_value(holds) if static else None
    if known is not None:
        if not device_arrays.is_all(known):
            raise errors.InvalidArgumentError(_with_user_line(later[:-1]))
    elif trace.current() is not None:
        primitives.check(jnp.logical_not(holds), _with_user_line(later))
    else:
        if not _is_checkified():
            _warn_of_no_effect(later)
        text = "\n".join(later).replace("{", "{{").replace("}", "}}")
        checkify.debug_check(jnp.all(holds), text)


def _is_checkified() -> bool:
    """Return whether `checkify` is tracing the program, so it gets what a check finds."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__") == "jax._src.checkify":
            return True
        frame = frame.f_back
    return False


def _warn_of_no_effect(statement: Sequence[str]) -> None:
    """Warn once per line of the user that an enclosing JAX program does not check a condition."""
    text = errors.message(
        "assertion",
        "the assertion has no effect in an enclosing JAX program (`jax.jit`, `jax.vmap`, ...), because such a "
        "program cannot raise errors.",
        received=statement[0],
        at=errors.user_line(),
        do="use `shims.function` in place of `jax.jit`; or wrap the program in `jax.experimental.checkify.checkify`",
    )
    user_frames.warn_at_user_line(text, errors.UncheckedAssertionWarning)


def _is_constant(x) -> bool:
    """Return whether a value is known while tracing: it is not traced, or is a traced constant."""
    return not jp.is_tracer(x) or jp.constant_of(x) is not None


def _with_user_line(lines: Sequence[str]) -> str:
    text, line = "\n".join(lines), errors.user_line()
    return f"{text}\n  At:       {line}" if line else text


def described(x) -> str:
    """Format the shape and dtype of an array for messages."""
    return f"shape={tuple(x.shape)} dtype={x.dtype.name}"


def shown(x, summarize) -> str:
    """Format the first elements of an array as in TensorFlow's eager messages."""
    array = np.asarray(x)
    if not array.ndim:
        return str(array)
    flat = array.ravel()
    limit = _limit(summarize)
    parts = [str(v) for v in flat[:limit]]
    return str([*parts, "..."] if len(parts) < flat.size else parts)


def _limit(summarize) -> int:
    if summarize is None:
        return _SHOWN
    return 10**9 if summarize < 0 else int(summarize)


# ---- two operands --------------------------------------------------------------------------------


def _make_comparison(function: str, compare):
    """Return an operator that compares two arrays by `compare`, for an assertion.

    Its result is elementwise for concrete arrays, a scalar for traced ones: whether all elements compare true.
    """

    @operator
    def holds(x, y):
        x, y = broadcasting(function, *matching(function, x=x, y=y))
        found = compare(x, y)
        return jnp.all(found) if jp.is_tracer(found) else found

    return holds


def binary(function: str, symbol: str, compare, x, y, message, summarize) -> None:
    """Assert that `compare(x, y)` is true for all elements of two broadcast arrays."""
    holds = _make_comparison(function, compare)(x, y)

    def told():
        return _comparison_lines(symbol, x, y, holds, message, summarize)

    prefix = [] if message is None else [str(message)]
    later = [
        *prefix,
        f"Condition x {symbol} y did not hold element-wise:",
        f"  {_VALUES_UNAVAILABLE}",
    ]
    must_hold(holds, told, later, static=_is_constant(x) and _is_constant(y))


def _comparison_lines(symbol, x, y, holds, message, summarize):
    x, y = (np.asarray(v) for v in matching("", x=x, y=y))
    limit = _limit(summarize)
    lines = [] if message is None else [str(message)]
    lines.append(f"Condition x {symbol} y did not hold.")
    if not limit:
        return lines
    if x.shape == y.shape and x.ndim:
        wrong = ~np.broadcast_to(np.asarray(holds), x.shape)
        places = np.argwhere(wrong)[:limit]
        lines += [f"Indices of first {len(places)} different values:", str(places)]
        lines += ["Corresponding x values:", str(x[wrong][:limit])]
        lines += ["Corresponding y values:", str(y[wrong][:limit])]
    for name, array in (("x", x), ("y", y)):
        first = array.ravel()[:limit]
        lines += [f"First {first.size} elements of {name}:", str(first)]
    return lines


def sign(function: str, symbol: str, compare, x, message, summarize) -> None:
    """Assert that `compare(x, 0)` is true for all elements of an array."""

    @operator
    def holding(x):
        x = operand(x)
        found = compare(x, jnp.zeros((), x.dtype))
        return jnp.all(found) if jp.is_tracer(found) else found

    statement = f"Condition x {symbol} 0 did not hold element-wise:"

    def told():
        array = np.asarray(operand(x))
        return [*_prefix(message), statement, f"x ({described(array)}) = ", shown(array, summarize)]

    later = [*_prefix(message), statement, f"  {_VALUES_UNAVAILABLE}"]
    must_hold(holding(x), told, later, static=_is_constant(x))


def _prefix(message) -> list[str]:
    return [f"{message}."] if message else []


# ---- the operators -------------------------------------------------------------------------------


def assert_equal(x, y, message=None, summarize=None, name=None):
    """Assert that two arrays are equal elementwise.

    Args:
      x: array.
      y: array that broadcasts with `x`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the arrays are not equal or do not broadcast.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      Inside `shims.function`, the error is raised after the call; in an enclosing trace, `checkify`
      reports the error.

    Example:
      >>> import shims
      >>> shims.debugging.assert_equal([1, 2], [1, 2])

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_equal
    """
    if x is not y:
        binary("assert_equal", "==", operators.equal, x, y, message, summarize)


def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Assert that two arrays differ in every element.

    Args:
      x: array.
      y: array that broadcasts with `x`.
      summarize: the number of elements in the error message; all if negative.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: two elements are equal.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_none_equal
    """
    binary("assert_none_equal", "!=", operators.not_equal, x, y, message, summarize)


def assert_less(x, y, message=None, summarize=None, name=None):
    """Assert that `x < y` holds elementwise.

    Args:
      x: array of real numbers.
      y: array that broadcasts with `x`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_less
    """
    binary("assert_less", "<", operators.less, x, y, message, summarize)


def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """Assert that `x <= y` holds elementwise.

    Args:
      x: array of real numbers.
      y: array that broadcasts with `x`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_less_equal
    """
    binary("assert_less_equal", "<=", operators.less_equal, x, y, message, summarize)


def assert_greater(x, y, message=None, summarize=None, name=None):
    """Assert that `x > y` holds elementwise.

    Args:
      x: array of real numbers.
      y: array that broadcasts with `x`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_greater
    """
    binary("assert_greater", ">", operators.greater, x, y, message, summarize)


def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """Assert that `x >= y` holds elementwise.

    Args:
      x: array of real numbers.
      y: array that broadcasts with `x`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_greater_equal
    """
    binary("assert_greater_equal", ">=", operators.greater_equal, x, y, message, summarize)


def assert_positive(x, message=None, summarize=None, name=None):
    """Assert that all elements are positive.

    Args:
      x: array of real numbers.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: an element is not positive.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_positive
    """
    sign("assert_positive", ">", operators.greater, x, message, summarize)


def assert_negative(x, message=None, summarize=None, name=None):
    """Assert that all elements are negative.

    Args:
      x: array of real numbers.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: an element is not negative.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_negative
    """
    sign("assert_negative", "<", operators.less, x, message, summarize)


def assert_non_negative(x, message=None, summarize=None, name=None):
    """Assert that no element is negative.

    Args:
      x: array of real numbers.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: an element is negative or NaN.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_non_negative
    """
    sign("assert_non_negative", ">=", operators.greater_equal, x, message, summarize)


def assert_non_positive(x, message=None, summarize=None, name=None):
    """Assert that no element is positive.

    Args:
      x: array of real numbers.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: an element is positive or NaN.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_non_positive
    """
    sign("assert_non_positive", "<=", operators.less_equal, x, message, summarize)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """Assert that two arrays are close: `|x - y| < atol + rtol * |y|`.

    Args:
      x: array of floating-point or complex numbers.
      y: array that broadcasts with `x`.
      rtol: scalar; ten times the machine epsilon of the dtype when `None`.
      atol: scalar; ten times the machine epsilon of the dtype when `None`.
      message: a prefix of the error message.
      summarize: the number of elements in the error message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the arrays are not close, or an element is NaN.

    Differs from TensorFlow:
      An error raised after a call does not show the values.

    Under jit:
      See `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_near
    """
    first = operand(x)
    if not jnp.issubdtype(first.dtype, jnp.inexact):
        raise ValueError(
            errors.message(
                "assert_near", "`x` must be of a floating-point dtype.", received=first.dtype.name
            )
        )
    real = jnp.finfo(first.dtype).dtype
    eps = jnp.finfo(real).eps
    rtol = operand(10 * eps if rtol is None else rtol, real)
    atol = operand(10 * eps if atol is None else atol, real)

    @operator
    def holding(x, y):
        x, y = broadcasting("assert_near", *matching("assert_near", x=x, y=y))
        return jnp.all(jnp.abs(x - y) < atol + rtol * jnp.abs(y))

    def told():
        both = [np.asarray(v) for v in matching("assert_near", x=x, y=y)]
        lines = [
            f"x and y not equal to tolerance rtol = {_format_number(rtol)}, atol = {_format_number(atol)}"
        ]
        for label, array in zip("xy", both, strict=True):
            lines += [f"{label} ({described(array)}) = ", shown(array, summarize)]
        return [*_prefix(message), *lines]

    later = "x and y not equal to tolerance"
    must_hold(holding(x, y), told, [*_prefix(message), later, f"  {_VALUES_UNAVAILABLE}"])


def _format_number(x) -> str:
    return str(x if jp.is_tracer(x) else np.asarray(x)[()])


def Assert(condition, data, summarize=None, name=None):
    """Assert that a condition holds.

    Args:
      condition: bool scalar.
      data: arrays, numbers and strings to include in the error message.
      summarize: the number of elements of each array in the message; all if negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: the condition does not hold.

    Differs from TensorFlow:
      An error raised after a call shows the strings in `data` but not the values.

    Under jit:
      See `assert_equal`.

    Example:
      >>> import shims
      >>> shims.Assert(shims.reduce_all([True, True]), ["all of them"])

    https://www.tensorflow.org/api_docs/python/tf/debugging/Assert
    """
    condition = _as_bool_scalar(condition)

    def told():
        parts = [x if isinstance(x, str) else shown_plainly(x, summarize) for x in data]
        head = f"Expected '{np.asarray(condition)}' to be true. Summarized data: "
        return (head + "\n".join(parts)).split("\n")

    text = " ".join(f"[{x}]" if isinstance(x, str) else "[...]" for x in data)
    must_hold(condition, told, [f"assertion failed: {text}", f"  {_VALUES_UNAVAILABLE}"])


@operator
def _as_bool_scalar(condition):
    return operand(condition).astype(bool)


def shown_plainly(x, summarize) -> str:
    """Format the first elements of an array as `Assert` prints them."""
    array = np.asarray(operand(x) if isinstance(x, (list, tuple)) else x)
    flat = array.ravel()
    limit = _limit(summarize)
    more = ["..."] if flat.size > limit else []
    return ", ".join([*(str(v) for v in flat[:limit]), *more]) if array.ndim else str(array)
