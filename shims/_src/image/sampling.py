"""Resample images: resize them, or crop boxes to a common size."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, is_known_shape
from shims._src.arguments.default_dtype import fixed
from shims._src.arguments.operands import operand
from shims._src.array.cutting import entries
from shims._src.array.shapes import size_of
from shims._src.errors import errors
from shims._src.image.layout import image_of
from shims._src.numeric.exact_quotient import quotient as exact_quotient
from shims._src.numeric.image_kernels import KERNELS, weights
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.numeric.with_derivative import with_derivative_of
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.sized_by import sized_by

_CUBIC_STEPS = 1024


@sized_by("size", compiled=True)
def resize(
    images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None
):
    """Resize images by interpolation.

    Args:
      images: array `[height, width, channels]` or `[batch, height, width, channels]`.
      size: `[height, width]` of the result.
      method: `bilinear`, `nearest`, `bicubic`, `area`, `lanczos3`, `lanczos5`, `gaussian` or
        `mitchellcubic`.
      preserve_aspect_ratio: whether to keep the aspect ratio; `size` is then the maximum size.
      antialias: whether to widen the kernel when downsampling, so that every input pixel
        contributes.
      name: ignored.

    Returns:
      float32 images of shape `[..., *size, channels]`; with `nearest`, in the dtype of `images`.
      Pixel centers lie at half-integers.

    Raises:
      ValueError: `images` has the wrong number of axes, `size` is not a pair, or `method` is unknown.
      InvalidArgumentError: a size is not positive.

    Differs from TensorFlow:
      An infinity in a weighted sum of pixels gives NaN. `area` has a gradient.

    Under jit:
      Height and width may be known only at run time, and `size` may be traced.

    Example:
      >>> import shims
      >>> print(shims.image.resize([[[0.0], [1.0]], [[2.0], [3.0]]], [1, 2])[..., 0])
      [[1. 2.]]

    https://www.tensorflow.org/api_docs/python/tf/image/resize
    """
    x = image_of("resize", images)
    method = str(getattr(method, "value", method)).lower()
    if method not in _METHODS:
        raise ValueError(
            f"resize: `method` must be one of {', '.join(_METHODS)}, received {method!r}."
        )
    take = _METHODS[method]
    if take is None or (antialias and method in KERNELS):
        take = functools.partial(_with_kernel, KERNELS[method], bool(antialias))
    target = entries(size)
    if len(target) != 2:
        raise ValueError(
            "resize: `size` must contain two numbers, the new height and the new width."
        )
    if preserve_aspect_ratio:
        target = _fit_into(x, target)
    target = [size_of("resize", d) for d in target]
    for axis, new in zip((x.ndim - 3, x.ndim - 2), target, strict=True):
        _check_positive("resize", new)
        if is_known(x.shape[axis]) and x.shape[axis] == 0:
            raise checks.invalid("resize", "the images are empty.", received=f"shape {x.shape}")
    if method != "nearest":
        x = x.astype(jnp.float32)
    if take is _bilinear:
        return _resize_bilinear(x, target)
    for axis, new in zip((x.ndim - 3, x.ndim - 2), target, strict=True):
        x = take(x, axis, new)
    return x


def _check_positive(function, new) -> None:
    """Check that a new size is positive, at run time if it is symbolic."""
    problem, required = "output dimensions must be positive.", "sizes > 0"
    if not is_known(new):
        checks.check_data(primitives.as_size(new) <= 0, function, problem, required=required)
    elif new <= 0:
        raise checks.invalid(function, problem, required=required, received=f"{new}")


def _fit_into(x, target):
    """Compute the largest size within `target` that keeps the aspect ratio."""
    sides = x.shape[-3:-1]
    if all(is_known(d) and not jp.is_tracer(d) for d in (*sides, *target)):
        scale = min(np.float32(n) / np.float32(d) for n, d in zip(target, sides, strict=True))
        return [int(np.round(np.float32(scale) * np.float32(d))) for d in sides]
    wide = [primitives.as_size(d).astype(jnp.float32) for d in sides]
    wanted = map(primitives.as_size, target)
    scale = jnp.minimum(*(float32_quotient(n, d) for n, d in zip(wanted, wide, strict=True)))
    return [jnp.round(scale * d).astype(jnp.int32) for d in wide]


def float32_quotient(have, want):
    """Divide in float32, with TensorFlow's rounding even if the divisor is a constant.

    XLA would multiply by the reciprocal of a constant, and a truncated position could be off by one.
    """
    have, want = (jnp.asarray(v).astype(jnp.float32) for v in (have, want))
    return have / lax.optimization_barrier(want)


def _scale(have, want):
    """Return the number of input pixels per output pixel, a float32 scalar."""
    return float32_quotient(primitives.as_size(have), primitives.as_size(want))


def _centers(have, want):
    """Return the positions of output pixels' centers, in input pixels."""
    # Rounded before 0.5 is subtracted, since exact positions decide which pixels are read.
    return rounded_product(jnp.arange(want, dtype=jnp.float32) + 0.5, _scale(have, want))


def _take_along(x, axis, places):
    """Take the elements at `places` along an axis; positions out of range read the nearest element."""
    return jnp.take(x, places, axis=axis, mode="clip")


def _broadcast_along(vector, x, axis):
    """Reshape a vector so that it broadcasts along one axis of `x`."""
    return vector.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


def _resize_bilinear(x, target):
    """Interpolate bilinearly; if the size stays the same, return the images."""
    sides = tuple(zip(x.shape[-3:-1], target, strict=True))
    found = _bilinear(_bilinear(x, x.ndim - 2, target[1]), x.ndim - 3, target[0])
    if all(is_known(d) for pair in sides for d in pair):
        return with_derivative_of(x, found) if all(a == b for a, b in sides) else found
    same = functools.reduce(
        jnp.logical_and, (primitives.as_size(a) == primitives.as_size(b) for a, b in sides)
    )
    copied = x
    for axis, new in zip((x.ndim - 3, x.ndim - 2), target, strict=True):
        copied = _take_along(copied, axis, jnp.arange(new, dtype=jnp.int32))
    return with_derivative_of(jnp.where(same, copied, found), found)


def _bilinear(x, axis, want):
    """Interpolate linearly along an axis, to `want` pixels."""
    place = _centers(x.shape[axis], want) - 0.5
    floor = jnp.floor(place)
    last = primitives.as_size(x.shape[axis]) - 1
    low = _take_along(x, axis, jnp.maximum(floor.astype(jnp.int32), 0))
    high = _take_along(x, axis, jnp.minimum(jnp.ceil(place).astype(jnp.int32), last))
    return _lerp(low, high, _broadcast_along(place - floor, x, axis))


@jax.custom_jvp
def _lerp(low, high, weight):
    return low + (high - low) * weight


@_lerp.defjvp
def _lerp_jvp(primals, tangents):
    # One factor per operand, as in TensorFlow, so that infinite tangents stay infinite.
    (low, high, weight), (t_low, t_high, t_weight) = primals, tangents
    slope = t_low * (1 - weight) + t_high * weight + t_weight * (high - low)
    return _lerp(low, high, weight), slope


def _nearest(x, axis, want):
    """Resize an axis to `want` pixels by nearest-neighbor interpolation."""
    place = jnp.floor(_centers(x.shape[axis], want)).astype(jnp.int32)
    return _take_along(x, axis, jnp.minimum(place, primitives.as_size(x.shape[axis]) - 1))


def _bicubic(x, axis, want):
    """Resize an axis by Keys' cubic kernel (-0.5), tabulated in 1024 steps as in TensorFlow.

    Pixels outside of the image have weight 0.
    """
    place = _centers(x.shape[axis], want) - 0.5
    floor = jnp.floor(place)
    step = jnp.round((place - floor) * _CUBIC_STEPS) / _CUBIC_STEPS
    taps, weights = [], []
    for offset, distance in zip((-1, 0, 1, 2), (step + 1, step, 1 - step, 2 - step), strict=True):
        near = ((1.5 * distance - 2.5) * distance) * distance + 1
        far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
        tap = floor.astype(jnp.int32) + offset
        inside = (tap >= 0) & (tap < primitives.as_size(x.shape[axis]))
        weight = far if offset in (-1, 2) else near
        weights.append(jnp.where(inside, weight, 0))
        taps.append(jnp.maximum(tap, 0))
    total = sum(weights)
    total = jnp.where(jnp.abs(total) >= 1000 * jnp.finfo(jnp.float32).tiny, total, 1)
    return sum(
        _take_along(x, axis, tap) * _broadcast_along(weight / total, x, axis)
        for tap, weight in zip(taps, weights, strict=True)
    )


def _area(x, axis, want):
    """Resize an axis by averaging the input pixels that each output pixel covers."""
    scale = _scale(x.shape[axis], want)
    begin = jnp.arange(want, dtype=jnp.float32) * scale
    pixel = jnp.arange(x.shape[axis], dtype=jnp.float32)
    low = jnp.maximum(begin[:, None], pixel)
    covered = jnp.maximum(jnp.minimum((begin + scale)[:, None], pixel + 1) - low, 0) / scale
    return _weighted_sums(x, axis, covered, covered > 0)


def _with_kernel(kernel, antialias, x, axis, want):
    """Resize an axis by a resampling kernel."""
    have = x.shape[axis]
    step = _scale(have, want)
    return _weighted_sums(x, axis, *weights(kernel, have, want, step, antialias=antialias))


def _weighted_sums(x, axis, counts, inside):
    """Compute weighted sums of pixels; NaN if a pixel in the window is not finite."""
    sums = functools.partial(jnp.tensordot, axes=((axis,), (1,)), precision="highest")
    finite = jnp.isfinite(x)
    spoiled = sums((~finite).astype(x.dtype), inside.astype(x.dtype)) > 0
    found = jnp.where(spoiled, jnp.nan, sums(jnp.where(finite, x, 0), counts))
    # The derivative is that of the sums, even where a pixel is not finite.
    return jnp.moveaxis(with_derivative_of(found, sums(x, counts)), -1, axis)


_METHODS = {
    "bilinear": _bilinear,
    "nearest": _nearest,
    "bicubic": _bicubic,
    "area": _area,
    "lanczos3": None,
    "lanczos5": None,
    "gaussian": None,
    "mitchellcubic": None,
}


@fixed("float32", "boxes")
@fixed("int32", "box_indices")
@sized_by("crop_size", compiled=True)
def crop_and_resize(
    image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0, name=None
):
    """Crop boxes out of images and resize them to a common size.

    Args:
      image: array `[batch, height, width, channels]`.
      boxes: float32 array `[n, 4]` of `y1, x1, y2, x2`, where 1 is the center of the last pixel.
      box_indices: int32 vector `[n]`, the image of each box.
      crop_size: `[height, width]` of the result.
      method: `bilinear` or `nearest`.
      extrapolation_value: the value outside of the image.
      name: ignored.

    Returns:
      float32 array `[n, *crop_size, channels]`.

    Raises:
      InvalidArgumentError: shapes are incompatible, or a size is not positive.
      OutOfRangeError: an image index is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of boxes and the images' sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/crop_and_resize
    """
    x, boxes, owner = operand(image), operand(boxes, np.float32), operand(box_indices)
    boxes = _corners(x, boxes, owner)
    if method not in ("bilinear", "nearest"):
        raise checks.invalid(
            "crop_and_resize", f"`method` must not be {method!r}.", required="bilinear or nearest"
        )
    owner = primitives.unify_axis(owner, 0, boxes.shape[0], label="crop_and_resize")
    checks.check_positions(
        "crop_and_resize", "box_indices", owner, x.shape[0], error=errors.OutOfRangeError
    )
    checks.check_data(
        ~jnp.isfinite(boxes), "crop_and_resize", "a box is not finite.", required="finite boxes"
    )
    target = [size_of("crop_and_resize", d) for d in entries(crop_size)]
    if len(target) != 2:
        raise checks.invalid(
            "crop_and_resize", "`crop_size` must be two positive numbers.", received=f"{target}"
        )
    for new in target:
        _check_positive("crop_and_resize", new)
    _check_pixels(x)
    x = x.astype(jnp.float32)
    if is_known(boxes.shape[0]) and boxes.shape[0] == 0:
        crops = jnp.zeros((0, *target, x.shape[-1]), jnp.float32)
        return primitives.connected(crops, x, boxes)

    def cut(box, i):
        one = jnp.take(x, i, axis=0, mode="clip")
        ends = [(box[axis], box[axis + 2], one.shape[axis], new) for axis, new in enumerate(target)]
        places, both = _in_image([_places_in(*given) for given in ends], one)
        read = (
            _nearest_pixels if method == "nearest" else functools.partial(_interpolate, both=both)
        )
        pixels = jnp.where(both, read(one, *places), jnp.asarray(extrapolation_value, jnp.float32))
        # TensorFlow differentiates by the boxes as if the method were `bilinear`.
        ways, both = _in_image([_gradient_places_in(*given) for given in ends], one)
        smooth = _interpolate(lax.stop_gradient(one), *ways, both=both)
        return with_derivative_of(pixels, pixels + jnp.where(both, smooth, 0))

    return jax.vmap(cut)(boxes, owner)


def _check_pixels(x) -> None:
    """Check that images have pixels, even if no box is cropped."""
    problem, required = "an image has no pixels.", "height, width > 0"
    for side in x.shape[1:3]:
        if is_known(side) and side == 0:
            raise checks.invalid("crop_and_resize", problem, required=required)


def _corners(x, boxes, owner):
    """Check the shapes of images and boxes; return the boxes as an array `[n, 4]`.

    If there are no boxes, TensorFlow accepts any number of columns.
    """
    columns = boxes.shape[1] if boxes.ndim == 2 else 0
    none = is_known_shape(boxes) and is_known_shape(owner) and boxes.size == owner.size == 0
    fits = columns == 4 or none or not is_known(columns)
    if x.ndim != 4 or boxes.ndim != 2 or owner.ndim != 1 or not fits:
        raise checks.invalid(
            "crop_and_resize",
            "the shapes of the operands do not match.",
            required="image [batch, height, width, channels], boxes [n, 4], box_indices [n]",
            received=f"{x.shape}, {boxes.shape} and {owner.shape}",
        )
    if none:
        return primitives.connected(jnp.zeros((0, 4), boxes.dtype), boxes)
    if is_known(columns):
        return boxes
    count, columns = primitives.as_size(boxes.shape[0]), primitives.as_size(columns)
    checks.check_data(
        (columns != 4) & (count > 0),
        "crop_and_resize",
        "a box does not have four coordinates.",
        required="boxes [n, 4]",
    )
    return jnp.take(boxes, jnp.arange(4), axis=1, mode="fill", fill_value=0)


def _in_image(places, one):
    """Pair row and column positions with the last pixel index; also return which lie in the image.

    Args:
      places: the row positions and the column positions of a crop, two vectors.
      one: the image.

    Returns:
      The pairs `(positions, last index)` of both axes, and a mask `[rows, columns, 1]`.
    """
    lasts = [primitives.as_size(size) - 1 for size in one.shape[:2]]
    pairs = list(zip(places, lasts, strict=True))
    rows, columns = ((p >= 0) & (p <= last.astype(jnp.float32)) for p, last in pairs)
    return pairs, (rows[:, None] & columns[None, :])[..., None]


def _places_in(begin, end, have, want):
    """Compute the positions, in input pixels, of a crop's pixels along an axis, without derivatives."""
    begin, end = lax.stop_gradient(begin), lax.stop_gradient(end)
    side = (primitives.as_size(have) - 1).astype(jnp.float32)
    return _along_side(
        begin, end, side, want, lambda steps: exact_quotient((end - begin) * side, steps)
    )


def _gradient_places_in(begin, end, have, want):
    """Compute the positions of a crop's pixels as TensorFlow's gradient kernel rounds them."""
    side = (primitives.as_size(have) - 1).astype(jnp.float32)
    found = _along_side(
        begin, end, side, want, lambda steps: (end - begin) * float32_quotient(side, steps)
    )
    if is_known(want) and want == 1:
        return found
    steps = (primitives.as_size(want) - 1).astype(jnp.float32)
    one = steps == 0
    # One factor per end, as in TensorFlow, so that infinite cotangents do not mix.
    way = jnp.arange(want, dtype=jnp.float32) * (side / jnp.where(one, 1, steps))
    middle = 0.5 * (begin + end) * side
    carrier = jnp.where(one, middle, begin * (side - way) + end * way)
    return with_derivative_of(found, carrier)


def _along_side(begin, end, side, want, scale):
    """Compute evenly spaced positions along one axis of a crop.

    `scale(steps)` returns the distance of adjacent positions for a number of steps.
    """
    middle = 0.5 * (begin + end) * side
    if is_known(want) and want == 1:
        return jnp.reshape(middle, (1,))
    steps = (primitives.as_size(want) - 1).astype(jnp.float32)
    one = steps == 0
    # Rounded at every step, since it decides whether the last position lies inside of the image.
    length = scale(jnp.where(one, 1, steps))
    further = rounded_product(jnp.arange(want, dtype=jnp.float32), length)
    return jnp.where(one, middle, rounded_product(begin, side)) + further


def _nearest_pixels(one, *places):
    """Read the pixels of the image `one` that are nearest to the positions from `_in_image`."""
    for axis, (place, last) in enumerate(places):
        closest = jnp.trunc(place + jnp.where(place < 0, -0.5, 0.5))
        one = _take_along(one, axis, jnp.clip(closest.astype(jnp.int32), 0, last))
    return one


def _interpolate(one, *places, both):
    """Interpolate between the four pixels nearest to each position; outside of the image give 0."""
    floors = [jnp.floor(place) for place, _ in places]
    ends = [
        [jnp.clip(f(place).astype(jnp.int32), 0, last) for f in (jnp.floor, jnp.ceil)]
        for place, last in places
    ]
    down, right = (
        _broadcast_along(place - lax.stop_gradient(floor), one, axis)
        for axis, ((place, _), floor) in enumerate(zip(places, floors, strict=True))
    )

    corners = [
        jnp.where(both, _take_along(_take_along(one, 0, y), 1, x), 0)
        for y in ends[0]
        for x in ends[1]
    ]
    return _blend(*corners, right, down)


@jax.custom_jvp
def _blend(top_left, top_right, bottom_left, bottom_right, right, down):
    top = top_left + (top_right - top_left) * right
    bottom = bottom_left + (bottom_right - bottom_left) * right
    return top + (bottom - top) * down


@_blend.defjvp
def _blend_jvp(primals, tangents):
    # One factor per operand, as in TensorFlow, so that infinite tangents stay infinite.
    *corners, right, down = primals
    top_left, top_right, bottom_left, bottom_right = corners
    a, b, c, d, t_right, t_down = tangents
    by_corners = (a * (1 - right) + b * right) * (1 - down) + (c * (1 - right) + d * right) * down
    by_right = (1 - down) * (top_right - top_left) + down * (bottom_right - bottom_left)
    by_down = (1 - right) * (bottom_left - top_left) + right * (bottom_right - top_right)
    return _blend(*primals), by_corners + t_right * by_right + t_down * by_down
