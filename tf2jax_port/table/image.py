"""Rows of `tf.image`."""

from __future__ import annotations

from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32
from tf2jax_port.table.row import Row, Shim, case

_GRID = f32([[0, 0, 2, 2], [0, 0, 2, 2.2], [0, 1, 2, 3], [5, 5, 6, 6], [0, 0, 2, 2], [5, 5, 5, 5]])
_SCORES = f32([0.9, 0.8, 0.7, 0.6, 0.9, 0.95])

ROWS: tuple[Row, ...] = (
    Row(
        "image.non_max_suppression",
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), name=None",
        Shim("shims.image.non_max_suppression"),
        own="nms.non_max_suppression",
        tensors=("boxes", "scores"),
        inputs=(
            case("overlapping", boxes=_GRID, scores=_SCORES, max_output_size=5),
            case("at-most", boxes=_GRID, scores=_SCORES, max_output_size=2),
            case("none-allowed", boxes=_GRID, scores=_SCORES, max_output_size=0),
            case(
                "threshold0",
                xla="unsupported: fewer boxes than may be selected",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                iou_threshold=0.0,
            ),
            case(
                "threshold1",
                xla="unsupported: fewer boxes than may be selected",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                iou_threshold=1.0,
            ),
            case(
                "scores",
                xla="unsupported: fewer boxes than may be selected",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                score_threshold=0.8,
            ),
            case(
                "iou-at-threshold",
                boxes=f32([[0, 0, 1, 2], [0, 1, 1, 3]]),
                scores=f32([1, 1]),
                max_output_size=2,
                iou_threshold=1 / 3,
            ),
            case(
                "flipped",
                boxes=f32([[2, 2, 0, 0], [0, 0, 2, 2]]),
                scores=f32([1, 2]),
                max_output_size=2,
            ),
            case(
                "nan-score", boxes=draw(3, 4, low=0), scores=f32([NAN, 1, -INF]), max_output_size=3
            ),
            case(
                "random",
                boxes=draw(12, 4, low=0, high=3),
                scores=draw(12),
                max_output_size=6,
                iou_threshold=0.3,
            ),
            case(
                "size1",
                xla="unsupported: fewer boxes than may be selected",
                boxes=f32([[0, 0, 1, 1]]),
                scores=f32([0.5]),
                max_output_size=3,
            ),
            case(
                "empty",
                xla="crashes: a segmentation fault in TensorFlow 2.21",
                boxes=empty(0, 4),
                scores=empty(0),
                max_output_size=3,
            ),
            case(
                "threshold",
                raises="InvalidArgumentError",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=3,
                iou_threshold=2.0,
            ),
        ),
        fresh=True,
    ),
)
