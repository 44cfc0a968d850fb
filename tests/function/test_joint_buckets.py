"""Check that several unknown input sizes do not multiply compilations."""

from __future__ import annotations

import itertools
import warnings

import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.function.joint_buckets import MANY, JointBuckets

RNG = np.random.default_rng(0)


def _capacities(joint, calls):
    return [joint.choose(tuple(max(8, 1 << (n - 1).bit_length()) for n in c)) for c in calls]


@pytest.mark.parametrize("number", [2, 3, 5])
@pytest.mark.parametrize("largest", [40, 2_000, 2**27])
def test_combinations_are_few_and_suffice(number, largest):
    calls = np.exp(RNG.uniform(np.log(2), np.log(largest), (2_000, number))).astype(int).tolist()
    chosen = _capacities(JointBuckets(), calls)
    assert all(c >= n for call, caps in zip(calls, chosen, strict=True) for n, c in zip(call, caps))
    assert len(set(chosen)) <= 40 + number * largest.bit_length() // 2
    assert max(max(c) for c in chosen) < 2 * largest


def test_the_first_combinations_have_the_smallest_buckets():
    calls = [(9, 100), (30, 1_000), (9, 120)]
    assert _capacities(JointBuckets(), calls) == [(16, 128), (32, 1024), (16, 128)]


def test_one_size_keeps_its_buckets():
    sizes = [(n,) for n in range(2, 5_000, 7)]
    assert all(c < max(2 * n, 9) for (n,), (c,) in zip(sizes, _capacities(JointBuckets(), sizes)))


def test_a_function_of_three_sizes_compiles_rarely_and_exactly():
    @shims.function(input_signature=[shims.TensorSpec([None])] * 3)
    def f(a, b, c):
        return jnp.sum(a[a > 0]) + jnp.mean(b) * jnp.max(c), c[c > 0]

    for _ in range(40):
        a, b, c = (RNG.normal(size=int(n)).astype(np.float32) for n in RNG.integers(2, 100, 3))
        total, kept = f(a, b, c)
        np.testing.assert_allclose(total, a[a > 0].sum() + b.mean() * c.max(), rtol=1e-4)
        np.testing.assert_array_equal(kept, c[c > 0])
    assert f.stats().compilations <= 24


def test_equal_sizes_run_the_program_for_different_ones():
    f = shims.function(lambda a, b: jnp.sum(a) - jnp.sum(b), reduce_retracing=True)
    for n, m in ((20, 30), (25, 25), (31, 31)):
        assert float(f(np.ones(n, np.float32), np.ones(m, np.float32))) == n - m
    assert f.stats().traces == 1


def test_many_combinations_of_given_buckets_warn_with_a_remedy():
    f = shims.function(
        lambda a, b: jnp.sum(a) + jnp.sum(b), reduce_retracing=True, buckets=lambda n: n
    )
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for n, m in itertools.islice(itertools.combinations(range(2, 20), 2), MANY + 3):
            f(np.ones(n, np.float32), np.ones(m, np.float32))
    found = [str(w.message) for w in seen if w.category is shims.errors.SpecializationWarning]
    assert len(found) == 1
    assert "powers_of_two" in found[0]
