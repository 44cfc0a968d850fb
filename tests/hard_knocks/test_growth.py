"""Many calls, of all kinds, leave no objects, traces or open files behind, and memory does not grow."""

import gc
import json
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import shims as tf
from tests.hard_knocks import growth
from tests.meta import tree

X = np.ones(2, np.float32)
# Tables of ours that are keyed by shapes fill up to their limits.
FEW = 20_000


def measured(times):
    command = [sys.executable, "-m", "tests.hard_knocks.growth", str(times)]
    known = dict(os.environ, PYTHONPATH=str(tree.ROOT), JAX_PLATFORMS="cpu")
    done = subprocess.run(
        command, cwd=tree.ROOT, env=known, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def check(found):
    assert found["traces"] == 0
    assert found["files"] <= 0
    assert found["objects"] < FEW, found


@pytest.mark.long
def test_a_hundred_thousand_calls():
    found = measured(100_000)
    check(found)
    assert found["kibibytes"] < 200_000, found


def receivers():
    """Yield an object whose method was called, and how it is kept."""

    class Counted:
        def __init__(self):
            self.weight = tf.Variable(2.0)

        @tf.function
        def scaled(self, x):
            return x * self.weight

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def selected(self, x):
            return tf.boolean_mask(x, x > 0) * self.weight

    return Counted


@pytest.mark.parametrize("method", ["scaled", "selected"])
def test_the_object_of_a_method_is_not_kept(method):
    kind = receivers()
    kept = []
    for _ in range(3):
        one = kind()
        assert getattr(one, method)(X).tolist() == [2.0, 2.0]
        kept.append(weakref.ref(one))
    del one
    gc.collect()
    function = vars(kind)[method]
    another = kind()
    another.weight.assign(3.0)
    assert getattr(another, method)(X).tolist() == [3.0, 3.0]
    assert [reference() for reference in kept] == [None] * 3
    assert len(function.entries) == 1


def test_a_static_object_is_not_kept():
    f = tf.function(lambda x, setting: x * setting.factor)
    setting = growth.Setting()
    kept = weakref.ref(setting)
    assert f(X, setting).tolist() == f(X, setting).tolist() == [2.0, 2.0]
    assert f.stats().traces == 1
    del setting
    gc.collect()
    assert kept() is None
    other = growth.Setting()
    other.factor = 3.0
    assert f(X, other).tolist() == [3.0, 3.0]
    assert len(f.entries) == 1


def test_static_objects_that_are_equal_share_a_program():
    f = tf.function(lambda x, names: x * len(names))
    for _ in range(3):
        assert f(X, frozenset({"a", "b"})).tolist() == [2.0, 2.0]
        gc.collect()
    assert f.stats().traces == 1


def test_failed_traces_leave_no_keys():
    f = tf.function(lambda x, setting: x * setting.missing)
    for _ in range(5):
        with pytest.raises(AttributeError):
            f(X, growth.Setting())
    gc.collect()
    assert f.entries == []
    assert len(f._entries) + len(f._plans) == 0


def test_what_is_kept_would_be_seen():
    programs, kept = growth.Programs(), []
    gc.collect()  # what earlier tests left behind would go meanwhile
    before = growth.left()["objects"]
    for _ in range(10 * FEW):
        kept.append([programs])
    with pytest.raises(AssertionError):
        check({"traces": 0, "files": 0, "objects": growth.left()["objects"] - before})
