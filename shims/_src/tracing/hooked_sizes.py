"""Give symbolic sizes the operators of Python's integers that JAX does not define.

A size is a number to the user's code. If the result of an operator is a size again, it stays symbolic
(`n << 1`, `~n`); otherwise it is an array that is computed when the program runs (`n ** 0.5`, `n & 3`).
Code that needs the number itself, such as `hash(n)`, gets the value of an input size in this call, with
which the function is traced again; for a data-dependent size it is usually an error.
"""

from __future__ import annotations

import builtins
import functools
import numbers
import operator
import types
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import equal_forms, size_bounds, size_numbers, trace
from shims._src.sizes.size_numbers import number_of
from shims._src.tracing import comparison_callers, handled_errors, hooked_quotients, size_texts
from shims._src.tracing.hooked_quotients import as_operand, integer_of, is_python_number


def bind() -> None:
    """Add the operators to JAX's class of symbolic sizes; they work in dynamic traces only."""
    numbers.Integral.register(jp.DimExpr)
    jp.define_class_of_instances(jp.DimExpr, _class)
    for name, method in _METHODS.items():
        inherited = getattr(jp.DimExpr, name, None)
        setattr(jp.DimExpr, name, _inside_traces(name, method, inherited))
    setattr(jp.DimExpr, "__hash__", _hash_method(jp.DimExpr.__hash__))  # noqa: B010 - JAX's class


def _inside_traces(name: str, method: Callable, inherited: Callable | None) -> Callable:
    """Return a method of sizes that calls `method` for the sizes of the current dynamic trace only.

    For other sizes it does what JAX or `object` does.
    """

    @functools.wraps(method)
    def hooked(self, *args, **kwargs):
        state = trace.current()
        if state is not None and state.owns(self):
            return method(state, inherited, self, *args, **kwargs)
        if inherited is not None:
            return inherited(self, *args, **kwargs)
        if name == "__getattr__":
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{args[0]}'")
        if name == "__array_ufunc__":
            return _over_objects(*args, **kwargs)
        return NotImplemented if args else _refuse(name, self)

    return hooked


def _class(d) -> type:
    """Return the class of a size: `isinstance(n, int)` is true in user code."""
    state = trace.current()
    asked = state is not None and state.owns(d) and comparison_callers.program_calls(1)
    return int if asked else type(d)


def _refuse(name: str, d):
    raise TypeError(f"bad operand type for {name}: '{type(d).__name__}'")


# ---- comparisons ---------------------------------------------------------------------------------


def as_user_code(function: Any) -> Callable:
    """Copy a function so that its frame counts as user code, whose questions about sizes are decided."""
    code = function.__code__.replace(co_filename="<question>")
    return types.FunctionType(code, {"__name__": "question", "__builtins__": builtins})


QUESTIONS: dict[str, Callable] = {
    "lt": as_user_code(lambda a, b: a < b),
    "le": as_user_code(lambda a, b: a <= b),
    "gt": as_user_code(lambda a, b: a > b),
    "ge": as_user_code(lambda a, b: a >= b),
    "eq": as_user_code(lambda a, b: a == b),
    "ne": as_user_code(lambda a, b: a != b),
}


def compared_with_array(state, name: str, d, other):
    """Compare a size with an array elementwise; return `None` if `other` is not an array.

    A NumPy array is compared while tracing if the size is an input size, otherwise when the program runs.
    """
    if isinstance(other, jax.Array):
        return getattr(operator, name)(d.__jax_array__(), other)
    if not isinstance(other, np.ndarray) or not other.ndim or other.dtype.hasobject:
        return None
    if not state.owns(d) or not state.is_input_only(d):
        return getattr(operator, name)(d.__jax_array__(), jnp.asarray(other))
    answers = [QUESTIONS[name](d, v) for v in other.ravel().tolist()]
    return np.array(answers, bool).reshape(other.shape)


# ---- operators -----------------------------------------------------------------------------------


def _absolute(state, inherited, d):
    if size_bounds.sign(d) == 1:
        return d
    if state.is_input_only(d):
        return d if QUESTIONS["ge"](d, 0) else -d
    return jp.core.max_dim(d, -d)


def _rounded(state, inherited, d, digits=None):
    if digits is None or digits >= 0:
        return d
    return number_of(state, d, "`round`")


def _left_shift(state, inherited, d, count):
    number = integer_of(count)
    if number is None:
        return _shifted(state, d.__jax_array__(), as_operand(count))
    return d * (1 << number)


def _left_shift_of(state, inherited, d, other):
    if is_python_number(other) or jp.is_symbolic(other):
        return _shifted(state, as_operand(other), d.__jax_array__())
    return operator.lshift(other, d.__jax_array__())


def _shifted(state, number, count):
    """Shift an integer to the left by a number of bits, as Python does; the result is to be an int32."""
    number, count = jnp.asarray(number), jnp.asarray(count)
    hooked_quotients.require_int32(
        state, jnp.abs(number.astype(float)) * 2.0 ** count.astype(float)
    )
    return operator.lshift(number, count)


def _right_shift(state, inherited, d, count):
    number = integer_of(count)
    if number is None:
        return operator.rshift(d.__jax_array__(), as_operand(count))
    return d // (1 << number)


def _staged(operation: Callable) -> Callable:
    """Return the method of an operator on a size, which is applied to the size as a traced array."""

    def method(state, inherited, d, other):
        return operation(d.__jax_array__(), as_operand(other))

    return method


def _staged_reflected(operation: Callable) -> Callable:
    return lambda state, inherited, d, other: operation(as_operand(other), d.__jax_array__())


def _product(state, inherited, d, other):
    if not isinstance(other, (list, tuple, str, bytes)):
        return inherited(d, other)
    if comparison_callers.code_asks(2) is comparison_callers.Asker.PROGRAM:
        return number_of(state, d, "repeating a sequence", size_numbers.AS_LENGTH)
    if not state.is_input_only(d):
        state.pin(d)
    raise jp.InconclusiveDimensionOperation(f"a sequence is repeated `{d}` times")


def _format(state, inherited, d, specification):
    """Format a size in a message as its symbol; a width and an alignment apply to that text."""
    if not size_texts.is_message(2):
        return format(number_of(state, d, "text", size_numbers.AS_TEXT), specification)
    try:
        return format(str(d), specification.rstrip("dn"))
    except ValueError:
        return str(d)


def _text(state, inherited, d):
    if not size_texts.is_message(2):
        return str(number_of(state, d, "text", size_numbers.AS_TEXT))
    return inherited(d)


def _index(state, inherited, d):
    handled = not comparison_callers.shape_is_checked(2) and handled_errors.are_handled()
    if handled or comparison_callers.program_calls(2):
        return number_of(state, d, "an index or a count", size_numbers.AS_INDEX, reports=True)
    raise TypeError(f"'{type(d).__name__}' object cannot be interpreted as an integer")


def _hash_method(inherited):
    """Return the method that hashes a size, for JAX's caches.

    If user code hashes a size, for a dictionary or a set, the method requests the number itself.
    """

    @functools.wraps(inherited)
    def hashed(self):
        state = trace.current()
        if state is None or not state.owns(self):
            return inherited(self)
        if comparison_callers.user_hashes():
            number_of(state, self, "a key of a dictionary or a set", size_numbers.AS_KEY)
        return jp.hashed_by(self, inherited, equal_forms.key)

    return hashed


_AS_NUMBER = {
    "real": lambda d: d,
    "imag": lambda d: 0,
    "numerator": lambda d: d,
    "denominator": lambda d: 1,
    "conjugate": lambda d: lambda: d,
    "is_integer": lambda d: lambda: True,
}
_OF_NUMBER = ("bit_length", "bit_count", "to_bytes", "as_integer_ratio")


def _attribute(state, inherited, d, name: str):
    if name in _AS_NUMBER:
        return _AS_NUMBER[name](d)
    if name in _OF_NUMBER:
        return number_of(state, d, f"`{name}`")
    raise AttributeError(f"'{type(d).__name__}' object has no attribute '{name}'")


# ---- NumPy's functions ---------------------------------------------------------------------------

_OPERATORS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.divmod: divmod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.negative: operator.neg,
    np.positive: operator.pos,
    np.invert: operator.invert,
    np.absolute: abs,
}


_COMPARISONS = {
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.equal: "eq",
    np.not_equal: "ne",
}
_EXCHANGED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _ufunc(state, inherited, d, ufunc, method, *inputs, **kwargs):
    """Apply a NumPy function to sizes: as Python's operator if all are integers, otherwise as JAX's."""
    name = _COMPARISONS.get(ufunc)
    if name and len(inputs) == 2 and not all(map(jp.is_symbolic, inputs)):
        left, right = inputs if inputs[0] is d else inputs[::-1]
        of_left = name if inputs[0] is d else _EXCHANGED.get(name, name)
        answers = compared_with_array(state, of_left, left, right)
        if answers is not None:
            return answers
    plain = [x if jp.is_symbolic(x) else integer_of(x) for x in inputs]
    if method != "__call__" or kwargs or any(_holds_objects(x) for x in inputs):
        return _over_objects(ufunc, method, *inputs, **kwargs)
    operation = QUESTIONS[name] if name else _OPERATORS.get(ufunc)
    if operation is not None and all(x is not None for x in plain):
        return operation(*plain)
    staged = hooked_quotients.NUMPY_FUNCTIONS.get(ufunc) or getattr(jnp, ufunc.__name__, None)
    if staged is None:
        return _over_objects(ufunc, method, *inputs, **kwargs)
    return staged(*map(as_operand, inputs))


def _holds_objects(value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.hasobject


def _over_objects(ufunc, method, *inputs, **kwargs):
    """Apply a NumPy function to object arrays whose elements are sizes."""
    return getattr(ufunc, method)(*map(_as_object, inputs), **kwargs)


def _as_object(value):
    if not jp.is_symbolic(value):
        return value
    array = np.empty((), object)
    array[()] = value
    return array


_METHODS: dict[str, Callable] = {
    "__index__": _index,
    "__int__": lambda state, inherited, d: number_of(state, d, "`int`"),
    "__pos__": lambda state, inherited, d: d,
    "__invert__": lambda state, inherited, d: -d - 1,
    "__abs__": _absolute,
    "__round__": _rounded,
    "__trunc__": lambda state, inherited, d: d,
    "__floor__": lambda state, inherited, d: d,
    "__ceil__": lambda state, inherited, d: d,
    "__float__": lambda state, inherited, d: number_of(state, d, "`float`", size_numbers.AS_FLOAT),
    "__complex__": lambda state, inherited, d: number_of(state, d, "`complex`"),
    "__lshift__": _left_shift,
    "__rlshift__": _left_shift_of,
    "__rshift__": _right_shift,
    "__rrshift__": _staged_reflected(operator.rshift),
    "__and__": _staged(operator.and_),
    "__rand__": _staged_reflected(operator.and_),
    "__or__": _staged(operator.or_),
    "__ror__": _staged_reflected(operator.or_),
    "__xor__": _staged(operator.xor),
    "__rxor__": _staged_reflected(operator.xor),
    **hooked_quotients.METHODS,
    "__mul__": _product,
    "__rmul__": _product,
    "__format__": _format,
    "__str__": _text,
    "__repr__": _text,
    "__getattr__": _attribute,
    "__array_ufunc__": _ufunc,
}
