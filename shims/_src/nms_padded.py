"""The selection of boxes with a result of fixed size, which TensorFlow composes for accelerators."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src import checks, primitives
from shims._src import jax_private as jp
from shims._src.box_queue import keep
from shims._src.dispatch import operator
from shims._src.nms import areas
from shims._src.nms_variants import above, boxes_and_scores, constants, limits, share
from shims._src.operands import agreeing, operand
from shims._src.repeated import Repeated

_FUNCTION = "non_max_suppression_padded"


def _ranks(scores, score_threshold, in_order):
    """What boxes are selected by, largest first, -inf where they are left out."""
    lowest = jnp.finfo(scores.dtype).min
    scores = jnp.where(jnp.isnan(scores), lowest, scores)
    if not jp.is_tracer(score_threshold) and score_threshold == -np.inf:
        # Where nothing is asked of scores what is -inf is one as well.
        scores = jnp.where(scores == -jnp.inf, lowest, scores)
    else:
        scores, _ = above(scores, score_threshold)
    if not in_order:
        return scores
    here = jnp.arange(scores.shape[-1], dtype=jnp.int32)
    return jnp.where(scores == -jnp.inf, -jnp.inf, -here.astype(jnp.float32))


def _turned(boxes, ranks):
    """Boxes with their corners in the order that the very first box needs."""
    pairs = boxes.reshape((-1, 4))
    first = jnp.where(ranks.reshape((-1, 1)) > -jnp.inf, pairs, 0)
    first = jnp.take(first, 0, axis=0, mode="fill", fill_value=0)
    one, other = boxes[..., :2], boxes[..., 2:]
    in_order = first[:2] <= first[2:]
    low, high = jnp.where(in_order, one, other), jnp.where(in_order, other, one)
    return jnp.concatenate([low, high], axis=-1)


def _covered_by(boxes, sizes, threshold, is_plain):
    """The function that tells which boxes one of them leaves out.

    What overlaps as much as the threshold is left out, too, and every union is a little larger: so
    TensorFlow has it here, and nowhere else. One overlap that is NaN keeps its rounds from ending
    well: then nothing is left out.
    """

    def of(one):
        low = jnp.maximum(boxes[:, :2], boxes[one, :2])
        high = jnp.minimum(boxes[:, 2:], boxes[one, 2:])
        shared = jnp.prod(jnp.maximum(high - low, 0), axis=1)
        union = sizes + sizes[one] - shared + 1e-8
        return (shared / union >= threshold) & is_plain

    return of


def _select(boxes, ranks, threshold, limit, slots):
    """`(selected, count)` of one image: positions, and how many of them there are."""
    boxes = boxes.astype(jnp.float32)
    sizes = areas(boxes)
    is_plain = _is_plain(boxes, sizes)
    covered_by = _covered_by(boxes, sizes, threshold.astype(jnp.float32), is_plain)
    # TensorFlow marks what is left out with zeros, and takes what is not above 0 for that. While it
    # counts, infinity is above 0; when it lists, it has become NaN.
    listed = jnp.any(jnp.isfinite(boxes) & (boxes > 0), axis=1)
    selected, _, count = keep(ranks, covered_by, limit, slots, counts=listed)
    counted = jnp.any(boxes > 0, axis=1) & (ranks > -jnp.inf)
    number = jnp.minimum(jnp.sum(counted, dtype=jnp.int32), limit)
    number = jnp.where(is_plain, count, number)
    place = jnp.arange(selected.shape[0], dtype=jnp.int32)
    missing = (place >= count) & (place < number)
    return jnp.where(missing, _last(ranks), selected), number


def _of_images(boxes, ranks, threshold, limit, slots, is_turned):
    boxes = boxes if is_turned else _turned(boxes, ranks)
    of_image = lambda boxes, ranks: _select(boxes, ranks, threshold, limit, slots)
    for _ in range(ranks.ndim - 1):
        of_image = jax.vmap(of_image)
    return of_image(boxes, ranks)


# Step by step the loop would be compiled at every call.
_selected = Repeated(_of_images, _of_images)


def _is_plain(boxes, sizes):
    """Whether no box overlaps another one, or itself, by NaN."""
    shared = jnp.prod(jnp.maximum(boxes[:, 2:] - boxes[:, :2], 0), axis=1)
    own = shared / (sizes + sizes - shared + 1e-8)
    both_ends = jnp.any(sizes == jnp.inf) & jnp.any(sizes == -jnp.inf)
    return ~jnp.any(jnp.isnan(own)) & ~both_ends


def _last(ranks):
    """The position of the last of the lowest ranks, which stands where a listed box is missing."""
    place = jnp.arange(ranks.shape[0], dtype=jnp.int32)
    ranks = jnp.where(ranks == -jnp.inf, 0, ranks)
    return jnp.max(jnp.where(ranks == jnp.min(ranks), place, 0))


@operator(fresh=True)
def _unpadded(boxes, scores, max_output_size, iou_threshold, score_threshold, in_order, is_turned):
    boxes, scores = boxes_and_scores(_FUNCTION, boxes, scores)
    threshold = share(_FUNCTION, "iou_threshold", iou_threshold, scores.dtype)
    ranks = _ranks(scores, score_threshold, in_order)
    slots, limit = limits(ranks, max_output_size)
    if checks.is_known(slots) and slots == 0:
        return jnp.zeros((0,), jnp.int32), jnp.zeros((), jnp.int32)
    selected, count = _selected(boxes, ranks, threshold, limit, slots, bool(is_turned))
    places = primitives.fresh_range(count, bound=slots, label=_FUNCTION)
    found = jnp.take(selected, places, mode="clip")
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
      iou_threshold: boxes whose intersection over union with a selected one is as large are left out.
      score_threshold: boxes must score more than this.
      pad_to_max_output_size: whether the result has `max_output_size` places; leading axes ask for
        it.
      name: ignored.
      sorted_input: whether boxes are taken in the order in which they stand.
      canonicalized_coordinates: whether lower corners come first; otherwise the first box tells.
      tile_size: ignored.

    Returns:
      `(selected_indices, valid_outputs)`: int32 `[..., m]`, 0 behind the valid ones, and how many
      these are.

    Raises:
      InvalidArgumentError: the threshold is not in [0, 1], or the shapes do not fit.
      ValueError: there are leading axes and no padding.

    Differs from TensorFlow:
      Without boxes TensorFlow fails. Scores that are NaN come last here, and beside boxes with an
      infinite side all boxes are kept; TensorFlow leaves some of them out. As there, a box that lies
      nowhere above 0 takes no place, and beside a box that is NaN nothing is left out.

    Under jit:
      Without padding the number of selected boxes depends on data.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_padded
    """
    boxes, scores = constants(boxes, scores)
    if not pad_to_max_output_size:
        if np.ndim(scores) > 1:
            raise ValueError(
                f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for "
                "batched input"
            )
        options = iou_threshold, score_threshold, sorted_input, canonicalized_coordinates
        return _unpadded(boxes, scores, max_output_size, *options)
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    if boxes.ndim != scores.ndim + 1 or boxes.shape[-1] != 4:
        raise checks.invalid(
            _FUNCTION,
            "boxes are four numbers each, with one score each.",
            required="boxes [..., n, 4], scores [..., n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    boxes, scores = agreeing(_FUNCTION, [boxes, scores], range(scores.ndim))
    slots = checks.static_int(_FUNCTION, "max_output_size", max_output_size)
    threshold = share(_FUNCTION, "iou_threshold", iou_threshold, scores.dtype)
    ranks = _ranks(scores, score_threshold, sorted_input)
    limit = jnp.asarray(slots, jnp.int32)
    return _selected(boxes, ranks, threshold, limit, slots, bool(canonicalized_coordinates))
