"""Provide `image.non_max_suppression_padded`, whose result can have a static size.

TensorFlow suppresses boxes tile by tile, in rounds, and marks suppressed boxes with zeros. If an
overlap equals the threshold or numbers are not finite, TensorFlow's rounds end early and the zeros
do not mark reliably, so its selection is not greedy. This module reproduces its steps.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, operand
from shims._src.array.sorting import argsort
from shims._src.image.nms_variants import as_primals, limits
from shims._src.math.over_axes import largest
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.platform import jax_private as jp
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.repeated import Repeated

_FUNCTION = "non_max_suppression_padded"


def _barriered_mask(mask, dtype):
    """Convert a mask to 0 and 1, behind an optimization barrier.

    Without it, XLA would turn products with the mask into selections, which treat NaN differently.
    """
    return lax.optimization_barrier(mask.astype(dtype))


def _apply_score_threshold(boxes, scores, score_threshold):
    """Zero out boxes and scores whose score is not above the threshold; -inf means no threshold."""
    if not jp.is_tracer(score_threshold) and score_threshold == -np.inf:
        return boxes, scores
    lowest = operand(score_threshold, scores.dtype)
    mask = _barriered_mask((scores > lowest) | (lowest == -jnp.inf), scores.dtype)
    # Select instead of multiply: -inf times 0 would be NaN.
    return boxes * mask[..., None], jnp.where(mask > 0, scores, 0)


def _order_corners(boxes):
    """Exchange the corners of all boxes as the first box requires: lower corner first."""
    first = jnp.take(boxes.reshape((-1, 4)), 0, axis=0, mode="clip")
    one, other = boxes[..., :2], boxes[..., 2:]
    in_order = first[:2] <= first[2:]
    low, high = jnp.where(in_order, one, other), jnp.where(in_order, other, one)
    return jnp.concatenate([low, high], axis=-1)


def _rounded_areas(sides):
    """Compute the areas of boxes from their sides; products are rounded before they are added."""
    return rounded_product(sides[..., 0], sides[..., 1])


def _overlaps(boxes, others):
    """Compute the overlaps of boxes `[b, n, 4]` and `[b, m, 4]`, with 1e-8 added to the union."""
    low = jnp.maximum(boxes[:, :, None, :2], others[:, None, :, :2])
    high = jnp.minimum(boxes[:, :, None, 2:], others[:, None, :, 2:])
    shared = _rounded_areas(jnp.maximum(high - low, 0))
    sizes, other_sizes = (
        _rounded_areas(boxes[..., 2:] - boxes[..., :2]),
        _rounded_areas(others[..., 2:] - others[..., :2]),
    )
    union = sizes[:, :, None] + other_sizes[:, None, :] - shared + 1e-8
    return shared / union


def _suppressed_in_tile(overlaps, threshold):
    """Return the mask of boxes in a tile that earlier boxes of the tile suppress."""

    def next_round(state):
        overlaps, _, total = state
        safe = _barriered_mask(largest(overlaps, (1,)) < threshold, overlaps.dtype)[..., None]
        left = _barriered_mask(largest(safe * overlaps, (1,)) < threshold, overlaps.dtype)[
            ..., None
        ]
        overlaps = left * overlaps
        now = jnp.sum(overlaps, axis=(1, 2))
        return overlaps, jnp.any(total - now > threshold), now

    state = overlaps, jnp.bool_(True), jnp.sum(overlaps, axis=(1, 2))
    overlaps, _, _ = loops_per_device.while_loop(lambda state: state[1], next_round, state)
    return jnp.sum(overlaps, axis=1) > 0


class _Tiles:
    """Access to boxes `[b, n, 4]` in TensorFlow's tiles of `width` boxes, zero-padded at the end.

    Whenever TensorFlow writes a tile, it adds zero times that tile to all others, so infinities and NaN
    become NaN at the same position of each tile. `spoilt`, an array `[b, width, 4]`, is the sum of these
    additions.
    """

    def __init__(self, boxes, width):
        self.width = width
        self.here = jnp.arange(boxes.shape[1], dtype=jnp.int32)
        self.size = primitives.as_size(boxes.shape[1])

    def read(self, boxes, spoilt, tile):
        """Return the boxes of one tile plus `spoilt`."""
        places = tile * self.width + jnp.arange(self.width, dtype=jnp.int32)
        found = jnp.take(boxes, places, axis=1, mode="clip")
        return jnp.where((places < self.size)[:, None], found, 0) + spoilt

    def write(self, boxes, rows, tile):
        """Return all boxes with one tile replaced by `rows`."""
        spread = jnp.take(rows, self.here % self.width, axis=1, mode="clip")
        return jnp.where((self.here // self.width == tile)[:, None], spread, boxes)

    def every(self, boxes, spoilt):
        """Return all boxes, with `spoilt` added to each tile."""
        return boxes + jnp.take(spoilt, self.here % self.width, axis=1, mode="clip")


def _suppress_tiles(boxes, threshold, limit, width):
    """Return the mask of the selected boxes, and their number as TensorFlow counts it, per image.

    The boxes are sorted by score. The search ends when every image has `limit` boxes.
    """
    tiles = _Tiles(boxes, width)
    ranks = jnp.arange(width, dtype=jnp.int32)
    is_before = ranks[:, None] < ranks

    def across(rows, boxes, spoilt, tile):
        def step(before, rows):
            overlaps = _overlaps(tiles.read(boxes, spoilt, before), rows)
            return (
                rows * _barriered_mask(jnp.all(overlaps < threshold, axis=1), rows.dtype)[..., None]
            )

        return loops_per_device.fori_loop(0, tile, step, rows)

    def step(state):
        boxes, spoilt, count, tile = state
        given = tiles.read(boxes, spoilt, tile)
        rows = across(given, boxes, spoilt, tile)
        overlaps = _overlaps(rows, rows)
        overlaps *= _barriered_mask(is_before & (overlaps >= threshold), overlaps.dtype)
        rows *= _barriered_mask(~_suppressed_in_tile(overlaps, threshold), rows.dtype)[..., None]
        # TensorFlow counts infinite boxes here; in the final mask they are NaN and do not count.
        count += jnp.sum(jnp.any(rows > 0, axis=2), axis=1, dtype=jnp.int32)
        return tiles.write(boxes, rows + given * 0, tile), spoilt + rows * 0, count, tile + 1

    def more(state):
        _, _, count, tile = state
        return (jnp.min(count) < limit) & (tile * width < tiles.size)

    batch = boxes.shape[0]
    spoilt, count = jnp.zeros((batch, width, 4), boxes.dtype), jnp.zeros((batch,), jnp.int32)
    state = (boxes, spoilt, count, jnp.int32(0))
    boxes, spoilt, count, _ = loops_per_device.while_loop(more, step, state)
    return jnp.any(tiles.every(boxes, spoilt) > 0, axis=2), jnp.minimum(count, limit)


def _first_marked(listed, slots, otherwise):
    """Return the indices of the first `slots` true elements of each row, padded with `otherwise`."""
    batch = listed.shape[0]
    here = jnp.broadcast_to(jnp.arange(listed.shape[1], dtype=jnp.int32), listed.shape)
    place = jnp.where(listed, jnp.cumsum(listed, axis=1, dtype=jnp.int32) - 1, slots)
    rows = jnp.arange(batch, dtype=jnp.int32)[:, None]
    empty = jnp.full((batch, slots), otherwise, jnp.int32)
    return empty.at[rows, place].set(here, mode="drop")


def _select_per_image(boxes, scores, threshold, limit, slots, width, is_turned, in_order):
    boxes = boxes if is_turned else _order_corners(boxes)
    if not in_order:
        order = argsort(scores, direction="DESCENDING")
        boxes = jnp.take_along_axis(boxes, order[..., None], axis=1, mode="clip")
    last = primitives.as_size(scores.shape[1]) - 1
    listed, count = _suppress_tiles(boxes.astype(jnp.float32), threshold, limit, width)
    selected = _first_marked(listed, slots, last)
    if not in_order:
        selected = jnp.take_along_axis(order, selected, axis=1, mode="clip")
    place = jnp.arange(slots, dtype=jnp.int32)
    return jnp.where(place < count[:, None], selected, 0), count


# Compiled once: eager loops would be compiled at every call.
_select_compiled = Repeated(_select_per_image, _select_per_image)


def _padded(
    boxes,
    scores,
    slots,
    limit,
    iou_threshold,
    score_threshold,
    sorted_input,
    canonicalized_coordinates,
    tile_size,
):
    """Select boxes; return `(selected_indices, valid_outputs)` padded to a static size.

    There are `slots` indices, of which at most `limit` are valid.
    """
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    if boxes.ndim != scores.ndim + 1 or not scores.ndim or boxes.shape[-1] != 4:
        raise checks.invalid(
            _FUNCTION,
            "each box must have four coordinates and one score.",
            required="boxes [..., n, 4], scores [..., n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    boxes, scores = agreeing(_FUNCTION, [boxes, scores], range(scores.ndim))
    is_sorted, is_turned = bool(sorted_input), bool(canonicalized_coordinates)
    threshold = _check_arguments(scores, slots, iou_threshold, is_sorted and is_turned)
    batch = scores.shape[:-1]
    if any(checks.is_known(d) and d == 0 for d in scores.shape):
        return jnp.zeros((*batch, slots), jnp.int32), jnp.zeros(batch, jnp.int32)
    boxes, scores = _apply_score_threshold(boxes, scores, score_threshold)
    boxes, scores = boxes.reshape((-1, *boxes.shape[-2:])), scores.reshape((-1, scores.shape[-1]))
    # One zero box after the others has the effect of TensorFlow's whole padding.
    count = scores.shape[-1]
    width = checks.static_int(_FUNCTION, "tile_size", tile_size)
    width = min(width, count + 1) if checks.is_known(count) else width
    found, valid = _select_compiled(
        boxes, scores, threshold, limit, slots, width, is_turned, is_sorted
    )
    return found.reshape((*batch, slots)), valid.reshape(batch)


def _check_arguments(scores, slots, iou_threshold, takes_none):
    """Check the arguments; return the overlap threshold as an array.

    takes_none: whether there may be no boxes.
    """
    threshold = operand(iou_threshold, jnp.float32)
    checks.check_data(
        threshold < 0,
        _FUNCTION,
        "`iou_threshold` must not be negative.",
        required="iou_threshold >= 0",
        received=f"{iou_threshold}",
    )
    if checks.is_known(slots) and slots < 0:
        raise _negative_size_error(slots)
    if not takes_none:
        sizes = [primitives.as_size(d) == 0 for d in scores.shape]
        checks.check_data(
            functools.reduce(jnp.logical_or, sizes),
            _FUNCTION,
            "there are no boxes.",
            required="at least one box",
            received=f"scores {scores.shape}",
        )
    return threshold


def _negative_size_error(size):
    return checks.invalid(
        _FUNCTION, f"`max_output_size` is {size}.", required="max_output_size >= 0"
    )


@operator(fresh=True)
def _unpadded(boxes, scores, max_output_size, *options):
    if not jp.is_tracer(max_output_size) and max_output_size < 0:
        raise _negative_size_error(max_output_size)
    slots, limit = limits(operand(scores), max_output_size)
    found, count = _padded(boxes, scores, slots, limit, *options)
    places = primitives.fresh_range(count, bound=slots, label=_FUNCTION)
    found = jnp.take(found, places, mode="clip")
    return found, primitives.as_size(found.shape[0])


@operator
def non_max_suppression_padded(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_to_max_output_size=False,
    name=None,
    sorted_input=False,
    canonicalized_coordinates=False,
    tile_size=512,
):
    """Select boxes by non-maximum suppression, with a result that can be padded to a static size.

    Args:
      boxes: floating-point array `[..., n, 4]` of boxes, given by two opposite corners, in the same
        order for all.
      scores: array `[..., n]` of the same dtype.
      max_output_size: the maximum number of boxes to select.
      iou_threshold: a number of at least 0. A box is suppressed if its intersection over union with
        a selected box is at least this number.
      score_threshold: boxes must score more than this.
      pad_to_max_output_size: whether the result is padded to `max_output_size`; required with
        leading axes.
      name: ignored.
      sorted_input: whether the boxes are already sorted by descending score.
      canonicalized_coordinates: whether the lower corner of each box comes first; if not, the first
        box determines the order of the corners.
      tile_size: the number of boxes that are compared at once.

    Returns:
      `(selected_indices, valid_outputs)`: int32 `[..., m]`, padded with 0, and the number of valid
        indices. A box without a positive coordinate is not counted. As in TensorFlow, the selection is
        not greedy if an overlap equals the threshold or if boxes are not finite.

    Raises:
      InvalidArgumentError: the threshold is negative, for which TensorFlow does not terminate; the
        shapes are incompatible; there are no boxes, unless they are sorted with lower corners first.
      ValueError: there are leading axes and no padding.

    Differs from TensorFlow:
      Boxes whose score is NaN come first; TensorFlow leaves their order undefined.

    Under jit:
      Without padding the number of selected boxes depends on data.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_padded
    """
    given = *as_primals(boxes, scores), max_output_size
    options = iou_threshold, score_threshold, sorted_input, canonicalized_coordinates, tile_size
    if pad_to_max_output_size:
        slots = checks.static_int(_FUNCTION, "max_output_size", max_output_size)
        return _padded(*given[:2], slots, jnp.asarray(slots, jnp.int32), *options)
    if np.ndim(scores) > 1:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for "
            "batched input"
        )
    return _unpadded(*given, *options)
