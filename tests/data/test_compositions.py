"""Pipelines composed at random give TensorFlow's elements, specs and cardinality, or its kind of error."""

from __future__ import annotations

import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import outcome

from .compositions import composed
from .observing import observed

# TensorFlow refuses to repeat a shuffled dataset no times, and its own `cache` of a choice.
TENSORFLOW_FAILS = {251, 253, 406, 442}


def check(seed: int) -> None:
    """Fail unless both libraries agree on a composition."""
    want = outcome(observed, tf, composed(seed))
    got = outcome(observed, shims, composed(seed))
    if seed in TENSORFLOW_FAILS:
        assert want.error is not None
    elif want.error is None:
        assert got.error is None, f"composition {seed}: {got.error!r}"
        assert got.result == want.result, f"composition {seed}"
    else:
        assert got.error is not None, f"composition {seed}: should raise {want.error!r}"


@pytest.mark.parametrize("seed", range(30))
def test_composition(seed):
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(30, 500, 10))
def test_more_compositions(start):
    for seed in range(start, start + 10):
        check(seed)
