"""Provide variants of non-maximum suppression: with scores, given overlaps, per class."""

from __future__ import annotations

import collections
import functools

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.default_dtype import fixed, preferring
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import agreeing, operand
from shims._src.image.box_queue import hard, keep, keep_in_turn, soft
from shims._src.image.nms import overlap_of
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.repeated import Repeated

CombinedNonMaxSuppression = collections.namedtuple(
    "CombinedNonMaxSuppression",
    ["nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"],
)


def as_primals(*values):
    """Return values without tangents, since selecting boxes is not differentiable."""
    return [jp.primal_tracer(v) for v in values]


def limits(scores, max_output_size):
    """Compute the static size of the result and the maximum number of boxes: `(slots, limit)`."""
    traced = jp.is_tracer(max_output_size)
    slots = scores.shape[0] if traced else max(int(max_output_size), 0)
    if not traced and is_known(scores.shape[0]):
        slots = min(slots, scores.shape[0])
    return slots, jnp.minimum(jnp.asarray(max_output_size, jnp.int32), primitives.as_size(slots))


def check_fraction(function, name, value, dtype):
    """Check that a threshold lies in [0, 1]; return it as an array."""
    threshold = operand(value, dtype)
    checks.check_data(
        (threshold < 0) | (threshold > 1),
        function,
        f"`{name}` must be in [0, 1].",
        required=f"0 <= {name} <= 1",
        received=f"{value}",
    )
    return threshold


def mask_low_scores(scores, score_threshold):
    """Replace scores not above the threshold by -inf; return the scores and the threshold."""
    lowest = operand(score_threshold, scores.dtype)
    return jnp.where(scores > lowest, scores, -jnp.inf), lowest


def boxes_and_scores(function, boxes, scores):
    """Convert boxes and scores to arrays, and check that their sizes match."""
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    if boxes.ndim != 2 or scores.ndim != 1 or boxes.shape[1] != 4:
        raise checks.invalid(
            function,
            "each box must have four coordinates and one score.",
            required="boxes [n, 4], scores [n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    return agreeing(function, [boxes, scores], (0,))


@preferring("float32", "boxes", "scores", kept="float16 float32")
@checked
def non_max_suppression_with_scores(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    soft_nms_sigma=0.0,
    name=None,
):
    """Select boxes by non-maximum suppression, and return their scores.

    Args:
      boxes: floating-point array `[n, 4]` of boxes, given by two opposite corners.
      scores: array `[n]` of the same dtype.
      max_output_size: the maximum number of boxes to select.
      iou_threshold: boxes whose intersection over union with a selected box is larger are
        suppressed.
      score_threshold: boxes must score more than this.
      soft_nms_sigma: the width of the Gaussian of soft suppression; 0 for hard suppression.
      name: ignored.

    Returns:
      `(selected_indices, selected_scores)`, best first.

    Raises:
      InvalidArgumentError: a threshold is not in [0, 1], the width is negative, or the shapes do
        not fit.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of selected boxes depends on data; `n` and `max_output_size` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_with_scores
    """
    given = as_primals(boxes, scores)
    return _with_scores(*given, max_output_size, iou_threshold, score_threshold, soft_nms_sigma)


def _by_boxes(boxes, scores, limit, threshold, lowest, slots, sigma):
    """Select boxes by their intersection over union."""
    weigh = soft(sigma) if sigma else hard(threshold)
    return keep_in_turn(scores, overlap_of(boxes), limit, slots, weigh=weigh, lowest=lowest)


# Compiled once: an eager loop would be compiled at every call.
_in_turn_by_boxes = Repeated(_by_boxes, _by_boxes)


@operator(fresh=True)
def _with_scores(boxes, scores, max_output_size, iou_threshold, score_threshold, sigma):
    function = "non_max_suppression_with_scores"
    boxes, scores = boxes_and_scores(function, boxes, scores)
    threshold = check_fraction(function, "iou_threshold", iou_threshold, scores.dtype)
    if float(sigma) < 0:
        raise checks.invalid(
            function, f"`soft_nms_sigma` is {sigma}.", required="soft_nms_sigma >= 0"
        )
    scores, lowest = mask_low_scores(scores, score_threshold)
    slots, limit = limits(scores, max_output_size)
    if is_known(slots) and slots == 0:
        return jnp.zeros((0,), jnp.int32), jnp.zeros((0,), scores.dtype)
    kept = _in_turn_by_boxes(boxes, scores, limit, threshold, lowest, slots, float(sigma))
    selected, found, count = kept
    places = primitives.fresh_range(count, bound=slots, label=function)
    return jnp.take(selected, places, mode="clip"), jnp.take(found, places, mode="clip")


@fixed("float32", "overlaps", "scores")
@checked
def non_max_suppression_overlaps(
    overlaps,
    scores,
    max_output_size,
    overlap_threshold=0.5,
    score_threshold=float("-inf"),
    name=None,
):
    """Select boxes by non-maximum suppression, given the matrix of their overlaps.

    Args:
      overlaps: floating-point array `[n, n]`.
      scores: array `[n]` of the same dtype.
      max_output_size: the maximum number of boxes to select.
      overlap_threshold: boxes that overlap a selected box by more are suppressed.
      score_threshold: boxes must score more than this.
      name: ignored.

    Returns:
      The int32 indices of the selected boxes, best first.

    Raises:
      InvalidArgumentError: the shapes are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of selected boxes depends on data; `n` and `max_output_size` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression_overlaps
    """
    given = as_primals(overlaps, scores)
    return _by_table(*given, max_output_size, overlap_threshold, score_threshold)


def _by_overlaps(table, scores, limit, threshold, lowest, slots):
    """Select boxes by their overlap matrix."""
    overlap = functools.partial(jnp.take, table, axis=1, mode="clip")
    return keep_in_turn(scores, overlap, limit, slots, weigh=hard(threshold), lowest=lowest)


_in_turn_by_overlaps = Repeated(_by_overlaps, _by_overlaps)


@operator(fresh=True)
def _by_table(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    function = "non_max_suppression_overlaps"
    table, scores = lax.stop_gradient(operand(overlaps)), lax.stop_gradient(operand(scores))
    if table.ndim != 2 or scores.ndim != 1:
        raise checks.invalid(
            function,
            "`overlaps` must be square, with one score for each box.",
            required="overlaps [n, n], scores [n]",
            received=f"overlaps {table.shape}, scores {scores.shape}",
        )
    for axis in (0, 1):
        table = primitives.unify_axis(table, axis, scores.shape[0], label=function)
    threshold = operand(overlap_threshold, scores.dtype)
    scores, lowest = mask_low_scores(scores, score_threshold)
    slots, limit = limits(scores, max_output_size)
    if is_known(slots) and slots == 0:
        return jnp.zeros((0,), jnp.int32)
    selected, _, count = _in_turn_by_overlaps(table, scores, limit, threshold, lowest, slots)
    places = primitives.fresh_range(count, bound=slots, label=function)
    return jnp.take(selected, places, mode="clip")


@fixed("float32", "boxes", "scores")
@operator(compiled=True)
def combined_non_max_suppression(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_per_class=False,
    clip_boxes=True,
    name=None,
):
    """Select boxes by non-maximum suppression per class, and keep the best of each image.

    Args:
      boxes: float32 array `[batch, n, q, 4]`, where `q` is 1 or the number of classes.
      scores: float32 array `[batch, n, classes]`.
      max_output_size_per_class: the maximum number of boxes per class; static.
      max_total_size: the maximum number of boxes per image; static.
      iou_threshold: boxes whose intersection over union with a selected box is larger are
        suppressed.
      score_threshold: boxes must score more than this.
      pad_per_class: whether the result has at most `max_output_size_per_class * classes` boxes.
      clip_boxes: whether the selected boxes are clipped to [0, 1].
      name: ignored.

    Returns:
      `(nmsed_boxes, nmsed_scores, nmsed_classes, valid_detections)`: boxes `[batch, m, 4]`, scores
      and classes `[batch, m]`, and the number of valid boxes; the others are zeros.

    Raises:
      InvalidArgumentError: the threshold is not in [0, 1], a size is not positive, or the shapes
        do not fit.

    Differs from TensorFlow:
      Ties of scores are broken by class, then by index; TensorFlow does not define their order.

    Under jit:
      `batch` and `n` may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/image/combined_non_max_suppression
    """
    function = "combined_non_max_suppression"
    boxes, scores = as_primals(boxes, scores)
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    fits = boxes.ndim == 4 and scores.ndim == 3 and boxes.shape[3] == 4
    if not fits or boxes.shape[2] not in (1, scores.shape[2]):
        raise checks.invalid(
            function,
            "the shapes of the operands do not match.",
            required="boxes [batch, n, 1 or classes, 4], scores [batch, n, classes]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    each = checks.static_int(function, "max_output_size_per_class", max_output_size_per_class)
    total = checks.static_int(function, "max_total_size", max_total_size)
    if each <= 0 or total <= 0:
        raise checks.invalid(function, "a size must be positive.", received=f"{each} and {total}")
    boxes, scores = agreeing(function, [boxes, scores], (0, 1))
    threshold = check_fraction(function, "iou_threshold", iou_threshold, scores.dtype)
    scores, _ = mask_low_scores(scores, score_threshold)
    classes = scores.shape[2]
    total = min(total, each * classes) if pad_per_class else total
    if checks.is_known(scores.shape[1]):
        each = min(each, max(scores.shape[1], 1))

    def of_class(boxes, scores):
        overlap = overlap_of(boxes)
        covered_by = lambda one: overlap(one) > threshold
        selected, found, count = keep(scores, covered_by, each, each)
        used = jnp.arange(each) < count
        found = jnp.where(used, found, -jnp.inf)
        return jnp.take(boxes, selected, axis=0, mode="clip"), found

    def of_image(boxes, scores):
        boxes = jnp.broadcast_to(boxes, (boxes.shape[0], classes, 4))
        # Append a box with score -inf, since an empty array cannot be indexed.
        boxes = jnp.concatenate([boxes, jnp.zeros((1, classes, 4), boxes.dtype)])
        scores = jnp.concatenate([scores, jnp.full((1, classes), -jnp.inf, scores.dtype)])
        found_boxes, found = jax.vmap(of_class, in_axes=1)(boxes, scores)
        found_boxes, found = found_boxes.reshape((-1, 4)), found.reshape((-1,))
        best = jnp.argsort(-found, stable=True)[:total]
        used = found[best] > -jnp.inf
        best_boxes = jnp.clip(found_boxes[best], 0, 1) if clip_boxes else found_boxes[best]
        best_class = (best // each).astype(found.dtype)
        parts = (
            jnp.where(used[:, None], best_boxes, 0),
            jnp.where(used, found[best], 0),
            jnp.where(used, best_class, 0),
        )
        missing = total - parts[1].shape[0]
        padded = [jnp.pad(p, [(0, missing)] + [(0, 0)] * (p.ndim - 1)) for p in parts]
        return (*padded, jnp.sum(used, dtype=jnp.int32))

    return CombinedNonMaxSuppression(*jax.vmap(of_image)(boxes, scores))
