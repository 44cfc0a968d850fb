"""Variables of the original as parameters of the port: which is which, and their gradients."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from tf2jax_port.diff.functions.loading import DiffError, load
from tf2jax_port.diff.lanes.state import Request as StateRequest
from tf2jax_port.diff.lanes.state import match, variables_of
from tf2jax_port.diff.sessions.run import Request, compare_functions

OLD = """
import tensorflow as tf

class Layer(tf.Module):
    def __init__(self, seed):
        self.w = tf.Variable(tf.random.stateless_normal([3, 3], [seed, 0]))
        self.b = tf.Variable(tf.fill([3], 0.1 * seed))

class Net(tf.Module):
    def __init__(self):
        self.layers = [Layer(1)]
        self.table = tf.Variable(tf.reshape(tf.range(12.0) / 7, [4, 3]))

net = Net()

def apply(ids):
    x = tf.gather(net.table, ids)
    for layer in net.layers:
        x = tf.tanh(x @ layer.w + layer.b)
    return x

def counts(ids):
    net.layers[0].b.assign_add([1.0, 1.0, 1.0])
    return apply(ids)
"""
NEW = """
import jax, jax.numpy as jnp

def params():
    layer = {"kernel": jnp.zeros((3, 3)), "bias": jnp.zeros(3)}
    return {"embed": {"embedding": jnp.zeros((4, 3))}, "Dense_0": layer}

@jax.jit
def apply(p, ids):
    layer = p["Dense_0"]
    return jnp.tanh(p["embed"]["embedding"][ids] @ layer["kernel"] + layer["bias"])

def counts(p, ids):
    first = {**p["Dense_0"], "bias": p["Dense_0"]["bias"] + 1}
    return apply({**p, "Dense_0": first}, ids)

def stopped(p, ids):
    kernel = jax.lax.stop_gradient(p["Dense_0"]["kernel"])
    return apply({**p, "Dense_0": {**p["Dense_0"], "kernel": kernel}}, ids)
"""


@pytest.fixture
def request_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "old.py").write_text(OLD)
    (tmp_path / "new.py").write_text(NEW)

    def made(name, port, *given):
        old, new = (
            replace(load(s), importable=False) for s in (f"old.py:{name}", f"new.py:{port}")
        )
        state = StateRequest("old.py:net", "new.py:params", given)
        return Request(old, new, "", x64=False, state=state)

    return made


def cases():
    yield (np.int32([0, 3, 3]),)


def test_a_port_with_parameters_is_equal(request_for):
    report = compare_functions(request_for("apply", "apply"), cases)
    assert (report.verdict, report.headline) == (
        "equal",
        "Equal in every output and every gradient",
    )
    leaves = {leaf.title: leaf for leaf in report.leaves}
    assert len(leaves) == 1 + 2 * 3
    table = leaves["d/d variables['table'] (random)"]
    assert table.worst.comparison.closeness.basis == "float64"
    assert [note.why for note in report.notes if note.what == "variables"] == [
        "table is params['embed']['embedding']",
        "layers/0/b is params['Dense_0']['bias']",
        "layers/0/w is params['Dense_0']['kernel']",
    ]
    assert "--variables old.py:net --params new.py:params" in report.reproduce


def test_a_gradient_that_one_parameter_lacks(request_for):
    report = compare_functions(request_for("apply", "stopped"), cases)
    assert (report.verdict, report.stage) == ("different", "gradients")
    assert report.culprit.quantity.path == "variables['layers/0/w']"


def test_what_it_assigns_is_undone_before_each_run(request_for):
    report = compare_functions(request_for("counts", "counts"), cases)
    assert report.reasons == ()
    assert report.verdict == "equal"
    assert report.leaves[0].worst.comparison.closeness.basis == "relative"


def test_a_person_decides():
    shapes, leaves = {"a/w": (2,), "b/w": (2,)}, {"['a']['w']": (2,), "['b']['w']": (2,)}
    assert match(shapes, leaves)["a/w"] == "['a']['w']"
    assert match(shapes, leaves, [("a/w", "['b']['w']")]) == {
        "a/w": "['b']['w']",
        "b/w": "['a']['w']",
    }


def test_names_shapes_and_order_decide():
    keras = {
        "sequential/dense/bias": (4,),
        "sequential/batch_normalization/gamma": (4,),
        "sequential/batch_normalization/beta": (4,),
        "sequential/batch_normalization/moving_mean": (4,),
    }
    flax = {
        "['bn']['bias']": (4,),
        "['bn']['mean']": (4,),
        "['bn']['scale']": (4,),
        "['d0']['bias']": (4,),
    }
    assert list(match(keras, flax).values()) == [
        "['d0']['bias']",
        "['bn']['scale']",
        "['bn']['bias']",
        "['bn']['mean']",
    ]
    nameless = {f"[{i}]": (2,) for i in range(3)}
    assert match({"c": (2,), "a": (2,), "b": (2,)}, nameless) == {
        "c": "[0]",
        "a": "[1]",
        "b": "[2]",
    }


def test_what_does_not_fit_is_said():
    with pytest.raises(DiffError) as error:
        match({"w": (2, 3), "b": (3,)}, {"['w']": (3, 2), "['b']": (3,)})
    assert str(error.value) == (
        "variables: variables and parameters do not have the same shapes.\n"
        "  Original: w [2, 3], b [3]\n  Port:     ['w'] [3, 2], ['b'] [3]\n"
        "  Do:       pass --map NAME=PATH for each such pair; a transposed kernel has a different shape"
    )
    with pytest.raises(DiffError, match="--map names an unknown variable or parameter"):
        match({"w": (1,)}, {"['w']": (1,)}, [("v", "['w']")])
    with pytest.raises(DiffError, match="--map pairs different shapes"):
        match({"w": (1,)}, {"['w']": (2,)}, [("w", "['w']")])


def test_what_holds_variables():
    import tensorflow as tf

    one, two = tf.Variable(1.0), tf.Variable([2.0])
    assert variables_of(one) == {"variable": one}
    assert list(variables_of({"b": [one], "a": two})) == ["a", "b'][0"]
    assert variables_of(3) == {}
