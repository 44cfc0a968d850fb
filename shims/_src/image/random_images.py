"""`image.random_brightness` and its kin: images changed by chance, with TensorFlow's numbers.

Each operator comes twice: one whose numbers follow from `set_seed`, one whose numbers follow from a
seed of its own. Both draw what TensorFlow draws, in its order.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.array import cutting
from shims._src.array.shapes import sizes_of
from shims._src.image import color
from shims._src.image.layout import image_of
from shims._src.random import stateful, stateless
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by

_HALF = 0.5


def _check_delta(function: str, max_delta) -> None:
    if max_delta < 0:
        raise ValueError(f"{function}: `max_delta` must be non-negative, received {max_delta}.")


def _check_range(function: str, lower, upper) -> None:
    if upper <= lower:
        raise ValueError(
            f"{function}: `upper` must be > `lower`, received lower={lower}, upper={upper}."
        )
    if lower < 0:
        raise ValueError(f"{function}: `lower` must be non-negative, received {lower}.")


def _check_hue(function: str, max_delta) -> None:
    if max_delta > _HALF:
        raise ValueError(f"{function}: `max_delta` must be <= 0.5, received {max_delta}.")
    _check_delta(function, max_delta)


# ---- brightness, contrast, hue and saturation ----------------------------------------------------


@operator
def random_brightness(image, max_delta, seed=None):
    """Images with one random number added to all pixels.

    Args:
      image: array of numbers; integers are scaled to [0, 1] and back.
      max_delta: the number lies in [-max_delta, max_delta); not negative.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `max_delta` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_brightness
    """
    _check_delta("random_brightness", max_delta)
    delta = stateful.uniform([], -max_delta, max_delta, seed=seed)
    return color.adjust_brightness(image, delta)


@operator
def stateless_random_brightness(image, max_delta, seed):
    """Images with one number added to all pixels, which follows from the seed.

    Args:
      image: array of numbers; integers are scaled to [0, 1] and back.
      max_delta: the number lies in [-max_delta, max_delta); not negative.
      seed: two integers.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `max_delta` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Element by element; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_brightness
    """
    _check_delta("stateless_random_brightness", max_delta)
    delta = stateless.stateless_uniform([], seed, -max_delta, max_delta)
    return color.adjust_brightness(image, delta)


@operator
def random_contrast(image, lower, upper, seed=None):
    """Images whose distance from the mean of each channel is scaled by a random factor.

    Args:
      image: array `[..., height, width, channels]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor; not negative.
      upper: its upper bound.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_contrast
    """
    _check_range("random_contrast", lower, upper)
    return color.adjust_contrast(image, stateful.uniform([], lower, upper, seed=seed))


@operator
def stateless_random_contrast(image, lower, upper, seed):
    """Images whose distance from the mean of each channel is scaled as the seed says.

    Args:
      image: array `[..., height, width, channels]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor; not negative.
      upper: its upper bound.
      seed: two integers.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_contrast
    """
    _check_range("stateless_random_contrast", lower, upper)
    return color.adjust_contrast(image, stateless.stateless_uniform([], seed, lower, upper))


@operator
def random_hue(image, max_delta, seed=None):
    """Images with a random number added to the hue.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      max_delta: the number lies in [-max_delta, max_delta); between 0 and 0.5.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `max_delta` is out of range.
      InvalidArgumentError: there are not three channels.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_hue
    """
    _check_hue("random_hue", max_delta)
    return color.adjust_hue(image, stateful.uniform([], -max_delta, max_delta, seed=seed))


@operator
def stateless_random_hue(image, max_delta, seed):
    """Images with a number added to the hue, which follows from the seed.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      max_delta: the number lies in [-max_delta, max_delta); between 0 and 0.5.
      seed: two integers.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `max_delta` is out of range.
      InvalidArgumentError: there are not three channels.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Pixel by pixel; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_hue
    """
    _check_hue("stateless_random_hue", max_delta)
    delta = stateless.stateless_uniform([], seed, -max_delta, max_delta)
    return color.adjust_hue(image, delta)


@operator
def random_saturation(image, lower, upper, seed=None):
    """Images whose saturation is scaled by a random factor.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor; not negative.
      upper: its upper bound.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative.
      InvalidArgumentError: there are not three channels.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_saturation
    """
    _check_range("random_saturation", lower, upper)
    return color.adjust_saturation(image, stateful.uniform([], lower, upper, seed=seed))


@operator
def stateless_random_saturation(image, lower, upper, seed=None):
    """Images whose saturation is scaled as the seed says.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor; not negative.
      upper: its upper bound.
      seed: two integers; TensorFlow's signature lets it be left out, and refuses that.

    Returns:
      An array like `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative, or there is no seed.
      InvalidArgumentError: there are not three channels.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Pixel by pixel; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_saturation
    """
    _check_range("stateless_random_saturation", lower, upper)
    if seed is None:
        raise ValueError("stateless_random_saturation: `seed` must be two integers, not None.")
    factor = stateless.stateless_uniform([], seed, lower, upper)
    return color.adjust_saturation(image, factor)


# ---- flips ---------------------------------------------------------------------------------------


def _flipped(function: str, image, axis: int, numbers):
    """Images turned around along an axis where `numbers(shape)` says so."""
    x = image_of(function, image)
    turned = jnp.flip(x, axis)
    if x.ndim == 3:
        return jnp.where(numbers([]) < _HALF, turned, x)
    # TensorFlow multiplies where there is a batch: what is not finite spreads to both sides.
    chosen = jnp.round(numbers([x.shape[0]])).astype(x.dtype).reshape((x.shape[0], 1, 1, 1))
    return chosen * turned + (1 - chosen) * x


@operator
def random_flip_left_right(image, seed=None):
    """Images with left and right exchanged, half of them.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_left_right
    """
    numbers = functools.partial(stateful.uniform, seed=seed)
    return _flipped("random_flip_left_right", image, -2, numbers)


@operator
def random_flip_up_down(image, seed=None):
    """Images upside down, half of them.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array like `image`.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_up_down
    """
    numbers = functools.partial(stateful.uniform, seed=seed)
    return _flipped("random_flip_up_down", image, -3, numbers)


@operator
def stateless_random_flip_left_right(image, seed):
    """Images with left and right exchanged where the seed says so.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: two integers.

    Returns:
      An array like `image`.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_left_right
    """
    numbers = functools.partial(stateless.stateless_uniform, seed=seed)
    return _flipped("stateless_random_flip_left_right", image, -2, numbers)


@operator
def stateless_random_flip_up_down(image, seed):
    """Images upside down where the seed says so.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: two integers.

    Returns:
      An array like `image`.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_up_down
    """
    numbers = functools.partial(stateless.stateless_uniform, seed=seed)
    return _flipped("stateless_random_flip_up_down", image, -3, numbers)


# ---- crops ---------------------------------------------------------------------------------------


def _cropped(function: str, value, size, numbers):
    """A window whose corner follows from random integers."""
    x = operand(value)
    sizes = sizes_of(function, size)
    if len(sizes) != x.ndim:
        raise checks.invalid(
            function,
            "`size` must have a number for each axis.",
            required=f"{x.ndim} sizes",
            received=f"{len(sizes)}",
        )
    have = jnp.stack([primitives.as_size(d) for d in x.shape])
    want = jnp.stack([primitives.as_size(d) for d in sizes])
    checks.check_data(
        want > have,
        function,
        "`value` is smaller than the window.",
        required="value.shape >= size",
        received=f"value.shape {x.shape}, size {tuple(sizes)}",
    )
    corner = numbers([x.ndim], maxval=np.iinfo(np.int32).max, dtype=np.int32)
    return cutting.slice(x, jnp.remainder(corner, jnp.maximum(have - want, 0) + 1), sizes)


@sized_by("size")
def random_crop(value, size, seed=None, name=None):
    """A window of an array at a random place.

    Args:
      value: array.
      size: the sizes of the window, one for each axis.
      seed: an integer; see `random.set_seed`.
      name: ignored.

    Returns:
      An array of the shape `size`.

    Raises:
      InvalidArgumentError: the window does not fit into `value`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      New numbers with every call of a `shims.function`; a foreign `jax.jit` keeps the first ones.

    https://www.tensorflow.org/api_docs/python/tf/image/random_crop
    """
    return _cropped("random_crop", value, size, functools.partial(stateful.uniform, seed=seed))


@sized_by("size")
def stateless_random_crop(value, size, seed, name=None):
    """A window of an array at a place that follows from the seed.

    Args:
      value: array.
      size: the sizes of the window, one for each axis.
      seed: two integers.
      name: ignored.

    Returns:
      An array of the shape `size`.

    Raises:
      InvalidArgumentError: the window does not fit into `value`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; size and seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_crop
    """
    numbers = functools.partial(stateless.stateless_uniform, seed=seed, minval=0)
    return _cropped("stateless_random_crop", value, size, numbers)
