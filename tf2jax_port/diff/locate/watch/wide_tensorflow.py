"""Run TensorFlow code that requests `tf.float32` in double precision instead.

The inputs are in double precision, but tensors that the code creates would be in single precision, and
TensorFlow rejects mixed precision.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

# The error message of an operation that supports float32 only.
_FLOAT_ONLY = "was expected to be a float tensor but is a double tensor"
# Functions that convert Python floats; others keep the type of their arguments.
_MAKERS = ("constant", "fill", "range", "linspace")
# Functions whose default dtype is float32.
_FROM_NOTHING = ("ones", "zeros", "eye", "one_hot")
# Binary functions that require equal types, and the public names of two of them.
_COMPARED = ("_truediv_python3", "_div_python2", "div_no_nan", "mul_no_nan")
_COMPARED_AS = ("divide_no_nan", "multiply_no_nan")
# Methods of a `TensorArray` that require its dtype.
_WRITING = ("_write", "scatter", "split", "unstack")


def is_wide(arrays: Collection[np.ndarray]) -> bool:
    """Return whether a run computes in double precision although its code may request `float32`.

    This is so if 64-bit types are enabled and the arrays include float64 but no float32.
    """
    import jax

    types = {array.dtype.name for array in arrays}
    return bool(jax.config.read("jax_enable_x64")) and "float64" in types and "float32" not in types


@contextmanager
def widening() -> Iterator[None]:
    """Make tensors in double precision by default inside the `with` block; cast mixed operands.

    TensorFlow functions are patched in the block.
    """
    before = [(owner, name, getattr(owner, name), wrap) for owner, name, wrap in _patches()]
    for owner, name, function, wrap in before:
        setattr(owner, name, wrap(function))
    try:
        yield
    finally:
        for owner, name, function, _ in before:
            setattr(owner, name, function)


def _patches() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return the functions to patch, as triples of owner, attribute name and wrapper factory."""
    import tensorflow as tf
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.framework import tensor_conversion_registry as registry
    from tensorflow.python.ops import math_ops, tensor_array_ops

    array = tensor_array_ops._EagerTensorArray
    return [
        (pywrap_tfe, "TFE_Py_FastPathExecute", _executing),
        (registry, "convert", _converting),
        *((math_ops, name, _meeting) for name in _COMPARED),
        *((tf.math, name, _meeting) for name in _COMPARED_AS),
        *((tf, name, _making) for name in _MAKERS),
        *((tf, name, _making_floats) for name in _FROM_NOTHING),
        (tf.linalg, "eye", _making_floats),
        (array, "__init__", _making),
        *((array, name, _widening_given) for name in _WRITING),
    ]


def _executing(execute: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the execution of operations: if operands mix precisions, cast float32 to float64.

    Casts to float32 become casts to float64. An operation that supports only float32 gets float32 operands.
    """
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
        elif _mix_precisions(inputs):
            inputs = tuple(_widened(one) for one in inputs)
        elif not any(_is_float(one) for one in inputs):
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

    wide = {tf.float32: tf.float64, tf.complex64: tf.complex128}
    pairs = zip(attributes[::2], attributes[1::2], strict=True)
    found = [(name, wide.get(value, value) if name == "DstT" else value) for name, value in pairs]
    return tuple(part for pair in found for part in pair)


def _converting(convert: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the conversion to tensors, so that a float32 tensor is accepted as float64 and vice versa."""

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
    """Wrap a binary function, so that operands of mixed precision are cast to double precision."""

    def run(x: Any, y: Any, name: Any = None) -> Any:
        if _mix_precisions((x, y)):
            x, y = _widened(x), _widened(y)
        return function(x, y, name)

    return run


def _making(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that creates tensors, so that single precision becomes double."""

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


def _making_floats(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function with the default dtype float32, so that the default becomes float64."""
    wide, signature = _making(make), inspect.signature(make)

    def run(*given: Any, **options: Any) -> Any:
        import tensorflow as tf

        said = signature.bind_partial(*given, **options).arguments
        values = [said.get(name) for name in ("on_value", "off_value")]
        if said.get("dtype") is None and not any(value is not None for value in values):
            options = {**options, "dtype": tf.float64}
        return wide(*given, **options)

    return run


def _widening_given(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method, so that single-precision arguments are cast to double precision."""

    def run(self: Any, *given: Any, **options: Any) -> Any:
        wide = [_widened(one) for one in given]
        return method(self, *wide, **{name: _widened(one) for name, one in options.items()})

    return run


def _is_one_of(one: Any, types: tuple[Any, ...]) -> bool:
    return any(one is each for each in types) or (isinstance(one, str) and one in types)


def _double(one: Any) -> Any:
    """Convert Python floats, alone or in lists, to NumPy float64; return other values unchanged."""
    if isinstance(one, float) and not isinstance(one, np.generic):
        return np.float64(one)
    if isinstance(one, (list, tuple)) and _are_floats(one):
        return np.asarray(one, np.float64)
    return one


def _are_floats(parts: Any) -> bool:
    """Return whether nested lists contain only Python numbers, at least one of them a float."""
    flat = _flat(parts)
    return all(type(one) in (int, float) for one in flat) and float in map(type, flat)


def _flat(parts: Any) -> list[Any]:
    if isinstance(parts, (list, tuple)):
        return [leaf for part in parts for leaf in _flat(part)]
    return [parts]


def _is_float(one: Any) -> bool:
    dtype = getattr(one, "dtype", None)
    return bool(getattr(dtype, "is_floating", False) or getattr(dtype, "is_complex", False))


def _mix_precisions(inputs: Any) -> bool:
    """Return whether the tensors among the inputs mix single and double precision."""
    pairs = (("float64", "float32"), ("complex128", "complex64"))
    return any(_has_dtype(inputs, wide) and _has_dtype(inputs, single) for wide, single in pairs)


def _has_dtype(inputs: Any, kind: str) -> bool:
    """Return whether any tensor in nested lists has the given dtype."""
    return any(
        _has_dtype(one, kind)
        if isinstance(one, (list, tuple))
        else getattr(getattr(one, "dtype", None), "name", "") == kind
        for one in inputs
    )


def _widened(one: Any) -> Any:
    import tensorflow as tf

    if isinstance(one, (list, tuple)):
        return [_widened(part) for part in one]
    wide = {tf.float32: tf.float64, tf.complex64: tf.complex128}.get(getattr(one, "dtype", None))
    return one if wide is None else tf.cast(one, wide)
