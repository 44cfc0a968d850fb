"""The selection of boxes with a result of fixed size, which TensorFlow composes for accelerators.

TensorFlow leaves boxes out tile by tile, in rounds, and marks what is left out with zeros. Where boxes
overlap just as much as the threshold, or numbers are not finite, its rounds end early and its marks
fail, so what is selected is no longer greedy. Here the same is computed, step by step.
"""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, operand
from shims._src.array.sorting import argsort
from shims._src.image.nms_variants import constants, limits
from shims._src.math.over_axes import largest
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.repeated import Repeated

_FUNCTION = "non_max_suppression_padded"


def _number(mask, dtype):
    """1 or 0; of a product with what it does not know to be one XLA makes no selection."""
    return lax.optimization_barrier(mask.astype(dtype))


def _scoring(boxes, scores, score_threshold):
    """Boxes and scores with zeros where the score is not above the threshold, if there is one."""
    if not jp.is_tracer(score_threshold) and score_threshold == -np.inf:
        return boxes, scores
    lowest = operand(score_threshold, scores.dtype)
    mask = _number((scores > lowest) | (lowest == -jnp.inf), scores.dtype)
    # A score of -inf becomes 0 as all others do, not NaN.
    return boxes * mask[..., None], jnp.where(mask > 0, scores, 0)


def _turned(boxes):
    """Boxes with their corners in the order that the very first box needs."""
    first = jnp.take(boxes.reshape((-1, 4)), 0, axis=0, mode="clip")
    one, other = boxes[..., :2], boxes[..., 2:]
    in_order = first[:2] <= first[2:]
    low, high = jnp.where(in_order, one, other), jnp.where(in_order, other, one)
    return jnp.concatenate([low, high], axis=-1)


def _product(sides):
    # Rounded before it is added: XLA would not round it.
    return lax.optimization_barrier(sides[..., 0] * sides[..., 1])


def _overlaps(boxes, others):
    """The overlap of each of `[b, n, 4]` with each of `[b, m, 4]`, whose union is a little larger."""
    low = jnp.maximum(boxes[:, :, None, :2], others[:, None, :, :2])
    high = jnp.minimum(boxes[:, :, None, 2:], others[:, None, :, 2:])
    shared = _product(jnp.maximum(high - low, 0))
    sizes, other_sizes = (
        _product(boxes[..., 2:] - boxes[..., :2]),
        _product(others[..., 2:] - others[..., :2]),
    )
    union = sizes[:, :, None] + other_sizes[:, None, :] - shared + 1e-8
    return shared / union


def _left_out(overlaps, threshold):
    """Which boxes of a tile others of it leave out, for the overlaps with all that stand before."""

    def next_round(state):
        overlaps, _, total = state
        safe = _number(largest(overlaps, (1,)) < threshold, overlaps.dtype)[..., None]
        left = _number(largest(safe * overlaps, (1,)) < threshold, overlaps.dtype)[..., None]
        overlaps = left * overlaps
        now = jnp.sum(overlaps, axis=(1, 2))
        return overlaps, jnp.any(total - now > threshold), now

    state = overlaps, jnp.bool_(True), jnp.sum(overlaps, axis=(1, 2))
    overlaps, _, _ = lax.while_loop(lambda state: state[1], next_round, state)
    return jnp.sum(overlaps, axis=1) > 0


class _Tiles:
    """Boxes `[b, n, 4]` as TensorFlow reads them: in tiles of `width`, with zeros behind the last.

    With every tile that it writes TensorFlow adds zero times that tile to all others. What is not
    finite so becomes NaN in the same place of each tile: `spoilt`, `[b, width, 4]`, has that sum.
    """

    def __init__(self, boxes, width):
        self.width = width
        self.here = jnp.arange(boxes.shape[1], dtype=jnp.int32)
        self.size = primitives.as_size(boxes.shape[1])

    def read(self, boxes, spoilt, tile):
        places = tile * self.width + jnp.arange(self.width, dtype=jnp.int32)
        found = jnp.take(boxes, places, axis=1, mode="clip")
        return jnp.where((places < self.size)[:, None], found, 0) + spoilt

    def write(self, boxes, rows, tile):
        spread = jnp.take(rows, self.here % self.width, axis=1, mode="clip")
        return jnp.where((self.here // self.width == tile)[:, None], spread, boxes)

    def every(self, boxes, spoilt):
        return boxes + jnp.take(spoilt, self.here % self.width, axis=1, mode="clip")


def _suppressed(boxes, threshold, limit, width):
    """`(listed, count)`: which of the boxes, best first, are selected, and how many TensorFlow counts."""
    tiles = _Tiles(boxes, width)
    ranks = jnp.arange(width, dtype=jnp.int32)
    is_before = ranks[:, None] < ranks

    def across(rows, boxes, spoilt, tile):
        def step(before, rows):
            overlaps = _overlaps(tiles.read(boxes, spoilt, before), rows)
            return rows * _number(jnp.all(overlaps < threshold, axis=1), rows.dtype)[..., None]

        return lax.fori_loop(0, tile, step, rows)

    def step(state):
        boxes, spoilt, count, tile = state
        given = tiles.read(boxes, spoilt, tile)
        rows = across(given, boxes, spoilt, tile)
        overlaps = _overlaps(rows, rows)
        overlaps *= _number(is_before & (overlaps >= threshold), overlaps.dtype)
        rows *= _number(~_left_out(overlaps, threshold), rows.dtype)[..., None]
        # While TensorFlow counts, infinity is above 0; when it lists, it has become NaN.
        count += jnp.sum(jnp.any(rows > 0, axis=2), axis=1, dtype=jnp.int32)
        return tiles.write(boxes, rows + given * 0, tile), spoilt + rows * 0, count, tile + 1

    def more(state):
        _, _, count, tile = state
        return (jnp.min(count) < limit) & (tile * width < tiles.size)

    batch = boxes.shape[0]
    spoilt, count = jnp.zeros((batch, width, 4), boxes.dtype), jnp.zeros((batch,), jnp.int32)
    boxes, spoilt, count, _ = lax.while_loop(more, step, (boxes, spoilt, count, jnp.int32(0)))
    return jnp.any(tiles.every(boxes, spoilt) > 0, axis=2), jnp.minimum(count, limit)


def _first(listed, slots, otherwise):
    """The positions of the first `slots` of what is listed in each row, `otherwise` behind them."""
    batch = listed.shape[0]
    here = jnp.broadcast_to(jnp.arange(listed.shape[1], dtype=jnp.int32), listed.shape)
    place = jnp.where(listed, jnp.cumsum(listed, axis=1, dtype=jnp.int32) - 1, slots)
    rows = jnp.arange(batch, dtype=jnp.int32)[:, None]
    empty = jnp.full((batch, slots), otherwise, jnp.int32)
    return empty.at[rows, place].set(here, mode="drop")


def _of_images(boxes, scores, threshold, limit, slots, width, is_turned, in_order):
    boxes = boxes if is_turned else _turned(boxes)
    if not in_order:
        order = argsort(scores, direction="DESCENDING")
        boxes = jnp.take_along_axis(boxes, order[..., None], axis=1, mode="clip")
    last = primitives.as_size(scores.shape[1]) - 1
    listed, count = _suppressed(boxes.astype(jnp.float32), threshold, limit, width)
    selected = _first(listed, slots, last)
    if not in_order:
        selected = jnp.take_along_axis(order, selected, axis=1, mode="clip")
    place = jnp.arange(slots, dtype=jnp.int32)
    return jnp.where(place < count[:, None], selected, 0), count


# Step by step the loops would be compiled at every call.
_selected = Repeated(_of_images, _of_images)


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
    """`(selected_indices, valid_outputs)` with `slots` places, of which `limit` may be used."""
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    if boxes.ndim != scores.ndim + 1 or not scores.ndim or boxes.shape[-1] != 4:
        raise checks.invalid(
            _FUNCTION,
            "boxes are four numbers each, with one score each.",
            required="boxes [..., n, 4], scores [..., n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    boxes, scores = agreeing(_FUNCTION, [boxes, scores], range(scores.ndim))
    is_sorted, is_turned = bool(sorted_input), bool(canonicalized_coordinates)
    threshold = _checked(scores, slots, iou_threshold, is_sorted and is_turned)
    batch = scores.shape[:-1]
    if any(checks.is_known(d) and d == 0 for d in scores.shape):
        return jnp.zeros((*batch, slots), jnp.int32), jnp.zeros(batch, jnp.int32)
    boxes, scores = _scoring(boxes, scores, score_threshold)
    boxes, scores = boxes.reshape((-1, *boxes.shape[-2:])), scores.reshape((-1, scores.shape[-1]))
    # One zero behind the boxes stands for all that TensorFlow puts there.
    count = scores.shape[-1]
    width = checks.static_int(_FUNCTION, "tile_size", tile_size)
    width = min(width, count + 1) if checks.is_known(count) else width
    found, valid = _selected(boxes, scores, threshold, limit, slots, width, is_turned, is_sorted)
    return found.reshape((*batch, slots)), valid.reshape(batch)


def _checked(scores, slots, iou_threshold, takes_none):
    """The threshold, where TensorFlow has an answer."""
    threshold = operand(iou_threshold, jnp.float32)
    checks.check_data(
        threshold < 0,
        _FUNCTION,
        "`iou_threshold` must not be below 0.",
        required="iou_threshold >= 0",
        received=f"{iou_threshold}",
    )
    if checks.is_known(slots) and slots < 0:
        raise _negative(slots)
    if not takes_none:
        sizes = [primitives.true_size(d) == 0 for d in scores.shape]
        checks.check_data(
            functools.reduce(jnp.logical_or, sizes),
            _FUNCTION,
            "there are no boxes.",
            required="at least one box",
            received=f"scores {scores.shape}",
        )
    return threshold


def _negative(size):
    return checks.invalid(
        _FUNCTION, f"`max_output_size` is {size}.", required="max_output_size >= 0"
    )


@operator(fresh=True)
def _unpadded(boxes, scores, max_output_size, *options):
    if not jp.is_tracer(max_output_size) and max_output_size < 0:
        raise _negative(max_output_size)
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
    """The best boxes, each of which overlaps no better one too much, in a result of fixed size.

    Args:
      boxes: floating-point array `[..., n, 4]` of two opposite corners each, all in the same order.
      scores: array `[..., n]` of the same dtype.
      max_output_size: the most boxes to select.
      iou_threshold: boxes whose intersection over union with a selected one is as large are left out;
        any number that is not below 0.
      score_threshold: boxes must score more than this.
      pad_to_max_output_size: whether the result has `max_output_size` places; leading axes ask for
        it.
      name: ignored.
      sorted_input: whether boxes are taken in the order in which they stand.
      canonicalized_coordinates: whether lower corners come first; otherwise the first box tells.
      tile_size: how many boxes are compared at once.

    Returns:
      `(selected_indices, valid_outputs)`: int32 `[..., m]`, 0 behind the valid ones, and how many
      these are.

    Raises:
      InvalidArgumentError: the threshold is below 0, where TensorFlow never ends; the shapes do not
        fit; there are no boxes, unless they are sorted with lower corners first.
      ValueError: there are leading axes and no padding.

    Differs from TensorFlow:
      Scores that are NaN come first; TensorFlow leaves them anywhere. As there, a box that lies
      nowhere above 0 takes no place, and where boxes overlap just as much as the threshold, or are
      not finite, what is selected is no longer the best.

    Under jit:
      Without padding the number of selected boxes depends on data.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_padded
    """
    given = *constants(boxes, scores), max_output_size
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
