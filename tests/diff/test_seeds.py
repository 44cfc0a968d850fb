"""Every call of the original starts from the same seeds; nothing is emptied where nothing draws."""

import random

import jax
import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff import compare
from tf2jax_port.diff.lanes.tensorflow_lanes import TensorFlowLanes
from tf2jax_port.diff.values.arguments import bind


def raw(x):
    return x + tf.raw_ops.RandomUniform(shape=[3], dtype=tf.float32, seed=5, seed2=6)


def in_a_branch(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: raw(x), lambda: x)


DRAWING = {
    "global seed": lambda x: x + tf.random.normal([3]),
    "seed of its own": lambda x: x + tf.random.uniform([3], seed=3),
    "order": lambda x: tf.random.shuffle(x),
    "dropout": lambda x: tf.nn.dropout(x, 0.5),
    "raw operator": raw,
    "raw operator in a branch": in_a_branch,
    "NumPy": lambda x: x + np.random.normal(),
    "Python": lambda x: x + random.random(),
}


def case(function):
    return bind(0, (np.array([1.0, 2.0, 3.0], np.float32),), function)


@pytest.mark.parametrize("name", DRAWING)
def test_calls_start_from_the_same_seeds(name):
    lanes = TensorFlowLanes(DRAWING[name], 0)
    given = case(DRAWING[name])
    runs = [lanes.eager, lambda given: lanes.graph(given)[0]]
    first = [run(given)["output"] for run in runs]
    for run, expected in zip(runs * 2, first * 2):
        np.testing.assert_array_equal(run(given)["output"], expected)


@pytest.mark.parametrize("name", DRAWING)
def test_these_functions_draw(name):
    lanes = TensorFlowLanes(DRAWING[name], 0)
    lanes.drawing = True
    found = [lanes.eager(case(DRAWING[name]))["output"] for _ in range(9)]
    assert len({array.tobytes() for array in found}) > 1


def calls_of_set_seed(monkeypatch, function):
    lanes = TensorFlowLanes(function, 0)
    lanes.eager(case(function))
    lanes.graph(case(function))
    calls = []
    monkeypatch.setattr(tf.random, "set_seed", calls.append)
    lanes.eager(case(function))
    lanes.graph(case(function))
    return len(calls)


def test_caches_stay_where_nothing_draws(monkeypatch):
    assert calls_of_set_seed(monkeypatch, lambda x: tf.cond(x[0] > 0, lambda: x, lambda: -x)) == 0


@pytest.mark.parametrize("name", ["global seed", "raw operator", "raw operator in a branch"])
def test_seeds_are_set_where_something_draws(monkeypatch, name):
    assert calls_of_set_seed(monkeypatch, DRAWING[name]) == 2


def test_seeds_are_set_where_there_is_no_graph(monkeypatch):
    def untraceable(x):
        return x + np.float32(x.numpy()[0])

    lanes = TensorFlowLanes(untraceable, 0)
    with pytest.raises(Exception, match="numpy"):
        lanes.graph(case(untraceable))
    calls = []
    monkeypatch.setattr(tf.random, "set_seed", calls.append)
    lanes.eager(case(untraceable))
    assert calls == [0]


def test_nothing_of_tensorflow_stays_changed():
    from tensorflow.python.framework import random_seed

    before = random_seed.get_seed
    TensorFlowLanes(raw, 0).eager(case(raw))
    assert random_seed.get_seed is before


def _noisy(x):
    return x * 2.0 + np.random.normal(size=3).astype(np.float32)


def _noisy_at_every_call(x):
    drawn = tf.numpy_function(lambda: np.random.normal(size=3).astype(np.float32), [], tf.float32)
    return x * 2.0 + drawn


def _noisy_by_a_callback(x):
    kind = jax.ShapeDtypeStruct((3,), np.float32)
    return x * 2.0 + jax.pure_callback(lambda: np.random.normal(size=3).astype(kind.dtype), kind)


@pytest.mark.parametrize(
    ("old", "new", "frozen"),
    [
        (_noisy, _noisy, True),
        (_noisy_at_every_call, _noisy, True),
        (_noisy_at_every_call, _noisy_by_a_callback, False),
    ],
)
def test_random_numbers_that_a_trace_freezes_are_said_to_be_frozen(old, new, frozen):
    rng = np.random.default_rng(0)
    report = compare(old, new, [(rng.normal(size=(n, 3)).astype(np.float32),) for n in (2, 3)])
    said = [r.text for r in report.reasons if "every later call repeats the same numbers" in r.why]
    assert report.knife_edges == ()
    assert (report.verdict == "limited") == frozen == bool(said), report.headline
