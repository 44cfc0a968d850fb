"""A tape around a function whose result has no elements: zeros, or TensorFlow's NaN, and never `None`."""

import numpy as np
import pytest
import tensorflow as tf

import shims

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


def test_a_transform_of_nothing():
    def slopes(t):
        x = t.zeros([0])
        with t.GradientTape() as tape:
            tape.watch(x)
            result = t.abs(t.signal.rfft(x))
        return np.asarray(tape.gradient(result, x))

    found, want = slopes(shims), slopes(tf)
    assert (found.shape, found.dtype) == (want.shape, want.dtype)
