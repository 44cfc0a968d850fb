"""A size that changes costs no compilation, up to one per bucket."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from tests.function.compilations import counted

LENGTHS = np.random.default_rng(0).integers(1, 1001, 1000)


def test_the_counter_sees_compilations():
    f = jax.jit(lambda x: x * 3)
    with counted() as compilations:
        for n in (3, 4, 3):
            f(np.ones(n, np.float32))
    assert compilations.count == 2


def test_a_thousand_lengths_cost_at_most_twelve_compilations():
    fn = tf.function(
        lambda x: (x - x.mean(), jnp.cumsum(x)[-1]), input_signature=[tf.TensorSpec([None])]
    )
    with counted() as compilations:
        for n in LENGTHS:
            x = np.arange(n, dtype=np.float32)
            centered, total = fn(x)
            assert centered.shape == (n,)
            np.testing.assert_allclose(total, x.sum(), rtol=1e-5)
    np.testing.assert_allclose(centered, x - x.mean(), rtol=1e-5, atol=1e-3)
    assert compilations.count <= 12


def test_a_thousand_lengths_of_device_arrays_cost_at_most_twelve_compilations():
    fn = tf.function(lambda x: x * 2, input_signature=[tf.TensorSpec([None])])
    arrays = [jax.device_put(np.ones(n, np.float32)) for n in LENGTHS]
    with counted() as compilations:
        for x in arrays:
            assert fn(x).shape == x.shape
    assert compilations.count <= 12


def test_two_unknown_inputs_that_agree_share_their_buckets():
    fn = tf.function(
        lambda x, y: jnp.mean((x.sum(1) - y) ** 2),
        input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None])],
    )
    with counted() as compilations:
        for n in LENGTHS[:200]:
            fn(np.ones((n, 3), np.float32), np.ones(n, np.float32))
    assert compilations.count <= 12


def test_masks_of_any_count_cost_one_compilation():
    fn = tf.function(lambda x, m: tf.boolean_mask(x, m))
    rng = np.random.default_rng(1)
    x = np.arange(50, dtype=np.float32)
    with counted() as compilations:
        for chance in np.linspace(0.02, 0.98, 100):
            m = rng.uniform(size=50) < chance
            np.testing.assert_array_equal(fn(x, m), x[m])
    assert compilations.count == 1


def test_a_list_of_buckets_is_what_is_compiled():
    fn = tf.function(
        lambda x: x.sum(), input_signature=[tf.TensorSpec([None])], buckets=[10, 100, 1000]
    )
    with counted() as compilations:
        for n in LENGTHS[LENGTHS > 1][:200]:
            assert float(fn(np.ones(n, np.float32))) == n
    assert compilations.count <= 3


def test_one_capacity_is_one_compilation():
    fn = tf.function(lambda x: x.sum(), input_signature=[tf.TensorSpec([None])], buckets=1000)
    with counted() as compilations:
        for n in LENGTHS[LENGTHS > 1][:100]:
            assert float(fn(np.ones(n, np.float32))) == n
    assert compilations.count == 1


def test_precompiled_buckets_cost_nothing_later():
    fn = tf.function(lambda x: x.sum(), input_signature=[tf.TensorSpec([None])], buckets=[16, 64])
    fn.precompile(sizes=[16, 64])
    with counted() as compilations:
        for n in (2, 16, 17, 64):
            assert float(fn(np.ones(n, np.float32))) == n
    assert compilations.count == 0


def test_a_guarded_program_compiles_once_per_decision_and_bucket():
    fn = tf.function(
        lambda x: x.sum() if x.shape[0] > 20 else x.prod(), input_signature=[tf.TensorSpec([None])]
    )
    with counted() as compilations:
        for n in (18, 19, 20, 21, 22, 30, 18, 29):
            fn(np.ones(n, np.float32))
    assert compilations.count == 2


@pytest.mark.parametrize("rule", [lambda n: n - 1, lambda n: n * 1.5], ids=["less", "fraction"])
def test_a_rule_without_a_capacity_is_an_error(rule):
    """It did not count as a program that needs constant sizes."""
    fn = tf.function(lambda x: x.sum(), input_signature=[tf.TensorSpec([None])], buckets=rule)
    with pytest.raises(tf.CapacityError, match="an integer that is at least 7"):
        fn(np.ones(7, np.float32))
