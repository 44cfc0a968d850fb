"""Sums of sorted segments are right where they are added in stripes."""

import numpy as np
import pytest
import tensorflow as tf

import shims

SPECS = [shims.TensorSpec([None]), shims.TensorSpec([None], shims.int32)]


@pytest.mark.parametrize("rows", [1 << 16, 70_000])
def test_segment_sum(rows):
    random = np.random.default_rng(0)
    x = random.normal(size=rows).astype(np.float32)
    ids = np.sort(random.integers(0, 50, rows)).astype(np.int32)
    got = shims.function(shims.math.segment_sum, input_signature=SPECS)(x, ids)
    np.testing.assert_allclose(got, tf.math.segment_sum(x, ids), rtol=1e-4, atol=1e-3)
