"""Extract patches of images, resize images with padding, and draw bounding boxes."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.default_dtype import fixed, preferring
from shims._src.arguments.operands import describe, operand
from shims._src.errors import errors
from shims._src.image import layout, sampling
from shims._src.image.layout import image_of
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by

# TensorFlow's default colors of boxes: yellow, blue, red, lime, purple, ...
_COLORS = (
    (1, 1, 0, 1),
    (0, 0, 1, 1),
    (1, 0, 0, 1),
    (0, 1, 0, 1),
    (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1),
    (0.5, 0, 0, 1),
    (0, 0, 0.5, 1),
    (0, 1, 1, 1),
    (1, 0, 1, 1),
)


def _spatial_numbers(function: str, name: str, numbers, rank: int) -> list[int]:
    """Check that the numbers for batch and channels are 1; return those of the spatial axes."""
    if not isinstance(numbers, (list, tuple)):
        raise TypeError(f"{function}: `{name}` must be a list, not {numbers!r}.")
    numbers = [int(n) for n in numbers]
    received = f"{name}={numbers}"
    if len(numbers) != rank or min(numbers) < 1:
        required = f"{rank} positive numbers"
        raise checks.invalid(
            function,
            f"`{name}` has the wrong length, or contains a number that is not positive.",
            required=required,
            received=received,
        )
    if numbers[0] != 1 or numbers[-1] != 1:
        problem = f"`{name}` must be 1 for the batch and for the channels."
        raise errors.UnimplementedError(errors.message(function, problem, received=received))
    return numbers[1:-1]


def _window_indices(function: str, n, size: int, stride: int, rate: int, padding: str):
    """Return the pixel indices `[windows, size]` of windows along an axis.

    Indices out of range stand for padding.
    """
    reach = (size - 1) * rate + 1
    if padding == "SAME":
        count = (n + stride - 1) // stride
        missing = (primitives.as_size(count) - 1) * stride + reach - primitives.as_size(n)
        before = jnp.maximum(missing, 0) // 2
    else:
        room = n - reach + stride
        before = jnp.int32(0)
        # TensorFlow's division truncates towards 0: an image shorter than a window by less than two
        # strides has no windows, and is not refused.
        count = max(room // stride, 0) if is_known(n) else jp.core.max_dim(room // stride, 0)
        if is_known(room) and room <= -stride:
            raise checks.invalid(
                function,
                "a window is larger than the image.",
                required=f"sides >= {reach}",
                received=f"{n}",
            )
        if not is_known(n):
            checks.check_data(
                primitives.as_size(n) <= reach - 2 * stride,
                function,
                "a window is larger than the image.",
                required=f"sides >= {reach}",
            )
    first = jnp.arange(count, dtype=jnp.int32) * stride - before
    return first[:, None] + jnp.arange(size, dtype=jnp.int32) * rate


def _extract_windows(function: str, x, sizes, strides, rates, padding):
    """Extract windows of `[batch, *sides, channels]`, flattened into the channels."""
    padding = str(padding).upper()
    if padding not in ("SAME", "VALID"):
        raise checks.invalid(
            function, f"`padding` must not be {padding!r}.", required="SAME or VALID"
        )
    steps = zip(x.shape[1:-1], sizes, strides, rates, strict=True)
    places = [_window_indices(function, *step, padding) for step in steps]
    parts = []
    for corner in itertools.product(*(range(size) for size in sizes)):
        part = x
        for axis, (place, i) in enumerate(zip(places, corner, strict=True), 1):
            part = _take_or_zero(part, axis, place[:, i])
        parts.append(part)
    return jnp.concatenate(parts, axis=-1)


def _take_or_zero(x, axis: int, place):
    """Gather elements along an axis; indices out of range give 0."""
    n = x.shape[axis]
    if is_known(n) and n == 0:
        shape = [place.shape[0] if i == axis else d for i, d in enumerate(x.shape)]
        return jnp.zeros(shape, x.dtype)
    inside = (place >= 0) & (place < primitives.as_size(n))
    inside = inside.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    return jnp.where(inside, jnp.take(x, place, axis=axis, mode="clip"), jnp.zeros((), x.dtype))


@operator
def extract_patches(images, sizes, strides, rates, padding, name=None):
    """Extract patches of images, each flattened into the channels.

    Args:
      images: array `[batch, height, width, channels]` of numbers.
      sizes: `[1, rows, columns, 1]`, the size of a window.
      strides: `[1, rows, columns, 1]`, the distance between windows.
      rates: `[1, rows, columns, 1]`, the distance between the pixels of a window.
      padding: `SAME` or `VALID`.
      name: ignored.

    Returns:
      An array `[batch, windows down, windows across, rows * columns * channels]`.

    Raises:
      InvalidArgumentError: the shapes or numbers are incompatible, or a window is larger than the image.
      UnimplementedError: a number for the batch or the channels is not 1.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; sizes, strides and rates are Python numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/extract_patches
    """
    function = "extract_patches"
    x = operand(images)
    checks.check_kind(function, "number", x)
    _check_rank(function, x, 4)
    numbers = [
        _spatial_numbers(function, n, v, 4)
        for n, v in (("sizes", sizes), ("strides", strides), ("rates", rates))
    ]
    return _extract_windows(function, x, *numbers, padding)


@operator
def extract_volume_patches(input, ksizes, strides, padding, name=None):
    """Extract patches of volumes, each flattened into the channels.

    Args:
      input: array `[batch, planes, rows, columns, channels]` of numbers.
      ksizes: `[1, planes, rows, columns, 1]`, the size of a window.
      strides: `[1, planes, rows, columns, 1]`, the distance between windows.
      padding: `SAME` or `VALID`.
      name: ignored.

    Returns:
      An array `[batch, windows..., planes * rows * columns * channels]`.

    Raises:
      InvalidArgumentError: the shapes or numbers are incompatible, or a window is larger than the volume.
      UnimplementedError: a number for the batch or the channels is not 1.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes may be known only at run time; sizes and strides are Python numbers.

    https://www.tensorflow.org/api_docs/python/tf/extract_volume_patches
    """
    function = "extract_volume_patches"
    x = operand(input)
    checks.check_kind(function, "number", x)
    if jnp.iscomplexobj(x):
        raise checks.invalid(
            function, "there is no kernel for complex numbers.", received=describe(x)
        )
    _check_rank(function, x, 5)
    sizes = _spatial_numbers(function, "ksizes", ksizes, 5)
    steps = _spatial_numbers(function, "strides", strides, 5)
    return _extract_windows(function, x, sizes, steps, [1, 1, 1], padding)


def _check_rank(function: str, x, rank: int) -> None:
    """Check that an operand has `rank` axes."""
    if x.ndim != rank:
        raise checks.invalid(
            function,
            "the array has the wrong number of axes.",
            required=f"rank {rank}",
            received=describe(x),
        )


@sized_by("target_height", "target_width")
def resize_with_pad(image, target_height, target_width, method="bilinear", antialias=False):
    """Resize images with their aspect ratio kept, and pad them centrally with zeros.

    Args:
      image: array `[height, width, channels]` or `[batch, height, width, channels]`.
      target_height: the height of the result.
      target_width: the width of the result.
      method: see `image.resize`.
      antialias: see `image.resize`.

    Returns:
      float32 images of the new size; with `nearest`, in the dtype of `image`.

    Raises:
      ValueError: `image` has the wrong number of axes, or a size is not positive.
      UnimplementedError: `image.resize` does not support the method.

    Differs from TensorFlow:
      As in `image.resize`.

    Under jit:
      All sizes may be known only at run time; the targets must then be Python numbers.

    https://www.tensorflow.org/api_docs/python/tf/image/resize_with_pad
    """
    x = image_of("resize_with_pad", image)
    targets = (target_height, target_width)
    for name, target in zip(("target_height", "target_width"), targets, strict=True):
        if not jp.is_tracer(target) and is_known(target) and target <= 0:
            raise checks.invalid(
                "resize_with_pad", f"`{name}` must be > 0.", received=f"{name}={target}"
            )
    have = [primitives.as_size(d).astype(jnp.float32) for d in x.shape[-3:-1]]
    want = [jnp.asarray(t, jnp.int32).astype(jnp.float32) for t in targets]
    ratio = jnp.maximum(*(sampling.float32_quotient(h, w) for h, w in zip(have, want, strict=True)))
    fitting = [h / ratio for h in have]
    sizes = [
        _at_most(jnp.floor(f).astype(jnp.int32), t) for f, t in zip(fitting, targets, strict=True)
    ]
    margins = [
        _static_or_traced(jnp.maximum(jnp.floor((w - f) / 2).astype(jnp.int32), 0))
        for w, f in zip(want, fitting, strict=True)
    ]
    resized = sampling.resize(x, sizes, method=method, antialias=antialias)
    return layout.pad_to_bounding_box(resized, *margins, *targets)


def _at_most(size, target):
    """Declare `target` as the upper bound of a traced size."""
    if jp.is_tracer(size) and not jp.is_tracer(target) and is_known(target):
        return primitives.bounded(size, max=int(target))
    return _static_or_traced(size)


def _static_or_traced(value):
    """Convert a value to a Python integer unless it is traced."""
    return value if jp.is_tracer(value) else int(value)


@preferring("float32", "images")
@fixed("float32", "boxes")
@operator
def draw_bounding_boxes(images, boxes, colors, name=None):
    """Draw the outlines of bounding boxes into images.

    Args:
      images: float16 or float32 array `[batch, height, width, channels]`, of 1, 3 or 4 channels.
      boxes: float32 array `[batch, n, 4]` of `y_min, x_min, y_max, x_max` in [0, 1].
      colors: float32 array `[m, channels]` of colors, which the boxes use in turn; TensorFlow's
        default colors when `None`.
      name: ignored.

    Returns:
      An array of the shape and dtype of `images`. Parts outside of the image are not drawn; later
      boxes cover earlier ones.

    Raises:
      InvalidArgumentError: the shapes are incompatible.

    Differs from TensorFlow:
      There is no gradient.

    Under jit:
      All sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/draw_bounding_boxes
    """
    x, boxes = lax.stop_gradient((operand(images), operand(boxes, np.float32)))
    _check_drawing(x, boxes)
    boxes = primitives.unify_axis(boxes, 0, x.shape[0], label="draw_bounding_boxes")
    table = lax.stop_gradient(_color_table(colors, x.shape[-1]))
    down, across = (_edge_masks(boxes, i, x.shape[1 + i]) for i in (0, 1))
    there = (down[2] & across[2])[..., None, None]
    edge = (down[1][..., :, None] & across[0][..., None, :]) | (
        down[0][..., :, None] & across[1][..., None, :]
    )
    edge = edge & there
    turn = jnp.arange(boxes.shape[1], dtype=jnp.int32)
    last = jnp.max(jnp.where(edge, turn[:, None, None] + 1, 0), axis=1, initial=0)
    color = jnp.take(table, jnp.remainder(last - 1, table.shape[0]), axis=0, mode="clip")
    return jnp.where((last > 0)[..., None], color.astype(x.dtype), x)


def _edge_masks(boxes, i: int, n):
    """Return three masks for one axis of the boxes.

    They mark the pixels within each box, the pixels on its two edges, and the boxes that overlap the image.
    """
    length = (primitives.as_size(n) - 1).astype(jnp.float32)
    low, high = (
        _truncate_position(boxes[..., i] * length),
        _truncate_position(boxes[..., i + 2] * length),
    )
    place = jnp.arange(n, dtype=jnp.int32)
    low, high = low[..., None], high[..., None]
    within = (place >= low) & (place <= high)
    side = (place == low) | (place == high)
    there = (low <= high) & (low < primitives.as_size(n)) & (high >= 0)
    return within, side, there[..., 0]


def _truncate_position(place):
    """Truncate a position to an integer; one that overflows int64 becomes very negative."""
    whole = jnp.clip(place, -(2.0**30), 2.0**30).astype(jnp.int32)
    return jnp.where(jnp.abs(place) < 2.0**63, whole, jnp.iinfo(jnp.int32).min)


def _check_drawing(x, boxes) -> None:
    """Check the operands of `draw_bounding_boxes`."""
    _check_rank("draw_bounding_boxes", x, 4)
    fits = boxes.ndim == 3 and boxes.shape[2] == 4
    batches = (boxes.shape[0], x.shape[0])
    if not fits or (all(map(is_known, batches)) and batches[0] != batches[1]):
        raise checks.invalid(
            "draw_bounding_boxes",
            "the shapes of `boxes` and of the images do not match.",
            required="images [batch, height, width, channels], boxes [batch, n, 4]",
            received=f"images {describe(x)}, boxes {describe(boxes)}",
        )
    if x.shape[-1] not in (1, 3, 4) or x.dtype not in (jnp.float16, jnp.float32):
        raise checks.invalid(
            "draw_bounding_boxes",
            "the dtype or the number of channels of the images is not supported.",
            required="float16 or float32 images with 1, 3 or 4 channels",
            received=describe(x),
        )


def _color_table(colors, channels: int):
    """Return the colors `[m, channels]`; the default for grayscale images is white."""
    table = None if colors is None else operand(colors, np.float32)
    if table is None or (is_known(table.shape[0]) and table.shape[0] == 0):
        own = np.asarray(_COLORS, np.float32)[:, :channels]
        return jnp.asarray(np.ones_like(own) if channels == 1 else own)
    if table.ndim != 2 or table.shape[1] < channels:
        raise checks.invalid(
            "draw_bounding_boxes",
            "`colors` must have one row for each color, with one number for each channel.",
            required=f"[m, {channels}]",
            received=describe(table),
        )
    return table[:, :channels]


class ResizeMethod:
    """The names of the methods of `image.resize`.

    https://www.tensorflow.org/api_docs/python/tf/image/ResizeMethod
    """

    __module__ = "shims.image"

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"
