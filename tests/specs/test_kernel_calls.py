"""Calls of TensorFlow's own kernel tests: value and dtype, eagerly and in a function."""

import jax
import numpy as np
import pytest
import tensorflow

import shims
from tests.specs.kernel_calls import CALLS

NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def leaves(tree):
    flat = tensorflow.nest.flatten(tree, expand_composites=True)
    return [np.asarray(x) for x in flat]


def assert_equal(ours, theirs):
    assert len(ours) == len(theirs)
    for got, expected in zip(ours, theirs, strict=True):
        assert got.dtype.name == NARROW.get(expected.dtype.name, expected.dtype.name)
        wide = complex if got.dtype.kind == "c" else np.float64
        np.testing.assert_array_equal(got.astype(wide), expected.astype(wide))


@pytest.mark.parametrize("name", CALLS)
def test_as_tensorflow(name):
    expected = leaves(CALLS[name](tensorflow))
    assert_equal(list(map(np.asarray, jax.tree.leaves(CALLS[name](shims)))), expected)
    staged = shims.function(lambda: CALLS[name](shims), autograph=False)
    assert_equal(list(map(np.asarray, jax.tree.leaves(staged()))), expected)
