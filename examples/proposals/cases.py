"""Images with many anchors, few, and one."""

import numpy as np


def cases():
    """Yields `(scores, deltas, anchors, image_size)`."""
    rng = np.random.default_rng(0)
    for count, spread in ((60, 0.3), (5, 0.1), (17, 0.6)):
        corner = rng.uniform(0.0, 48.0, size=(count, 2))
        anchors = np.concatenate([corner, corner + rng.uniform(2.0, 24.0, size=(count, 2))], axis=1)
        deltas = rng.normal(0.0, spread, size=(count, 4))
        arguments = rng.normal(size=count), deltas, anchors, [64.0, 56.0]
        yield tuple(np.asarray(a, np.float32) for a in arguments)
    one = [1.0], np.zeros((1, 4)), [[9.0, 9.0, 30.0, 20.0]], [64.0, 56.0]
    yield tuple(np.asarray(a, np.float32) for a in one)
