"""Check the arguments of operators: shapes and dtypes at once, values as soon as they are known.

Checks of values go through `primitives.check`: eagerly a failed check raises at once; inside a dynamic
trace the program also returns whether the check failed, and the call raises; inside an enclosing JAX
trace the checks have no effect.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import kernels
from shims._src.errors import errors
from shims._src.platform import device_arrays
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives


def is_known(d) -> bool:
    """Return whether a dimension is a number, not a symbolic size."""
    return not jp.is_symbolic(d)


def invalid(function: str, problem: str, **lines) -> errors.InvalidArgumentError:
    """Create the error for invalid arguments."""
    return errors.InvalidArgumentError(errors.message(function, problem, **lines))


def check_data(
    bad, function: str, problem: str, *, error=errors.InvalidArgumentError, **lines
) -> None:
    """Raise an error if an element of `bad` is true: at once, or after the call if `bad` is traced."""
    if jp.is_tracer(bad):
        primitives.check(bad, errors.message(function, problem, **lines), error=error)
    elif device_arrays.is_any(bad):
        raise error(errors.message(function, problem, **lines))


def check_positions(
    function: str,
    name: str,
    positions,
    limit,
    *,
    low: int = 0,
    others=(),
    error=errors.InvalidArgumentError,
) -> None:
    """Check that positions lie in [low, limit).

    Args:
      function: the operator as the user spells it.
      name: the argument that holds the positions.
      positions: integer array.
      limit: a dimension.
      low: the first allowed position; if it is negative, positions below 0 are ignored.
      others: the other dimensions of the array; if one is 0, nothing is checked.
      error: the class of the error.
    """
    values = positions if jp.is_tracer(positions) else device_arrays.where_it_lies(positions)
    if (is_known_shape(values) and not values.size) or any(is_known(d) and d == 0 for d in others):
        return
    bound = primitives.as_size(limit) if jp.is_symbolic(limit) else limit
    bad = values >= bound if low < 0 else (values < low) | (values >= bound)
    for d in others:
        bad = bad if is_known(d) else bad & (primitives.as_size(d) > 0)
    if not jp.is_tracer(bad):
        if not device_arrays.is_any(bad):
            return
        where = np.argwhere(np.asarray(bad))
        place = ", ".join(map(str, where[0]))
        found = f"{name}[{place}] = {np.asarray(values)[tuple(where[0])]}"
    else:
        found = f"a value of {name} outside the expected range"
    check_data(
        bad,
        function,
        f"`{name}` is out of range.",
        required=f"{name} in [{low}, {limit})" if low >= 0 else f"{name} < {limit}",
        received=found,
        error=error,
    )


def check_known(function: str, what: str, *sizes) -> None:
    """Check that sizes are known while a program is traced.

    Args:
      function: the operator as the user spells it.
      what: a noun for the error message: the things that the sizes count.
      *sizes: dimensions.

    Raises:
      FreshSizeError: a size depends on data.
    """
    if all(map(is_known, sizes)):
        return
    raise errors.FreshSizeError(
        errors.message(
            function,
            f"the number of {what} depends on data.",
            required=f"{what} whose number is known while the program is traced",
            received=", ".join(map(str, sizes)),
            do="select by a mask, or declare the number with `tf.ensure_shape`",
        )
    )


def is_known_shape(array) -> bool:
    """Return whether all dimensions of an array are numbers."""
    return all(map(is_known, array.shape))


def static_int(function: str, name: str, value) -> int:
    """Convert a value that must be known while a program is traced to an int.

    Raises:
      FreshSizeError: the value is traced.
      InvalidArgumentError: the value is not one number.
      DtypeMismatchError: the value is not an integer.
    """
    if isinstance(value, int):
        return int(value)
    if jp.is_tracer(value):
        known = _constant_behind(value)
        if known is not None:
            return known
        raise errors.FreshSizeError(
            errors.message(
                function,
                f"`{name}` depends on traced data.",
                required=f"{name} known while the program is traced",
                do="pass a Python number",
            )
        )
    if not jp.is_symbolic(value):
        value = np.asarray(value)
        if value.size != 1:
            raise invalid(
                function, f"`{name}` must be a single number.", received=f"{value.tolist()}"
            )
        if value.dtype.kind not in "iu":
            raise errors.DtypeMismatchError(
                errors.message(function, f"`{name}` must be an integer.", received=f"{value}")
            )
        value = value.item()
    return int(value)


def _constant_behind(value):
    """Return the number in a traced constant, or `None` for tracers that are not constants."""
    if value.ndim or not jnp.issubdtype(value.dtype, jnp.integer):
        return None
    known = numbering.symbolic_value(value)
    return known if isinstance(known, int) else None


def axis_of(function: str, axis, rank: int, *, name: str = "axis") -> int:
    """Normalize an axis to a number in [0, rank).

    Raises:
      InvalidArgumentError: the axis is out of range.
    """
    axis = static_int(function, name, axis)
    if not -rank <= axis < max(rank, 1):
        raise invalid(
            function,
            f"there is no axis {axis}.",
            required=f"{name} in [{-rank}, {rank})",
            received=f"{name}={axis}",
        )
    return axis % max(rank, 1)


def axes_of(
    function: str, axis, rank: int, *, name: str = "axis", twice: str = "refused"
) -> tuple[int, ...]:
    """Normalize axes given as `None` (all axes), a number, or a sequence or array of numbers.

    Args:
      function: the operator as the user spells it.
      axis: the axes.
      rank: the rank of the array.
      name: the name of the argument.
      twice: the treatment of an axis that is named twice: `refused`, `once`, or `kept`.

    Raises:
      InvalidArgumentError: an axis is out of range, or named twice.
    """
    if axis is None:
        return tuple(range(rank))
    if not jp.is_tracer(axis):
        axis = np.asarray(axis).ravel().tolist()
    else:
        axis = [axis] if axis.ndim == 0 else [axis[i] for i in range(axis.shape[0])]
    axes = tuple(axis_of(function, a, rank, name=name) for a in axis)
    if twice == "once":
        return tuple(dict.fromkeys(axes))
    if twice == "refused" and len(set(axes)) != len(axes):
        raise invalid(
            function,
            f"`{name}` lists the same axis twice.",
            required="different axes",
            received=f"{name}={tuple(axes)}",
        )
    return axes


def check_vector(function: str, name: str, array) -> None:
    """Check that an argument has rank 1."""
    if array.ndim != 1:
        raise invalid(
            function,
            f"`{name}` must be a vector.",
            required="rank 1",
            received=f"rank {array.ndim}",
        )


def check_scalar(function: str, name: str, array) -> None:
    """Check that an argument has rank 0."""
    if array.ndim:
        raise invalid(
            function,
            f"`{name}` must be a scalar.",
            required="rank 0",
            received=f"rank {array.ndim}",
        )


def check_kind(function: str, kind: str, *arrays) -> None:
    """Check that arrays have one of the dtypes described by `kind`, an entry of the kernel table."""
    for array in arrays:
        kernels.check_dtype(function, kind, array.dtype, array.shape)


def check_nonzero(
    function: str, name: str, divisor, dividend, *, error=errors.InvalidArgumentError
) -> None:
    """Check that an integer divisor is not zero, as TensorFlow's CPU kernels do.

    The divisor is not checked if the dividend has no elements.
    """
    is_nothing = any(is_known(d) and d == 0 for d in dividend.shape)
    if is_nothing or not jnp.issubdtype(divisor.dtype, jnp.integer):
        return
    bad = divisor == 0
    for d in dividend.shape:
        bad = bad if is_known(d) else bad & (primitives.as_size(d) > 0)
    check_data(
        bad,
        function,
        "integer division by zero.",
        error=error,
        required=f"{name} != 0 everywhere",
    )
