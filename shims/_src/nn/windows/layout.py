"""Which axes windows slide over, how large they are and how far apart, as TensorFlow's arguments say."""

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
      sizes: how many elements each window has, per axis.
      strides: how far apart windows begin.
      dilations: how far apart the elements of a window are.
      padding: `SAME`, `VALID`, or the elements before and after, per axis.
    """

    function: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    padding: str | tuple[tuple[int, int], ...]

    def reach(self, i: int) -> int:
        """How many elements of axis `i` lie between the ends of a window, both counted."""
        return (self.sizes[i] - 1) * self.dilations[i] + 1


def is_channels_first(function: str, data_format, count: int) -> bool:
    """Whether the channels stand behind the batch.

    Raises:
      InvalidArgumentError: there is no such format for `count` spatial axes.
    """
    last, first = _FORMATS[count]
    if data_format not in (None, last, first):
        raise checks.invalid(
            function,
            f"there is no data_format {data_format!r} for {count} spatial axes.",
            required=f"{last} or {first}",
        )
    return data_format == first


def channels_last(x, first: bool):
    """The array with its channels behind all other axes."""
    return jnp.moveaxis(x, 1, -1) if first else x


def channels_back(x, first: bool):
    """What `channels_last` was given, of a result."""
    return jnp.moveaxis(x, -1, 1) if first else x


def per_axis(function: str, name: str, value, count: int, first: bool) -> tuple[int, ...]:
    """One number for all spatial axes, one for each, or one for every axis, as one for each.

    Raises:
      ValueError: there are more or fewer.
      UnimplementedError: windows would slide over the batch or the channels.
      InvalidArgumentError: a number is not positive.
    """
    numbers = _numbers(value)
    if len(numbers) == 1:
        numbers *= count
    if len(numbers) == count + 2:
        rest = (numbers[0], numbers[1 if first else -1])
        if rest != (1, 1):
            raise errors.UnimplementedError(
                errors.message(
                    function,
                    f"`{name}` says something of the batch or of the channels.",
                    required="1 there",
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


def _numbers(value) -> tuple[int, ...]:
    if value is None:
        return (1,)
    return tuple(int(n) for n in np.ravel(np.asarray(value)))


def padding_of(function: str, padding, count: int, first: bool):
    """`SAME`, `VALID`, or the pads of each spatial axis.

    Raises:
      InvalidArgumentError: there is no such padding, or a pad is negative.
      ValueError: there are not as many pairs as axes.
    """
    if isinstance(padding, str):
        if padding not in ("SAME", "VALID"):
            raise checks.invalid(
                function, f"there is no padding {padding!r}.", required="SAME, VALID or pairs"
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
            "the pads do not fit.",
            required="numbers >= 0, and 0 for the batch and the channels",
            received=f"padding={pairs}",
        )
    return pairs[2:] if first else pairs[1:-1]


def check_named(function: str, padding) -> None:
    """Where TensorFlow takes no pairs of pads.

    Raises:
      TypeError: `padding` is not a string.
    """
    if not isinstance(padding, str):
        raise TypeError(f"{function}: Expected string for argument 'padding' not {padding}.")
