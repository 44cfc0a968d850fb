"""Provide shapes as arrays, and reshape, transpose, squeeze and broadcast arrays."""

from __future__ import annotations

import functools
import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axes_of, axis_of, is_known
from shims._src.arguments.operands import operand
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives, room, size_bounds, trace
from shims._src.tracing import hooks
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by
from shims._src.tracing.static_results import constant_of_program, known_result
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


def dims_of(function: str, shape) -> tuple:
    """Convert a shape to a tuple of dimensions.

    The shape is a sequence of numbers, dimensions and scalars, or one vector; scalars and the vector may be
    traced. -1 stays -1. A traced number that was computed from dimensions is turned back into the dimension;
    any other traced number becomes a new data-dependent size.
    """
    return tuple(size_of(function, d) for d in _parts(shape))


def _parts(shape) -> tuple | list:
    """Return the entries of a shape as a list or tuple, without converting them."""
    if isinstance(shape, (tuple, list)):
        return shape
    if hasattr(shape, "as_list"):
        return shape.as_list()
    if np.ndim(shape) == 0:
        return [shape]
    if jp.is_tracer(shape):
        return [shape[i] for i in range(shape.shape[0])]
    return np.asarray(shape).tolist()


def size_of(function: str, value, *, bound=None):
    """Convert one size to a dimension; see `dims_of`.

    Raises:
      InvalidArgumentError: the size is negative, or not a scalar; -1 is left to the caller.
      DtypeMismatchError: it is not an integer.
    """
    if not isinstance(value, int):
        _check_size(function, value)
    d = primitives.to_dim(value, label=function, bound=bound)
    if jp.is_tracer(value) and numbering.symbolic_value(value) is None:
        problem = "a size must be >= 0."
        checks.check_data(value < 0, function, problem, required="sizes >= 0")
    if is_known(d) and d < -1:
        raise negative_size(function, d)
    return d


def _check_size(function, value):
    if isinstance(value, (tuple, list)) or getattr(value, "ndim", 0):
        raise checks.invalid(
            function, "a size must be a scalar.", required="rank 0", received=f"{value}"
        )
    if isinstance(value, float) or getattr(value, "dtype", np.dtype(int)).kind not in "iu":
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                "a size must be an integer.",
                received=f"{value}",
                do="cast the size: `shims.cast(size, shims.int32)`",
            )
        )


def sizes_of(function: str, shape, dtype=None) -> tuple:
    """Convert the shape of a new array to dimensions; like `dims_of`, but -1 is rejected.

    Args:
      function: the operator, for messages.
      shape: as for `dims_of`.
      dtype: the dtype of the array, if it is known already.

    Raises:
      ResourceExhaustedError: the array would not fit into memory.
    """
    wanted = dims_of(function, _parts(shape))
    for d in wanted:
        check_size(function, d)
    room.check(function, [d for d in wanted if is_known(d)], dtype)
    return wanted


def check_size(function: str, d) -> None:
    """Check that a dimension is not negative, at once or when the program runs.

    JAX would reject `8 - n` for a data-dependent `n`, since it cannot decide whether that is
    negative.
    """
    if is_known(d):
        if d < 0:
            raise negative_size(function, d)
        return
    state = trace.current()
    if state is None or not state.owns(d) or size_bounds.sign(d) is not None:
        return
    if state.is_input_only(d) and state.value(d) >= 0:
        return  # JAX compares the size, and the answer becomes a guard
    state.decisions.promise(d)
    size = primitives.as_size(d)
    text = errors.message(function, f"dimension {d} must be >= 0.", required="sizes >= 0")
    primitives.check(size < 0, state.with_origins(text), size)


def negative_size(function: str, d):
    """Return the error for a negative size."""
    return checks.invalid(
        function,
        f"dimension {d} must be >= 0.",
        required="sizes >= 0",
        received=f"{d}",
    )


@operator(compiled=True)
def shape(input, out_type=None, name=None):
    """Return the shape of an array as a vector.

    Args:
      input: array.
      out_type: int32 or int64; int32 when `None`.
      name: ignored.

    Returns:
      An integer vector. Its elements may be used as sizes, also under a trace.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      The sizes do not count padding.

    Example:
      >>> import shims
      >>> shims.shape(shims.zeros([2, 3])).tolist()
      [2, 3]

    https://www.tensorflow.org/api_docs/python/tf/shape
    """
    dtype = array_dtype(np.int32 if out_type is None else out_type, "shape")
    dims = operand(input).shape
    if all(map(is_known, dims)):
        return known_result(np.asarray(dims, dtype))
    return jnp.stack([primitives.as_size(d).astype(dtype) for d in dims])


@operator(compiled=True)
def size(input, out_type=None, name=None):
    """Return the number of elements.

    Args:
      input: array.
      out_type: int32 or int64; int32 when `None`.
      name: ignored.

    Returns:
      The number of elements of `input`, an integer scalar that can be used as a size.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      The number does not count padding.

    Example:
      >>> import shims
      >>> print(shims.size([[1, 2, 3], [4, 5, 6]]))
      6

    https://www.tensorflow.org/api_docs/python/tf/size
    """
    dtype = array_dtype(np.int32 if out_type is None else out_type, "size")
    dims = operand(input).shape
    known = math.prod(filter(is_known, dims))
    if known == 0 or all(map(is_known, dims)):
        return known_result(np.asarray(known, dtype))
    count = math.prod(primitives.as_size(d) for d in dims if not is_known(d))
    return (count if known == 1 else count * known).astype(dtype)


@operator(compiled=True)
def rank(input, name=None):
    """Return the number of axes.

    Args:
      input: array.
      name: ignored.

    Returns:
      The number of axes of `input`, an int32 scalar.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of axes is static, so the result is a constant.

    Example:
      >>> import shims
      >>> print(shims.rank([[1, 2, 3]]))
      2

    https://www.tensorflow.org/api_docs/python/tf/rank
    """
    return constant_of_program(operand(input).ndim)


@sized_by("shape", compiled=True)
def reshape(tensor, shape, name=None):
    """Reshape an array.

    Args:
      tensor: array.
      shape: the sizes; at most one -1 stands for the remaining size.
      name: ignored.

    Returns:
      The array in that shape.

    Raises:
      InvalidArgumentError: the numbers of elements differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced. If the shape contains -1, the known sizes must divide the number of
      elements. The -1 itself must be static: a traced size that turns out to be -1 is rejected.

    Example:
      >>> import shims
      >>> print(shims.reshape([1, 2, 3, 4, 5, 6], [2, -1]))
      [[1 2 3]
       [4 5 6]]

    https://www.tensorflow.org/api_docs/python/tf/reshape
    """
    x = operand(tensor)
    dims = dims_of("reshape", shape)
    if all(map(is_known, (*x.shape, *dims))):
        dims = _resolve_static_shape(x, dims)
    elif dims.count(-1) == 1:
        if 0 in filter(is_known, dims) and _is_decided_by_data(x):
            return _reshape_empty(x, dims)
        dims = _resolve_unknown_size(x, dims)
    return jnp.reshape(x, dims)


def _is_decided_by_data(x) -> bool:
    """Return whether the number of elements is a data-dependent size."""
    state = trace.current()
    total = math.prod(x.shape)
    if state is None or not jp.is_symbolic(total):
        return False
    return bool(state.fresh.of(total))


def _reshape_empty(x, dims):
    """Reshape an empty array to a shape that contains 0 and -1.

    To infer the size for -1, TensorFlow ignores zeros in both shapes.
    """
    sizes = [primitives.as_size(d) for d in x.shape]
    total = math.prod(jnp.where(d == 0, 1, d) for d in sizes)
    stated = [primitives.as_size(d) for d in dims if not is_known(d) or d != -1]
    given = math.prod(jnp.where(d == 0, 1, d) for d in stated)
    has_elements = functools.reduce(jnp.logical_and, [jnp.asarray(d) != 0 for d in sizes])
    checks.check_data(
        has_elements,
        "reshape",
        "an empty array of this shape cannot be reshaped to the requested shape.",
        required=f"as many values as shape={dims} contains",
    )
    missing = primitives.to_dim(total // given, label="reshape")
    none = jnp.zeros([missing if is_known(d) and d == -1 else d for d in dims], x.dtype)
    return primitives.connected(none, x)


def _resolve_unknown_size(x, dims):
    """Replace -1 by a quotient if the number of elements depends on data.

    Divisibility is checked when the program runs, as for any reshape to given sizes.
    """
    state = trace.current()
    given = math.prod(d for d in dims if not (is_known(d) and d == -1))
    total = math.prod(x.shape)
    if state is None or (is_known(given) and given == 0):
        return dims
    if not any(jp.is_symbolic(n) and state.fresh.of(n) for n in (total, given)):
        return dims
    return tuple(total // given if is_known(d) and d == -1 else d for d in dims)


def _resolve_static_shape(x, dims):
    """Replace -1 in a static shape, and check the number of elements."""
    if dims.count(-1) > 1:
        raise checks.invalid(
            "reshape",
            "only one size can be -1.",
            required="at most one -1",
            received=f"shape={dims}",
        )
    if -1 in dims:
        # A size of 0 does not determine the missing one: TensorFlow ignores zeros on both sides.
        empty = 0 in dims
        total = math.prod(d for d in x.shape if d or not empty)
        given = math.prod(d for d in dims if d != -1 and (d or not empty))
        missing, rest = divmod(total, given)
        if rest and not (empty and 0 in x.shape):
            raise _does_not_fit(x, f"a multiple of {given}", dims)
        dims = tuple(missing if d == -1 else d for d in dims)
    if math.prod(dims) != x.size:
        raise _does_not_fit(x, str(math.prod(dims)), dims)
    return dims


def _does_not_fit(x, wanted, dims):
    return checks.invalid(
        "reshape",
        f"the input has {x.size} values, but the requested shape has {wanted}.",
        required=f"as many values as shape={dims} contains",
        received=f"shape {x.shape}",
    )


@operator(compiled=True)
def transpose(a, perm=None, conjugate=False, name="transpose"):
    """Permute the axes of an array.

    Args:
      a: array.
      perm: the permutation of the axes; reversed when `None`.
      conjugate: whether to take complex conjugates too.
      name: ignored.

    Returns:
      The array with its axes in the order of `perm`.

    Raises:
      InvalidArgumentError: `perm` is not a permutation of the axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; elements are not moved along an axis of data-dependent
      size.

    Example:
      >>> import shims
      >>> print(shims.transpose([[1, 2, 3], [4, 5, 6]]))
      [[1 4]
       [2 5]
       [3 6]]

    https://www.tensorflow.org/api_docs/python/tf/transpose
    """
    a = operand(a)
    if perm is None:
        perm = tuple(reversed(range(a.ndim)))
    perm = axes_of("transpose", perm, a.ndim, name="perm")
    if len(perm) != a.ndim:
        raise checks.invalid(
            "transpose",
            "`perm` must name every axis.",
            required=f"{a.ndim} axes",
            received=f"perm={perm}",
        )
    out = jnp.transpose(a, perm)
    return jnp.conj(out) if conjugate and jnp.iscomplexobj(out) else out


@operator(compiled=True)
def expand_dims(input, axis, name=None):
    """Insert an axis of size 1.

    Args:
      input: array.
      axis: the position of the new axis in the result.
      name: ignored.

    Returns:
      The array with an additional axis of size 1 at `axis`.

    Raises:
      InvalidArgumentError: the position is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      No data is moved.

    Example:
      >>> import shims
      >>> print(shims.expand_dims([1, 2, 3], axis=0))
      [[1 2 3]]

    https://www.tensorflow.org/api_docs/python/tf/expand_dims
    """
    x = operand(input)
    return lax.expand_dims(x, (axis_of("expand_dims", axis, x.ndim + 1),))


@operator(compiled=True)
def squeeze(input, axis=None, name=None):
    """Remove axes of size 1.

    Args:
      input: array.
      axis: the axes to remove; all axes of size 1 when `None`.
      name: ignored.

    Returns:
      The array without these axes of size 1.

    Raises:
      InvalidArgumentError: an axis in `axis` does not have size 1.

    Differs from TensorFlow:
      Inside an enclosing trace, with `axis=None`, an axis whose size is known only at run time
      stays.

    Under jit:
      If `axis` is given, a size known only at run time is checked to be 1. Without `axis`, a
      function is traced again if a size turns out to be 1, or if the program is only valid for size
      1.

    Example:
      >>> import shims
      >>> print(shims.squeeze([[[1], [2]]]))
      [1 2]

    https://www.tensorflow.org/api_docs/python/tf/squeeze
    """
    x = operand(input)
    if axis is None or (not jp.is_tracer(axis) and np.size(axis) == 0):
        axes = tuple(i for i, d in enumerate(x.shape) if hooks.is_size(d, 1))
    else:
        axes = axes_of("squeeze", axis, x.ndim, twice="once")
    for i in axes:
        if not is_known(x.shape[i]):
            x = primitives.unify_axis(x, i, 1, label="squeeze")
        elif x.shape[i] != 1:
            raise checks.invalid(
                "squeeze",
                f"axis {i} has size {x.shape[i]}.",
                required="size 1",
                received=f"shape {x.shape}",
            )
    return lax.squeeze(x, axes)


@sized_by("shape", compiled=True)
def broadcast_to(input, shape, name=None):
    """Broadcast an array to a shape.

    Args:
      input: array.
      shape: the sizes.
      name: ignored.

    Returns:
      The array of that shape.

    Raises:
      ValueError: the shapes do not broadcast.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.broadcast_to([1, 2], [2, 2]))
      [[1 2]
       [1 2]]

    https://www.tensorflow.org/api_docs/python/tf/broadcast_to
    """
    x, dims = operand(input), sizes_of("broadcast_to", shape)
    if x.ndim > len(dims):
        raise checks.invalid(
            "broadcast_to",
            "the array has more axes than the shape.",
            required=f"rank <= {len(dims)}",
            received=f"shape {x.shape}",
        )
    for i in range(1, min(x.ndim, len(dims)) + 1):
        have, want = x.shape[-i], dims[-i]
        if not (is_known(have) and is_known(want)) and not (is_known(have) and have == 1):
            x = primitives.unify_axis(x, x.ndim - i, want, label="broadcast_to", broadcasts=True)
        elif is_known(have) and is_known(want) and have not in (1, want):
            raise checks.invalid(
                "broadcast_to",
                "the shapes do not broadcast.",
                required=f"each size either 1 or equal to the size in shape={dims}",
                received=f"shape {x.shape}",
            )
    return jnp.broadcast_to(x, dims)


@operator(compiled=True)
def ensure_shape(x, shape, name=None):
    """Check that an array has a given shape.

    Args:
      x: array.
      shape: the sizes; a size of `None` matches any size, `None` matches any shape.
      name: ignored.

    Returns:
      The same array.

    Raises:
      InvalidArgumentError: the array has a different shape.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A size known only at run time is checked while running.

    Example:
      >>> import shims
      >>> print(shims.ensure_shape([[1, 2]], [None, 2]))
      [[1 2]]

    https://www.tensorflow.org/api_docs/python/tf/ensure_shape
    """
    x = operand(x)
    traced = {}
    if jp.is_tracer(shape) or isinstance(shape, (list, tuple)):
        parts = _parts(shape)
        traced = {i: size for i, size in enumerate(parts) if jp.is_tracer(size)}
        shape = [None if i in traced else size for i, size in enumerate(parts)]
    shape = TensorShape(shape)
    if shape.rank is None:
        return x
    wanted = shape.as_list()
    if len(wanted) != x.ndim or any(
        is_known(have) and isinstance(want, int) and have != want
        for have, want in zip(x.shape, wanted, strict=True)
    ):
        raise checks.invalid(
            "ensure_shape",
            f"the array has shape {x.shape}.",
            required=f"shape {tuple(wanted)}",
        )
    for i, want in enumerate(wanted):
        if isinstance(want, int) and not is_known(x.shape[i]):
            x = primitives.unify_axis(x, i, want, label="ensure_shape")
    for i, want in traced.items():
        text = errors.message(
            "ensure_shape", f"the size of axis {i} differs from the size in `shape`."
        )
        primitives.check(want != primitives.as_size(x.shape[i]), text)
    return x
