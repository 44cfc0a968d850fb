"""Infinity in a matrix gives TensorFlow's NaN; LAPACK by itself may search singular values for ever.

Every number of a result is NaN, or a rank: equality holds on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

_PROGRAMS = {
    "svd": lambda m, x: m.linalg.svd(x, compute_uv=False),
    "vectors": lambda m, x: m.linalg.svd(x),
    "pinv": lambda m, x: m.linalg.pinv(x),
    "norm": lambda m, x: m.norm(x, 2, axis=[-2, -1]),
    "matrix_rank": lambda m, x: m.linalg.matrix_rank(x),
}


def _matrices(shape):
    """One matrix for each place, with an infinity there."""
    count = shape[0] * shape[1]
    out = np.tile(np.random.default_rng(7).random(shape, np.float32), (count, 1, 1))
    out.reshape(count, count)[range(count), range(count)] = np.inf
    return np.concatenate([out, -out])


def _check(run):
    ours, theirs = run(shims), run(tf)
    pairs = zip(tf.nest.flatten(ours), tf.nest.flatten(theirs), strict=True)
    for found, wanted in pairs:
        np.testing.assert_array_equal(np.asarray(found), wanted.numpy())


@pytest.mark.parametrize("name", _PROGRAMS)
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 5)], ids=str)
def test_as_tensorflow(name, shape):
    arrays = _matrices(shape)
    _check(lambda m: _PROGRAMS[name](m, m.constant(arrays)))


@pytest.mark.parametrize("name", _PROGRAMS)
def test_in_a_function(name):
    arrays = _matrices((3, 3))

    def run(m):
        spec = [m.TensorSpec([None, None, None])]
        program = m.function(lambda x: _PROGRAMS[name](m, x), spec, autograph=False)
        return program(m.constant(arrays))

    _check(run)


def test_logarithms():
    arrays = _matrices((3, 3)).astype(np.complex64)
    for m in (tf, shims):
        assert np.isnan(np.asarray(m.linalg.logm(m.constant(arrays)))).all()
