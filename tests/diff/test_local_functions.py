"""Functions that others return, and functions that TensorFlow calls, are captured, or the reason is told."""

from __future__ import annotations

import contextlib
import sys
import warnings

import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.code_bases import prove
from tf2jax_port.diff.code_bases.call_file import Call, Calls, merged, read_calls
from tf2jax_port.diff.code_bases.capture import capture
from tf2jax_port.diff.code_bases.eager_running import run_eagerly
from tf2jax_port.diff.code_bases.encoding import encode
from tf2jax_port.diff.code_bases.outcomes import Outcome
from tf2jax_port.diff.code_bases.port_files import PortFiles
from tf2jax_port.diff.proofs.judging import judged
from tf2jax_port.rewrite.plan import rewrite

MODULE = "local_package.module"
PROGRAM = """
import tensorflow as tf

def loss(k, weights=1.0):
    def inner(y, p):
        def helper(z):
            return z * k
        return tf.reduce_sum(helper(p) - y) * weights
    return inner

def twice(k):
    def middle(j):
        def last(x):
            return x * k + j
        return last
    return middle

class Maker:
    def __init__(self, k):
        self.k = k
    def made(self):
        def scaled(x):
            return x * self.k
        return scaled

def decorated(f):
    def wrapper(x):
        return f(x)
    return wrapper

@decorated
def doubled(x):
    return x * 2

def used(x):
    def own(z):
        return z + 1
    return own(x)

def row(x):
    return x - 1

def rows(x):
    return tf.map_fn(row, x)

def in_data(x):
    return x + 3

def failing(x):
    raise ValueError("no")

def idle(x):
    return x
"""
DRIVER = """
import contextlib
import tensorflow as tf
from local_package import module as m
x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
m.loss(3)(x, 2 * x)
m.loss(2, weights=tf.constant(0.5))(x, x)
m.twice(2.0)(3.0)(x)
m.Maker(2.0).made()(x)
m.doubled(x)
m.used(x)
m.rows(x)
list(tf.data.Dataset.from_tensor_slices(x).map(m.in_data))
with contextlib.suppress(ValueError):
    m.failing(x)
"""
LAST = "twice.<locals>.middle.<locals>.last"
RECORDED = {
    "loss.<locals>.inner": 2,
    LAST: 1,
    "Maker.made.<locals>.scaled": 1,
    "doubled": 1,
    "used": 1,
    "row": 1,
    "rows": 1,
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "local_package").mkdir()
    (tmp_path / "local_package" / "__init__.py").touch()
    (tmp_path / "local_package" / "module.py").write_text(PROGRAM)
    (tmp_path / "drive.py").write_text(DRIVER)
    port = tmp_path / "port" / "local_package"
    port.mkdir(parents=True)
    (port / "__init__.py").touch()
    (port / "module.py").write_bytes(rewrite(PROGRAM.encode()).data)
    return tmp_path


@pytest.mark.long
def test_what_others_return_is_captured_and_proved(folder):
    command = [sys.executable, str(folder / "drive.py")]
    calls, code = capture(command, ["local_package"], folder / "calls.npz", 5, 300)
    assert code == 0
    counts = {name: sum(call.name == name for call in calls.calls) for name in RECORDED}
    assert counts == RECORDED
    found, results = prove.prove(folder / "calls.npz", folder / "port", 120)
    wrong = [
        (found.calls[i].name, lane, r)
        for (i, lane), r in results.items()
        if r.outcome != Outcome.EQUAL
    ]
    assert wrong == []
    rows = {row.function[1]: row for row in judged(found, results, folder / "port").rows}
    assert {rows[name].status for name in RECORDED} == {"proved"}
    assert "traces a graph" in rows["in_data"].why
    assert rows["failing"].why == "the calls of the function raised an error in the original"
    assert rows["idle"].why == "no recorded call reaches the function"
    assert "decorated.<locals>.wrapper" not in rows


def test_a_function_inside_of_another_has_lines_of_its_own_if_it_is_recorded(folder):
    files = PortFiles(folder / "port")
    plain = files.definitions(["local_package"])
    assert not any("<locals>" in name or name.endswith("__init__") for _, name in plain)
    recorded = {(MODULE, LAST), (MODULE, "Maker.__init__")}
    found = files.definitions(["local_package"], recorded)
    assert set(found) - set(plain) == recorded
    inner, outer = found[MODULE, LAST], found[MODULE, "twice"]
    assert inner.path == outer.path
    assert outer.line < inner.line <= inner.end <= outer.end
    assert not inner.lines & outer.lines
    assert plain[MODULE, "twice"].lines == inner.lines | outer.lines


def test_reasons_are_kept_in_the_file(folder):
    arrays: list[np.ndarray] = []
    call = Call(MODULE, "row", {"call": encode([[np.float32(1)], {}], arrays)}, encode(1.0, arrays))
    one = Calls(
        (call,), tuple(arrays), ("local_package",), unkept={(MODULE, "in_data"): "in a graph"}
    )
    one.write(folder / "one.npz")
    other = Calls((), (), unkept={(MODULE, "failing"): "raised"})
    both = merged([read_calls(folder / "one.npz"), other])
    assert both.unkept == {(MODULE, "in_data"): "in a graph", (MODULE, "failing"): "raised"}
    rows = {row.function[1]: row for row in judged(both, {}, folder / "port").rows}
    assert (rows["in_data"].status, rows["in_data"].why) == ("not reached", "in a graph")


def test_what_map_fn_calls_is_the_function_itself(monkeypatch):
    from tensorflow.python.autograph.impl import api

    monkeypatch.setattr(api, "converted_call", api.converted_call)  # which is set back
    ran, traced = [], []

    def called(x):
        ran.append(sys._getframe().f_code.co_name)
        return -x if x > 0 else x

    before = tf.config.functions_run_eagerly()
    try:
        assert run_eagerly(traced.append, lambda: None)
        x = tf.constant([1.0, -2.0])
        assert tf.map_fn(called, x).numpy().tolist() == [-1, -2]
        assert (ran, traced) == (["called"] * 2, [])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = tf.data.Dataset.from_tensor_slices(x).map(called)
        assert [element.numpy() for element in data] == [-1, -2]
        assert called in traced
    finally:
        tf.config.run_functions_eagerly(before)


def test_a_graph_without_a_gradient_runs_again_without_the_tape():
    """TensorFlow builds the gradient of what `vectorized_map` runs before it runs; the program itself has no tape."""
    boxes = tf.constant([[[0.0, 0, 1, 1], [0, 0, 0.5, 0.5]]])
    tape = tf.GradientTape()

    def kept(pair):
        return tf.raw_ops.NonMaxSuppressionV5(
            boxes=pair[0],
            scores=pair[1],
            max_output_size=2,
            iou_threshold=0.5,
            score_threshold=0.0,
            soft_nms_sigma=0.0,
            pad_to_max_output_size=True,
        )[1]

    def drop():
        with contextlib.suppress(ValueError):  # it is closed already
            tape.__exit__(None, None, None)

    before = tf.config.functions_run_eagerly()
    try:
        assert run_eagerly(lambda f: None, drop)
        scores = tf.constant([[0.9, 0.8]])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tape.__enter__()
            tape.watch(scores)
            found = tf.vectorized_map(kept, (boxes, scores))
            with tf.GradientTape() as own:  # a tape of the program itself: its error stays
                own.watch(scores)
                with pytest.raises(LookupError, match="No gradient defined"):
                    tf.vectorized_map(kept, (boxes, scores))
    finally:
        tf.config.run_functions_eagerly(before)
    np.testing.assert_allclose(found, [[0.9, 0.8]])
