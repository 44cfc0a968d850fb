"""`experimental.numpy` has TensorFlow's names, takes lists, and computes the same numbers in 32 bits."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import shims
from shims.experimental import numpy as tnp

A = np.float32([[1.5, -2.0, 0.5], [3.0, 4.0, -1.0]])
B = np.float32([[2.0, 1.0, 3.0], [0.5, 2.0, 5.0]])
CALLS = {
    "a list": lambda n: n.sum([[1, 2], [3, 4]], axis=0),
    "two lists": lambda n: n.add([1, 2], [3, 4]),
    "a list and an array": lambda n: n.maximum([0.0, 1.0, 2.0], n.asarray(A)),
    "sequence": lambda n: n.concatenate([A, B], axis=1),
    "stack": lambda n: n.stack([A, B]),
    "where": lambda n: n.where(A > 0, A, B),
    "matmul": lambda n: n.matmul(A, B.T),
    "einsum": lambda n: n.einsum("ij,kj->ik", A, B),
    "mean": lambda n: n.mean(A, axis=1, keepdims=True),
    "std": lambda n: n.std(A),
    "ptp": lambda n: n.ptp(A, axis=0),
    "fix": lambda n: n.fix(A),
    "flatten": lambda n: n.flatten(n.asarray(A)),
    "asanyarray": lambda n: n.asanyarray([1.0, 2.0], n.float32),
    "linspace": lambda n: n.linspace(n.float32(0), n.float32(1), 5, dtype=n.float32),
    "meshgrid": lambda n: n.meshgrid(n.asarray([1, 2], n.int32), n.asarray([3, 4, 5], n.int32)),
    "sort": lambda n: n.sort(A, axis=0),
    "take": lambda n: n.take(A, [2, 0], axis=1),
    "split": lambda n: n.split(A, 3, axis=1),
    "pad": lambda n: n.pad(A, [[1, 0], [0, 1]], "constant"),
    "tril": lambda n: n.tril(A),
    "clip": lambda n: n.clip(A, -1.0, 1.0),
    "polyval": lambda n: n.polyval(A[0], B[0]),
    "logical_not": lambda n: n.logical_not([True, False]),
}


def test_names():
    theirs = {n for n in dir(tf.experimental.numpy) if not n.startswith("_")}
    assert theirs <= set(dir(tnp))
    for name in theirs:
        assert getattr(tnp, name) is not None or name == "newaxis"
    with pytest.raises(AttributeError, match=r"experimental\.numpy"):
        tnp.no_such_name  # noqa: B018
    theirs = {n for n in dir(tf.experimental.numpy.random) if not n.startswith("_")}
    assert theirs <= set(dir(tnp.random))


@pytest.mark.parametrize("name", CALLS)
def test_values(name):
    got, want = CALLS[name](tnp), CALLS[name](tf.experimental.numpy)
    pairs = zip(got, want, strict=True) if isinstance(want, (list, tuple)) else [(got, want)]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_variables_and_random_numbers():
    assert int(tnp.sum(shims.Variable([1, 2]))) == 3
    tnp.random.seed(3)
    drawn = tnp.random.randn(2, 3), tnp.random.uniform(1.0, 2.0, [4]), tnp.random.rand(2)
    shims.random.set_seed(3)
    again = (
        shims.random.normal([2, 3]),
        shims.random.uniform([4], 1.0, 2.0),
        shims.random.uniform([2]),
    )
    for x, y in zip(drawn, again, strict=True):
        np.testing.assert_array_equal(x, y)
    assert tnp.random.randint(5, size=7).max() < 5
    assert tnp.random.poisson(2.0, [3]).shape == (3,)
    assert tnp.random.normal(size=2).shape == tnp.random.standard_normal(2).shape == (2,)
    assert tnp.random.random().shape == ()
