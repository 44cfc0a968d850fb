"""Compose pipelines at random, from a seed, of a source and a few transformations."""

from __future__ import annotations

import random

import numpy as np

from .pipelines import D, lengths, ragged, texts

SOURCES = [
    lambda m, r: D(m).range(r.randrange(12)),
    lambda m, r: D(m).from_tensor_slices(np.arange(r.randrange(1, 12), dtype=np.int32)),
    lambda m, r: D(m).from_tensor_slices((np.arange(8), np.arange(16.0).reshape(8, 2))),
    lambda m, r: D(m).from_tensor_slices({"a": np.arange(7), "b": np.arange(7) % 3 == 0}),
    lambda m, r: texts(m).repeat(r.randrange(1, 3)),
    lambda m, r: lengths(m, tuple(r.randrange(5) for _ in range(6))),
    lambda m, r: D(m).from_tensor_slices(ragged(m, [[1, 2], [3], [], [4, 5, 6]])),
    lambda m, r: D(m).zip((D(m).range(6), D(m).range(9).filter(lambda x: x % 2 == 0))),
]

STEPS = [
    lambda m, ds, r: ds.take(r.randrange(6)),
    lambda m, ds, r: ds.skip(r.randrange(4)),
    lambda m, ds, r: ds.repeat(r.randrange(3)),
    lambda m, ds, r: ds.shuffle(r.randrange(1, 9), seed=r.choice([None, 3, 5])),
    lambda m, ds, r: ds.shuffle(r.randrange(1, 9), r.randrange(9), r.choice([True, False])),
    lambda m, ds, r: ds.shard(r.choice([2, 3]), r.randrange(2)),
    lambda m, ds, r: ds.batch(r.randrange(1, 4), drop_remainder=r.choice([True, False])),
    lambda m, ds, r: ds.cache(),
    lambda m, ds, r: ds.prefetch(r.randrange(1, 3)),
    lambda m, ds, r: ds.enumerate(r.randrange(3)),
    lambda m, ds, r: ds.map(lambda *x: x if len(x) > 1 else x[0]),
    lambda m, ds, r: ds.map(lambda *x: {"x": x, "n": np.int32(3)}),
    lambda m, ds, r: (
        ds.window(r.randrange(1, 4), r.randrange(1, 4), 1, True).flat_map(
            lambda *w: D(m).zip(
                tuple(d if hasattr(d, "batch") else next(iter(d.values())) for d in w)
            )
        )
        if not isinstance(ds.element_spec, dict)
        else ds
    ),
    lambda m, ds, r: ds.concatenate(ds.take(2)),
    lambda m, ds, r: D(m).zip((ds, D(m).counter())),
    lambda m, ds, r: ds.interleave(
        lambda *x: D(m).from_tensors(x).repeat(2), cycle_length=r.randrange(1, 4), block_length=1
    ),
    lambda m, ds, r: ds.enumerate().filter(lambda i, x: i % 3 != 1).map(lambda i, x: x),
    lambda m, ds, r: ds.enumerate().take_while(lambda i, x: i < 5),
    lambda m, ds, r: D(m).choose_from_datasets(
        [ds, ds.take(2)],
        D(m).from_tensor_slices(np.array([0, 1, 1, 0, 0, 1, 0])),
        r.choice([True, False]),
    ),
    lambda m, ds, r: D(m).sample_from_datasets([ds, ds.skip(1)], [0.3, 0.7], seed=r.randrange(9)),
    lambda m, ds, r: ds.batch(2, drop_remainder=True).unbatch(),
    lambda m, ds, r: ds.unbatch(),
    lambda m, ds, r: ds.ragged_batch(2),
    lambda m, ds, r: ds.padded_batch(2),
    lambda m, ds, r: ds.group_by_window(
        lambda *x: np.int64(0), lambda k, g: g.take(2).skip(1), window_size=r.randrange(1, 4)
    ),
]


def composed(seed: int):
    """Return a function of the module that makes a pipeline, the same one whenever it is called."""

    def build(m):
        chosen = random.Random(seed)
        ds = chosen.choice(SOURCES)(m, chosen)
        for _ in range(chosen.randrange(1, 6)):
            ds = chosen.choice(STEPS)(m, ds, chosen)
        return ds

    return build
