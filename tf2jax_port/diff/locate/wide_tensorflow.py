"""Running TensorFlow code in double precision that says `tf.float32`.

Its inputs are double; what it makes itself would be single, and TensorFlow refuses the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# What an operation says that has float32 alone.
_FLOAT_ONLY = "was expected to be a float tensor but is a double tensor"
# Functions that make floats of Python's; the others have the type of what they are given.
_MAKERS = ("constant", "fill", "range", "linspace")
# Functions of two numbers that want one type, and those of them that programs call by a public name.
_COMPARED = ("_truediv_python3", "_div_python2", "div_no_nan", "mul_no_nan")
_AS_MATH = {"divide_no_nan": "div_no_nan", "multiply_no_nan": "mul_no_nan"}


def is_wide(arrays: Collection[np.ndarray]) -> bool:
    """Whether a program runs in double precision that need not be written for it."""
    import jax

    types = {array.dtype.name for array in arrays}
    return bool(jax.config.read("jax_enable_x64")) and "float64" in types and "float32" not in types


@contextmanager
def widening() -> Iterator[None]:
    """What is in the block makes no float32 of Python's floats, and casts where the two types meet."""
    import tensorflow as tf
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.framework import tensor_conversion_registry as registry
    from tensorflow.python.ops import math_ops

    execute, convert = pywrap_tfe.TFE_Py_FastPathExecute, registry.convert
    # These compare the types before they execute the operation.
    compared = {name: getattr(math_ops, name) for name in _COMPARED}
    before = {name: getattr(tf, name) for name in _MAKERS}
    pywrap_tfe.TFE_Py_FastPathExecute = _executing(execute)
    registry.convert = _converting(convert)
    for name, function in compared.items():
        setattr(math_ops, name, _meeting(function))
    for name in _AS_MATH:
        setattr(tf.math, name, getattr(math_ops, _AS_MATH[name]))
    for name, make in before.items():
        setattr(tf, name, _making(make))
    try:
        yield
    finally:
        pywrap_tfe.TFE_Py_FastPathExecute = execute
        registry.convert = convert
        for name, function in compared.items():
            setattr(math_ops, name, function)
        for name in _AS_MATH:
            setattr(tf.math, name, compared[_AS_MATH[name]])
        for name, make in before.items():
            setattr(tf, name, make)


def _executing(execute: Callable[..., Any]) -> Callable[..., Any]:
    """Executes operations; float32 beside float64 is cast, and so is what is cast to float32."""
    import tensorflow as tf

    def narrowed(context: Any, one: Any) -> Any:
        if getattr(one, "dtype", None) != tf.float64:
            return one
        return execute(context, "Cast", None, one, "DstT", tf.float32, "Truncate", False)

    def run(context: Any, op: str, name: Any, *given: Any) -> Any:
        attributes = next((i for i, one in enumerate(given) if isinstance(one, str)), len(given))
        inputs, rest = given[:attributes], given[attributes:]
        if op == "Cast":
            rest = _to_double(rest)
        elif _has(inputs, "float64") and _has(inputs, "float32"):
            inputs = tuple(_widened(one) for one in inputs)
        elif not any(hasattr(one, "dtype") for one in inputs):
            inputs = tuple(_double(one) for one in inputs)
        try:
            return execute(context, op, name, *inputs, *rest)
        except Exception as error:
            if _FLOAT_ONLY not in str(error):
                raise
            return execute(context, op, name, *(narrowed(context, one) for one in inputs), *rest)

    return run


def _to_double(attributes: tuple[Any, ...]) -> tuple[Any, ...]:
    import tensorflow as tf

    pairs = zip(attributes[::2], attributes[1::2], strict=True)
    found = [
        (name, tf.float64 if name == "DstT" and value == tf.float32 else value)
        for name, value in pairs
    ]
    return tuple(part for pair in found for part in pair)


def _converting(convert: Callable[..., Any]) -> Callable[..., Any]:
    """Converts to tensors; a float32 one is cast where a float64 one is asked for, and the reverse."""

    def run(value: Any, dtype: Any = None, *given: Any, **options: Any) -> Any:
        import tensorflow as tf

        has = getattr(value, "dtype", None) if tf.is_tensor(value) else None
        if has == tf.float32 and dtype == tf.float64:
            return tf.cast(value, tf.float64)
        if has == tf.float64 and dtype == tf.float32:
            return value
        return convert(value, dtype, *given, **options)

    return run


def _meeting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two numbers that gives both the same type."""

    def run(x: Any, y: Any, name: Any = None) -> Any:
        if _has((x, y), "float64") and _has((x, y), "float32"):
            x, y = _widened(x), _widened(y)
        return function(x, y, name)

    return run


def _making(make: Callable[..., Any]) -> Callable[..., Any]:
    """Makes tensors, of double precision where it would be single."""

    def run(*given: Any, **options: Any) -> Any:
        import tensorflow as tf

        single = (tf.float32, "float32", np.float32)
        wide = [tf.float64 if _is_one_of(one, single) else _double(one) for one in given]
        options = {
            name: tf.float64 if _is_one_of(one, single) else _double(one)
            for name, one in options.items()
        }
        return make(*wide, **options)

    return run


def _is_one_of(one: Any, types: tuple[Any, ...]) -> bool:
    return any(one is each for each in types) or (isinstance(one, str) and one in types)


def _double(one: Any) -> Any:
    """A Python float, or lists of them, as NumPy's; anything else as it is."""
    if isinstance(one, float) and not isinstance(one, np.generic):
        return np.float64(one)
    if isinstance(one, (list, tuple)) and _are_floats(one):
        return np.asarray(one, np.float64)
    return one


def _are_floats(parts: Any) -> bool:
    """Whether lists have Python's numbers only, and one of them is a float."""
    flat = _flat(parts)
    return all(type(one) in (int, float) for one in flat) and float in map(type, flat)


def _flat(parts: Any) -> list[Any]:
    if isinstance(parts, (list, tuple)):
        return [leaf for part in parts for leaf in _flat(part)]
    return [parts]


def _has(inputs: Any, kind: str) -> bool:
    """Whether one of the tensors, in lists or alone, has some type."""
    return any(
        _has(one, kind)
        if isinstance(one, (list, tuple))
        else getattr(getattr(one, "dtype", None), "name", "") == kind
        for one in inputs
    )


def _widened(one: Any) -> Any:
    import tensorflow as tf

    if isinstance(one, (list, tuple)):
        return [_widened(part) for part in one]
    return tf.cast(one, tf.float64) if getattr(one, "dtype", None) == tf.float32 else one
