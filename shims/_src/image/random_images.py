"""Provide the random image operators, with TensorFlow's random numbers.

Each operator exists in a stateful form, seeded by `set_seed`, and in a stateless form, with a seed
argument. Both generate the same numbers in the same order as TensorFlow.
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
    """Add one random number to all pixels of images.

    Args:
      image: array of numbers; integers are scaled to [0, 1] and back.
      max_delta: a number of at least 0; the random number is drawn from [-max_delta, max_delta).
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    Example:
      >>> import shims
      >>> print(shims.image.random_brightness(shims.ones([2, 3, 1]), 0.1).shape)
      (2, 3, 1)

    https://www.tensorflow.org/api_docs/python/tf/image/random_brightness
    """
    _check_delta("random_brightness", max_delta)
    delta = stateful.uniform([], -max_delta, max_delta, seed=seed)
    return color.adjust_brightness(image, delta)


@operator
def stateless_random_brightness(image, max_delta, seed):
    """Add one random number, determined by a seed, to all pixels of images.

    Args:
      image: array of numbers; integers are scaled to [0, 1] and back.
      max_delta: a number of at least 0; the random number is drawn from [-max_delta, max_delta).
      seed: two integers.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_brightness
    """
    _check_delta("stateless_random_brightness", max_delta)
    delta = stateless.stateless_uniform([], seed, -max_delta, max_delta)
    return color.adjust_brightness(image, delta)


@operator
def random_contrast(image, lower, upper, seed=None):
    """Scale the contrast of images by a random factor.

    Args:
      image: array `[..., height, width, channels]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor, at least 0.
      upper: the upper bound of the factor.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/random_contrast
    """
    _check_range("random_contrast", lower, upper)
    return color.adjust_contrast(image, stateful.uniform([], lower, upper, seed=seed))


@operator
def stateless_random_contrast(image, lower, upper, seed):
    """Scale the contrast of images by a random factor, determined by a seed.

    Args:
      image: array `[..., height, width, channels]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor, at least 0.
      upper: the upper bound of the factor.
      seed: two integers.

    Returns:
      An array of the shape and dtype of `image`.

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
    """Add a random number to the hue of images.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      max_delta: a number from 0 to 0.5; the random number is drawn from [-max_delta, max_delta).
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is out of range.
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/random_hue
    """
    _check_hue("random_hue", max_delta)
    return color.adjust_hue(image, stateful.uniform([], -max_delta, max_delta, seed=seed))


@operator
def stateless_random_hue(image, max_delta, seed):
    """Add a random number, determined by a seed, to the hue of images.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      max_delta: a number from 0 to 0.5; the random number is drawn from [-max_delta, max_delta).
      seed: two integers.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `max_delta` is out of range.
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_hue
    """
    _check_hue("stateless_random_hue", max_delta)
    delta = stateless.stateless_uniform([], seed, -max_delta, max_delta)
    return color.adjust_hue(image, delta)


@operator
def random_saturation(image, lower, upper, seed=None):
    """Scale the saturation of images by a random factor.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor, at least 0.
      upper: the upper bound of the factor.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative.
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/random_saturation
    """
    _check_range("random_saturation", lower, upper)
    return color.adjust_saturation(image, stateful.uniform([], lower, upper, seed=seed))


@operator
def stateless_random_saturation(image, lower, upper, seed=None):
    """Scale the saturation of images by a random factor, determined by a seed.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      lower: the lower bound of the factor, at least 0.
      upper: the upper bound of the factor.
      seed: two integers; required, although TensorFlow's signature has a default.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      ValueError: `upper <= lower`, or `lower` is negative, or there is no seed.
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_saturation
    """
    _check_range("stateless_random_saturation", lower, upper)
    if seed is None:
        raise ValueError("stateless_random_saturation: `seed` must be two integers, not None.")
    factor = stateless.stateless_uniform([], seed, lower, upper)
    return color.adjust_saturation(image, factor)


# ---- flips ---------------------------------------------------------------------------------------


def _flip_at_random(function: str, image, axis: int, numbers):
    """Flip images along an axis with probability 1/2 each; `numbers(shape)` returns random numbers."""
    x = image_of(function, image)
    turned = jnp.flip(x, axis)
    if x.ndim == 3:
        return jnp.where(numbers([]) < _HALF, turned, x)
    # TensorFlow multiplies by masks if there is a batch, so values that are not finite spread.
    chosen = jnp.round(numbers([x.shape[0]])).astype(x.dtype).reshape((x.shape[0], 1, 1, 1))
    return chosen * turned + (1 - chosen) * x


@operator
def random_flip_left_right(image, seed=None):
    """Flip images left to right, each with probability 1/2.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    Example:
      >>> import shims
      >>> print(shims.image.random_flip_left_right(shims.ones([2, 3, 1])).shape)
      (2, 3, 1)

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_left_right
    """
    numbers = functools.partial(stateful.uniform, seed=seed)
    return _flip_at_random("random_flip_left_right", image, -2, numbers)


@operator
def random_flip_up_down(image, seed=None):
    """Flip images upside down, each with probability 1/2.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: an integer; see `random.set_seed`.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/random_flip_up_down
    """
    numbers = functools.partial(stateful.uniform, seed=seed)
    return _flip_at_random("random_flip_up_down", image, -3, numbers)


@operator
def stateless_random_flip_left_right(image, seed):
    """Flip images left to right with probability 1/2, determined by a seed.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: two integers.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      All sizes may be known only at run time; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_left_right
    """
    numbers = functools.partial(stateless.stateless_uniform, seed=seed)
    return _flip_at_random("stateless_random_flip_left_right", image, -2, numbers)


@operator
def stateless_random_flip_up_down(image, seed):
    """Flip images upside down with probability 1/2, determined by a seed.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      seed: two integers.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      All sizes may be known only at run time; the seed may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_random_flip_up_down
    """
    numbers = functools.partial(stateless.stateless_uniform, seed=seed)
    return _flip_at_random("stateless_random_flip_up_down", image, -3, numbers)


# ---- crops ---------------------------------------------------------------------------------------


def _crop_at_random(function: str, value, size, numbers):
    """Crop a window at a random corner; `numbers(shape)` returns random integers."""
    x = operand(value)
    sizes = sizes_of(function, size)
    if len(sizes) != x.ndim:
        raise checks.invalid(
            function,
            "`size` must contain one number for each axis.",
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
    """Crop a window of an array at a random position.

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
      Every call of a `shims.function` draws new numbers; an enclosing `jax.jit` reuses the first
      numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/random_crop
    """
    return _crop_at_random(
        "random_crop", value, size, functools.partial(stateful.uniform, seed=seed)
    )


@sized_by("size")
def stateless_random_crop(value, size, seed, name=None):
    """Crop a window of an array at a random position, determined by a seed.

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
    return _crop_at_random("stateless_random_crop", value, size, numbers)
