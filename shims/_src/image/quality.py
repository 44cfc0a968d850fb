"""Compare images (PSNR, SSIM), and measure their variation and edges."""

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


def _prepare_pair(function: str, first: str, a, second: str, b, max_val):
    """Convert two images and the dynamic range to float32; integers are scaled to [0, 1]."""
    a, b = matching(function, **{first: a, second: b})
    if a.ndim < 3 or b.ndim < 3:
        raise checks.invalid(
            function,
            "images must have at least three axes.",
            received=f"shapes {a.shape} and {b.shape}",
        )
    pairs = zip(a.shape[-3:], b.shape[-3:], strict=True)
    if any(is_known(d) and is_known(e) and d != e for d, e in pairs):
        raise checks.invalid(
            function,
            "the shapes of the images differ.",
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
    """Compute the peak signal-to-noise ratio of two images, in decibels.

    Args:
      a: array `[..., height, width, channels]`.
      b: array of the same dtype and shape.
      max_val: the dynamic range, that is, the difference between the largest and the smallest
        possible value.
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
    a, b, largest = _prepare_pair("psnr", "a", a, "b", b, max_val)
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
    """Compute the structural similarity index of two images.

    Args:
      img1: array `[..., height, width, channels]`.
      img2: array of the same dtype and shape.
      max_val: the dynamic range, that is, the difference between the largest and the smallest
        possible value.
      filter_size: the side of the Gaussian window, a Python number.
      filter_sigma: the standard deviation of the Gaussian.
      k1: the constant that stabilizes the luminance term.
      k2: the constant that stabilizes the contrast and structure term.
      return_index_map: whether to return the index at each pixel instead of the mean.

    Returns:
      float32 array `[...]` in (-1, 1], or the index map, for the pixels whose window lies inside of
      the image.

    Raises:
      InvalidArgumentError: the shapes or dtypes differ, or the
        window is larger than the images.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Leading sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/ssim
    """
    a, b, largest = _prepare_pair("ssim", "img1", img1, "img2", img2, max_val)
    side = checks.static_int("ssim", "filter_size", filter_size)
    luminance, structure = _ssim_terms("ssim", a, b, largest, side, filter_sigma, k1, k2)
    similarity = luminance * structure
    if not return_index_map:
        similarity = jnp.mean(similarity, axis=(-3, -2))
    return jnp.mean(similarity, axis=-1)


def _size_value(d):
    """Convert a size to a number; a symbolic size gives a traced number."""
    return d if is_known(d) else primitives.as_size(d)


def _ssim_terms(function: str, a, b, largest, side: int, sigma, k1, k2):
    """Compute the luminance term and the contrast-structure term of SSIM at each pixel."""
    for d in a.shape[-3:-1]:
        checks.check_data(
            _size_value(d) < side,
            function,
            "the images are smaller than the window.",
            required=f"height and width >= filter_size = {side}",
            received=f"shape {a.shape}",
        )
    checks.check_data(
        _size_value(a.shape[-1]) == 0,
        function,
        "the images have no channels.",
        required="at least one channel",
    )
    weights = _gaussian_weights(side, sigma)
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
    """Compute the multi-scale structural similarity index (MS-SSIM) of two images.

    Args:
      img1: array `[..., height, width, channels]`.
      img2: array of the same dtype and shape.
      max_val: the dynamic range, that is, the difference between the largest and the smallest
        possible value.
      power_factors: the exponents of the scales; every scale halves the height and width of the
        previous one.
      filter_size: the side of the Gaussian window, a Python number.
      filter_sigma: the standard deviation of the Gaussian.
      k1: the constant that stabilizes the luminance term.
      k2: the constant that stabilizes the contrast and structure term.

    Returns:
      float32 array `[...]` in [0, 1].

    Raises:
      InvalidArgumentError: the shapes or dtypes differ, or the
        window is larger than the images at the smallest scale.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Leading sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/ssim_multiscale
    """
    function = "ssim_multiscale"
    a, b, largest = _prepare_pair(function, "img1", img1, "img2", img2, max_val)
    side = checks.static_int(function, "filter_size", filter_size)
    similarity = jnp.ones((), jnp.float32)
    for i, factor in enumerate(power_factors):
        if i:
            a, b = _downsample(a), _downsample(b)
        luminance, structure = _ssim_terms(function, a, b, largest, side, filter_sigma, k1, k2)
        last = i == len(power_factors) - 1
        score = jnp.mean(luminance * structure if last else structure, axis=(-3, -2))
        similarity = similarity * power(jax.nn.relu(score), jnp.float32(factor))
    return jnp.mean(similarity, axis=-1)


def _downsample(x):
    """Downsample by averaging blocks of two by two pixels; an odd side repeats its last pixel."""
    height, width, channels = x.shape[-3:]
    odd = [(0, d % 2) for d in (height, width)]
    x = jnp.pad(x, (*[(0, 0)] * (x.ndim - 3), *odd, (0, 0)), mode="edge")
    sides = ((height + 1) // 2, 2, (width + 1) // 2, 2, channels)
    return jnp.mean(x.reshape((*x.shape[:-3], *sides)), axis=(-4, -2))


def _gaussian_weights(side: int, sigma):
    """Return the weights of a Gaussian window along one axis."""
    place = jnp.arange(side, dtype=jnp.float32) - (side - 1) / 2
    power = jnp.square(place) * (-0.5 / jnp.square(jnp.asarray(sigma, jnp.float32)))
    weights = jnp.exp(power - jnp.max(power))
    return weights / jnp.sum(weights)


def _smooth(x, weights):
    """Filter images with a separable window, for pixels whose window lies inside the image."""
    for axis in (x.ndim - 3, x.ndim - 2):
        count = x.shape[axis] - weights.shape[0] + 1
        x = sum(
            lax.slice_in_dim(x, i, i + count, axis=axis) * weights[i]
            for i in range(weights.shape[0])
        )
    return x


@operator
def total_variation(images, name=None):
    """Sum the absolute differences of neighboring pixels.

    Args:
      images: array `[height, width, channels]` or `[batch, height, width, channels]`.
      name: ignored.

    Returns:
      A scalar, or `[batch]`.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

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
    """Compute the differences of neighboring pixels in both directions.

    Args:
      image: array `[batch, height, width, channels]`.

    Returns:
      `(dy, dx)`, of the shape of `image`; the last row of `dy` and the last column of `dx` are 0.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/image_gradients
    """
    x = operand(image)
    if x.ndim != 4:
        raise checks.invalid(
            "image_gradients",
            "images must have four axes.",
            required="[batch, height, width, channels]",
            received=f"rank {x.ndim}",
        )
    batch, height, width, channels = map(_size_value, x.shape)
    checks.check_data(
        (batch * channels > 0) & ((height == 0) != (width == 0)),
        "image_gradients",
        "either the height or the width is 0.",
        required="height and width of at least 1",
    )
    down = jnp.concatenate([x[:, 1:] - x[:, :-1], jnp.zeros_like(x[:, :1])], axis=1)
    right = jnp.concatenate([x[:, :, 1:] - x[:, :, :-1], jnp.zeros_like(x[:, :, :1])], axis=2)
    return down, right


@operator
def sobel_edges(image):
    """Compute Sobel edge maps.

    Args:
      image: floating-point array `[batch, height, width, channels]`.

    Returns:
      An array `[batch, height, width, channels, 2]`: the vertical and the horizontal derivative. The image
      is reflected at its borders.

    Raises:
      InvalidArgumentError: the array has the wrong number of axes, or too few pixels to be reflected.

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
            "images must have four axes.",
            required="[batch, height, width, channels]",
            received=f"rank {x.ndim}",
        )
    x = pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="REFLECT")
    down = _filter_axis(_filter_axis(x, 2, (1, 2, 1)), 1, (-1, 0, 1))
    right = _filter_axis(_filter_axis(x, 1, (1, 2, 1)), 2, (-1, 0, 1))
    return jnp.stack([down, right], axis=-1)


def _filter_axis(x, axis: int, weights):
    """Compute weighted sums of three adjacent elements along an axis, without padding."""
    count = x.shape[axis] - 2
    return sum(lax.slice_in_dim(x, i, i + count, axis=axis) * w for i, w in enumerate(weights))
