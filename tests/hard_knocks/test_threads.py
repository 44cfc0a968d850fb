"""Several threads at once: results are those of one thread, and no thread's change is lost."""

import sys

import jax
import numpy as np
import pytest

import shims as tf
from tests.hard_knocks.threads import WRITERS, in_threads, kept_of

THREADS, TIMES = 4, 60
X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)


@pytest.fixture(autouse=True)
def switching_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def selected_sum(x):
    return tf.reduce_sum(tf.boolean_mask(x, x > 0))


def repeated(f):
    return lambda: [f() for _ in range(TIMES)]


@pytest.mark.parametrize("name", WRITERS)
def test_no_change_is_lost(name):
    found, made = kept_of(name, TIMES)
    assert found == made


def test_one_function_in_all_threads():
    v = tf.Variable(0)
    f = tf.function(lambda: v.assign_add(1))
    in_threads(*[repeated(f)] * THREADS)
    assert int(v) == THREADS * TIMES == f.stats().calls
    assert f.stats().traces == 1


def test_no_change_of_rows_is_lost():
    v = tf.Variable(np.zeros(3, np.int32))
    rows = tf.IndexedSlices(np.int32([1, 1]), np.int32([0, 2]))
    works = (lambda: v.scatter_add(rows), lambda: v.scatter_nd_add([[1]], [1]))
    in_threads(*map(repeated, works * 2))
    assert v.numpy().tolist() == [2 * TIMES] * 3


def _generator():
    generator = tf.random.Generator.from_seed(1)
    return lambda: generator.uniform([])


def _program_seed():
    tf.random.set_seed(7)
    return lambda: tf.random.uniform([])


def _operator_seed():
    tf.random.set_seed(7)
    return lambda: tf.random.uniform([], seed=3)


def _compiled_generator():
    generator = tf.random.Generator.from_seed(1)
    return tf.function(lambda: generator.normal([]))


def _compiled_seed():
    tf.random.set_seed(7)
    return tf.function(lambda: tf.random.uniform([]))


@pytest.mark.parametrize(
    "make", [_generator, _program_seed, _operator_seed, _compiled_generator, _compiled_seed]
)
def test_no_random_number_comes_twice(make):
    draw, found = make(), []
    in_threads(*[repeated(lambda: found.append(float(draw())))] * THREADS)
    again = make()
    assert sorted(found) == sorted(float(again()) for _ in range(THREADS * TIMES))


def _in_a_loop(x):
    total = tf.constant(0.0)
    while total < 10.0:
        total = total + selected_sum(x)
    return total


def _with_tape(x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = selected_sum(x * x * x)
    return tape.gradient(y, x)


def _grows(x):
    return tf.range(tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32))


PROGRAMS = {
    "compiled": lambda: tf.function(selected_sum),
    "unknown sizes": lambda: tf.function(selected_sum, [tf.TensorSpec([None])]),
    "dynamic": lambda: tf.dynamic(selected_sum),
    "under jit": lambda: jax.jit(tf.dynamic(selected_sum)),
    "gradient": lambda: jax.grad(tf.dynamic(lambda x: selected_sum(x * x))),
    "gradient inside": lambda: tf.function(jax.grad(lambda x: selected_sum(x * x))),
    "loop": lambda: tf.function(_in_a_loop),
    "tape": lambda: _with_tape,
    "tape inside": lambda: tf.function(_with_tape),
    "a bucket that grows": lambda: tf.function(_grows),
    "eager": lambda: lambda x: tf.boolean_mask(x, x > 0),
}


@pytest.mark.parametrize("first", ["compiled", "dynamic", "a bucket that grows"])
def test_first_calls_at_once(first):
    check_threads(dict.fromkeys(range(THREADS), PROGRAMS[first]()))


def test_different_functions_at_once():
    check_threads({name: make() for name, make in list(PROGRAMS.items())[::2]})


@pytest.mark.long
@pytest.mark.parametrize("turn", range(5))
def test_all_functions_at_once(turn):
    shared = {name: make() for name, make in PROGRAMS.items()}
    check_threads({**shared, **{(name, turn): f for name, f in shared.items()}})


def check_threads(functions):
    """Call functions in a thread each, with several inputs; results are those of new ones in one thread."""
    inputs = [X, X * 2, np.concatenate([X, X])]
    found = {}

    def work(key, f):
        with tf.enable_tensor_methods():
            found[key] = [np.asarray(f(x)).tolist() for x in inputs]

    with tf.enable_tensor_methods():
        in_threads(*(lambda k=k, f=f: work(k, f) for k, f in functions.items()))
        for key, f in functions.items():
            assert found[key] == [np.asarray(f(x)).tolist() for x in inputs], key
        want = float(X[X > 0].sum())
        assert float(tf.function(selected_sum)(X)) == want
    assert not hasattr(tf.constant(1.0), "numpy")


def test_a_lost_change_would_be_seen():
    v = tf.Variable(0)
    together = np.zeros(1)

    def not_at_once():
        before = int(v)
        together[0] += 1
        v.assign(before + 1)

    in_threads(*[repeated(not_at_once)] * THREADS)
    assert int(v) < THREADS * TIMES
