"""A trace that fails, or runs elsewhere, leaves hooks and caches as they were."""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import shims as tf

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
M = X > 0


class Halt(Exception):
    """What the failing programs below raise."""


def hooks_are_silent_outside() -> None:
    """Plain JAX behaves as plain JAX: the errors that the hooks turn into results are errors."""
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        jax.jit(lambda x: x[x > 0])(X)
    with pytest.raises((TypeError, IndexError)):
        jax.jit(lambda x, k: x[:k])(X, np.int32(2))
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(lambda x: jnp.nonzero(x))(X)
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(lambda k: jnp.arange(k))(np.int32(2))
    (n,) = export.symbolic_shape("n")
    decided = []
    jax.make_jaxpr(lambda x: decided.append(x.shape[0] == 5) or x)(
        jax.ShapeDtypeStruct((n,), np.float32)
    )
    assert decided == [False]
    with pytest.raises(TypeError):
        jax.make_jaxpr(lambda x: x + jnp.ones(3))(jax.ShapeDtypeStruct((n,), np.float32))


def selecting_works() -> None:
    run = jax.jit(tf.dynamic(lambda x, m: (tf.boolean_mask(x, m).sum(), x[x > 1].sum())))
    total, above = run(X, M)
    assert float(total) == 4.5
    assert float(above) == 3.0
    assert tf.function(lambda x, m: tf.boolean_mask(x, m))(X, M).tolist() == [1.0, 3.0, 0.5]


def test_hooks_change_nothing_before_and_after_a_trace():
    hooks_are_silent_outside()
    selecting_works()
    hooks_are_silent_outside()


def fail_after_selecting(x, m):
    y = tf.boolean_mask(x, m)
    (y * 2 + y[0]).sum()
    raise Halt


WAYS_TO_FAIL = (
    ("dynamic under jit", lambda f: jax.jit(tf.dynamic(f))),
    ("dynamic eagerly", lambda f: tf.dynamic(f)),
    ("function", lambda f: tf.function(f)),
    ("function without autograph", lambda f: tf.function(f, autograph=False)),
    ("under grad", lambda f: jax.grad(tf.dynamic(f))),
    ("grad inside", lambda f: jax.jit(tf.dynamic(jax.grad(f)))),
    ("under vmap", lambda f: lambda x, m: jax.vmap(tf.dynamic(f))(x[None], m[None])),
    ("inner jit", lambda f: jax.jit(tf.dynamic(lambda x, m: jax.jit(f)(x, m)))),
    (
        "inner scan",
        lambda f: tf.function(
            lambda x, m: jax.lax.scan(lambda c, _: (f(x, m), None), 0.0, None, length=2)
        ),
    ),
)


@pytest.mark.parametrize("way", [w for _, w in WAYS_TO_FAIL], ids=[n for n, _ in WAYS_TO_FAIL])
def test_a_failing_trace_leaves_everything_as_it_was(way):
    with pytest.raises(Halt):
        way(fail_after_selecting)(X, M)
    hooks_are_silent_outside()
    selecting_works()


def test_a_refused_program_leaves_everything_as_it_was():
    with pytest.raises(tf.CapacityError):
        jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))
    hooks_are_silent_outside()
    selecting_works()


def test_a_function_that_failed_once_works_the_next_time():
    fail = [True]

    def f(x, m):
        y = tf.boolean_mask(x, m)
        if fail[0]:
            raise Halt
        return y.sum()

    fn = tf.function(f, autograph=False)
    with pytest.raises(Halt):
        fn(X, M)
    fail[0] = False
    assert float(fn(X, M)) == 4.5


def test_an_inner_jit_of_a_failed_trace_works_afterwards():
    inner = jax.jit(lambda y: y * 2)

    def f(x, m):
        inner(tf.boolean_mask(x, m))
        raise Halt

    with pytest.raises(Halt):
        jax.jit(tf.dynamic(f))(X, M)
    assert inner(X).tolist() == (X * 2).tolist()
    assert float(jax.jit(tf.dynamic(lambda x, m: inner(tf.boolean_mask(x, m)).sum()))(X, M)) == 9.0


def test_an_inner_jit_traced_dynamically_is_still_a_plain_one():
    inner = jax.jit(lambda x: x[x > 0].sum())
    assert float(jax.jit(tf.dynamic(lambda x: inner(x)))(X)) == 4.5
    with pytest.raises(jax.errors.NonConcreteBooleanIndexError):
        inner(X)


def in_another_thread(f):
    caught = []

    def run():
        try:
            f()
        except BaseException as error:  # noqa: BLE001 - reported by the caller's thread
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]


def test_another_thread_sees_no_hooks_while_this_one_traces():
    def f(x, m):
        y = tf.boolean_mask(x, m)
        in_another_thread(hooks_are_silent_outside)
        return y.sum() + x[x > 0].sum()

    assert float(jax.jit(tf.dynamic(f))(X, M)) == 9.0


def test_another_thread_may_trace_while_this_one_traces():
    def f(x, m):
        y = tf.boolean_mask(x, m)
        in_another_thread(selecting_works)
        return y.sum() - y.shape[0]

    assert float(jax.jit(tf.dynamic(f))(X, M)) == 1.5


def test_many_threads_may_call_one_function():
    fn = tf.function(lambda x, m: tf.boolean_mask(x, m).sum(), autograph=False)
    results: dict[int, float] = {}

    def work(i):
        results[i] = float(fn(X * i, M))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: 4.5 * i for i in range(8)}


def test_a_size_that_leaks_out_of_its_trace_is_an_error_and_not_a_number():
    leaked = []

    def f(x, m):
        y = tf.boolean_mask(x, m)
        leaked.append(y)
        return y.sum()

    jax.jit(tf.dynamic(f))(X, M)
    with pytest.raises((jax.errors.UnexpectedTracerError, tf.errors.OpError)):
        jax.jit(tf.dynamic(lambda x: x.sum() + leaked[0].sum()))(X)
