"""Calls of a code base are captured, and replayed against its port; what raises is never equal."""

import subprocess
import sys

import numpy as np
import pytest

from tf2jax_port.diff.code_bases import port_objects, prove
from tf2jax_port.diff.code_bases.call_file import Call, Calls, merged, read_calls
from tf2jax_port.diff.code_bases.capture import capture
from tf2jax_port.diff.code_bases.encoding import UnfitError, arrays_in, decode, encode
from tf2jax_port.diff.code_bases.outcomes import Outcome, compare
from tf2jax_port.diff.code_bases.replay import LANES, Replay

PORT = """
import os
import jax.numpy as jnp
import numpy as np
import shims

class Scale:
    def __init__(self, by):
        self.by = by
    def call(self, x):
        return {"y": x * self.by, "n": x.shape[0]}

class Slotted:
    __slots__ = ("by",)
    def __init__(self, by):
        self.by = by
    def call(self, x):
        return {"y": x * self.by, "n": x.shape[0]}

def double(x):
    return x * 2, None

def wrong(x):
    return x + 1, None

def fails(x):
    raise ValueError("no")

def only_eager(x):
    return jnp.asarray(np.asarray(x) * 2), None

def positive(x):
    import shims
    return jnp.flip(shims.boolean_mask(x, x > 1)) * 2, None

def branches(x):
    if jnp.sum(x) > 0:
        x = x * 2
    return x, None

runs = []

@shims.function
def compiled(x):
    runs.append(x)
    return x * 2, None

def dies(x):
    os._exit(3)
"""


def call_of(name, arrays, result, init=None):
    x = np.array([1.0, 2.0], np.float32)
    tensor = {"kind": "tensor", "array": len(arrays), "dtype": "float32"}
    arrays.append(x)
    packed = encode([[], {}], arrays)
    packed["items"][0]["items"] = [tensor]
    arguments = {"call": packed} if init is None else {"call": packed, "owner": init}
    return Call("some_port", name, arguments, encode(result, arrays))


@pytest.fixture
def calls(tmp_path, monkeypatch):
    (tmp_path / "some_port.py").write_text(PORT)
    monkeypatch.syspath_prepend(str(tmp_path))
    arrays = []
    twice = (np.array([2.0, 4.0], np.float32), None)
    made = {"kind": "object", "items": [encode([3.0], arrays), encode({}, arrays)]}
    made.update(module="some_port", name="Scale")
    tripled = {"y": np.array([3.0, 6.0], np.float32), "n": 2}
    names = ("double", "wrong", "fails", "only_eager")
    found = [call_of(name, arrays, twice) for name in names]
    found.append(call_of("Scale.call", arrays, tripled, made))
    found.append(call_of("Slotted.call", arrays, tripled, {**made, "name": "Slotted"}))
    yield Calls(tuple(found), tuple(arrays))
    sys.modules.pop("some_port", None)


def test_each_lane_has_an_outcome_of_its_own(calls):
    replay = Replay(calls)
    found = {c.name: [replay.run(c, lane).outcome.value for lane in LANES] for c in calls.calls}
    assert found == {
        "double": ["equal"] * 3,
        "wrong": ["different"] * 3,
        "fails": ["error"] * 3,
        "only_eager": ["equal", "error", found["only_eager"][2]],
        "Scale.call": ["equal"] * 3,
        "Slotted.call": ["equal"] * 3,
    }


def test_a_size_that_depends_on_data_is_compiled_in_a_dynamic_trace(calls):
    arrays = list(calls.arrays)
    selected = call_of("positive", arrays, (np.array([4.0], np.float32), None))
    # Control flow over arrays is converted there, as `shims.function` converts it.
    branches = call_of("branches", arrays, (np.array([2.0, 4.0], np.float32), None))
    replay = Replay(Calls((selected, branches), tuple(arrays)))
    for call in (selected, branches):
        found = [replay.run(call, lane) for lane in LANES]
        assert [each.outcome for each in found] == [Outcome.EQUAL] * 3
        assert [each.detail for each in found] == ["", "in `shims.dynamic`", ""]


def test_a_compiled_function_is_not_compiled_in_another_one(calls):
    arrays = list(calls.arrays)
    call = call_of("compiled", arrays, (np.array([2.0, 4.0], np.float32), None))
    replay = Replay(Calls((call,), tuple(arrays)))
    assert [replay.run(call, lane).outcome for lane in LANES] == [Outcome.EQUAL] * 3
    assert len(sys.modules["some_port"].runs) == 2  # once for itself, once under `jit`


def test_weights_are_in_the_order_of_the_original():
    import keras

    layer = keras.layers.BatchNormalization()
    model = keras.Sequential([layer, keras.layers.Dense(2)])
    model.build((None, 3))
    order = ["gamma", "beta", "moving_mean", "moving_variance", "kernel", "bias"]
    keras_2 = [*order[:2], *order[4:], *order[2:4]]
    wrapper = keras.layers.TimeDistributed(model)
    for holder, shapes, wanted in (
        (wrapper, [(3,), (3,), (3, 2), (2,), (3,), (3,)], keras_2),
        (wrapper, [(3,), (3,), (3,), (3,), (3, 2), (2,)], order),
        (model, [(3,), (3,), (3,), (3,), (3, 2), (2,)], order),
    ):
        found = port_objects.variables_of(holder, shapes)
        assert [v.path.rpartition("/")[2] for v in found] == wanted


@pytest.mark.parametrize(
    ("one", "other", "outcome"),
    [
        (np.float32([1, 2]), np.float32([1, 2 + 1e-6]), "equal"),
        (np.float32([1, 2]), np.float32([1, 2.01]), "different"),
        (np.float32([1, np.nan]), np.float32([1, np.nan]), "equal"),
        (np.float32([1, np.nan]), np.float32([1, 2]), "different"),
        (np.float32([1, np.inf]), np.float32([1, -np.inf]), "different"),
        (np.int64([1, 2]), np.int32([1, 2]), "equal"),
        (np.int64([1, 2]), np.float32([1, 2]), "different"),
        (np.int32([1]), 1, "different"),
        (np.int32(3), 3, "equal"),
        (np.float32([]), np.float32([]), "equal"),
        ([1, "a"], (1, "a"), "equal"),
        ([1, "a"], [1, "b"], "different"),
        ([1, 2], [1], "different"),
        (None, np.float32(0), "different"),
    ],
)
def test_results_are_compared_leaf_by_leaf(one, other, outcome):
    before, after = [], []
    found = compare(encode(one, before), encode(other, after), before, after)
    assert found.outcome is Outcome(outcome)


def test_values_come_back_as_they_were():
    arrays = []
    value = {"a": [1, 2.5, None, True], "b": (np.arange(3), "text")}
    node = encode(value, arrays)
    back = decode(node, lambda n: arrays[n["array"]])
    assert str(back) == str(value)
    assert [n["kind"] for n in arrays_in(node)] == ["numpy"]
    for unfit in (object(), print, np.array(["a"], object)):
        with pytest.raises(UnfitError):
            encode(unfit, [])


def test_files_hold_what_was_written(calls, tmp_path):
    calls.write(tmp_path / "calls.npz")
    twice = merged([read_calls(tmp_path / "calls.npz")] * 2)
    assert twice.calls[: len(calls.calls)] == calls.calls
    replay = Replay(twice)
    assert [replay.run(c, "eager").outcome.value for c in twice.calls if c.name == "double"] == [
        "equal",
        "equal",
    ]


@pytest.mark.long
def test_a_process_that_ends_is_an_error_and_the_rest_goes_on(calls, tmp_path):
    arrays = list(calls.arrays)
    dying = call_of("dies", arrays, None)
    Calls((dying, *calls.calls), tuple(arrays), ("some_port",)).write(tmp_path / "calls.npz")
    _, results = prove.prove(tmp_path / "calls.npz", tmp_path, 120.0)
    assert {results[0, lane].outcome for lane in LANES} == {Outcome.ERROR}
    eager = [replayed.outcome for (_, lane), replayed in results.items() if lane == "eager"]
    assert eager.count(Outcome.EQUAL) == 4


ORIGINAL = """
import collections
import tensorflow as tf

Pair = collections.namedtuple("Pair", "a b")

@tf.function
def total(x, axis=0):
    return inner(x, axis)

def inner(x, axis):
    return tf.reduce_sum(x, axis)

class Layer:
    def __init__(self, by):
        self.by = by
    def call(self, x):
        return x * self.by

class Holder:
    def __init__(self, layer, activation, offset):
        self.layer, self.activation, self.offset = layer, activation, offset
    def run(self, x):
        return self.activation(self.layer.call(x)) + self.offset
    @classmethod
    def named(cls, x):
        return tf.square(x), cls.__name__
    @staticmethod
    def exp(x):
        return tf.exp(x)

class Twice:
    def __call__(self, x):
        self.factor = 2
        return self.scaled(x)
    def scaled(self, x):
        return x * self.factor

class Dense(tf.Module):
    def __init__(self, n):
        super().__init__()
        self.n, self.w = n, None
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.random.normal([x.shape[-1], self.n]))
        return tf.matmul(x, self.w)

class Count(tf.Module):
    def __init__(self):
        super().__init__()
        self.n = tf.Variable(0.0)
    def add(self, x):
        self.n.assign_add(x)
    @property
    def total(self):
        return self.n + 0.0

class KerasDense(tf.keras.layers.Layer):
    def __init__(self, n, **options):
        super().__init__(**options)
        self.n = n
    def build(self, shape):
        self.w = self.add_weight(shape=(shape[-1], self.n), name="w")
        super().build(shape)
    def call(self, x):
        return tf.matmul(x, self.w)

class Sized:
    def __init__(self):
        self.n, self.seen, self.two = None, [], bool(tf.abs(2) > 1)
    def get(self, x):
        self.n = tf.shape(x)[0]
        self.seen.append(3.0)
        return self.pad(x)
    def pad(self, x):
        return tf.reshape(x, [self.n, -1]) * self.seen[0]

def swapped(pair):
    return Pair(pair.b * 2, pair.a)

def assigned(v, x):
    v.assign_add(x)
    return v * 2

def doubled(ragged):
    return ragged * 2.0

def without_tensors(n):
    return n + 1
"""
DRIVER = """
import tensorflow as tf
from package import module as m
for n in (2, 3, 3):
    m.total(tf.ones([n, 2]), axis=1)
layer = m.Layer(2.0)
layer.call(tf.ones([2]))
m.Holder(layer, tf.nn.relu, tf.ones([2])).run(tf.constant([1.0, -2.0]))
m.Holder.named(tf.ones([3]))
m.Twice()(tf.ones([3]))
m.Holder.exp(tf.ones([3]))
m.Dense(3)(tf.ones([2, 4]))
count = m.Count()
count.add(tf.constant(2.0))
count.total
m.KerasDense(3)(tf.ones([2, 4]))
m.Sized().get(tf.ones([2, 4]))
m.swapped(m.Pair(tf.ones([2]), 3))
m.assigned(tf.Variable([1.0, 2.0]), tf.ones([2]))
m.doubled(tf.ragged.constant([[1.0, 2.0], [3.0]]))
m.without_tensors(3)
"""
CAPTURED = [
    *("Count.add", "Count.total", "Dense.__call__", "Holder.exp", "Holder.named", "Holder.run"),
    *("KerasDense.call", "Layer.call", "Sized.get", "Sized.pad", "assigned", "doubled", "inner"),
    *("inner", "Twice.__call__", "Twice.scaled", "swapped", "total", "total"),
    # Constructors, and the method that makes a layer's variables.
    *("Count.__init__", "Dense.__init__", "Holder.__init__", "KerasDense.__init__"),
    *("KerasDense.build", "Layer.__init__", "Sized.__init__"),
]


@pytest.mark.long
def test_a_program_is_captured_without_an_edit(tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "module.py").write_text(ORIGINAL)
    (tmp_path / "driver.py").write_text(DRIVER)
    command = [sys.executable, str(tmp_path / "driver.py")]
    found, code = capture(command, ["package"], tmp_path / "calls.npz", 5, 300.0)
    names = sorted(call.name for call in found.calls)
    assert (code, names) == (0, sorted(CAPTURED))
    assert not [call for call in found.calls if call.unfit]
    rewriting = "from tf2jax_port.cli import main; main()"
    arguments = ["rewrite", "--write", str(tmp_path / "package")]
    subprocess.run([sys.executable, "-c", rewriting, *arguments], check=False, capture_output=True)
    _, results = prove.prove(tmp_path / "calls.npz", tmp_path, 120.0)
    failed = {
        (found.calls[index].name, lane): replayed.outcome
        for (index, lane), replayed in results.items()
        if replayed.outcome is not Outcome.EQUAL
    }
    # `jax.jit` takes and returns the values of variables, but compiled code cannot make them.
    making = [("KerasDense.build", lane) for lane in ("jit", "function")]
    assert failed == dict.fromkeys(making, Outcome.NOT_REPLAYABLE)
