"""Voxels of a point cloud: points that share a cell become one row, with means and counts."""

import tensorflow as tf

CELL = 0.5
GRID = 1000  # cells along an axis
LEAST = 2  # points that a cell needs


def cell_of(points):
    """Return a number for the cell of each point."""
    cells = tf.cast(tf.floor(points / CELL), tf.int32) + GRID // 2
    return (cells[:, 0] * GRID + cells[:, 1]) * GRID + cells[:, 2]


@tf.function(
    input_signature=[
        tf.TensorSpec([None, 3], tf.float32),
        tf.TensorSpec([None, None], tf.float32),
    ]
)
def voxels(points, features):
    """Return centers, mean features and spread of the cells with enough points, and their counts."""
    near = tf.reduce_max(tf.abs(points), axis=1) < 100.0
    points, features = tf.boolean_mask(points, near), tf.boolean_mask(features, near)
    cells, slot, counts = tf.unique_with_counts(cell_of(points))
    size = tf.size(cells)
    center = tf.math.unsorted_segment_mean(points, slot, size)
    mean = tf.math.unsorted_segment_mean(features, slot, size)
    offset = points - tf.gather(center, slot)
    spread = tf.math.unsorted_segment_max(tf.reduce_sum(offset * offset, axis=1), slot, size)
    full = counts >= LEAST
    return (
        tf.boolean_mask(center, full),
        tf.boolean_mask(mean, full),
        tf.boolean_mask(spread, full),
        tf.boolean_mask(counts, full),
    )
