"""Clouds: dense and sparse ones, points too far away, no cell with enough points."""

import numpy as np


def cases():
    """Yields `(points, features)`."""
    rng = np.random.default_rng(0)
    for count, width in ((40, 0.6), (7, 0.3), (25, 1.5)):
        points = rng.normal(0.0, width, size=(count, 3))
        points[::6] *= 1000.0  # too far away
        yield points.astype(np.float32), rng.normal(size=(count, 2)).astype(np.float32)
    yield np.float32([[0.1, 0.1, 0.1], [9, 9, 9]]), np.ones((2, 2), np.float32)
