"""Voxels of a point cloud: points that share a cell become one row, with means and counts."""

import jax.numpy as jnp
import shims

CELL = 0.5
GRID = 1000  # cells along an axis
LEAST = 2  # points that a cell needs


def cell_of(points):
    """Return a number for the cell of each point."""
    cells = jnp.floor(points / CELL).astype(jnp.int32) + GRID // 2
    return (cells[:, 0] * GRID + cells[:, 1]) * GRID + cells[:, 2]


@shims.function(
    input_signature=[
        shims.TensorSpec([None, 3], jnp.float32),
        shims.TensorSpec([None, None], jnp.float32),
    ]
)
def voxels(points, features):
    """Return centers, mean features and spread of the cells with enough points, and their counts."""
    near = jnp.max(jnp.abs(points), axis=1) < 100.0
    points, features = shims.boolean_mask(points, near), shims.boolean_mask(features, near)
    cells, slot, counts = shims.unique_with_counts(cell_of(points))
    size = shims.size(cells)
    center = shims.math.unsorted_segment_mean(points, slot, size)
    mean = shims.math.unsorted_segment_mean(features, slot, size)
    offset = points - shims.gather(center, slot)
    spread = shims.math.unsorted_segment_max(shims.reduce_sum(offset * offset, axis=1), slot, size)
    full = counts >= LEAST
    return (
        shims.boolean_mask(center, full),
        shims.boolean_mask(mean, full),
        shims.boolean_mask(spread, full),
        shims.boolean_mask(counts, full),
    )
