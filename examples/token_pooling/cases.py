"""Sentences of one to nine tokens; one sentence alone; one token alone."""

import numpy as np


def cases():
    """Yields `(tokens, lengths, query)`."""
    rng = np.random.default_rng(0)
    for lengths in ([3, 1, 5], [9], [1], [2, 2, 2, 2]):
        tokens = rng.normal(size=(sum(lengths), 4)).astype(np.float32)
        query = rng.normal(size=4).astype(np.float32)
        yield tokens, np.array(lengths, np.int32), query
