"""Operators on what is left of a selection when ends are cut off: of a size like `n - 1`, and maybe none.

JAX asks whether such an axis is long enough to be read, which only the run knows.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

CUTS = {
    "first": lambda y: y[1:],
    "last": lambda y: y[:-1],
    "two": lambda y: y[2:],
    "both": lambda y: y[1:-1],
}
INPUTS = ([1, -1, 2, 2, 3], [3, 1, 2, 1], [-1], [1], [2, 1])


def halves(t, y):
    return t.range(t.size(y)) // 2


PROGRAMS = {
    "unique": lambda t, y: t.unique(y)[0],
    "gather": lambda t, y: t.gather(y, halves(t, y)),
    "gather_rows": lambda t, y: t.gather(t.stack([y, y], 1), halves(t, y)),
    "gather_nd": lambda t, y: t.gather_nd(y, t.where(y > 1.5)),
    "embedding_lookup": lambda t, y: t.nn.embedding_lookup(t.stack([y, y], 1), halves(t, y)),
    "top_k": lambda t, y: t.math.top_k(y, t.minimum(t.size(y), 2))[0],
    "searchsorted": lambda t, y: t.searchsorted(t.sort(y), y),
    "repeat": lambda t, y: t.repeat(y, t.cast(y, t.int32)),
    "roll": lambda t, y: t.roll(y, 1, 0),
    "roll_back_by_a_number": lambda t, y: t.roll(y, -(t.size(y) // 2), 0),
    "every_other": lambda t, y: y[::2],
    "mirrored": lambda t, y: t.cond(
        t.size(y) > 0, lambda: t.pad(y, [[1, 0]], "SYMMETRIC"), lambda: y
    ),
    "last_if_there_is_one": lambda t, y: t.cond(t.size(y) > 0, lambda: y[-1], lambda: 0.0),
    "non_max_suppression": lambda t, y: t.image.non_max_suppression(
        t.stack([y, y, y + 1, y + 2], 1), y, 2
    ),
    "reverse_sequence": lambda t, y: t.reverse_sequence(
        t.stack([y, y], 0), [t.size(y), 0], seq_axis=1
    ),
    "segment_sum": lambda t, y: t.math.segment_sum(y, halves(t, y)),
    "unsorted_segment_max": lambda t, y: t.math.unsorted_segment_max(y, halves(t, y), 3),
    "dynamic_stitch": lambda t, y: t.dynamic_stitch([t.range(t.size(y))], [y]),
    "ragged_sums": lambda t, y: t.reduce_sum(t.RaggedTensor.from_value_rowids(y, halves(t, y)), 1),
    "band_part": lambda t, y: t.linalg.band_part(y[:, None] * y[None], 0, 0),
    "sort": lambda t, y: t.sort(y),
    "map_fn": lambda t, y: t.map_fn(lambda e: e * e, y),
    "scan": lambda t, y: t.scan(lambda a, e: a + e, y, 0.0),
}


def function(t, program, cut):
    def run(x):
        return program(t, cut(t.boolean_mask(x, x > 0)))

    return t.function(run, [t.TensorSpec([None], t.float32)], autograph=False)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_in_a_function(name, cut):
    ours, theirs = (function(t, PROGRAMS[name], CUTS[cut]) for t in (shims, tf))
    for numbers in INPUTS:
        x = np.float32(numbers)
        np.testing.assert_allclose(ours(x), theirs(tf.constant(x)), rtol=1e-6)


@pytest.mark.parametrize("cut", [*CUTS.values(), lambda y: 2.0 * y[1:][:-1]])
def test_gradient_of_the_last(cut):
    def differentiated(t):
        def run(x):
            with t.GradientTape() as tape:
                tape.watch(x)
                z = cut(t.repeat(t.boolean_mask(x, x > 0), 2))[-1] ** 2
            return z, t.convert_to_tensor(tape.gradient(z, x))

        return t.function(run, [t.TensorSpec([None], t.float32)], autograph=False)

    ours, theirs = differentiated(shims), differentiated(tf)
    for numbers in ([1, -1, 2, 2, 3], [3, 1], [-1, 2, 2]):
        x = np.float32(numbers)
        for got, want in zip(ours(x), theirs(tf.constant(x)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6)


def test_the_last_of_none_is_refused():
    for cut, numbers in (("first", [1]), ("two", [1]), ("two", [1, 2]), ("both", [-1])):
        with pytest.raises(shims.errors.InvalidArgumentError):
            function(shims, lambda t, y: y[-1], CUTS[cut])(np.float32(numbers))
