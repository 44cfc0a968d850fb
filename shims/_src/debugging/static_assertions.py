"""Assert shapes and dtypes, mostly while the program is traced."""

from __future__ import annotations

from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import as_array
from shims._src.arguments.operands import operand
from shims._src.debugging.assertions import must_hold
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.types import dtypes
from shims._src.types.composite import is_composite
from shims._src.types.tensor_shape import TensorShape


def _prefix(message) -> str:
    return f"{message}.  " if message else ""


def _with_shape(x):
    """Convert a value to an array; sparse and ragged tensors are returned unchanged."""
    return x if is_composite(x) else operand(x)


def _rank_number(rank) -> int:
    if jp.is_tracer(rank):
        raise errors.FreshSizeError(
            errors.message("assert_rank", "`rank` depends on traced data.", do="pass a number")
        )
    rank = np.asarray(rank)
    if rank.ndim:
        raise ValueError("Rank must be a scalar.")
    if rank.dtype.kind not in "iu":
        raise TypeError(f"rank must be of type tf.int32; got {rank.dtype.name}")
    return int(rank)


def _check_rank(x, fits: bool, said: str, message) -> None:
    if not fits:
        raise ValueError(
            f"{_prefix(message)}Tensor  must have {said}.  Received rank {len(x.shape)}, "
            f"shape {TensorShape(x.shape)}"
        )


def assert_rank(x, rank, message=None, name=None):
    """Assert the rank of an array.

    Args:
      x: array or sparse tensor.
      rank: the number of axes.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      ValueError: the array has a different rank.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_rank
    """
    x, rank = _with_shape(x), _rank_number(rank)
    _check_rank(x, len(x.shape) == rank, f"rank {rank}", message)


def assert_rank_at_least(x, rank, message=None, name=None):
    """Assert a minimum rank of an array.

    Args:
      x: array or sparse tensor.
      rank: the minimum number of axes.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      ValueError: the array has a lower rank.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_rank_at_least
    """
    x, rank = _with_shape(x), _rank_number(rank)
    _check_rank(x, len(x.shape) >= rank, f"rank at least {rank}", message)


def assert_rank_in(x, ranks, message=None, name=None):
    """Assert that the rank of an array is one of several ranks.

    Args:
      x: array or sparse tensor.
      ranks: the allowed numbers of axes.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      ValueError: the array has a different rank.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_rank_in
    """
    x, allowed = _with_shape(x), tuple(map(_rank_number, ranks))
    _check_rank(x, len(x.shape) in allowed, f"rank in {allowed}", message)


def assert_type(tensor, tf_type, message=None, name=None):
    """Assert the dtype of an array.

    Args:
      tensor: array.
      tf_type: the dtype.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      TypeError: the array has a different dtype.

    Differs from TensorFlow:
      64-bit dtypes are narrowed to 32 bits unless `jax_enable_x64` is on.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_type
    """
    wanted = dtypes.as_dtype(tf_type)
    found = dtypes.as_dtype(_with_shape(tensor).dtype)
    if found != wanted and found != dtypes.canonical_dtype(wanted.dtype):
        raise TypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {found!r}")


def assert_integer(x, message=None, name=None):
    """Assert that an array has an integer dtype.

    Args:
      x: array.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      TypeError: the dtype is not an integer dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_integer
    """
    dtype = operand(x).dtype
    if not jnp.issubdtype(dtype, jnp.integer):
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype '
            f"{dtypes.as_dtype(dtype)}"
        )


def assert_scalar(tensor, message=None, name=None):
    """Assert that an array is a scalar.

    Args:
      tensor: array.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      ValueError: the array has axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Checked while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_scalar
    """
    shape = operand(tensor).shape
    if shape:
        raise ValueError(
            f"{_prefix(message)}Expected scalar shape, saw shape: {TensorShape(shape)}."
        )


def assert_same_float_dtype(tensors=None, dtype=None):
    """Assert that all arrays have the same floating-point dtype, and return it.

    Args:
      tensors: arrays; `None` entries are skipped.
      dtype: the required dtype; any common dtype when `None`.

    Returns:
      The dtype; float32 if neither arrays nor `dtype` are given.

    Raises:
      ValueError: the dtypes differ or are not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Evaluated while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_same_float_dtype
    """
    found = None if dtype is None else dtypes.as_dtype(dtype)
    first = ""
    for tensor in tensors or ():
        if tensor is None:
            continue
        own = dtypes.as_dtype(tensor.dtype)
        if found is None:
            found, first = own, f" as {tensor}"
        elif own != found:
            raise ValueError(f"{tensor}, type={own}, must be of the same type ({found}){first}.")
    found = dtypes.float32 if found is None else found
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found}.")
    return found


def assert_proper_iterable(values):
    """Assert that a value is an iterable other than an array or a string.

    Args:
      values: the value.

    Returns:
      `None`.

    Raises:
      TypeError: the value is not an iterable, or is an array or a string.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Evaluated while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_proper_iterable
    """
    is_array = isinstance(values, (jax.Array, np.ndarray)) or is_composite(values)
    if is_array or isinstance(values, (str, bytes)):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


_NUMERIC = (
    *("bfloat16", "float16", "float32", "float64", "complex64", "complex128"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)


def is_numeric_tensor(tensor) -> bool:
    """Return whether a value is an array of numbers.

    Args:
      tensor: the value.

    Returns:
      A Python bool.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Evaluated while tracing.

    https://www.tensorflow.org/api_docs/python/tf/debugging/is_numeric_tensor
    """
    return isinstance(tensor, jax.Array) and tensor.dtype.name in _NUMERIC


# ---- shapes --------------------------------------------------------------------------------------


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Assert the shapes of several arrays; equal names stand for equal sizes.

    Args:
      shapes: a dictionary from arrays to shapes, or pairs of both. A size is a number, a name, or
        `None` or `"."` for any size; a leading `...` or `"*"` stands for any number of axes; a shape
        of `None` is not checked.
      data: ignored.
      summarize: ignored.
      message: a prefix of the error message.
      name: ignored.

    Returns:
      `None`.

    Raises:
      ValueError: a static size or rank differs.
      InvalidArgumentError: a size that is known only at run time differs.

    Differs from TensorFlow:
      An error raised after a call does not show the sizes.

    Under jit:
      Sizes that are known only at run time are checked by the program.

    https://www.tensorflow.org/api_docs/python/tf/debugging/assert_shapes
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    stated = [_ShapeAssertion(_with_shape(x), s, message) for x, s in pairs if s is not None]
    for one in stated:
        one.check_rank(message)
    named: dict = {}
    for one in stated:
        for axis, wanted, actual in one.sizes():
            if wanted in named or _is_size(wanted):
                source, size = named.get(wanted, ("Specified explicitly", wanted))
                _check_size(one.array, axis, size, actual, source, message)
            else:
                source = f"Specified by tensor {_describe(one.array)} dimension {axis}"
                named[wanted] = (source, actual)


def _is_size(wanted) -> bool:
    try:
        int(wanted)
    except (TypeError, ValueError):
        return False
    return True


def _describe(x) -> str:
    return f"shape={TensorShape(x.shape)} dtype={np.dtype(x.dtype).name}"


class _ShapeAssertion:
    """An array and its asserted shape."""

    def __init__(self, array, shape, message):
        self.array = array
        if not isinstance(shape, Iterable):
            raise ValueError(
                f"{_prefix(message)}Tensor {_describe(array)}.  Specified shape must be an "
                "iterable.  An iterable has the attribute `__iter__` or `__getitem__`.  Received "
                f"specified shape: {shape}"
            )
        sizes = tuple(shape)
        for i, size in enumerate(sizes):
            if (size is Ellipsis or size == "*") and i:
                raise ValueError(
                    f"{_prefix(message)}Tensor {_describe(array)} specified shape index {i}.  "
                    "Symbol `...` or `*` for a variable number of unspecified dimensions is only "
                    "allowed as the first entry"
                )
        self.open = bool(sizes) and (sizes[0] is Ellipsis or sizes[0] == "*")
        # A scalar and a vector of size 1 are treated alike.
        self.wanted = (sizes[1:] if self.open else sizes) or (1,)

    def check_rank(self, message) -> None:
        """Check that the rank matches the number of asserted sizes."""
        count = len(self.wanted)
        if self.open:
            if count > 1:
                assert_rank_at_least(self.array, count, message)
        elif count == 1:
            assert_rank_in(self.array, (0, 1), message)
        else:
            assert_rank(self.array, count, message)

    def sizes(self):
        """Yield `(axis, asserted size, actual size)` for each axis with an asserted size."""
        actual = tuple(self.array.shape) or (1,)
        for i, wanted in enumerate(self.wanted):
            axis = i - len(self.wanted) if self.open else i
            if wanted is not None and wanted != ".":
                yield axis, wanted, actual[axis]


def _check_size(x, axis, wanted, actual, source, message) -> None:
    if not _is_traced(wanted) and not _is_traced(actual):
        if int(actual) != int(wanted):
            raise ValueError(
                f"{_prefix(message)}{source}.  Tensor {_describe(x)} dimension {axis} must have "
                f"size {int(wanted)}.  Received size {int(actual)}, shape {TensorShape(x.shape)}"
            )
        return
    if jp.is_symbolic(wanted) and jp.is_symbolic(actual) and wanted == actual:
        return
    holds = _as_number(actual) == _as_number(wanted)
    text = (
        f"{_prefix(message)}{source}.  Tensor {_describe(x)} dimension {axis} has a different size."
    )
    must_hold(holds, lambda: [text], [text])


def _is_traced(size) -> bool:
    return jp.is_symbolic(size) or jp.is_tracer(size)


def _as_number(size):
    return primitives.as_size(size) if jp.is_symbolic(size) else as_array(int(size))
