"""Check the elements, positions and sizes that are passed to `TensorArray`."""

from __future__ import annotations

import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.control_flow.staging import is_staged
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def check_element(method: str, shape, dtype, expected_shape, expected_dtype) -> None:
    """Raise an error for an element whose dtype or shape differs from that of the list."""
    if dtype != expected_dtype:
        raise checks.invalid(
            f"TensorArray.{method}",
            f"the element has dtype {dtype.name}, but the list has dtype {expected_dtype.name}.",
            required=expected_dtype.name,
            received=dtype.name,
        )
    if expected_shape is not None and not _fits(shape, expected_shape):
        raise ValueError(
            f"TensorArray.{method}: incompatible shape for value: {shape}, "
            f"expected {tuple(expected_shape)}."
        )


def _fits(shape, expected) -> bool:
    """Return whether an element's shape is compatible with that of the list."""
    if len(shape) != len(expected):
        return False
    pairs = zip(shape, expected, strict=True)
    return all(e is None or not is_known(d) or not is_known(e) or d == e for d, e in pairs)


def check_shape_in_buffer(shape, room_shape) -> None:
    """Raise an error for an element whose shape differs from the others, which are one array in a traced loop."""
    if not all(map(is_same_size, shape, room_shape)):
        raise errors.UnimplementedError(
            errors.message(
                "TensorArray.write",
                "elements whose sizes depend on data are written in a traced loop.",
                received=f"shape {shape} after {room_shape}",
                do=(
                    "keep two arrays in the state of the loop: the elements, extended with "
                    "`concat`, and their lengths"
                ),
            )
        )


def is_same_size(a, b) -> bool:
    """Return whether two sizes are the same number or the same symbol."""
    return jp.is_symbolic(a) == jp.is_symbolic(b) and bool(a == b)


def out_of_range_error(method: str, index: int, count: int) -> errors.OutOfRangeError:
    """Return the error for a position that has no element."""
    return errors.OutOfRangeError(
        errors.message(
            f"TensorArray.{method}",
            f"there is no element {index}.",
            required=f"a position in [0, {count})",
            received=str(index),
        )
    )


def check_place(method: str, index, place, count) -> None:
    """Raise an error for a position out of range: at once if it is known, otherwise at run time.

    Args:
      method: the method of `TensorArray`.
      index: the position as the user gave it.
      place: the same position as an int32 scalar.
      count: the number of elements.
    """
    if not is_staged(index) and is_known(index) and is_known(count):
        if not 0 <= index < count:
            raise out_of_range_error(method, index, count)
        return
    checks.check_data(
        (place < 0) | (place >= primitives.as_size(count)),
        f"TensorArray.{method}",
        "there is no such element.",
        required=f"a position in [0, {'size' if is_staged(count) else count})",
    )


def check_slices(slices, count) -> None:
    """Raise an error if more slices are unstacked than there are elements."""
    if is_known(slices) and is_known(count):
        if slices > count:
            raise ValueError(
                f"Cannot unstack {slices} tensors into a TensorArray of static size {count}"
            )
        return
    checks.check_data(
        primitives.as_size(slices) > primitives.as_size(count),
        "TensorArray.unstack",
        "there are more slices than elements.",
        required=f"at most {count} slices",
        received=f"{slices}",
    )


def lengths_of_parts(value, lengths) -> list[int]:
    """Return the lengths of a split's parts as ints; check that they add up to the array's size."""
    if jp.is_tracer(lengths):
        checks.static_int("TensorArray.split", "lengths", lengths)
    sizes = [int(n) for n in np.asarray(lengths).ravel()]
    if value.ndim == 0 or (is_known(value.shape[0]) and sum(sizes) != value.shape[0]):
        raise checks.invalid(
            "TensorArray.split",
            "the lengths do not add up to the size of the first axis.",
            required=f"sum(lengths) == {value.shape[0] if value.ndim else 'no scalar'}",
            received=f"lengths {sizes}",
        )
    return sizes


def check_parts(parts: int, count) -> None:
    """Raise an error if an array is split into more parts than there are elements."""
    if not is_known(count) or parts > count:
        raise checks.invalid(
            "TensorArray.split",
            f"a list of {count} elements cannot contain {parts} parts.",
            required=f"at most {count} parts",
        )
