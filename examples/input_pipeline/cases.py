"""Padded batches of sentences, and the table that training starts with."""

import numpy as np

WORDS = 20


def table():
    """Return a vector for each word."""
    return np.random.default_rng(1).normal(size=(WORDS, 3)).astype(np.float32)


def cases():
    """Yields `(table, tokens, scores)`."""
    rng = np.random.default_rng(2)
    for lengths in ([3, 4, 2], [7], [9, 12], [2, 2, 2, 2]):
        tokens = np.zeros((len(lengths), max(lengths)), np.int32)
        for row, length in zip(tokens, lengths, strict=True):
            row[:length] = rng.integers(1, WORDS, size=length)
        yield table(), tokens, rng.normal(size=len(lengths)).astype(np.float32)
