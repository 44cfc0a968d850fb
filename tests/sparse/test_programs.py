"""Every program of the table equals TensorFlow: eagerly, and inside functions for all sizes."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences, report

from .programs import MATRICES, PROGRAMS

_CHUNK = 10
CHUNKS = [
    pytest.param(PROGRAMS[start : start + _CHUNK], id=str(start))
    for start in range(0, len(PROGRAMS), _CHUNK)
]


def _pair(matrix):
    return tuple(m.sparse.from_dense(np.asarray(matrix, np.float32)) for m in (tf, shims))


@pytest.mark.parametrize("size", MATRICES)
def test_eagerly(size):
    theirs, ours = _pair(MATRICES[size])
    programs = [p for p in PROGRAMS if size != "one-row" or not p[0].startswith("slice-")]
    report({name: differences(f(shims, ours), f(tf, theirs), 2e-6) for name, f in programs})


@pytest.mark.parametrize("programs", CHUNKS)
def test_inside_a_function(programs):
    """The number of values depends on a threshold: all of them, some, one, none."""

    @shims.function(
        input_signature=[shims.SparseTensorSpec([None, 4]), shims.TensorSpec([], np.float32)]
    )
    def run(sp, threshold):
        sp = shims.sparse.retain(sp, sp.values > threshold)
        return [f(shims, sp) for _, f in programs]

    theirs, ours = _pair(MATRICES["others"])
    found = {}
    for threshold in np.float32([-9, 0, 1.5, 9]):
        left = tf.sparse.retain(theirs, theirs.values > threshold)
        for (name, f), result in zip(programs, run(ours, threshold), strict=True):
            found[f"{name} above {threshold}"] = differences(result, f(tf, left), 2e-6)
    report(found)
