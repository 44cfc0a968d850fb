"""Provide `image.non_max_suppression` and the overlaps of boxes."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.default_dtype import preferring
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import agreeing, matching, operand
from shims._src.image import greedy_boxes
from shims._src.image.box_queue import hard, keep_in_turn
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.repeated import Repeated


def _lower(x, y):
    """Return the smaller of two numbers; if one is NaN, the first, as in C++."""
    return jnp.where(y < x, y, x)


def _upper(x, y):
    """Return the larger of two numbers; if one is NaN, the first, as in C++."""
    return jnp.where(x < y, y, x)


def overlaps(first, second):
    """Compute the intersection over union of all pairs of boxes; 0 if an area is 0."""
    dtype = first.dtype
    first, second = first.astype(jnp.float32), second.astype(jnp.float32)
    low = _upper(first[:, None, :2], second[None, :, :2])
    high = _lower(first[:, None, 2:], second[None, :, 2:])
    side = _upper(high - low, 0)
    shared = side[..., 0] * side[..., 1]
    one, other = areas(first)[:, None], areas(second)[None, :]
    union = one + other - shared
    flat = (one <= 0) | (other <= 0)
    found = jnp.where(flat, 0, shared / jnp.where(flat, 1, union))
    if dtype == jnp.float16:  # round explicitly, since XLA would compare unrounded values
        found = lax.reduce_precision(found, 5, 10)
    return found.astype(dtype)


def areas(corners):
    """Compute the areas of boxes from their lower and upper corners."""
    sides = corners[:, 2:] - corners[:, :2]
    return sides[:, 0] * sides[:, 1]


def corners_of(boxes):
    """Convert boxes with any two opposite corners to lower and upper corners."""
    one, other = boxes[:, :2], boxes[:, 2:]
    return jnp.concatenate([_lower(one, other), _upper(one, other)], axis=1)


def overlap_of(boxes):
    """Return a function from the index of a box to its intersection over union with all boxes."""
    corners = corners_of(boxes)
    return lambda one: overlaps(corners, corners[one][None])[:, 0]


@preferring("float32", "boxes", "scores", kept="float16 float32")
@checked
def non_max_suppression(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    name=None,
):
    """Select boxes greedily by score, suppressing boxes that overlap a selected box.

    Args:
      boxes: floating-point array `[n, 4]` of boxes, given by two opposite corners.
      scores: array `[n]` of the same dtype.
      max_output_size: the maximum number of boxes to select.
      iou_threshold: boxes whose intersection over union with a selected box is larger are
        suppressed.
      score_threshold: only boxes with a larger score are selected.
      name: ignored.

    Returns:
      The int32 indices of the selected boxes, by descending score; equal scores are ordered by index.

    Raises:
      InvalidArgumentError: the threshold is not in [0, 1], or the shapes are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of selected boxes depends on data; `n` and `max_output_size` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression
    """
    # Use the primal values: the selection is not differentiable.
    boxes, scores = jp.primal_tracer(boxes), jp.primal_tracer(scores)
    return _suppress(boxes, scores, max_output_size, iou_threshold, score_threshold)


def _selection(boxes, scores, limit, threshold, lowest, slots):
    corners = corners_of(boxes)
    # Only boxes that are not finite have overlaps of NaN, which set a score to 0.
    sizes = areas(corners.astype(jnp.float32))
    is_plain = jnp.all(jnp.isfinite(corners)) & jnp.all(jnp.isfinite(sizes))
    none = jnp.zeros_like(limit)
    plain = greedy_boxes.select(
        corners, scores, jnp.where(is_plain, limit, none), threshold, slots, overlaps
    )
    selected, _, count = keep_in_turn(
        scores,
        overlap_of(boxes),
        jnp.where(is_plain, none, limit),
        slots,
        weigh=hard(threshold),
        lowest=lowest,
    )
    return jnp.where(is_plain, plain[0], selected), plain[1] + count


# Compiled once: an eager loop would be compiled at every call.
_greedy = Repeated(_selection, _selection)


@operator(fresh=True)
def _suppress(boxes, scores, max_output_size, iou_threshold, score_threshold):
    found = matching("non_max_suppression", boxes=boxes, scores=scores)
    boxes, scores = map(lax.stop_gradient, found)
    fits = boxes.ndim == 2 and scores.ndim == 1 and boxes.shape[1] == 4
    counts = {b.shape[0] for b in (boxes, scores) if b.ndim and checks.is_known(b.shape[0])}
    if not fits or len(counts) > 1:
        raise checks.invalid(
            "non_max_suppression",
            "each box must have four coordinates and one score.",
            required="boxes [n, 4], scores [n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    if not all(checks.is_known(b.shape[0]) for b in (boxes, scores)):
        # An explicit check: with one score the boxes are unused, and unused values are not checked.
        checks.check_data(
            primitives.as_size(boxes.shape[0]) != primitives.as_size(scores.shape[0]),
            "non_max_suppression",
            "the sizes of two operands differ.",
            required="one score for each box",
        )
    boxes, scores = agreeing("non_max_suppression", [boxes, scores], (0,))
    threshold = operand(iou_threshold, scores.dtype)
    checks.check_scalar("non_max_suppression", "iou_threshold", threshold)
    if np.ndim(max_output_size):
        raise checks.invalid("non_max_suppression", "`max_output_size` must be a scalar.")
    checks.check_data(
        (threshold < 0) | (threshold > 1),
        "non_max_suppression",
        "`iou_threshold` must be in [0, 1].",
        required="0 <= iou_threshold <= 1",
        received=f"{iou_threshold}",
    )
    lowest = operand(score_threshold, scores.dtype)
    scores = jnp.where(scores > lowest, scores, -jnp.inf)
    traced = jp.is_tracer(max_output_size)
    slots = boxes.shape[0] if traced else max(int(max_output_size), 0)
    if not traced and checks.is_known(boxes.shape[0]):
        slots = min(slots, boxes.shape[0])
    if checks.is_known(slots) and slots == 0:
        return jnp.zeros((0,), jnp.int32)
    limit = jnp.minimum(jnp.asarray(max_output_size, jnp.int32), primitives.as_size(slots))
    selected, count = _greedy(boxes, scores, limit, threshold, lowest, slots)
    if not jp.is_tracer(count):
        return selected[: int(count)]
    places = primitives.fresh_range(count, bound=slots, label="non_max_suppression")
    return jnp.take(selected, places, mode="clip")
