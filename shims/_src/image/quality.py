"""How far images are from each other, and how much happens in one."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import broadcasting, matching, meeting, operand
from shims._src.array.casting import convert
from shims._src.array.padding import pad
from shims._src.elementwise.elementwise import magnitude
from shims._src.elementwise.elementwise import pow as power
from shims._src.image.color import _rescaled
from shims._src.image.layout import image_of
from shims._src.math.over_axes import sum_over
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


def _pair(function: str, first: str, a, second: str, b, max_val):
    """Two images and the largest value, as float32 in [0, 1] where they were integers."""
    a, b = matching(function, **{first: a, second: b})
    if a.ndim < 3 or b.ndim < 3:
        raise checks.invalid(
            function, "an image has three axes.", received=f"shapes {a.shape} and {b.shape}"
        )
    pairs = zip(a.shape[-3:], b.shape[-3:], strict=True)
    if any(is_known(d) and is_known(e) and d != e for d, e in pairs):
        raise checks.invalid(
            function,
            "the images must be alike.",
            required="equal heights, widths and channels",
            received=f"shapes {a.shape} and {b.shape}",
        )
    for back in (3, 2, 1):
        a, b = meeting(function, a, a.ndim - back, b, b.ndim - back)
    largest = _rescaled(convert(operand(max_val), a.dtype), jnp.float32)
    a, b = broadcasting(function, _rescaled(a, jnp.float32), _rescaled(b, jnp.float32))
    return a, b, largest


@operator
def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio of two images, in decibels.

    Args:
      a: array `[..., height, width, channels]`.
      b: array of the same dtype and shape.
      max_val: the difference of the largest and the smallest value that a pixel can have.
      name: ignored.

    Returns:
      float32 array `[...]`; infinity where the images are equal.

    Raises:
      InvalidArgumentError: the shapes or dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/psnr
    """
    a, b, largest = _pair("psnr", "a", a, "b", b, max_val)
    error = jnp.mean(jnp.square(a - b), axis=(-3, -2, -1))
    ten = np.log(np.float32(10))
    return 20 * jnp.log(largest) / ten - np.float32(10 / np.log(10)) * jnp.log(error)


@operator
def ssim(
    img1,
    img2,
    max_val,
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
    return_index_map=False,
):
    """The structural similarity of two images.

    Args:
      img1: array `[..., height, width, channels]`.
      img2: array of the same dtype and shape.
      max_val: the difference of the largest and the smallest value that a pixel can have.
      filter_size: the side of the Gaussian window, a Python number.
      filter_sigma: its width.
      k1: steadies the comparison of luminance.
      k2: steadies the comparison of contrast and structure.
      return_index_map: whether to return the similarity around each pixel.

    Returns:
      float32 array `[...]` in (-1, 1], or `[..., height, width]` of pixels with a whole window.

    Raises:
      InvalidArgumentError: the shapes or dtypes differ (TensorFlow raises `ValueError`), or the
        window does not fit.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Leading sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/ssim
    """
    a, b, largest = _pair("ssim", "img1", img1, "img2", img2, max_val)
    side = checks.static_int("ssim", "filter_size", filter_size)
    luminance, structure = _likeness("ssim", a, b, largest, side, filter_sigma, k1, k2)
    similarity = luminance * structure
    if not return_index_map:
        similarity = jnp.mean(similarity, axis=(-3, -2))
    return jnp.mean(similarity, axis=-1)


def _number(d):
    """A size as a number, traced where it is not known."""
    return d if is_known(d) else primitives.as_size(d)


def _likeness(function: str, a, b, largest, side: int, sigma, k1, k2):
    """How alike two images are around each pixel: in luminance; in contrast and structure."""
    for d in a.shape[-3:-1]:
        checks.check_data(
            _number(d) < side,
            function,
            "the images are smaller than the window.",
            required=f"height and width >= filter_size = {side}",
            received=f"shape {a.shape}",
        )
    checks.check_data(
        _number(a.shape[-1]) == 0,
        function,
        "the images have no channels.",
        required="at least one channel",
    )
    weights = _gauss(side, sigma)
    mean_a, mean_b = _smooth(a, weights), _smooth(b, weights)
    c1, c2 = (jnp.square(k * largest) for k in (k1, k2))
    both, squares = 2 * mean_a * mean_b, jnp.square(mean_a) + jnp.square(mean_b)
    luminance = (both + c1) / (squares + c1)
    covariance = 2 * _smooth(a * b, weights)
    variance = _smooth(jnp.square(a) + jnp.square(b), weights)
    return luminance, (covariance - both + c2) / (variance - squares + c2)


@operator
def ssim_multiscale(
    img1,
    img2,
    max_val,
    power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
):
    """The structural similarity of two images, at several scales.

    Args:
      img1: array `[..., height, width, channels]`.
      img2: array of the same dtype and shape.
      max_val: the difference of the largest and the smallest value that a pixel can have.
      power_factors: how much each scale counts; every scale has half the sides of the one before.
      filter_size: the side of the Gaussian window, a Python number.
      filter_sigma: its width.
      k1: steadies the comparison of luminance.
      k2: steadies the comparison of contrast and structure.

    Returns:
      float32 array `[...]` in [0, 1].

    Raises:
      InvalidArgumentError: the shapes or dtypes differ (TensorFlow raises `ValueError`), or the
        window does not fit at the smallest scale.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Leading sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/ssim_multiscale
    """
    function = "ssim_multiscale"
    a, b, largest = _pair(function, "img1", img1, "img2", img2, max_val)
    side = checks.static_int(function, "filter_size", filter_size)
    similarity = jnp.ones((), jnp.float32)
    for i, factor in enumerate(power_factors):
        if i:
            a, b = _halved(a), _halved(b)
        luminance, structure = _likeness(function, a, b, largest, side, filter_sigma, k1, k2)
        last = i == len(power_factors) - 1
        score = jnp.mean(luminance * structure if last else structure, axis=(-3, -2))
        similarity = similarity * power(jax.nn.relu(score), jnp.float32(factor))
    return jnp.mean(similarity, axis=-1)


def _halved(x):
    """The means of two by two pixels; an odd side repeats its last pixel."""
    height, width, channels = x.shape[-3:]
    odd = [(0, d % 2) for d in (height, width)]
    x = jnp.pad(x, (*[(0, 0)] * (x.ndim - 3), *odd, (0, 0)), mode="edge")
    sides = ((height + 1) // 2, 2, (width + 1) // 2, 2, channels)
    return jnp.mean(x.reshape((*x.shape[:-3], *sides)), axis=(-4, -2))


def _gauss(side: int, sigma):
    """The weights of one axis; the window is their outer product."""
    place = jnp.arange(side, dtype=jnp.float32) - (side - 1) / 2
    power = jnp.square(place) * (-0.5 / jnp.square(jnp.asarray(sigma, jnp.float32)))
    weights = jnp.exp(power - jnp.max(power))
    return weights / jnp.sum(weights)


def _smooth(x, weights):
    """The weighted mean around each pixel that has a whole window, axis by axis."""
    for axis in (x.ndim - 3, x.ndim - 2):
        count = x.shape[axis] - weights.shape[0] + 1
        x = sum(
            lax.slice_in_dim(x, i, i + count, axis=axis) * weights[i]
            for i in range(weights.shape[0])
        )
    return x


@operator
def total_variation(images, name=None):
    """The sum of the absolute differences of neighboring pixels.

    Args:
      images: array `[height, width, channels]` or `[batch, height, width, channels]`.
      name: ignored.

    Returns:
      A scalar, or `[batch]`.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/total_variation
    """
    x = image_of("total_variation", images, may_be_empty=True)
    down = x[..., 1:, :, :] - x[..., :-1, :, :]
    right = x[..., :, 1:, :] - x[..., :, :-1, :]
    axes = (-3, -2, -1)
    return sum_over(magnitude(down), axes) + sum_over(magnitude(right), axes)


@operator
def image_gradients(image):
    """The differences of neighboring pixels.

    Args:
      image: array `[batch, height, width, channels]`.

    Returns:
      `(dy, dx)` like `image`; the last row of `dy` and the last column of `dx` are 0.

    Raises:
      InvalidArgumentError: it has another number of axes; TensorFlow raises `ValueError`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/image_gradients
    """
    x = operand(image)
    if x.ndim != 4:
        raise checks.invalid(
            "image_gradients",
            "images have four axes.",
            required="[batch, height, width, channels]",
            received=f"rank {x.ndim}",
        )
    batch, height, width, channels = map(_number, x.shape)
    checks.check_data(
        (batch * channels > 0) & ((height == 0) != (width == 0)),
        "image_gradients",
        "the images have no pixels in one direction.",
        required="height and width of at least 1",
    )
    down = jnp.concatenate([x[:, 1:] - x[:, :-1], jnp.zeros_like(x[:, :1])], axis=1)
    right = jnp.concatenate([x[:, :, 1:] - x[:, :, :-1], jnp.zeros_like(x[:, :, :1])], axis=2)
    return down, right


@operator
def sobel_edges(image):
    """Sobel's estimate of the slope in each pixel.

    Args:
      image: floating-point array `[batch, height, width, channels]`.

    Returns:
      `[batch, height, width, channels, 2]`: along the columns, along the rows. The image is
      mirrored at its edges.

    Raises:
      InvalidArgumentError: it has another number of axes, or too few pixels to be mirrored.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Leading sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/sobel_edges
    """
    x = operand(image)
    if x.ndim != 4:
        raise checks.invalid(
            "sobel_edges",
            "images have four axes.",
            required="[batch, height, width, channels]",
            received=f"rank {x.ndim}",
        )
    x = pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="REFLECT")
    down = _shifted(_shifted(x, 2, (1, 2, 1)), 1, (-1, 0, 1))
    right = _shifted(_shifted(x, 1, (1, 2, 1)), 2, (-1, 0, 1))
    return jnp.stack([down, right], axis=-1)


def _shifted(x, axis: int, weights):
    """Each pixel's weighted neighborhood of three along an axis."""
    count = x.shape[axis] - 2
    return sum(lax.slice_in_dim(x, i, i + count, axis=axis) * w for i, w in enumerate(weights))
