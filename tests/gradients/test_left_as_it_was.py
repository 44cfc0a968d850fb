"""Exceptions, threads and odd orders of leaving: nothing stays behind, nothing is seen elsewhere."""

import contextlib
import threading

import jax
import jax.numpy as jnp
import pytest
import tensorflow as tf

import shims
from shims._src.platform import jax_private as jp
from shims._src.recording import recording, state
from tests.harness.outcomes import array, check_same


@pytest.fixture(autouse=True)
def nothing_stays():
    before = jp.current_trace()
    yield
    assert jp.current_trace() is before
    assert recording._RECORDERS.items == []
    assert state._READER.value is None


def test_an_exception_in_the_block():
    x = jnp.float32(3)
    tape = shims.GradientTape()
    with contextlib.suppress(ZeroDivisionError), tape:
        tape.watch(x)
        y = x * x
        raise ZeroDivisionError
    assert tape.gradient(y, x) == 6


def test_an_exception_in_a_function_under_a_tape():
    @shims.function
    def f(x):
        with shims.GradientTape() as inner:
            inner.watch(x)
            if x.ndim:
                raise ZeroDivisionError
        return x * x

    x = jnp.float32(3)
    with shims.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ZeroDivisionError):
            f(jnp.ones(2))
        y = f(x)
    assert tape.gradient(y, x) == 6


def test_an_exception_while_nothing_is_recorded():
    x = jnp.float32(3)
    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        with contextlib.suppress(ZeroDivisionError), tape.stop_recording():
            raise ZeroDivisionError
        with contextlib.suppress(ZeroDivisionError), recording.unrecorded():
            raise ZeroDivisionError
        y = x * x
    assert tape.gradient(y, x) == 6


def test_an_exception_in_a_custom_gradient():
    v = shims.Variable(2.0)

    @shims.custom_gradient
    def f(x):
        _ = x * v
        raise ZeroDivisionError

    with shims.GradientTape() as tape:
        with pytest.raises(ZeroDivisionError):
            f(jnp.float32(1))
        y = v * 3.0
    assert tape.gradient(y, v) == 3


def left_out_of_order(m):
    x = array(m, 3.0)
    first, second = m.GradientTape(), m.GradientTape()
    first.__enter__()
    first.watch(x)
    second.__enter__()
    second.watch(x)
    y = x * x
    first.__exit__(None, None, None)
    z = y * x
    second.__exit__(None, None, None)
    w = z * x
    return first.gradient(z, x), second.gradient(z, x), w


def test_left_out_of_order():
    check_same(left_out_of_order)


def in_another_thread(m):
    x, v = array(m, 3.0), m.Variable(2.0)
    found = {}

    def elsewhere():
        found["unseen"] = x * v
        with m.GradientTape() as own:
            own.watch(x)
            y = x * x * v
        found["own"] = own.gradient(y, [x, v])

    with m.GradientTape() as tape:
        tape.watch(x)
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        y = x * x
    names = [variable.name for variable in tape.watched_variables()]
    return tape.gradient([y, found["unseen"]], [x, v]), found["own"], names


def test_in_another_thread():
    check_same(in_another_thread)


def test_many_threads():
    results = {}

    def work(i):
        x = jnp.float32(i)
        f = shims.function(lambda x: x * x)
        for _ in range(5):
            with shims.GradientTape() as tape:
                tape.watch(x)
                y = f(x) * x
            results.setdefault(i, []).append(float(tape.gradient(y, x)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: [3.0 * i * i] * 5 for i in range(8)}


def test_a_tape_of_a_trace_that_is_over():
    kept = []

    @jax.jit
    def f(x):
        with shims.GradientTape(persistent=True) as tape:
            tape.watch(x)
            kept.append((tape, x, x * x))
        return x

    f(jnp.float32(3))
    tape, x, y = kept[0]
    with pytest.raises(jax.errors.UnexpectedTracerError):
        jax.block_until_ready(tape.gradient(y, x) + 0)


def test_caches_of_jax_do_not_hide_operations():
    f = jax.jit(lambda x: x * x)
    x = jnp.float32(3)
    for _ in range(3):
        assert f(x) == 9
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x) == 6


def test_a_tape_does_not_change_what_is_computed():
    x = jnp.array([1.0, -1.0, 2.0])
    f = shims.function(lambda x: shims.boolean_mask(x, x > 0) * 2)
    plain = f(x)
    with shims.GradientTape():
        inside = f(x)
    assert inside.tolist() == plain.tolist()
    assert type(inside) is type(plain)
    assert f.stats().traces == 1


def test_tensorflow_and_shims_side_by_side():
    x, t = jnp.float32(3), tf.constant(3.0)
    with shims.GradientTape() as ours, tf.GradientTape() as theirs:
        ours.watch(x)
        theirs.watch(t)
        y, u = x * x, t * t
    assert float(ours.gradient(y, x)) == float(theirs.gradient(u, t)) == 6
