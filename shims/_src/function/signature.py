"""Describe the sizes in a call: which are unknown, which are equal, and their capacities."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments.conversion import narrow_array
from shims._src.errors import errors
from shims._src.platform import device_arrays
from shims._src.recording.recording import is_followed
from shims._src.tracing.settling import next_bucket
from shims._src.tracing.text_operands import elements, holds_text
from shims._src.types.static_text import StaticText
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.references import value_of

SMALLEST_BUCKET = 8


@dataclasses.dataclass(frozen=True)
class Unknown:
    """An unknown dimension of a call: its operand, its axis, and its name if the signature gives one."""

    operand: int
    axis: int
    name: str | None


def powers_of_two(size: int) -> int:
    """Return the default capacity for a size: the next power of two, at least `SMALLEST_BUCKET`."""
    return max(next_bucket(size), SMALLEST_BUCKET)


def bucket_rule(buckets) -> Callable[[int], int]:
    """Return the function from sizes to capacities that the argument `buckets` describes.

    Capacities are powers of two, entries of a list, a single number, or computed by a given function.

    Raises:
      ValueError: `buckets` is none of these.
    """
    if buckets == "powers_of_two" or buckets is None:
        return powers_of_two
    if buckets is powers_of_two or isinstance(buckets, (_ListedBuckets, _ComputedBuckets)):
        return buckets
    if callable(buckets):
        return _ComputedBuckets(buckets)
    if isinstance(buckets, int):
        buckets = (buckets,)
    if isinstance(buckets, Sequence) and not isinstance(buckets, str) and buckets:
        return _ListedBuckets(tuple(sorted(int(b) for b in buckets)))
    raise ValueError(
        errors.message(
            "function",
            "`buckets` has an invalid value.",
            required='"powers_of_two", a capacity, a list of capacities, or a function of the size',
            received=repr(buckets),
        )
    )


@dataclasses.dataclass(frozen=True)
class _ListedBuckets:
    capacities: tuple[int, ...]

    def __call__(self, size: int) -> int:
        for capacity in self.capacities:
            if size <= capacity:
                return capacity
        raise errors.CapacityError(
            errors.message(
                "function",
                "an input is larger than the largest bucket.",
                required=f"at most {self.capacities[-1]} entries",
                received=f"{size}",
                do=f"add {size} to `buckets`",
            )
        )


@dataclasses.dataclass(frozen=True)
class _ComputedBuckets:
    rule: Callable[[int], int]

    def __call__(self, size: int) -> int:
        capacity = self.rule(size)
        if isinstance(capacity, (int, np.integer)) and capacity >= size:
            return int(capacity)
        raise errors.CapacityError(
            errors.message(
                "function",
                "`buckets` returned no capacity for a size.",
                required=f"an integer that is at least {size}",
                received=repr(capacity),
                do="round up, as `lambda n: -(-n // 64) * 64` does",
            )
        )


def unknown_dimensions(specs, operands) -> list[Unknown]:
    """List the unknown dimensions of operands; an operand whose spec is `None` has none."""
    found = []
    for i, (spec, x) in enumerate(zip(specs, operands, strict=True)):
        if spec is None:
            continue
        sizes = [None] * len(x.shape) if spec.shape.rank is None else list(spec.shape)
        for axis, d in enumerate(sizes):
            if d is None or isinstance(d, str):
                found.append(Unknown(i, axis, d))
    return found


def pattern_of(unknown: list[Unknown], sizes: list[int], share: bool = True):
    """Determine which unknown sizes share a size variable, and which are the constants 0 and 1.

    Sizes of 0 and 1 are constants, since such axes are empty or broadcast. Equal sizes share a variable if
    `share`; sizes of the same name always do.

    Returns:
      For each unknown dimension, `("constant", size)` or `("variable", index)`.

    Raises:
      InvalidArgumentError: two sizes of one name differ.
    """
    named: dict[str, int] = {}
    for u, size in zip(unknown, sizes, strict=True):
        if u.name is not None and named.setdefault(u.name, size) != size:
            raise errors.InvalidArgumentError(
                errors.message(
                    "function",
                    f"two sizes named `{u.name}` differ.",
                    required=f"{u.name} = {named[u.name]}",
                    received=f"{u.name} = {size} (argument {u.operand}, axis {u.axis})",
                )
            )
    seen: dict[object, int] = {}
    pattern = []
    for i, (u, size) in enumerate(zip(unknown, sizes, strict=True)):
        if size < 2:
            pattern.append(("constant", size))
            continue
        key = size if share else (u.name or i)
        pattern.append(("variable", seen.setdefault(key, len(seen))))
    return tuple(pattern)


def conform(x, spec: TensorSpec, position: int):
    """Convert an argument to an array of its spec's dtype, and check its shape.

    Raises:
      TypeError: the argument is an array of a different dtype, or its shape does not match the spec.
    """
    if spec.dtype.hasobject:
        return _conform_text(x, spec, position)
    x = value_of(x)
    wanted = jax.dtypes.canonicalize_dtype(spec.dtype)
    array: jax.Array | np.ndarray
    if isinstance(x, jax.Array):
        if x.dtype != wanted:
            raise TypeError(_mismatch_message("dtype", wanted.name, x.dtype.name, spec, position))
        array = x
    else:
        array = np.asarray(x)
        if array.dtype != wanted:
            if array.dtype.kind == "f" and wanted.kind in "iub":
                raise TypeError(
                    _mismatch_message("dtype", wanted.name, array.dtype.name, spec, position)
                )
            array = narrow_array(array, wanted)
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            _mismatch_message("shape", str(spec.shape), str(array.shape), spec, position)
        )
    return array


def _conform_text(x, spec: TensorSpec, position: int) -> StaticText:
    """Convert an argument to strings, which are part of the program."""
    x = x.tensor if isinstance(x, StaticText) else x
    if not holds_text(x):
        raise TypeError(_mismatch_message("dtype", "string", repr(x), spec, position))
    text = elements(x)
    shape = np.asarray(text).shape
    if not spec.shape.is_compatible_with(shape):
        raise TypeError(_mismatch_message("shape", str(spec.shape), str(shape), spec, position))
    return StaticText(text)


def _mismatch_message(what, required, received, spec, position) -> str:
    name = f"`{spec.name}`" if spec.name else f"argument {position}"
    return errors.message(
        "function",
        f"the {what} of {name} differs from the spec of this argument.",
        required=required,
        received=received,
    )


def pad_to(x, shape):
    """Pad an array to a larger shape where it lies; on a CPU with zeros, without a compilation.

    NumPy arrays are copied, because the caller may write to them before the program has read them.
    """
    if tuple(x.shape) == tuple(shape) and isinstance(x, jax.Array):
        return x
    if is_followed(x):
        return jnp.pad(x, [(0, n - m) for m, n in zip(x.shape, shape, strict=True)])
    return device_arrays.filled_up(x, shape)
