"""Define the table rows of `tf.image`."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32
from tf2jax_port.table.row import Row, Shim, case

_GRID = f32([[0, 0, 2, 2], [0, 0, 2, 2.2], [0, 1, 2, 3], [5, 5, 6, 6], [0, 0, 2, 2], [5, 5, 5, 5]])
_SCORES = f32([0.9, 0.8, 0.7, 0.6, 0.9, 0.95])

_NAN_BOXES = f32([[NAN, NAN, NAN, NAN], [NAN, NAN, NAN, NAN], [0, 0, 1, 0.4]])
_BELOW = f32([[-3, -2, -2, 0], [-3, -2, -2, 0.1], [0, 0, 1, 1], [1, 1, 0, 2]])
_TABLE = draw(6, 6, low=0, high=1)
_BATCH = draw(2, 6, 1, 4, low=-0.5, high=1.5)
_CLASSES = draw(2, 6, 3, low=0, high=1)

ROWS: tuple[Row, ...] = (
    Row(
        "image.non_max_suppression",
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), name=None",
        Shim("shims.image.non_max_suppression"),
        own="image.nms:non_max_suppression",
        tensors=("boxes", "scores"),
        inputs=(
            case("overlapping", boxes=_GRID, scores=_SCORES, max_output_size=5),
            case("at-most", boxes=_GRID, scores=_SCORES, max_output_size=2),
            case("none-allowed", boxes=_GRID, scores=_SCORES, max_output_size=0),
            case(
                "infinite",
                xla="differs: an overlap that is NaN",
                boxes=f32([[0, 0, INF, INF], [0, 0, INF, INF], [0, 0, 1, 0.4]]),
                scores=f32([0.9, 0.8, 0.7]),
                max_output_size=3,
            ),
            case(
                "nan",
                xla="differs: an overlap that is NaN",
                boxes=_NAN_BOXES,
                scores=f32([0.9, 0.8, 0.7]),
                max_output_size=3,
                score_threshold=0.1,
            ),
            case(
                "threshold0",
                xla="unsupported: a number of boxes that is smaller than `max_output_size`",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                iou_threshold=0.0,
            ),
            case(
                "threshold1",
                xla="unsupported: a number of boxes that is smaller than `max_output_size`",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                iou_threshold=1.0,
            ),
            case(
                "scores",
                xla="unsupported: a number of boxes that is smaller than `max_output_size`",
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
                xla="unsupported: a number of boxes that is smaller than `max_output_size`",
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
        takes="float16 float32",
    ),
    shim(
        "image.non_max_suppression_with_scores",
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), "
        "soft_nms_sigma=0.0, name=None",
        "image.nms_variants",
        tolerance=4e-6,
        xla="unsupported: no kernel",
        inputs=(
            case("overlapping", boxes=_GRID, scores=_SCORES, max_output_size=5),
            case("at-most", boxes=_GRID, scores=_SCORES, max_output_size=2),
            case("scores", boxes=_GRID, scores=_SCORES, max_output_size=9, score_threshold=0.8),
            case("soft", boxes=_GRID, scores=_SCORES, max_output_size=6, soft_nms_sigma=0.5),
            case(
                "nan",
                boxes=_NAN_BOXES,
                scores=f32([0.9, 0.8, 0.7]),
                max_output_size=3,
                soft_nms_sigma=0.5,
            ),
            case(
                "soft-threshold",
                boxes=draw(9, 4, low=0, high=3),
                scores=draw(9, low=0, high=1),
                max_output_size=9,
                iou_threshold=1.0,
                score_threshold=0.3,
                soft_nms_sigma=0.3,
            ),
            case("none-allowed", boxes=_GRID, scores=_SCORES, max_output_size=0),
            case("empty", boxes=empty(0, 4), scores=empty(0), max_output_size=3),
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
        no_gradient="TensorFlow registers no gradient",
        takes="boxes scores: float32",
    ),
    shim(
        "image.non_max_suppression_overlaps",
        "overlaps, scores, max_output_size, overlap_threshold=0.5, "
        "score_threshold=float('-inf'), name=None",
        "image.nms_variants",
        xla="unsupported: no kernel",
        inputs=(
            case("random", overlaps=_TABLE, scores=draw(6), max_output_size=6),
            case("at-most", overlaps=_TABLE, scores=draw(6), max_output_size=2),
            case("ties", overlaps=_TABLE, scores=f32([1, 1, 1, 2, 2, 2]), max_output_size=6),
            case(
                "scores",
                overlaps=_TABLE,
                scores=_SCORES,
                max_output_size=6,
                overlap_threshold=0.8,
                score_threshold=0.65,
            ),
            case(
                "nan",
                overlaps=f32([[0, NAN], [NAN, 0]]),
                scores=f32([0.9, 0.8]),
                max_output_size=2,
                score_threshold=0.1,
            ),
            case("none-allowed", overlaps=_TABLE, scores=_SCORES, max_output_size=0),
            case("empty", overlaps=empty(0, 0), scores=empty(0), max_output_size=3),
            case(
                "shapes",
                raises="InvalidArgumentError",
                overlaps=draw(2, 2),
                scores=draw(3),
                max_output_size=3,
            ),
        ),
        fresh=True,
        takes="overlaps scores: float32",
    ),
    shim(
        "image.non_max_suppression_padded",
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), "
        "pad_to_max_output_size=False, name=None, sorted_input=False, "
        "canonicalized_coordinates=False, tile_size=512",
        "image.nms_padded",
        inputs=(
            case(
                "plain",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=5,
            ),
            case(
                "lowest-scores",
                boxes=f32([[0, 0, 1, 1], [0, 0, 2, 3], [5, 5, 6, 6]]),
                scores=f32([-INF, 1, -INF]),
                max_output_size=3,
            ),
            case(
                "at-the-threshold",
                boxes=f32([[0, 0, 1, 1], [0, 0, 2, 1], [0, 0, 2, 2]]),
                scores=f32([0.1, 0.5, 0.9]),
                max_output_size=3,
            ),
            case(
                "nowhere-above-0",
                boxes=_BELOW,
                scores=f32([0.9, 0.8, 0.7, 0.75]),
                max_output_size=3,
            ),
            case(
                "in-order",
                boxes=_BELOW,
                scores=f32([0.7, 0.8, 0.6, 0.9]),
                max_output_size=3,
                score_threshold=0.65,
                pad_to_max_output_size=True,
                sorted_input=True,
            ),
            case(
                "corners-in-order",
                boxes=_BELOW,
                scores=f32([0.9, 0.8, 0.7, 0.75]),
                max_output_size=3,
                pad_to_max_output_size=True,
                canonicalized_coordinates=True,
            ),
            case(
                "nan",
                boxes=_NAN_BOXES,
                scores=f32([0.9, 0.8, 0.7]),
                max_output_size=3,
            ),
            case(
                "nan-scores",
                boxes=_GRID,
                scores=f32([0.9, 0.8, NAN, 0.7, 0.95, 0.75]),
                max_output_size=6,
                differs="value: in `shims`, NaN comes first",
                xla="differs: NaN comes first",
            ),
            case(
                "as-much-as-the-threshold",
                boxes=f32([[i, 0, i + 3, 1] for i in range(7)]),
                scores=f32([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]),
                max_output_size=7,
                pad_to_max_output_size=True,
            ),
            case(
                "infinite",
                boxes=f32(
                    [[0, 0, INF, 2], [0, 0, 2, 2], [3, 3, 5, 5], [1, 1, 2, INF], [-3, -2, -1, -1]]
                ),
                scores=f32([0.5, 0.8, 0.7, INF, -INF]),
                max_output_size=6,
                score_threshold=-INF,
                pad_to_max_output_size=True,
            ),
            case(
                "tiles",
                boxes=draw(9, 4, low=0, high=3),
                scores=draw(9, low=0, high=1),
                max_output_size=6,
                iou_threshold=0.2,
                tile_size=2,
                pad_to_max_output_size=True,
            ),
            case(
                "no-boxes",
                boxes=draw(0, 4),
                scores=draw(0),
                max_output_size=3,
                raises="ValueError|InvalidArgumentError",
            ),
            case(
                "padded",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=5,
                pad_to_max_output_size=True,
            ),
            case(
                "longer",
                boxes=_GRID,
                scores=_SCORES,
                max_output_size=9,
                iou_threshold=0.1,
                pad_to_max_output_size=True,
            ),
            case(
                "batch",
                boxes=f32([_GRID.values, _GRID.values]),
                scores=draw(2, 6, low=0, high=1),
                max_output_size=5,
                iou_threshold=0.3,
                pad_to_max_output_size=True,
            ),
            case(
                "batch-unpadded",
                raises="ValueError",
                boxes=draw(2, 3, 4),
                scores=draw(2, 3),
                max_output_size=5,
            ),
        ),
        fresh=True,
        takes="boxes scores: float32",
    ),
    shim(
        "image.combined_non_max_suppression",
        "boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, "
        "score_threshold=float('-inf'), pad_per_class=False, clip_boxes=True, name=None",
        "image.nms_variants",
        xla="unsupported: no kernel",
        inputs=(
            case(
                "shared",
                max_output_size_per_class=3,
                max_total_size=5,
                boxes=_BATCH,
                scores=_CLASSES,
            ),
            case(
                "of-classes",
                boxes=draw(2, 6, 3, 4, low=-0.5, high=1.5),
                scores=draw(2, 6, 3, low=0, high=1),
                max_output_size_per_class=4,
                max_total_size=7,
                iou_threshold=0.2,
            ),
            case(
                "unclipped",
                boxes=_BATCH,
                scores=_CLASSES,
                max_output_size_per_class=3,
                max_total_size=5,
                clip_boxes=False,
            ),
            case(
                "padded",
                boxes=_BATCH,
                scores=_CLASSES,
                max_output_size_per_class=2,
                max_total_size=50,
                score_threshold=0.4,
                pad_per_class=True,
            ),
            case(
                "long",
                boxes=_BATCH,
                scores=_CLASSES,
                max_output_size_per_class=2,
                max_total_size=9,
                score_threshold=0.4,
            ),
            case(
                "threshold",
                raises="InvalidArgumentError",
                boxes=_BATCH,
                scores=_CLASSES,
                max_output_size_per_class=2,
                max_total_size=9,
                iou_threshold=2.0,
            ),
        ),
        no_gradient="TensorFlow registers no gradient",
        takes="boxes scores: float32",
    ),
)
