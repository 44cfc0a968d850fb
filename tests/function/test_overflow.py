"""More than the capacity is never silent: it grows, raises, or is an error value."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from tests.function.compilations import counted


def test_an_unbounded_range_grows_at_the_top_level():
    fn = tf.function(lambda k: tf.range(k))
    for k in (3, 1000, 0, 1, 40, 1000):
        assert fn(np.int32(k)).tolist() == list(range(k))


def test_growing_reruns_once_and_is_remembered():
    fn = tf.function(lambda k: tf.range(k).sum())
    fn(np.int32(3))
    with counted() as compilations:
        assert int(fn(np.int32(5000))) == 5000 * 4999 // 2
    assert compilations.count == 1
    with counted() as compilations:
        assert int(fn(np.int32(4990))) == 4990 * 4989 // 2
        assert int(fn(np.int32(2))) == 1
    assert compilations.count == 0


def test_a_stated_bound_that_is_exceeded_grows_at_the_top_level():
    fn = tf.function(lambda k: tf.range(tf.bounded(k, max=8)) * 2)
    assert fn(np.int32(8)).tolist() == list(range(0, 16, 2))
    assert fn(np.int32(9)).tolist() == list(range(0, 18, 2))


def test_raise_names_the_needed_count():
    fn = tf.function(lambda k: tf.range(tf.bounded(k, max=8)), overflow="raise")
    assert fn(np.int32(8)).tolist() == list(range(8))
    with pytest.raises(tf.CapacityError, match=r"\b9\b") as error:
        fn(np.int32(9))
    assert "8" in str(error.value)
    assert fn(np.int32(2)).tolist() == [0, 1]


def bounded_range(k):
    return tf.range(tf.bounded(k, max=8))


def test_a_padded_result_of_a_foreign_jit_refuses_to_be_cut():
    run = jax.jit(tf.dynamic(bounded_range))
    assert run(np.int32(8)).unpad().tolist() == list(range(8))
    with pytest.raises(tf.CapacityError, match=r"\b9\b"):
        run(np.int32(9)).unpad()


def test_a_bare_operator_under_a_foreign_jit_carries_the_flag():
    run = jax.jit(bounded_range)
    assert run(np.int32(3)).unpad().tolist() == [0, 1, 2]
    with pytest.raises(tf.CapacityError, match=r"\b12\b"):
        run(np.int32(12)).unpad()


def test_a_reduced_result_of_a_foreign_jit_is_no_number():
    run = jax.jit(tf.dynamic(lambda k: jnp.sum(tf.range(tf.bounded(k, max=8)) * 1.5)))
    assert float(run(np.int32(8))) == 42.0
    assert np.isnan(run(np.int32(9)))


def test_every_floating_result_of_a_foreign_jit_is_no_number():
    def f(x, k):
        i = tf.range(tf.bounded(k, max=4))
        return x * 2.0, jnp.take(x, i).sum()

    run = jax.jit(tf.dynamic(f))
    x = np.arange(6, dtype=np.float32)
    assert float(run(x, np.int32(4))[1]) == 6.0
    assert np.isnan(run(x, np.int32(5))[1])


def test_a_gradient_of_a_foreign_jit_is_no_number():
    def f(x, k):
        return jnp.sum(jnp.take(x, tf.range(tf.bounded(k, max=4))) ** 2)

    run = jax.jit(jax.grad(tf.dynamic(f)))
    x = np.arange(6, dtype=np.float32)
    assert run(x, np.int32(4)).tolist() == [0, 2, 4, 6, 0, 0]
    assert np.isnan(run(x, np.int32(5))).any()


def test_the_flag_survives_composition():
    def f(k):
        y = tf.range(tf.bounded(k, max=4))
        z = tf.boolean_mask(y, y % 2 == 0)
        return jnp.sort(jnp.concatenate([z, z]))

    run = jax.jit(tf.dynamic(f))
    assert run(np.int32(4)).unpad().tolist() == [0, 0, 2, 2]
    with pytest.raises(tf.CapacityError):
        run(np.int32(5)).unpad()


def test_an_unbounded_size_under_a_foreign_jit_raises_while_tracing():
    with pytest.raises(tf.CapacityError, match=r"bounded\(k, max=\.\.\.\)"):
        jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))


def test_bounds_are_carried():
    x = np.arange(6, dtype=np.float32)
    programs = (
        (lambda k: tf.range(jnp.minimum(k, 8)).sum(), 3, 3),
        (lambda k: tf.range(jnp.clip(k, 0, 5)).sum(), 3, 3),
        (lambda k: tf.range(k % 5).sum(), 8, 3),
        (lambda k: tf.range(jnp.minimum(k, 4) + 2).sum(), 3, 10),
        (lambda k: tf.range(2 * jnp.minimum(k, 4)).sum(), 2, 6),
        (lambda k: tf.range(jnp.where(k > 2, 3, 1)).sum(), 5, 3),
        (lambda k: jnp.sum(jnp.asarray(x)[: k + 1]), 2, 3.0),
        (lambda k: tf.range(tf.size(tf.boolean_mask(x, x < k))).sum(), 4, 6),
        (lambda k: tf.range(jnp.sum(x < k)).sum(), 4, 6),
        (lambda k: tf.range((k.astype(jnp.uint8) // 32).astype(jnp.int32)).sum(), 100, 3),
    )
    for i, (f, k, want) in enumerate(programs):
        assert float(jax.jit(tf.dynamic(f))(np.int32(k))) == want, i


def test_exactly_the_capacity_is_no_overflow():
    x = np.arange(5, dtype=np.float32)
    run = jax.jit(tf.boolean_mask)
    assert run(x, np.ones(5, bool)).unpad().tolist() == x.tolist()
    assert run(x, np.zeros(5, bool)).unpad().tolist() == []
