"""Convert the operands of operators to arrays of the same dtype and compatible sizes.

TensorFlow converts numbers and NumPy arrays to the dtype of the other operands, and rejects tensors of
two dtypes. Symbolic sizes that must be equal are declared equal, which is checked at run time.
"""

from __future__ import annotations

import functools

import jax
import numpy as np
from jax import lax

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import broadcast_sizes, primitives, trace
from shims._src.types.dtypes import canonical_dtype, kind_name


def describe(array) -> str:
    """Format the dtype and shape of an array for messages: `f32[n, 3]`."""
    return f"{kind_name(array.dtype)}[{', '.join(map(str, array.shape))}]"


def operand(value, dtype=None):
    """Convert an argument to an array; `dtype` applies to Python numbers and NumPy arrays."""
    # An array of random keys has no weak type, and a dtype that NumPy does not know.
    is_strong = isinstance(value, jax.Array) and not getattr(value, "weak_type", False)
    if is_strong and (dtype is None or value.dtype == dtype):
        return value
    if dtype is None:
        return as_array(value)
    dtype = canonical_dtype(dtype)
    if _is_flexible(value):
        value = as_array(value)
        if not np.can_cast(value.dtype, dtype, "same_kind") and value.dtype.kind not in "iu":
            raise TypeError(f"Cannot convert {value!r} to an array of dtype {dtype.name}")
        return lax.convert_element_type(value, dtype)
    return as_array(value, dtype)


def _is_flexible(value) -> bool:
    """Return whether TensorFlow would convert a value to the dtype of the other operands."""
    if isinstance(value, jax.Array):
        return getattr(value, "weak_type", False)
    return isinstance(value, (np.ndarray, np.generic)) or jp.is_symbolic(value)


def is_array(value) -> bool:
    """Return whether a value has a dtype of its own, to which other operands are converted."""
    if isinstance(value, jax.Array):
        return not getattr(value, "weak_type", False)
    return hasattr(value, "__jax_array__") and not jp.is_symbolic(value)


def matching(function: str, **values):
    """Convert the values to arrays of the same dtype.

    Args:
      function: the operator as the user spells it.
      **values: the arguments by name, in order.

    Returns:
      A list of arrays.

    Raises:
      DtypeMismatchError: two arrays have different dtypes, or a number does not fit.
    """
    leader = next((v for v in values.values() if is_array(v)), None)
    if leader is None:
        leader = next((v for v in values.values() if isinstance(v, (np.ndarray, np.generic))), None)
        leader = operand(next(iter(values.values())) if leader is None else leader)
    dtype = as_array(leader).dtype
    for name, value in values.items():
        if is_array(value) and value.dtype != dtype:
            raise _mismatch_error(function, name, values, dtype)
    try:
        return [operand(v, dtype) for v in values.values()]
    except TypeError as error:
        raise errors.DtypeMismatchError(
            errors.message(
                function,
                f"a number does not fit {dtype.name}, the dtype of the other operand.",
                required="operands of the same dtype",
                received=str(error),
                do="write a number of that dtype, or cast the array",
            )
        ) from None


def _mismatch_error(function, culprit, values, dtype):
    received = ", ".join(f"{n} {describe(v)}" for n, v in values.items() if is_array(v))
    return errors.DtypeMismatchError(
        errors.message(
            function,
            f"`{culprit}` was expected to be {dtype.name}, the dtype of the operand before it.",
            required="operands of the same dtype",
            received=received,
            do=f"convert one of the operands: `shims.cast({culprit}, {dtype.name!r})`",
        )
    )


def broadcasting(function: str, *arrays):
    """Declare that the sizes of arrays broadcast; symbolic sizes are checked at run time.

    Arrays of known shapes are returned unchanged.

    Raises:
      InvalidArgumentError: known sizes do not broadcast.
    """
    first = arrays[0].shape
    if all(a.shape == first or not a.shape for a in arrays):
        return arrays
    if not any(jp.is_symbolic(d) for a in arrays for d in a.shape):
        _check_broadcasts(function, arrays)
        return arrays
    unified = list(arrays)
    for back in range(1, max(a.ndim for a in unified) + 1):
        axes = [a.ndim - back if a.ndim >= back else None for a in unified]
        unified = broadcasting_along(function, unified, axes)
    return unified


def broadcasting_along(function: str, arrays: list, axes: list[int | None]) -> list:
    """Declare that arrays have equal sizes along one axis of each; sizes of 1 broadcast.

    Args:
      function: the operator, for error messages.
      arrays: the arrays.
      axes: the axis of each array; `None` for an array that has none.
    """
    if _common_size(_sizes_along(arrays, axes)) is None:
        return arrays
    # Sizes that are 1 at this call become static, so that they broadcast.
    arrays = [
        a if i is None else primitives.settle_one(a, i, label=function)
        for a, i in zip(arrays, axes, strict=True)
    ]
    target = _common_size(_sizes_along(arrays, axes))
    if target is None:
        return arrays
    return [
        a
        if i is None or _is_one(a.shape[i])
        else primitives.unify_axis(a, i, target, label=function, broadcasts=True)
        for a, i in zip(arrays, axes, strict=True)
    ]


def _sizes_along(arrays, axes) -> list:
    return [a.shape[i] for a, i in zip(arrays, axes, strict=True) if i is not None]


def _check_broadcasts(function, arrays):
    try:
        np.broadcast_shapes(*(a.shape for a in arrays))
    except ValueError:
        raise errors.InvalidArgumentError(
            errors.message(
                function,
                "the shapes do not broadcast.",
                required="equal sizes, or size 1, counted from the last axis",
                received=", ".join(map(describe, arrays)),
            )
        ) from None


def check_alike(function: str, **arrays) -> None:
    """Check that arrays have equal ranks and equal known sizes, without broadcasting.

    Raises:
      InvalidArgumentError: ranks or known sizes differ.
    """
    shapes = [a.shape for a in arrays.values()]
    alike = len(set(map(len, shapes))) == 1 and all(
        len({int(d) for d in along if not jp.is_symbolic(d)}) < 2
        for along in zip(*shapes, strict=True)
    )
    if not alike:
        raise errors.InvalidArgumentError(
            errors.message(
                function,
                "operands must have the same shape.",
                required="equal shapes: there is no broadcasting",
                received=", ".join(f"{n} {describe(a)}" for n, a in arrays.items()),
            )
        )


def agreeing(function: str, arrays, axes):
    """Declare that arrays have equal sizes along each of `axes`; return the arrays."""
    arrays = list(arrays)
    if not any(jp.is_symbolic(a.shape[i]) for a in arrays for i in axes):
        for i in axes:
            for a in arrays[1:]:
                primitives.unify_axis(a, i, arrays[0].shape[i], label=function)
        return arrays
    for i in axes:
        target = _common_size([a.shape[i] for a in arrays], broadcasts=False)
        if target is not None:
            arrays = [primitives.unify_axis(a, i, target, label=function) for a in arrays]
    return arrays


def meeting(function: str, a, i: int, b, j: int, *, broadcasts: bool = False):
    """Declare that axis `i` of `a` and axis `j` of `b` have equal sizes; return both arrays."""
    target = _common_size([a.shape[i], b.shape[j]], broadcasts=broadcasts)
    if target is None:
        return a, b
    if broadcasts:
        a = primitives.settle_one(a, i, label=function)
        b = primitives.settle_one(b, j, label=function)
        if _is_one(a.shape[i]) or _is_one(b.shape[j]):
            return a, b
    unify = functools.partial(primitives.unify_axis, label=function, broadcasts=broadcasts)
    return unify(a, i, target), unify(b, j, target)


def _is_one(d) -> bool:
    return not jp.is_symbolic(d) and d == 1


def _common_size(sizes, *, broadcasts: bool = True):
    """Return the size to which all `sizes` are declared equal; `None` if they are equal already."""
    sizes = [d for d in sizes if not (broadcasts and _is_one(d))]
    distinct = [d for i, d in enumerate(sizes) if not _is_among(d, sizes[:i])]
    if len(distinct) < 2 or not any(map(jp.is_symbolic, distinct)):
        return None
    if broadcasts:
        return broadcast_sizes.common(trace.current(), distinct)
    return next((d for d in distinct if not jp.is_symbolic(d)), distinct[0])


def _is_among(d, sizes) -> bool:
    return any(jp.is_symbolic(d) == jp.is_symbolic(e) and d == e for e in sizes)
