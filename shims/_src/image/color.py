"""Convert dtypes and color spaces of images, and adjust brightness, contrast, hue and saturation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import preferring
from shims._src.arguments.operands import operand
from shims._src.array.casting import convert, saturate_cast
from shims._src.errors import errors
from shims._src.math.over_axes import largest, smallest
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype

_GRAY = (0.2989, 0.5870, 0.1140)
_TO_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
_FROM_YUV = ((1, 1, 1), (0, -0.394642334, 2.03206185), (1.13988303, -0.58062185, 0))
_TO_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
_FROM_YIQ = (
    (1, 1, 1),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)


@operator(compiled=True)
def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Convert images to another dtype, scaling their values to its range.

    Args:
      image: array; floating-point images lie in [0, 1].
      dtype: an integer or floating-point dtype.
      saturate: whether values outside of the range of `dtype` are clipped to it.
      name: ignored.

    Returns:
      The images in that dtype, of the shape of `image`.

    Raises:
      AttributeError: `dtype` is neither an integer nor a floating-point dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately, so sizes may be symbolic.

    Example:
      >>> import shims
      >>> print(shims.image.convert_image_dtype(shims.constant([[[0, 255]]], shims.uint8), shims.float32))
      [[[0. 1.]]]

    https://www.tensorflow.org/api_docs/python/tf/image/convert_image_dtype
    """
    x, dtype = operand(image), array_dtype(dtype, "convert_image_dtype")
    if not jnp.issubdtype(dtype, jnp.floating) and not jnp.issubdtype(dtype, jnp.integer):
        raise AttributeError("dtype must be either floating point or integer")
    return _rescaled(x, dtype, saturate)


def _rescaled(x, dtype, saturate: bool = False):
    """Convert images to another dtype, scaling values so that the largest integer means 1.0."""
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    whole_before, whole_after = (jnp.issubdtype(d, jnp.integer) for d in (x.dtype, dtype))
    cast = saturate_cast if saturate else convert
    if whole_before and whole_after:
        before, after = int(jnp.iinfo(x.dtype).max), int(jnp.iinfo(dtype).max)
        if before > after:
            return cast(x // jnp.asarray((before + 1) // (after + 1), x.dtype), dtype)
        return cast(x, dtype) * jnp.asarray((after + 1) // (before + 1), dtype)
    if whole_before:
        return convert(x, dtype) * jnp.asarray(1.0 / int(jnp.iinfo(x.dtype).max), dtype)
    if whole_after:
        return cast(x * jnp.asarray(int(jnp.iinfo(dtype).max) + 0.5, x.dtype), dtype)
    return convert(x, dtype)


def as_float(x):
    """Convert images to floating point; dtypes other than float16 and float32 become float32."""
    return x if x.dtype in (jnp.float16, jnp.float32) else _rescaled(x, jnp.float32)


def _with_three_channels(function: str, x, rank: int = 1):
    """Check that the last axis has size 3; a symbolic size is checked at run time."""
    if x.ndim >= rank and not checks.is_known(x.shape[-1]):
        return primitives.unify_axis(x, x.ndim - 1, 3, label=function)
    if x.ndim < rank or x.shape[-1] != 3:
        raise checks.invalid(
            function,
            "the last axis must have size 3, one element for each channel.",
            required="[..., 3]" if rank == 1 else "[..., height, width, 3]",
            received=f"shape {x.shape}",
        )
    return x


@operator(compiled=True)
def rgb_to_grayscale(images, name=None):
    """Convert RGB images to grayscale.

    Args:
      images: array `[..., 3]`.
      name: ignored.

    Returns:
      An array `[..., 1]` of the same dtype.

    Raises:
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_grayscale
    """
    x = _with_three_channels("rgb_to_grayscale", operand(images))
    return _rescaled(_mix_channels(_rescaled(x, jnp.float32), _GRAY)[..., None], x.dtype)


@operator(compiled=True)
def grayscale_to_rgb(images, name=None):
    """Convert grayscale images to RGB, with three equal channels.

    Args:
      images: array `[..., 1]`.
      name: ignored.

    Returns:
      An array `[..., 3]`.

    Raises:
      InvalidArgumentError: the number of channels is not 1.

    Differs from TensorFlow:
      TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/grayscale_to_rgb
    """
    x = operand(images)
    if x.ndim >= 2 and not checks.is_known(x.shape[-1]):
        x = primitives.unify_axis(x, x.ndim - 1, 1, label="grayscale_to_rgb")
    if x.ndim < 2 or x.shape[-1] != 1:
        raise checks.invalid(
            "grayscale_to_rgb",
            "the array must have at least two axes, and the last axis must have size 1.",
            required="[..., 1]",
            received=f"shape {x.shape}",
        )
    return jnp.concatenate([x, x, x], axis=-1)


def _mix_channels(x, kernel):
    """Multiply channels by a 3x3 matrix, elementwise, since matrix products may be less precise."""
    kernel = np.asarray(kernel, np.float64)
    rows = [x[..., i, None] * jnp.asarray(kernel[i], x.dtype) for i in range(3)]
    if kernel.ndim == 1:
        rows = [x[..., i] * jnp.asarray(kernel[i], x.dtype) for i in range(3)]
    return rows[0] + rows[1] + rows[2]


def _convert_color_space(function: str, images, kernel):
    """Convert a color space by a matrix."""
    return _mix_channels(_with_three_channels(function, operand(images)), kernel)


@operator(compiled=True)
def rgb_to_yuv(images):
    """Convert RGB images to YUV.

    Args:
      images: floating-point array `[..., 3]` in [0, 1].

    Returns:
      An array `[..., 3]`: luma in [0, 1], both chromas in [-0.5, 0.5].

    Raises:
      InvalidArgumentError: the number of channels is not 3, or the dtype is not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_yuv
    """
    return _convert_color_space("rgb_to_yuv", images, _TO_YUV)


@operator(compiled=True)
def yuv_to_rgb(images):
    """Convert YUV images to RGB.

    Args:
      images: floating-point array `[..., 3]`.

    Returns:
      An array `[..., 3]`.

    Raises:
      InvalidArgumentError: the number of channels is not 3, or the dtype is not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/yuv_to_rgb
    """
    return _convert_color_space("yuv_to_rgb", images, _FROM_YUV)


@operator(compiled=True)
def rgb_to_yiq(images):
    """Convert RGB images to YIQ.

    Args:
      images: floating-point array `[..., 3]` in [0, 1].

    Returns:
      An array `[..., 3]`.

    Raises:
      InvalidArgumentError: the number of channels is not 3, or the dtype is not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_yiq
    """
    return _convert_color_space("rgb_to_yiq", images, _TO_YIQ)


@operator(compiled=True)
def yiq_to_rgb(images):
    """Convert YIQ images to RGB.

    Args:
      images: floating-point array `[..., 3]`.

    Returns:
      An array `[..., 3]`.

    Raises:
      InvalidArgumentError: the number of channels is not 3, or the dtype is not floating-point.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/yiq_to_rgb
    """
    return _convert_color_space("yiq_to_rgb", images, _FROM_YIQ)


@preferring("float32", "images")
@operator(compiled=True)
def rgb_to_hsv(images, name=None):
    """Convert RGB images to HSV: hue, saturation and value.

    Args:
      images: floating-point array `[..., 3]` in [0, 1].
      name: ignored.

    Returns:
      An array `[..., 3]` in [0, 1]; a hue of 0 is red, 1/3 green, 2/3 blue.

    Raises:
      FailedPreconditionError: the number of channels is not 3.
      InvalidArgumentError: the images are not floating-point numbers.

    Differs from TensorFlow:
      The results for pixels that contain NaN may differ.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/rgb_to_hsv
    """
    return _hsv_of(_floating_rgb("rgb_to_hsv", operand(images)))


@preferring("float32", "images")
@operator(compiled=True)
def hsv_to_rgb(images, name=None):
    """Convert HSV images to RGB.

    Args:
      images: floating-point array `[..., 3]` in [0, 1].
      name: ignored.

    Returns:
      An array `[..., 3]`.

    Raises:
      FailedPreconditionError: the number of channels is not 3.
      InvalidArgumentError: the images are not floating-point numbers.

    Differs from TensorFlow:
      This function is differentiable; TensorFlow's function is not.

    Under jit:
      Acts on each pixel separately, so sizes may be symbolic.

    https://www.tensorflow.org/api_docs/python/tf/image/hsv_to_rgb
    """
    x = _floating_rgb("hsv_to_rgb", operand(images))
    return _rgb(x[..., 0], x[..., 1], x[..., 2])


def _floating_rgb(function: str, x):
    """Check that images have three floating-point channels."""
    count = x.shape[-1] if x.ndim else 0
    checks.check_data(
        count != 3 if checks.is_known(count) else primitives.as_size(count) != 3,
        function,
        "the last axis must have size 3, one element for each channel.",
        error=errors.FailedPreconditionError,
        required="[..., 3]",
        received=f"shape {x.shape}",
    )
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise checks.invalid(
            function, "the images must be floating-point numbers.", received=x.dtype.name
        )
    return primitives.unify_axis(x, x.ndim - 1, 3, label=function)


def _hsv(x):
    """Compute hue, saturation and value of RGB colors."""
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    value, least = _largest_channel(r, g, b), _smallest_channel(r, g, b)
    spread = value - least
    light, colored = value > 0, spread > 0
    saturation = jnp.where(light, spread / jnp.where(light, value, 1), 0)
    norm = 1 / (6 * jnp.where(colored, spread, 1))
    hue = jnp.where(
        r == value,
        norm * (g - b),
        jnp.where(g == value, norm * (b - r) + 2.0 / 6.0, norm * (r - g) + 4.0 / 6.0),
    )
    hue = jnp.where(colored, hue, 0)
    return jnp.where(hue < 0, hue + 1, hue), saturation, value


@jax.custom_jvp
def _hsv_of(x):
    return jnp.stack(_hsv(x), axis=-1)


@_hsv_of.defjvp
def _hsv_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    out = _hsv_of(x)
    by_hue, by_saturation, by_value = _slopes_of_hsv(x, out)
    slopes = [jnp.sum(t * by, axis=-1) for by in (by_hue, by_saturation, by_value)]
    return out, jnp.stack(slopes, axis=-1)


def _slopes_of_hsv(x, out):
    """Compute the derivatives of hue, saturation and value with respect to the channels.

    Each has the shape `[..., 3]`.

    As in TensorFlow, values are multiplied by masks instead of selected, so infinities and NaN
    propagate.
    """
    r, g, b = colors = x[..., 0], x[..., 1], x[..., 2]
    one, none = jnp.ones((), x.dtype), jnp.zeros((), x.dtype)
    chosen = lambda *masks: [jnp.where(mask, one, none) for mask in masks]
    above = chosen(r > 0, g > 0, b > 0)
    most = chosen((r >= b) & (r >= g), (g > r) & (g >= b), (b > r) & (b > g))
    least = chosen((r < b) & (r < g), (g <= r) & (g < b), (b <= r) & (b <= g))
    over = lambda y: jnp.where(y == 0, 0, 1 / jnp.where(y == 0, 1, y))
    spread = over(jnp.square(out[..., 1])) * over(jnp.square(out[..., 2]))
    hues, saturations = [], []
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        c, d, e = colors[i], colors[j], colors[k]
        others = most[j] * d + most[k] * e
        largest = most[i] * (least[j] * d + least[k] * e) * over(jnp.square(c))
        saturations.append(above[i] * (largest - least[i] * over(others)))
        hue = above[i] * most[i] * (e - d) * spread
        hue += above[j] * most[j] * least[i] * (e - d) * over(jnp.square(c - d))
        hue -= above[j] * most[j] * least[k] * over(d - e)
        hue += above[k] * most[k] * least[i] * (e - d) * over(jnp.square(e - c))
        hue += above[k] * most[k] * least[j] * over(e - d)
        hues.append(hue / 6)
    return (jnp.stack(each, axis=-1) for each in (hues, saturations, most))


def _largest_channel(r, g, b):
    """Compute the largest channel; NaN counts as the largest, ties take the gradient of the first."""
    of_two = jnp.where((g >= b) | jnp.isnan(g), g, b)
    return jnp.where((r >= of_two) | jnp.isnan(r), r, of_two)


def _smallest_channel(r, g, b):
    """Compute the smallest channel; NaN counts as the smallest, ties take the gradient of the last."""
    of_two = jnp.where((r < g) | jnp.isnan(r), r, g)
    return jnp.where((of_two < b) | jnp.isnan(of_two), of_two, b)


def _rgb(hue, saturation, value):
    """Convert hue, saturation and value to RGB."""
    six = hue * 6
    red = jnp.clip(jnp.abs(six - 3) - 1, 0, 1)
    green = jnp.clip(2 - jnp.abs(six - 2), 0, 1)
    blue = jnp.clip(2 - jnp.abs(six - 4), 0, 1)
    channels = [((1 - saturation) + saturation * c) * value for c in (red, green, blue)]
    return jnp.stack(channels, axis=-1)


@operator(compiled=True)
def adjust_brightness(image, delta):
    """Add `delta` to all pixels of images.

    Args:
      image: array of numbers; integers are scaled to [0, 1] and back.
      delta: a number, on the scale of floating-point images.

    Returns:
      An array of the shape and dtype of `image`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Acts on each element separately; `delta` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_brightness
    """
    x = operand(image)
    flat = as_float(x)
    return _rescaled(flat + convert(operand(delta), flat.dtype), x.dtype, saturate=True)


@operator(compiled=True)
def adjust_contrast(images, contrast_factor):
    """Scale the distance of each pixel from the mean of its channel.

    Args:
      images: array `[..., height, width, channels]`; integers are scaled to [0, 1] and back.
      contrast_factor: a number.

    Returns:
      An array of the shape and dtype of `images`.

    Raises:
      InvalidArgumentError: the array has fewer than three axes.

    Differs from TensorFlow:
      This function is differentiable; TensorFlow's function is not. TensorFlow raises `ValueError`
      instead of `InvalidArgumentError`.

    Under jit:
      All sizes may be known only at run time; the factor may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_contrast
    """
    x = operand(images)
    if x.ndim < 3:
        raise checks.invalid(
            "adjust_contrast", "`images` must have at least three axes.", received=f"rank {x.ndim}"
        )
    flat = as_float(x)
    mean = jnp.mean(flat, axis=(-3, -2), keepdims=True)
    factor = convert(operand(contrast_factor), flat.dtype)
    checks.check_scalar("adjust_contrast", "contrast_factor", factor)
    return _rescaled((flat - mean) * factor + mean, x.dtype, saturate=True)


@operator(compiled=True)
def adjust_gamma(image, gamma=1, gain=1):
    """Compute `gain * image ** gamma`.

    Args:
      image: array; integers are scaled to [0, 1] and back.
      gamma: a number, not negative.
      gain: a number.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: `gamma` is negative.

    Differs from TensorFlow:
      For Python numbers, TensorFlow raises `ValueError` instead of `InvalidArgumentError`.

    Under jit:
      Acts on each element separately; both numbers may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_gamma
    """
    x = operand(image)
    flat = as_float(x)
    gamma = operand(gamma, flat.dtype)
    checks.check_data(
        gamma < 0, "adjust_gamma", "`gamma` must not be negative.", required="gamma >= 0"
    )
    return _rescaled(operand(gain, flat.dtype) * flat**gamma, x.dtype, saturate=True)


@operator(compiled=True)
def adjust_hue(image, delta, name=None):
    """Add `delta` to the hue of images.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      delta: a number in [-1, 1]; 1 is a full turn of the color circle.
      name: ignored.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the number of channels is not 3, or `delta` is out of range.

    Differs from TensorFlow:
      This function is differentiable; TensorFlow's function is not. A NaN in a pixel spreads to its
      three channels.

    Under jit:
      Acts on each pixel separately; `delta` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_hue
    """
    x = _with_three_channels("adjust_hue", operand(image), rank=3)
    flat = as_float(x)
    delta = operand(delta, flat.dtype)
    checks.check_data(
        (delta < -1) | (delta > 1),
        "adjust_hue",
        "`delta` must be in [-1, 1].",
        required="-1 <= delta <= 1",
    )
    return _rescaled(_rotate_hue(flat, delta), x.dtype)


def _rotate_hue(x, delta):
    """Rotate the hue of colors; the lowest and the highest channel keep their values."""
    red, green, blue = x[..., 0], x[..., 1], x[..., 2]
    low, high = smallest(x, (x.ndim - 1,)), largest(x, (x.ndim - 1,))
    middle = jnp.maximum(jnp.minimum(red, green), jnp.minimum(jnp.maximum(red, green), blue))
    # The sextant of the color circle; in every second one the middle channel falls.
    sixth = jnp.where(
        red < green,
        jnp.where(blue < red, 1, jnp.where(blue > green, 3, 2)),
        jnp.where(blue < green, 0, jnp.where(blue > red, 4, 5)),
    )
    is_gray = high == low
    way = (middle - low) / jnp.where(is_gray, 1, high - low)
    place = jnp.where(is_gray, 0, sixth + jnp.where(sixth % 2 == 0, way, 1 - way)) + 6 * delta
    place = jnp.where(place < 0, place + 6, place)
    for _ in range(2):
        place = jnp.where(place >= 6, place - 6, place)
    sixth = jnp.floor(lax.stop_gradient(place))
    way = place - sixth
    middle = low + jnp.where(sixth % 2 == 0, way, 1 - way) * (high - low)
    order = jnp.where(jnp.isnan(sixth), 5, sixth).astype(jnp.int32)  # NaN between infinities
    channels = [
        jnp.select([order == i for i in range(6)], [(low, middle, high)[k] for k in ranks])
        for ranks in ((2, 1, 0, 0, 1, 2), (1, 2, 2, 1, 0, 0), (0, 0, 1, 2, 2, 1))
    ]
    return jnp.stack(channels, axis=-1)


@operator(compiled=True)
def adjust_saturation(image, saturation_factor, name=None):
    """Scale the saturation of images.

    Args:
      image: array `[..., 3]`; integers are scaled to [0, 1] and back.
      saturation_factor: a number.
      name: ignored.

    Returns:
      An array of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: the number of channels is not 3.

    Differs from TensorFlow:
      This function is differentiable; TensorFlow's function is not. A NaN in a pixel spreads to its
      three channels.

    Under jit:
      Acts on each pixel separately; the factor may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/adjust_saturation
    """
    x = _with_three_channels("adjust_saturation", operand(image), rank=3)
    flat = as_float(x)
    hue, saturation, value = _hsv(flat)
    scaled = saturation * convert(operand(saturation_factor), flat.dtype)
    # As in TensorFlow, a NaN that arises from infinities becomes 0; a NaN of the image stays.
    is_nan = jnp.any(jnp.isnan(flat), axis=-1)
    scaled = jnp.clip(jnp.where(jnp.isnan(scaled) & ~is_nan, 0, scaled), 0, 1)
    no_hue = jnp.isnan(hue) & ~is_nan
    colored = _rgb(jnp.where(no_hue, 0, hue), scaled, value)
    plain = (value - scaled * value)[..., None]
    colored = jnp.where((no_hue | jnp.isinf(value))[..., None], plain, colored)
    return _rescaled(colored, x.dtype)
