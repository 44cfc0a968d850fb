"""Batches of sets: all measurements made, some, one; some sets without a label."""

import numpy as np


def cases(count=6):
    """Yields `(sets, made, labels)`."""
    rng = np.random.default_rng(0)
    for n in range(count):
        rows, size = ((3, 5), (4, 7), (2, 2), (1, 3))[n % 4]
        made = rng.random((rows, size)) < 0.6
        made[:, 0] = True
        labels = rng.integers(-1, 3, size=rows)
        labels[0] = n % 3
        yield rng.normal(size=(rows, size, 4)).astype(np.float32), made, labels.astype(np.int32)
