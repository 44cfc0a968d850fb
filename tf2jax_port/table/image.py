"""Rows of `tf.image`."""

from __future__ import annotations

from tf2jax_port.table.row import Row, Shim

ROWS: tuple[Row, ...] = (
    Row(
        "image.non_max_suppression",
        "boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'), name=None",
        Shim("shims.image.non_max_suppression"),
        own="nms.non_max_suppression",
        tensors=("boxes", "scores"),
        fresh=True,
    ),
)
