"""Functions that are called where nobody expects it: by themselves, callbacks, finalizers, signal handlers."""

import signal
import threading
import time
import weakref

import jax
import numpy as np
import pytest

import shims as tf
from shims._src.platform import turns
from tests.hard_knocks.threads import in_threads

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
INT, FLOAT = tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)
WAYS = {
    "py_function": lambda f, x, spec: tf.py_function(f, [x], spec),
    "numpy_function": lambda f, x, spec: tf.numpy_function(f, [x], spec),
    "pure_callback": lambda f, x, spec: jax.pure_callback(
        f, jax.ShapeDtypeStruct(spec.shape, spec.dtype), x
    ),
}


def selected_sum(x):
    return tf.reduce_sum(tf.boolean_mask(x, x > 0))


@pytest.mark.parametrize("way", WAYS)
def test_a_function_that_its_callback_calls(way):
    def host(n):
        n = int(n)
        return np.int32(0) if n == 0 else np.int32(int(f(np.int32(n - 1))) + 1)

    f = tf.function(lambda n: WAYS[way](host, n, INT))
    assert [int(f(np.int32(n))) for n in (3, 4)] == [3, 4]


def test_two_functions_whose_callbacks_call_each_other_in_two_threads():
    def calls(other):
        def host(n):
            time.sleep(0.05)
            return np.int32(int(other()(np.int32(int(n) - 1))) + 1) if n > 0 else np.int32(0)

        return host

    f = tf.function(lambda n: tf.py_function(calls(lambda: g), [n], INT))
    g = tf.function(lambda n: tf.py_function(calls(lambda: f), [n], INT))
    found = []
    in_threads(*(lambda h=h: found.append(int(h(np.int32(3)))) for h in (f, g)))
    assert found == [3, 3]


def test_a_callback_in_another_thread():
    def host(x):
        found = []
        in_threads(lambda: found.append(float(f(np.float32(0)))) if x > 0 else found.append(0.0))
        return np.float32(found[0] + 1)

    f = tf.function(lambda x: tf.py_function(host, [x], FLOAT))
    assert float(f(np.float32(1))) == 2.0


def test_a_recursive_function():
    @tf.function
    def factorial(n):
        return tf.constant(1) if n <= 1 else n * factorial(n - 1)

    assert int(factorial(5)) == 120


def test_in_a_custom_gradient():
    f = tf.function(lambda x: x * x)

    @tf.custom_gradient
    def twice(x):
        return x * 2, lambda dy: dy * f(x)

    g = tf.function(lambda x: twice(x))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    assert float(tape.gradient(y, x)) == 9.0


class _Shown:
    """An object whose text needs a compiled function."""

    def __init__(self, f):
        self.f = f

    def __repr__(self):
        with tf.init_scope():
            return f"sum {float(self.f(X))}"


def _in_repr(f, seen):
    seen.append(repr(_Shown(f)))


def _in_finalizer(f, seen):
    class Dying:
        def __del__(self):
            seen.append(repr(_Shown(f)))

    Dying()


def _in_weak_reference(f, seen):
    class Dying:
        pass

    dying = Dying()
    reference = weakref.ref(dying, lambda _: seen.append(repr(_Shown(f))))
    del dying
    assert reference() is None


def _in_signal_handler(f, seen):
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(repr(_Shown(f))))
    try:
        signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("call", [_in_repr, _in_finalizer, _in_weak_reference, _in_signal_handler])
@pytest.mark.parametrize("itself", [True, False], ids=["itself", "another"])
def test_while_a_function_is_traced(call, itself):
    """The traced function itself, or another one, is called for a number in the middle of a trace."""
    seen = []

    def body(x):
        if not seen:
            seen.append("begun")  # the call for a number traces the function once more
            call(f if itself else g, seen)
        return selected_sum(x) * 2

    f, g = tf.function(body, autograph=False), tf.function(lambda x: selected_sum(x) * 2)
    assert [float(f(x)) for x in (X, X * 2)] == [9.0, 18.0]
    assert seen == ["begun", "sum 9.0"]


def test_a_thread_that_the_trace_waits_for(monkeypatch):
    """Neither of two threads that wait for each other can go on; the one that is in no trace says so."""
    monkeypatch.setattr(turns, "_PATIENCE", 0.2)
    caught = []

    def body(x):
        def call():
            with pytest.warns(RuntimeWarning, match="has waited 0.2 seconds") as found:
                caught.append(float(f(X)))
            caught.append(found)

        thread = threading.Thread(target=call)
        if not caught:
            caught.append(thread)
            thread.start()
            thread.join(1)  # without a limit, it would never end
        return selected_sum(x)

    f = tf.function(body, autograph=False)
    assert float(f(X)) == 4.5
    caught[0].join(60)
    assert caught[1] == 4.5


@pytest.mark.parametrize("use", ["reads", "assigns"])
def test_a_callback_that_uses_what_its_program_assigns(use):
    """The variable gets its value at the end of the program: there is none yet, which must not be the old one."""
    v = tf.Variable(0)

    def host(n):
        if use == "assigns":
            v.assign_add(10)
        return np.int32(int(v.numpy()) if use == "reads" else n)

    @tf.function
    def f(n):
        v.assign_add(1)
        return tf.py_function(host, [n], INT)

    with pytest.raises(Exception, match="both use the same variable"):
        f(np.int32(1))
    assert int(v) == 0


def test_a_callback_may_use_other_variables():
    v, w = tf.Variable(0), tf.Variable(5)

    def host(n):
        return np.int32(int(w.assign_add(1)) + n)

    @tf.function
    def f(n):
        v.assign_add(1)
        return tf.py_function(host, [n], INT)

    assert [int(f(np.int32(1))) for _ in range(2)] == [7, 8]
    assert (int(v), int(w)) == (2, 7)
