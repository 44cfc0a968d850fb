"""Sizes that come again and again are compiled for as they are: the same results without padding."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from shims._src.function import calls
from shims._src.platform import host_memory
from tests.harness.compare import Dtypes, Tolerance, assert_same

N, M = 13, 5
X = np.linspace(-2, 3, N).astype(np.float32)
ROWS = np.arange(N * M, dtype=np.float32).reshape(N, M)


@pytest.fixture(autouse=True)
def at_the_second_call(monkeypatch):
    monkeypatch.setattr(calls, "REPEATS", 1)


@tf.custom_gradient
def twice(x):
    return x * 2, lambda dy: dy * 100


@jax.custom_jvp
def thrice(x):
    return x * 3


thrice.defjvp(lambda x, dx: (thrice(*x), dx[0] * 100))


def steps(x):
    total, i = tf.constant(0.0), tf.constant(0)
    while i < tf.shape(x)[0]:
        total, i = total + x[i], i + 1
    return total


def gradient_inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.boolean_mask(twice(x) * x, x > 0))
    return tape.gradient(y, x)


PROGRAMS = {
    "mean": lambda x: tf.reduce_mean(x),
    "sizes": lambda x: (tf.shape(x), tf.range(tf.shape(x)[0]), tf.zeros(tf.shape(x))),
    "moved": lambda x: (x[2:], x[::-1], tf.concat([x, x[1:]], 0), tf.tile(x, [3])),
    "cut_to_nothing": lambda x: (x[N:], tf.reduce_sum(x[N:])),
    "rows": lambda x: tf.concat([x[None], x[None]], 0) @ x[:, None],
    "strided": lambda x: (x[::2], x[1::3], tf.reshape(x[: tf.shape(x)[0] // 2 * 2], [-1, 2])),
    "selected": lambda x: tf.boolean_mask(x, x > 0),
    "selected_twice": lambda x: tf.boolean_mask(y := tf.boolean_mask(x, x > -1), y < 2),
    "selected_and_added": lambda x: tf.concat([tf.boolean_mask(x, x > 0), x], 0),
    "parts": lambda x: tf.dynamic_partition(x, tf.cast(x > 0, tf.int32), 2),
    "unique": lambda x: tf.unique(tf.cast(x, tf.int32)),
    "segments": lambda x: tf.math.segment_sum(x, tf.range(tf.shape(x)[0]) // 3),
    "loop": steps,
    "map": lambda x: tf.map_fn(lambda e: e * tf.cast(tf.size(x), e.dtype), x),
    "scan": lambda x: tf.scan(lambda a, e: a + e, x),
    "cond": lambda x: tf.cond(tf.size(x) > 10, lambda: x[:10], lambda: x),
    "own_derivatives": lambda x: (twice(x), thrice(x), jax.nn.relu(x)),
    "gradient_inside": gradient_inside,
    "random": lambda x: tf.random.stateless_normal(tf.shape(x), [1, 2]),
    "sorted": lambda x: (tf.sort(x), tf.argsort(-x), tf.math.top_k(x, 3)),
}


def calls_of(function, *args):
    """A padded call, an exact one, and whether the second was one."""
    padded, exact = function(*args), function(*args)
    (plan,) = function._plans.values()
    return padded, exact, plan.is_exact


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_exact_program_gives_what_the_padded_one_gave(name, monkeypatch):
    monkeypatch.setattr(calls, "REPEATS", 2)
    function = tf.function(PROGRAMS[name], input_signature=[tf.TensorSpec([None])])
    others = X[::-1] * 0.7
    padded = [function(X), function(others)]
    (plan,) = function._plans.values()
    exact = [function(others), function(X)][::-1]
    assert plan.is_exact
    for a, b in zip(jax.tree.leaves(padded), jax.tree.leaves(exact), strict=True):
        assert a.weak_type == b.weak_type
        assert_same(a, b, Tolerance(relative=1e-5, absolute=1e-6), Dtypes.SAME)


@pytest.mark.parametrize("size", [1000, 1024])
def test_the_caller_may_write_to_what_he_passed(size):
    function = tf.function(lambda x: (x, x + 1), input_signature=[tf.TensorSpec([None])])
    for _ in range(5):
        given = host_memory.empty((size,), np.float32)  # JAX would read it where it lies
        given[:] = 1
        same, more = function(given)
        given[:] = 7
        assert np.unique(same).tolist() == [1]
        assert np.unique(more).tolist() == [2]


def test_several_unknown_sizes():
    function = tf.function(
        lambda x, y: tf.gather(x, tf.range(tf.shape(y)[0])) @ tf.transpose(x) + tf.reduce_sum(y),
        input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])],
    )
    padded, exact, is_exact = calls_of(function, ROWS, X[:7])
    assert is_exact
    assert exact.shape == (7, N)
    np.testing.assert_allclose(padded, exact, rtol=1e-5)


def test_nothing_is_padded_any_more_and_other_sizes_still_are():
    function = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None])])
    for _ in range(10):
        function(X)
    stats = function.stats()
    assert stats.elements == 10 * N
    assert stats.padded_elements == 16 + 9 * N
    assert function(X[:9]).shape == (9,)
    assert function.stats().padded_elements == 32 + 9 * N


def test_errors_come_as_before():
    function = tf.function(
        tf.gather, input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.int32)]
    )
    good, bad = np.array([1, 2], np.int32), np.array([1, N], np.int32)
    *_, is_exact = calls_of(function, X, good)
    assert is_exact
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(X, bad)
    np.testing.assert_array_equal(function(X, good), X[[1, 2]])


def test_a_tape_sees_derivatives_that_a_function_wrote():
    function = tf.function(twice, input_signature=[tf.TensorSpec([None])])
    *_, is_exact = calls_of(function, X)
    assert is_exact
    x = jnp.asarray(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_array_equal(tape.gradient(y, x), np.full(N, 100.0))


def test_variables_are_read_and_written():
    v = tf.Variable(0.0)
    function = tf.function(
        lambda x: v.assign_add(tf.reduce_sum(x)), input_signature=[tf.TensorSpec([None])]
    )
    for _ in range(4):
        function(X)
    np.testing.assert_allclose(v.numpy(), 4 * X.sum(), rtol=1e-5)
    assert next(iter(function._plans.values())).is_exact


@pytest.mark.parametrize("options", [{"buckets": [16, 32]}, {"buckets": 16}, {"unpad": False}])
def test_what_a_person_chose_is_kept(options):
    function = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None])], **options)
    *_, is_exact = calls_of(function, X)
    assert not is_exact


def test_at_most_eight_sizes_are_compiled_for():
    function = tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([None])])
    for n in range(17, 33):
        for _ in range(3):
            assert function(np.ones(n, np.float32)).shape == (n,)
    assert sum(plan.is_exact for plan in function._plans.values()) == 8


def test_what_cannot_be_exact_stays_padded():
    def program(x):
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(lambda a: np.asarray(a) * 2, shape, x, vmap_method="sequential")

    function = tf.function(program, input_signature=[tf.TensorSpec([None])], autograph=False)
    padded, again, is_exact = calls_of(function, X)
    assert not is_exact
    np.testing.assert_array_equal(padded, again)


def test_parts_of_an_argument_and_the_argument_itself():
    function = tf.function(
        lambda x, y: (*tf.dynamic_partition(x, tf.cast(y, tf.int32), 3), x, x * 2),
        input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])],
    )
    numbers = np.arange(N, dtype=np.float32) % 2  # no element is of the last part
    for _ in range(20):
        given = X.copy()
        *parts, same, twice = function(given, numbers)
        given[:] = 7
        for i, part in enumerate(parts):
            np.testing.assert_array_equal(part, X[numbers == i])
        np.testing.assert_array_equal(same, X)
        np.testing.assert_array_equal(twice, X * 2)
    (plan,) = function._plans.values()
    assert plan.is_exact
