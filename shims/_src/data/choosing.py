"""Draw the datasets from which the next elements come, with TensorFlow's random numbers."""

from __future__ import annotations

import numpy as np

from shims._src.data import batching, combining, mapping, sources
from shims._src.data.node import Node
from shims._src.data.random_numbers import SeedSource
from shims._src.random.categorical import stateless_categorical
from shims._src.types.host_tensor import host


def sampled(choices: list[Node], weights, seed, stops_on_empty: bool, changes: bool) -> Node:
    """Return elements of datasets that are drawn with fixed probabilities.

    Raises:
      ValueError: the weights are not one number per dataset.
    """
    if weights is None:
        logits = np.ones((1, len(choices)), np.float32)
    else:
        given = np.asarray(weights)
        if given.shape != (len(choices),):
            raise ValueError(
                f"Invalid `weights`. The shape of `weights` should be {(len(choices),)} but is "
                f"{given.shape}."
            )
        wide = given.astype(np.float64 if given.dtype == np.float64 else np.float32)
        if isinstance(weights, (list, tuple)):
            wide = wide.astype(np.float32)
        used = [i for i, w in enumerate(wide) if w > 0]
        if not stops_on_empty:
            choices, wide = [choices[i] for i in used], wide[used]
        with np.errstate(divide="ignore"):
            logits = np.log(wide)[None]
    if len(choices) == 1:
        return choices[0]
    pairs = batching.Batch(sources.Random(SeedSource(seed, changes)), 2, False)
    return combining.Choose(_drawn(pairs, logits), choices, stops_on_empty)


def _drawn(pairs: Node, logits) -> Node:
    def draw(pair):
        return host(
            np.asarray(stateless_categorical(logits, 1, _words(pair)))[0, 0].astype(np.int64)
        )

    return mapping.Map(pairs, draw)


def _words(pair) -> np.ndarray:
    """Return two 64-bit seeds as pairs of words, which do not depend on the precision of JAX."""
    numbers = np.asarray(pair).astype(np.uint64)
    return np.stack([numbers & np.uint64(0xFFFFFFFF), numbers >> np.uint64(32)], axis=1).astype(
        np.uint32
    )


def by_weights(weights: Node, choices: list[Node], seed, stops_on_empty: bool) -> Node:
    """Return elements of datasets that are drawn with probabilities that a dataset gives."""
    pairs = batching.Batch(sources.Random(SeedSource(seed, False)), 2, False)

    def draw(weight, pair):
        with np.errstate(divide="ignore"):
            logits = np.log(np.asarray(weight))[None]
        return host(
            np.asarray(stateless_categorical(logits, 1, _words(pair)))[0, 0].astype(np.int64)
        )

    selector = mapping.Map(combining.Zip((weights, pairs)), draw)
    return combining.Choose(selector, choices, stops_on_empty)
