"""Batches of visitors, each of whom did one thing or more."""

import numpy as np


def batch_of(rng, lengths):
    """Return the inputs of the graph by name."""
    lengths = np.asarray(lengths, np.int32)
    events = rng.normal(size=(len(lengths), lengths.max(), 3)).astype(np.float32)
    best = np.array([e[:n, 0].max() for e, n in zip(events, lengths, strict=True)])
    return {"events": events, "lengths": lengths, "bought": (best > 0.8).astype(np.float32)}


def batches(count, seed=0):
    """Yields what a step of training is fed."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield batch_of(rng, rng.integers(1, 9, size=16))


def requests():
    """Yields what a service is asked: some visitors, one with many events, one with one."""
    rng = np.random.default_rng(2)
    for lengths in ([3, 1, 5], [12], [1], [2, 2, 2, 2]):
        yield batch_of(rng, lengths)
