"""What a program states about values: at once, after the call, or as a flag in somebody else's trace.

Eagerly a statement that does not hold raises TensorFlow's message. Inside `shims.function` it goes
with the other checks of the call. In a trace of somebody else it is a check that
`jax.experimental.checkify` finds, and nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify

from shims._src.arguments.operands import broadcasting, matching, operand
from shims._src.errors import errors
from shims._src.native import operators
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace
from shims._src.sizes.initial_values import known_value
from shims._src.tracing.dispatch import operator

_SHOWN = 3
_LATER = "(the values are not kept inside of a compiled function)"


def must_hold(
    holds, told: Callable[[], Sequence[str]], later: Sequence[str], *, static: bool = False
) -> None:
    """Raise where a condition does not hold: at once, after the call, or in a checkified program.

    Args:
      holds: bool array, all of which must be True.
      told: the lines of the message for values that are there.
      later: the lines where they are not.
      static: whether what does not depend on arguments raises while it is traced.

    Raises:
      InvalidArgumentError: it does not hold.
    """
    if not jp.is_tracer(holds):
        if not np.all(np.asarray(holds)):
            raise errors.InvalidArgumentError(_placed(told()))
        return
    known = known_value(holds) if static else None
    if known is not None:
        if not np.all(np.asarray(known)):
            raise errors.InvalidArgumentError(_placed(later[:-1]))
    elif trace.current() is not None:
        primitives.check(jnp.logical_not(holds), _placed(later))
    else:
        text = "\n".join(later).replace("{", "{{").replace("}", "}}")
        checkify.debug_check(jnp.all(holds), text)


def _is_constant(x) -> bool:
    """Whether TensorFlow would see a constant: numbers, or an array made of them as they are."""
    return not jp.is_tracer(x) or jp.constant_of(x) is not None


def _placed(lines: Sequence[str]) -> str:
    text, line = "\n".join(lines), errors.user_line()
    return f"{text}\n  At:       {line}" if line else text


def described(x) -> str:
    """How messages call an array that has no name."""
    return f"shape={tuple(x.shape)} dtype={x.dtype.name}"


def shown(x, summarize) -> str:
    """The first elements of an array as TensorFlow's eager messages print them."""
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


def _holding(function: str, compare):
    """`compare` over operands that were made to fit; for tracers whether it holds everywhere."""

    @operator
    def holds(x, y):
        x, y = broadcasting(function, *matching(function, x=x, y=y))
        found = compare(x, y)
        return jnp.all(found) if jp.is_tracer(found) else found

    return holds


def binary(function: str, symbol: str, compare, x, y, message, summarize) -> None:
    """State that a comparison of two arrays holds for all elements."""
    holds = _holding(function, compare)(x, y)

    def told():
        return _told_of_both(symbol, x, y, holds, message, summarize)

    prefix = [] if message is None else [str(message)]
    later = [*prefix, f"Condition x {symbol} y did not hold element-wise:", f"  {_LATER}"]
    must_hold(holds, told, later, static=_is_constant(x) and _is_constant(y))


def _told_of_both(symbol, x, y, holds, message, summarize):
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
    """State how all elements of an array compare with 0."""

    @operator
    def holding(x):
        x = operand(x)
        found = compare(x, jnp.zeros((), x.dtype))
        return jnp.all(found) if jp.is_tracer(found) else found

    statement = f"Condition x {symbol} 0 did not hold element-wise:"

    def told():
        array = np.asarray(operand(x))
        return [*_prefix(message), statement, f"x ({described(array)}) = ", shown(array, summarize)]

    later = [*_prefix(message), statement, f"  {_LATER}"]
    must_hold(holding(x), told, later, static=_is_constant(x))


def _prefix(message) -> list[str]:
    return [f"{message}."] if message else []


# ---- the operators -------------------------------------------------------------------------------


def assert_equal(x, y, message=None, summarize=None, name=None):
    """State that two arrays are equal, element by element.

    Args:
      x: array.
      y: array that broadcasts with it.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: they are not, or do not broadcast.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      Raises after the call of a `shims.function`; in somebody else's trace `checkify` finds it.

    Example:
      >>> import shims
      >>> shims.debugging.assert_equal([1, 2], [1, 2])

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_equal
    """
    if x is not y:
        binary("assert_equal", "==", operators.equal, x, y, message, summarize)


def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """State that two arrays differ in every element.

    Args:
      x: array.
      y: array that broadcasts with it.
      summarize: how many elements the error shows; all where negative.
      message: what the error begins with.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: two elements are equal.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_none_equal
    """
    binary("assert_none_equal", "!=", operators.not_equal, x, y, message, summarize)


def assert_less(x, y, message=None, summarize=None, name=None):
    """State that `x < y`, element by element.

    Args:
      x: array of real numbers.
      y: array that broadcasts with it.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: it does not hold.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_less
    """
    binary("assert_less", "<", operators.less, x, y, message, summarize)


def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """State that `x <= y`, element by element.

    Args:
      x: array of real numbers.
      y: array that broadcasts with it.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: it does not hold.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_less_equal
    """
    binary("assert_less_equal", "<=", operators.less_equal, x, y, message, summarize)


def assert_greater(x, y, message=None, summarize=None, name=None):
    """State that `x > y`, element by element.

    Args:
      x: array of real numbers.
      y: array that broadcasts with it.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: it does not hold.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_greater
    """
    binary("assert_greater", ">", operators.greater, x, y, message, summarize)


def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """State that `x >= y`, element by element.

    Args:
      x: array of real numbers.
      y: array that broadcasts with it.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: it does not hold.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_greater_equal
    """
    binary("assert_greater_equal", ">=", operators.greater_equal, x, y, message, summarize)


def assert_positive(x, message=None, summarize=None, name=None):
    """State that all elements are above 0.

    Args:
      x: array of real numbers.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: one is not.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_positive
    """
    sign("assert_positive", ">", operators.greater, x, message, summarize)


def assert_negative(x, message=None, summarize=None, name=None):
    """State that all elements are below 0.

    Args:
      x: array of real numbers.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: one is not.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_negative
    """
    sign("assert_negative", "<", operators.less, x, message, summarize)


def assert_non_negative(x, message=None, summarize=None, name=None):
    """State that no element is below 0.

    Args:
      x: array of real numbers.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: one is, or is not a number.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_non_negative
    """
    sign("assert_non_negative", ">=", operators.greater_equal, x, message, summarize)


def assert_non_positive(x, message=None, summarize=None, name=None):
    """State that no element is above 0.

    Args:
      x: array of real numbers.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: one is, or is not a number.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_non_positive
    """
    sign("assert_non_positive", "<=", operators.less_equal, x, message, summarize)


def assert_near(x, y, rtol=None, atol=None, message=None, summarize=None, name=None):
    """State that two arrays are close: `|x - y| < atol + rtol * |y|`.

    Args:
      x: array of floating-point or complex numbers.
      y: array that broadcasts with it.
      rtol: scalar; ten times the rounding of the dtype when `None`.
      atol: scalar; ten times the rounding of the dtype when `None`.
      message: what the error begins with.
      summarize: how many elements the error shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: they are not, or one is not a number.

    Differs from TensorFlow:
      An error after a call does not show the values.

    Under jit:
      As `assert_equal`.

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
        lines = [f"x and y not equal to tolerance rtol = {_number(rtol)}, atol = {_number(atol)}"]
        for label, array in zip("xy", both, strict=True):
            lines += [f"{label} ({described(array)}) = ", shown(array, summarize)]
        return [*_prefix(message), *lines]

    later = "x and y not equal to tolerance"
    must_hold(holding(x, y), told, [*_prefix(message), later, f"  {_LATER}"])


def _number(x) -> str:
    return str(x if jp.is_tracer(x) else np.asarray(x)[()])


def Assert(condition, data, summarize=None, name=None):
    """State that a condition holds.

    Args:
      condition: bool scalar.
      data: arrays, numbers and text that the error shows.
      summarize: how many elements of each array it shows; all where negative.
      name: ignored.

    Returns:
      `None`.

    Raises:
      InvalidArgumentError: it does not hold.

    Differs from TensorFlow:
      An error after a call shows the text in `data`, and not the values.

    Under jit:
      As `assert_equal`.

    https://www.tensorflow.org/api_docs/python/tf/debugging/Assert
    """
    condition = _scalar(condition)

    def told():
        parts = [x if isinstance(x, str) else shown_plainly(x, summarize) for x in data]
        head = f"Expected '{np.asarray(condition)}' to be true. Summarized data: "
        return (head + "\n".join(parts)).split("\n")

    text = " ".join(f"[{x}]" if isinstance(x, str) else "[...]" for x in data)
    must_hold(condition, told, [f"assertion failed: {text}", f"  {_LATER}"])


@operator
def _scalar(condition):
    return operand(condition).astype(bool)


def shown_plainly(x, summarize) -> str:
    """The first elements of an array, as `Assert` prints them."""
    array = np.asarray(operand(x) if isinstance(x, (list, tuple)) else x)
    flat = array.ravel()
    limit = _limit(summarize)
    more = ["..."] if flat.size > limit else []
    return ", ".join([*(str(v) for v in flat[:limit]), *more]) if array.ndim else str(array)
