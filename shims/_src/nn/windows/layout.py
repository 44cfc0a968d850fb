"""Parse the arguments of window operators: data formats, sizes, strides, dilations and padding."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors

_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


@dataclasses.dataclass(frozen=True, slots=True)
class Windows:
    """Windows over the spatial axes of an array whose channels come last.

    Attributes:
      function: the operator as the user spells it.
      sizes: the number of elements of a window, per axis.
      strides: the distance between windows, per axis.
      dilations: the distance between the elements of a window, per axis.
      padding: `SAME`, `VALID`, or the elements before and after, per axis.
    """

    function: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: str | tuple[tuple[int, int], ...]

    def reach(self, i: int) -> int:
        """Return the number of elements of axis `i` that a window spans."""
        return (self.sizes[i] - 1) * self.dilations[i] + 1


def is_channels_first(function: str, data_format, count: int) -> bool:
    """Return whether the channels come directly after the batch.

    Raises:
      InvalidArgumentError: `data_format` is not valid for `count` spatial axes.
    """
    last, first = _FORMATS[count]
    if data_format not in (None, last, first):
        raise checks.invalid(
            function,
            f"`data_format` must not be {data_format!r} with {count} spatial axes.",
            required=f"{last} or {first}",
        )
    return data_format == first


def channels_last(x, first: bool):
    """Move the channels to the last axis."""
    return jnp.moveaxis(x, 1, -1) if first else x


def channels_back(x, first: bool):
    """Move the channels of a result back: the inverse of `channels_last`."""
    return jnp.moveaxis(x, -1, 1) if first else x


def per_axis(function: str, name: str, value, count: int, first: bool) -> tuple[int, ...]:
    """Expand an argument, one number or one per axis, to one number per spatial axis.

    Raises:
      ValueError: the count of numbers is wrong.
      UnimplementedError: a number of the batch or the channels is not 1.
      InvalidArgumentError: a number is not positive.
    """
    numbers = _as_integers(value)
    if len(numbers) == 1:
        numbers *= count
    if len(numbers) == count + 2:
        rest = (numbers[0], numbers[1 if first else -1])
        if rest != (1, 1):
            raise errors.UnimplementedError(
                errors.message(
                    function,
                    f"`{name}` is not 1 for the batch or the channels.",
                    required="1 for the batch and the channels",
                    received=f"{name}={numbers}",
                )
            )
        numbers = numbers[2:] if first else numbers[1:-1]
    if len(numbers) != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. "
            f"Received: {name}={value} of length {len(numbers)}"
        )
    if min(numbers) < 1:
        raise checks.invalid(function, f"`{name}` must be positive.", received=f"{name}={numbers}")
    return numbers


def _as_integers(value) -> tuple[int, ...]:
    if value is None:
        return (1,)
    return tuple(int(n) for n in np.ravel(np.asarray(value)))


def padding_of(function: str, padding, count: int, first: bool):
    """Return `SAME`, `VALID`, or the explicit paddings of each spatial axis.

    Raises:
      InvalidArgumentError: `padding` is unknown, or a padding is negative.
      ValueError: the number of pairs is not the number of axes.
    """
    if isinstance(padding, str):
        if padding not in ("SAME", "VALID"):
            raise checks.invalid(
                function, f"`padding` must not be {padding!r}.", required="SAME, VALID or pairs"
            )
        return padding
    if len(padding) != count + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {count + 2}. "
            f"Received: padding={padding} of size {len(padding)}"
        )
    pairs = tuple((int(low), int(high)) for low, high in padding)
    if pairs[0] != (0, 0) or pairs[1 if first else -1] != (0, 0) or min(map(min, pairs)) < 0:
        raise checks.invalid(
            function,
            "`padding` has an invalid pair of numbers.",
            required="numbers >= 0, and 0 for the batch and the channels",
            received=f"padding={pairs}",
        )
    return pairs[2:] if first else pairs[1:-1]


def check_named(function: str, padding) -> None:
    """Check that `padding` is a string, for operators without explicit paddings.

    Raises:
      TypeError: `padding` is not a string.
    """
    if not isinstance(padding, str):
        raise TypeError(f"{function}: Expected string for argument 'padding' not {padding}.")
