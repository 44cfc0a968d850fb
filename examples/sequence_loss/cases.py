"""Batches of translations: ends in the middle, none, at once; padding; one token."""

import numpy as np


def cases():
    """Yields `(logits, labels)`."""
    rng = np.random.default_rng(0)
    for rows, length in ((3, 7), (1, 1), (2, 9)):
        labels = rng.integers(2, 6, size=(rows, length))
        labels[0, length // 2 :] = 1  # END, and END again behind it
        labels[-1, length - 1] = 0
        yield rng.normal(size=(rows, length, 6)).astype(np.float32), labels.astype(np.int32)
    yield rng.normal(size=(2, 3, 6)).astype(np.float32), np.zeros((2, 3), np.int32)  # only PAD
