"""Sample random crop rectangles that cover enough of an object's bounding box."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, operand
from shims._src.image.sampling import float32_quotient
from shims._src.numeric.separate_rounding import multiply_add
from shims._src.platform import loops_per_device
from shims._src.random import philox
from shims._src.random.draw import draw
from shims._src.random.global_seed import stream, unrepeatable_stream
from shims._src.random.seeds import seed_words
from shims._src.random.words import split_number
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator

_ATTEMPTS = 100
_WORDS_OF_AN_ATTEMPT = 8  # four, and a reserve for rejected words
_EPSILON = 0.0000001
_HIGHEST = 0xFFFFFFFF


class Box(NamedTuple):
    """A crop rectangle, as arguments of other operators: `slice(image, begin, size)` crops to it.

    `bboxes` is the rectangle for `draw_bounding_boxes`.
    """

    begin: jax.Array
    size: jax.Array
    bboxes: jax.Array


class _State(NamedTuple):
    """The state of the search for a crop: attempts, random words used, success, and the rectangle."""

    attempt: jax.Array
    place: jax.Array
    found: jax.Array
    crop: jax.Array


def sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed=0,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """Draw a random crop rectangle that covers enough of one of the bounding boxes.

    Args:
      image_size: three integers, `[height, width, channels]`.
      bounding_boxes: float32 `[batch, n, 4]`, edges as `[top, left, bottom, right]` in [0, 1].
      seed: an integer; with 0 the result is not reproducible, not even after `random.set_seed`.
      min_object_covered: the fraction of a box that must be inside.
      aspect_ratio_range: the minimum and maximum ratio of width to height; `[0.75, 1.33]` when
        `None`.
      area_range: the minimum and maximum fraction of the image area; `[0.05, 1]` when `None`.
      max_attempts: the number of attempts; 100 when `None`. If all fail, the whole image is
        returned.
      use_image_if_no_bounding_boxes: whether the whole image is used as the box if there is no box.
      name: ignored.

    Returns:
      `(begin, size, bboxes)`: two vectors of three integers in the dtype of `image_size`, for
      `slice`, and float32 `[1, 1, 4]`, for `image.draw_bounding_boxes`.

    Raises:
      InvalidArgumentError: there is no box, a box is not inside of the image, or shapes or ranges
        are invalid.

    Differs from TensorFlow:
      With a seed the result equals TensorFlow's on CPU after the same `set_seed`.

    Under jit:
      Every call of a `shims.function` draws a new rectangle; an enclosing `jax.jit` reuses the
      first rectangle.

    https://www.tensorflow.org/api_docs/python/tf/image/sample_distorted_bounding_box
    """
    attempts = _ATTEMPTS if max_attempts is None else int(max_attempts)
    options = (aspect_ratio_range, area_range, attempts, bool(use_image_if_no_bounding_boxes))
    blocks = split_number(attempts)
    if seed:
        words = stream(_FUNCTION, seed, blocks, str(options))
    else:
        words = unrepeatable_stream(_FUNCTION, blocks, str(options))
    return _draw_box(image_size, bounding_boxes, words, min_object_covered, *options)


def stateless_sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """Draw a crop rectangle, determined by a seed, that covers enough of a bounding box.

    Args:
      image_size: three integers, `[height, width, channels]`.
      bounding_boxes: float32 `[batch, n, 4]`, edges as `[top, left, bottom, right]` in [0, 1].
      seed: two integers.
      min_object_covered: the fraction of a box that must be inside.
      aspect_ratio_range: the minimum and maximum ratio of width to height; `[0.75, 1.33]` when
        `None`.
      area_range: the minimum and maximum fraction of the image area; `[0.05, 1]` when `None`.
      max_attempts: the number of attempts; 100 when `None`. If all fail, the whole image is
        returned.
      use_image_if_no_bounding_boxes: whether the whole image is used as the box if there is no box.
      name: ignored.

    Returns:
      `(begin, size, bboxes)`: two vectors of three integers in the dtype of `image_size`, for
      `slice`, and float32 `[1, 1, 4]`, for `image.draw_bounding_boxes`.

    Raises:
      InvalidArgumentError: there is no box, a box is not inside of the image, or shapes or ranges
        are invalid.

    Differs from TensorFlow:
      An image without pixels is rejected; TensorFlow returns boxes of NaN for it.

    Under jit:
      All arguments except the ranges may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/stateless_sample_distorted_bounding_box
    """
    words = seed_words("stateless_sample_distorted_bounding_box", seed)
    attempts = _ATTEMPTS if max_attempts is None else int(max_attempts)
    options = (aspect_ratio_range, area_range, attempts, bool(use_image_if_no_bounding_boxes))
    return _draw_box(image_size, bounding_boxes, words, min_object_covered, *options)


_FUNCTION = "sample_distorted_bounding_box"


@operator
def _draw_box(image_size, boxes, words, covered, ratios, areas, attempts, whole_image):
    size, boxes = operand(image_size), operand(boxes, np.float32)
    covered = operand(covered, np.float32)
    ratios = _check_range("aspect_ratio_range", (0.75, 1.33) if ratios is None else ratios, np.inf)
    areas = _check_range("area_range", (0.05, 1.0) if areas is None else areas, 1.0)
    size, boxes = _check_operands(size, boxes, covered, attempts, whole_image)
    sides = size[:2].astype(jnp.int32)
    limits = jnp.asarray([*ratios, *areas], jnp.float32)
    drawn = draw(_random_words, words, shape=(_WORDS_OF_AN_ATTEMPT * attempts,), dtype=np.uint32)
    top, left, height, width = _search(drawn, sides, boxes, covered, limits, attempts)
    zero, rest = jnp.zeros((), jnp.int32), jnp.full((), -1, jnp.int32)
    edges = jnp.stack([top, left, top + height, left + width]).astype(jnp.float32)
    scale = jnp.concatenate([sides, sides]).astype(jnp.float32)
    return Box(
        jnp.stack([top, left, zero]).astype(size.dtype),
        jnp.stack([height, width, rest]).astype(size.dtype),
        float32_quotient(edges, scale).reshape(1, 1, 4),
    )


def _check_range(name: str, limits, most):
    """Check a range of two positive numbers, neither above `most`; return it."""
    ends = [float(x) for x in np.ravel(limits)]
    if len(ends) != 2 or min(ends) <= 0 or max(ends) > most:
        raise checks.invalid(
            _FUNCTION,
            f"`{name}` is not a valid range.",
            required=f"two positive numbers, both at most {most}",
            received=f"{limits}",
        )
    return ends


def _check_operands(size, boxes, covered, attempts, whole_image):
    """Check the operands; return the image size, and the boxes as an array `[n, 4]`."""
    size = primitives.unify_axis(size, 0, 3, label=_FUNCTION) if size.ndim == 1 else size
    if size.shape != (3,) or boxes.ndim != 3 or boxes.shape[-1] != 4 or attempts <= 0:
        raise checks.invalid(
            _FUNCTION,
            "the arguments do not match.",
            required="image_size [3], bounding_boxes [batch, n, 4], max_attempts > 0",
            received=f"{describe(size)}, {describe(boxes)}, {attempts}",
        )
    checks.check_data(
        covered < 0, _FUNCTION, "`min_object_covered` is negative.", required="at least 0"
    )
    checks.check_data(
        size[:2] <= 0, _FUNCTION, "the image is empty.", required="a positive height and width"
    )
    boxes = boxes.reshape(-1, 4)
    if checks.is_known(boxes.shape[0]) and boxes.shape[0] == 0:
        if not whole_image:
            raise checks.invalid(
                _FUNCTION,
                "there are no boxes.",
                required="a box, or use_image_if_no_bounding_boxes=True",
            )
        return size, jnp.asarray([[0.0, 0.0, 1.0, 1.0]], jnp.float32)
    checks.check_data(
        ~((boxes >= 0) & (boxes <= 1)),
        _FUNCTION,
        "a box is not inside the image.",
        required="edges in [0, 1]",
    )
    return size, boxes


def _random_words(words, size):
    """Generate `size` random words, from which the search samples rectangles."""
    return philox.words(philox.stream_of(words), size)


def _search(words, sides, boxes, covered, limits, attempts: int):
    """Sample rectangles until one is accepted; return `[top, left, height, width]`.

    After `attempts` failures, return the whole image.
    """
    height, width = sides[0], sides[1]
    edges = (boxes * jnp.stack([height, width, height, width])).astype(jnp.int32)

    def attempt(state):
        ratio, place = _fraction(words, state.place)
        ratio = multiply_add(ratio, limits[1] - limits[0], limits[0])
        crop, place, fits = _rectangle(words, place, height, width, ratio, limits[2:])
        good = fits & _covers(crop, edges, covered)
        return _State(state.attempt + 1, place, good, jnp.where(good, crop, state.crop))

    zero = jnp.zeros((), jnp.int32)
    whole = jnp.stack([zero, zero, height, width])
    start = _State(zero, zero, jnp.zeros((), bool), whole)
    goes_on = lambda state: (state.attempt < attempts) & ~state.found
    return loops_per_device.while_loop(goes_on, attempt, start).crop


def _fraction(stream_of, place):
    """Convert a random word to a float32 in [0, 1); return it and the position of the next word."""
    bits = (stream_of[place] & jnp.uint32(0x7FFFFF)) | jnp.uint32(0x3F800000)
    return lax.bitcast_convert_type(bits, jnp.float32) - 1, place + 1


def _below(stream_of, place, count):
    """Sample a uniform integer below `count`; return it and the position of the next word.

    Words that would bias the result are skipped.
    """
    count = jnp.maximum(count, 1).astype(jnp.uint32)
    least = (jnp.uint32(_HIGHEST) % count) + 1
    place = loops_per_device.while_loop(lambda i: stream_of[i] < least, lambda i: i + 1, place)
    return (stream_of[place] % count).astype(jnp.int32), place + 1


def _below_if(needed, stream_of, place, count):
    """Sample an integer below `count` if `needed`; otherwise return 0 without using a word."""
    number, after = _below(stream_of, place, count)
    return jnp.where(needed, number, 0), jnp.where(needed, after, place)


def _rectangle(stream_of, place, height, width, ratio, areas):
    """Sample a rectangle of given aspect ratio; return it, the next position and whether it is valid."""
    whole = lambda x: jnp.round(x).astype(jnp.int32)
    area = areas * width.astype(jnp.float32) * height.astype(jnp.float32)
    low, most = whole(jnp.sqrt(area[0] / ratio)), whole(jnp.sqrt(area[1] / ratio))
    widest = lambda h: whole(h.astype(jnp.float32) * ratio)
    fitted = ((width.astype(jnp.float32) + (0.5 - _EPSILON)) / ratio).astype(jnp.int32)
    fitted = jnp.where(widest(fitted) > width, fitted - 1, fitted)
    most = jnp.minimum(jnp.where(widest(most) > width, fitted, most), height)
    low = jnp.minimum(low, most)
    more, place = _below_if(low < most, stream_of, place, most - low + 1)
    tall = low + more
    size = lambda h: (widest(h) * h).astype(jnp.float32)
    tall = jnp.where(size(tall) < area[0], tall + 1, tall)
    tall = jnp.where(size(tall) > area[1], tall - 1, tall)
    wide, found = widest(tall), size(tall)
    fits = (found >= area[0]) & (found <= area[1]) & (wide <= width) & (tall <= height)
    fits &= (wide > 0) & (tall > 0)
    top, place = _below_if(fits & (tall < height), stream_of, place, height - tall)
    left, place = _below_if(fits & (wide < width), stream_of, place, width - wide)
    return jnp.stack([top, left, tall, wide]), place, fits


def _covers(crop, edges, covered):
    """Return whether a rectangle covers the required fraction of one of the boxes."""
    top, left, height, width = crop
    size = (edges[:, 2] - edges[:, 0]) * (edges[:, 3] - edges[:, 1])
    tall = jnp.minimum(edges[:, 2], top + height) - jnp.maximum(edges[:, 0], top)
    wide = jnp.minimum(edges[:, 3], left + width) - jnp.maximum(edges[:, 1], left)
    common = (jnp.maximum(tall, 0) * jnp.maximum(wide, 0)).astype(jnp.float32)
    enough = common / jnp.maximum(size, 1).astype(jnp.float32) >= covered
    return (height * width >= 1) & jnp.any((size >= 1) & enough)
