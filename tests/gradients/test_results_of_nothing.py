"""A tape around a function whose result has no elements: zeros, or TensorFlow's NaN, and never `None`.

What is compared exactly are zeros, ones, infinities, NaN and quotients of them, on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same

RESULTS = {
    "boolean_mask": lambda t, x, m: t.boolean_mask(x, m),
    "of a logarithm": lambda t, x, m: t.boolean_mask(t.math.log(x), m),
    "slice": lambda t, x, m: t.boolean_mask(x * x, m)[1:],
    "gather": lambda t, x, m: t.gather(x, t.where(m)[:, 0]),
    "repeat": lambda t, x, m: t.repeat(x, t.cast(m, t.int32)),
    "rows": lambda t, x, m: t.boolean_mask(t.stack([x, x], 1), m),
    "columns": lambda t, x, m: t.boolean_mask(t.stack([x, x]), m, axis=1),
    "partition": lambda t, x, m: t.dynamic_partition(t.sqrt(x), t.cast(m, t.int32), 2)[1],
    "pairs": lambda t, x, m: t.boolean_mask(x, m)[:, None] * t.boolean_mask(x, m)[None],
}


@pytest.mark.parametrize("name", RESULTS)
def test_around(name):
    def slopes(t, function, mask):
        x = t.constant([0.0, 1.0, 2.0])
        with t.GradientTape() as tape:
            tape.watch(x)
            result = function(x, t.constant(np.array(mask, bool)))
        gradient = tape.gradient(result, x)
        assert gradient is not None
        return np.asarray(t.convert_to_tensor(gradient))

    theirs = lambda x, m: RESULTS[name](tf, x, m)
    ours = shims.function(lambda x, m: RESULTS[name](shims, x, m), autograph=False)
    for mask in ([0, 0, 0], [0, 1, 0], [0, 1, 1]):
        found, want = slopes(shims, ours, mask), slopes(tf, theirs, mask)
        np.testing.assert_allclose(found, want, rtol=1e-6, err_msg=f"{mask}")


def _places(t, *sizes):
    return t.zeros(sizes, t.int32)


OF_NOTHING = {
    "rfft": (lambda t, x: t.abs(t.signal.rfft(x)), [(0,)]),
    "frame": (lambda t, x: t.signal.frame(x, 2, 1, pad_end=True, pad_value=9), [(0,)]),
    "scatter_nd": (lambda t, x: t.scatter_nd(_places(t, 0, 2), x, [4, 6, 7]), [(0, 7)]),
    "scatter_nd_add": (
        lambda t, x, y: t.tensor_scatter_nd_add(x, _places(t, 0, 1), y),
        [(4, 3), (0, 3)],
    ),
    "scatter_nd_sub": (
        lambda t, x, y: t.tensor_scatter_nd_sub(x, _places(t, 0, 1), y),
        [(4, 3), (0, 3)],
    ),
    "crop_and_resize": (
        lambda t, x, y: t.image.crop_and_resize(x, y, _places(t, 0), [2, 2]),
        [(1, 3, 3, 1), (0, 4)],
    ),
    "set_diag": (lambda t, x, y: t.linalg.set_diag(x, y), [(2, 0, 3), (2, 0)]),
}


@pytest.mark.parametrize("name", OF_NOTHING)
def test_operands_of_nothing(name):
    function, sizes = OF_NOTHING[name]

    def slopes(t):
        given = [t.zeros(size) for size in sizes]
        with t.GradientTape() as tape:
            tape.watch(given)
            result = function(t, *given)
        return [np.asarray(g) for g in tape.gradient(result, given)]

    for found, want in zip(slopes(shims), slopes(tf), strict=True):
        assert_same(found, want, EXACT, Dtypes.SAME)


@pytest.mark.parametrize("calls", [1, 6], ids=["padded", "as-it-is"])
@pytest.mark.parametrize("shape", [(0, 2), (0,), (2, 0), (1, 2)], ids=str)
def test_positions_that_are_none(shape, calls):
    """A function called again and again is compiled for its sizes as they are."""

    def rows(t, x, places):
        return t.gather(t.math.log(x), places), t.gather(t.reduce_max(x, 0), places)

    def slopes(t, function):
        x, places = t.constant([[0.0, 1.0], [np.inf, 0.0], [2.0, np.nan]]), _places(t, *shape)
        for _ in range(calls):
            with t.GradientTape() as tape:
                tape.watch(x)
                result = function(x, places)
        return np.asarray(t.convert_to_tensor(tape.gradient(result, x)))

    signature = [shims.TensorSpec([None, None]), shims.TensorSpec([None] * len(shape), np.int32)]
    ours = shims.function(lambda *g: rows(shims, *g), input_signature=signature, autograph=False)
    theirs = slopes(tf, lambda *g: rows(tf, *g))
    np.testing.assert_array_equal(slopes(shims, ours), theirs)
