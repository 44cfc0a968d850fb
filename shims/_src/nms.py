"""Greedy selection of boxes that do not overlap too much."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src import checks, primitives
from shims._src import jax_private as jp
from shims._src.dispatch import operator
from shims._src.operands import agreeing, operand


def _overlap(corners, areas, one):
    """The intersection over union of every box with one of them; 0 where an area is 0."""
    low = jnp.maximum(corners[:, :2], corners[one, :2])
    high = jnp.minimum(corners[:, 2:], corners[one, 2:])
    side = jnp.maximum(high - low, 0)
    shared = side[:, 0] * side[:, 1]
    union = areas + areas[one] - shared
    solid = (areas > 0) & (areas[one] > 0)
    return jnp.where(solid, shared / jnp.where(solid, union, 1), 0)


def _keep(boxes, scores, limit, iou_threshold, slots):
    """`(selected, count)`: box numbers, best first, in the first `count` of `slots` places."""
    # TensorFlow takes any two opposite corners.
    corners = jnp.concatenate(
        [jnp.minimum(boxes[:, :2], boxes[:, 2:]), jnp.maximum(boxes[:, :2], boxes[:, 2:])], axis=1
    )
    sides = corners[:, 2:] - corners[:, :2]
    areas = sides[:, 0] * sides[:, 1]

    def more(state):
        left, _, count = state
        return (count < limit) & jnp.any(left > -jnp.inf)

    def select(state):
        left, selected, count = state
        best = jnp.argmax(left)
        away = (_overlap(corners, areas, best) > iou_threshold) | (_places(left) == best)
        selected = selected.at[count].set(best.astype(jnp.int32))
        return jnp.where(away, -jnp.inf, left), selected, count + 1

    state = (scores, jnp.zeros((slots,), jnp.int32), jnp.zeros((), jnp.int32))
    _, selected, count = lax.while_loop(more, select, state)
    return selected, count


def _places(x):
    return jnp.arange(x.shape[0], dtype=jnp.int32)


def non_max_suppression(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    name=None,
):
    """The best boxes, each of which overlaps no better one too much.

    Args:
      boxes: floating-point array `[n, 4]` of two opposite corners each.
      scores: array `[n]` of the same dtype.
      max_output_size: the most boxes to select.
      iou_threshold: boxes whose intersection over union with a selected one is larger are left out.
      score_threshold: boxes must score more than this.
      name: ignored.

    Returns:
      int32 positions of the selected boxes, best first; of equal scores the lower position.

    Raises:
      InvalidArgumentError: the threshold is not in [0, 1], or the shapes do not fit.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of selected boxes depends on data; `n` and `max_output_size` may be traced.

    https://www.tensorflow.org/api_docs/python/tf/image/non_max_suppression
    """
    # Nothing is differentiated here: under `jax.grad` the numbers themselves decide.
    boxes, scores = jp.primal_tracer(boxes), jp.primal_tracer(scores)
    return _suppress(boxes, scores, max_output_size, iou_threshold, score_threshold)


@operator(fresh=True)
def _suppress(boxes, scores, max_output_size, iou_threshold, score_threshold):
    boxes, scores = lax.stop_gradient(operand(boxes)), lax.stop_gradient(operand(scores))
    if boxes.ndim != 2 or scores.ndim != 1 or boxes.shape[1] != 4:
        raise checks.invalid(
            "non_max_suppression",
            "boxes are four numbers each, with one score each.",
            required="boxes [n, 4], scores [n]",
            received=f"boxes {boxes.shape}, scores {scores.shape}",
        )
    boxes, scores = agreeing("non_max_suppression", [boxes, scores], (0,))
    threshold = operand(iou_threshold, scores.dtype)
    checks.check_data(
        (threshold < 0) | (threshold > 1),
        "non_max_suppression",
        "`iou_threshold` must be in [0, 1].",
        required="0 <= iou_threshold <= 1",
        received=f"{iou_threshold}",
    )
    scores = jnp.where(scores > operand(score_threshold, scores.dtype), scores, -jnp.inf)
    traced = jp.is_tracer(max_output_size)
    slots = boxes.shape[0] if traced else max(int(max_output_size), 0)
    if not traced and checks.is_known(boxes.shape[0]):
        slots = min(slots, boxes.shape[0])
    if checks.is_known(slots) and slots == 0:
        return jnp.zeros((0,), jnp.int32)
    limit = jnp.minimum(jnp.asarray(max_output_size, jnp.int32), primitives.as_size(slots))
    selected, count = _keep(boxes, scores, limit, threshold, slots)
    places = primitives.fresh_range(count, bound=slots, label="non_max_suppression")
    return jnp.take(selected, places, mode="clip")
