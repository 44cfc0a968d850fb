"""The line is found: in straight code, loops, branches, layers, compiled functions, gradients."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
import tensorflow as tf
from rich.console import Console

from tf2jax_port.diff import compare
from tf2jax_port.diff.locate import values
from tf2jax_port.diff.locate.finder import locate
from tf2jax_port.diff.locate.result.located import Located, NotLocated
from tf2jax_port.diff.locate.search import injection, trials
from tf2jax_port.diff.locate.search.replay import replay
from tf2jax_port.diff.report.as_json import to_data
from tf2jax_port.diff.report.as_text import render
from tf2jax_port.diff.values.arguments import bind

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4, 5)).astype(np.float32)
W = RANDOM.normal(size=(5, 5)).astype(np.float32)


def found(old, new, *arguments) -> Located:
    """What is located on one call."""
    located = locate(old, new, bind(0, arguments, old))
    assert isinstance(located, Located), located.reason
    return located


def lines(located: Located) -> tuple[str, str]:
    """The text of the lines on both sides."""
    assert located.old is not None
    assert located.new is not None
    return located.old.place.text, located.new.place.text


def normalized(x, w):
    h = tf.nn.gelu(tf.matmul(x, w))
    mean, var = tf.nn.moments(h, [-1], keepdims=True)
    h = (h - mean) * tf.math.rsqrt(var + 1e-3)
    return tf.nn.softmax(h)


def sample_variance(x, w):
    h = jax.nn.gelu(x @ w, approximate=False)
    mean = h.mean(-1, keepdims=True)
    var = h.var(-1, keepdims=True, ddof=1)
    h = (h - mean) / jnp.sqrt(var + 1e-3)
    return jax.nn.softmax(h)


def test_the_line_the_operation_and_the_cause():
    located = found(normalized, sample_variance, X, W)
    assert lines(located) == (
        "mean, var = tf.nn.moments(h, [-1], keepdims=True)",
        "var = h.var(-1, keepdims=True, ddof=1)",
    )
    assert (located.kind, located.old.operation, located.new.operation) == ("value", "Mean", "div")
    assert located.cause == "population and sample variance are confused"
    assert located.confirmed
    assert located.iteration is None
    assert np.allclose(np.divide(located.element.new, located.element.old), 5 / 4)


def test_a_compiled_port_is_located_as_what_it_was_made_of():
    assert lines(found(tf.function(normalized), jax.jit(sample_variance), X, W)) == lines(
        found(normalized, sample_variance, X, W)
    )


def loop(x, steps):
    for t in tf.range(steps):
        x = tf.where(t < 2, tf.tanh(x) + 0.5, tf.tanh(x))
    return x


def loop_port(x, steps):
    def body(t, h):
        h = jnp.tanh(h)
        return jnp.where(t < 3, h + 0.5, h)

    return jax.lax.fori_loop(0, steps, body, x)


def test_the_pass_of_a_loop_is_told():
    located = found(tf.function(loop), jax.jit(loop_port), X, np.int32(5))
    assert located.new.place.text == "return jnp.where(t < 3, h + 0.5, h)"
    assert located.iteration == 2
    assert located.confirmed


def branching(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.relu(x) * 2.0, lambda: tf.exp(x))


def branching_port(x):
    return jax.lax.cond(jnp.sum(x) > 0, lambda a: jax.nn.relu(a) * 3.0, jnp.exp, x)


def test_inside_a_branch():
    located = found(branching, branching_port, np.abs(X))
    assert (located.new.operation, located.cause) == ("mul", "the values differ by a factor of 1.5")


LAYER = keras.layers.LayerNormalization(epsilon=1e-3)
LAYER.build((None, 5))


def layered(x):
    h = LAYER(x)
    return tf.nn.relu(h) * 2.0


def layered_port(x):
    h = (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-1)
    return jax.nn.relu(h) * 2.0


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="Keras has another backend")
def test_through_a_keras_layer():
    old, new = lines(found(layered, layered_port, X))
    assert old == "h = LAYER(x)"
    assert new.startswith("h = (x - x.mean")


def biased(x, w, b):
    h = tf.matmul(x, w) + b
    return tf.nn.relu(h)


def without_bias(x, w, b):
    h = x @ w
    return jax.nn.relu(h)


def test_an_operation_that_was_left_out():
    located = found(biased, without_bias, X, W, X[0])
    assert lines(located) == ("h = tf.matmul(x, w) + b", "h = x @ w")
    assert located.cause == "a term is missing"


def gated(x, w):
    i, f = tf.split(tf.matmul(x, w[:, :4]), 2, 1)
    return tf.sigmoid(i) * tf.tanh(f)


def gates_exchanged(x, w):
    f, i = jnp.split(x @ w[:, :4], 2, axis=1)
    return jax.nn.sigmoid(i) * jnp.tanh(f)


def kept(x, w):
    h = tf.zeros_like(x[0])
    for t in range(4):
        new = tf.tanh(h + x[t] + w[0])
        h = tf.where(x[t] > 0, new, h)
    return h


def not_kept(x, w):
    h = jnp.zeros_like(x[0])
    for t in range(4):
        new = jnp.tanh(h + x[t] + w[0])
        h = new
    return h


def scaled(a, b):
    return a * tf.exp(b)


def scaled_port(a, b):
    return a * jnp.exp(b)


def helped(x, w):
    first = scaled(x, tf.tanh(x))
    second = scaled(tf.matmul(x, w), x)
    return first - second


def helped_wrongly(x, w):
    first = scaled_port(x, jnp.tanh(x))
    second = scaled_port(x @ w, -x)
    return first - second


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (gated, gates_exchanged, "f, i = jnp.split(x @ w[:, :4], 2, axis=1)"),
        (kept, not_kept, "h = new"),
        (helped, helped_wrongly, "second = scaled_port(x @ w, -x)"),
    ],
)
def test_what_is_used_wrongly_is_named_where_that_is_written(old, new, line):
    assert lines(found(old, new, X, W))[1] == line


def twice_wrong(x, w):
    h = jnp.tanh(x @ w) * 1.5
    h = h @ w
    h = jnp.sin(h) + jnp.cos(h)
    h = jnp.exp(-h)
    return h.mean(0)


def twice(x, w):
    h = tf.tanh(tf.matmul(x, w))
    h = tf.matmul(h, w)
    h = tf.sin(h) + tf.cos(h)
    h = tf.exp(-h)
    return tf.reduce_sum(h, 0)


def test_the_first_of_two_faults_and_the_second():
    located = found(twice, twice_wrong, X, W)
    assert located.new.place.text == "h = jnp.tanh(x @ w) * 1.5"
    assert not located.confirmed
    assert [one.new.place.text for one in located.further] == ["return h.mean(0)"]


def absolute(x):
    d = tf.abs(x)
    return tf.reduce_sum(d * 2.0)


def absolute_port(x):
    d = jnp.abs(x)
    return jnp.sum(d * 2.0)


def test_a_gradient():
    located = found(absolute, absolute_port, np.float32([0, 1, -2]))
    assert located.kind == "gradient"
    assert lines(located) == ("d = tf.abs(x)", "d = jnp.abs(x)")
    assert located.cause == "the gradient of abs differs at zero"
    assert (located.element.old[0], located.element.new[0]) == (0, 2)


def stopping(x, w):
    h = tf.tanh(tf.matmul(x, w))
    target = tf.stop_gradient(h) + x
    weight = tf.stop_gradient(tf.exp(h))
    error = tf.reduce_sum((target - h) ** 2, 1)
    return tf.reduce_sum(weight * h), tf.reduce_mean(error)


def port_that_stops_once_more(x, w):
    h = jnp.tanh(x @ w)
    target = jax.lax.stop_gradient(h) + x
    weight = jax.lax.stop_gradient(jnp.exp(h))
    error = jnp.sum((target - h) ** 2, 1)
    return jnp.sum(weight * jax.lax.stop_gradient(h)), jnp.mean(error)


def port_that_stops_once_less(x, w):
    h = jnp.tanh(x @ w)
    target = h + x
    weight = jax.lax.stop_gradient(jnp.exp(h))
    error = jnp.sum((target - h) ** 2, 1)
    return jnp.sum(weight * h), jnp.mean(error)


@pytest.mark.parametrize(
    ("port", "line"),
    [
        (
            port_that_stops_once_more,
            "return jnp.sum(weight * jax.lax.stop_gradient(h)), jnp.mean(error)",
        ),
        (port_that_stops_once_less, "target = h + x"),
    ],
)
def test_a_gradient_that_is_stopped_on_one_side_where_others_are_on_both(port, line):
    located = found(stopping, port, X, W)
    assert located.kind == "gradient"
    assert lines(located)[1] == line


def raising_port(x):
    h = jnp.exp(x)
    h = h.reshape(7)
    return h + 1


def test_a_port_that_raises():
    located = found(lambda x: tf.reshape(tf.exp(x), [20]) + 1, raising_port, X)
    assert (located.kind, located.new.place.text) == ("error", "h = h.reshape(7)")


def test_another_shape_and_another_type():
    kept = found(lambda x: tf.reduce_sum(x, 1), lambda x: jnp.sum(x, 1, keepdims=True), X)
    assert (kept.kind, kept.cause) == ("interface", "the shape differs")
    cast = found(lambda x: x > 0, lambda x: (x > 0).astype(jnp.int32), X)
    assert (cast.kind, cast.cause) == ("interface", "the type differs")


def right(x, w):
    h = jax.nn.gelu(x @ w, approximate=False)
    h = (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True) + 1e-3)
    return jax.nn.softmax(h)


def test_nobody_is_blamed_where_nothing_differs():
    assert isinstance(locate(normalized, right, bind(0, (X, W), normalized)), NotLocated)


def small_cases():
    return [(np.float32([0, 1, -2]),), (np.float32([0.5, 0.25]),)]


def test_the_report_has_it(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    report = compare(absolute, absolute_port, small_cases, locate=True)
    located = json.loads(json.dumps(to_data(report)["located"]))
    assert located["new"] == {
        "file": "test_locating.py",
        "line": absolute_port.__code__.co_firstlineno + 1,
        "end_line": absolute_port.__code__.co_firstlineno + 1,
        "primitive": "abs",
    }
    assert located["old"]["op"] == "Abs"
    assert (located["kind"], located["cause"]) == (
        "gradient",
        "the gradient of abs differs at zero",
    )
    console = Console(width=100, file=io.StringIO())
    console.print(render(report))
    text = console.file.getvalue()
    assert "The first divergence" in text
    assert "perhaps: the gradient of abs differs at zero" in text


def test_where_no_value_mends_the_port_its_operations_are_exchanged(monkeypatch):
    monkeypatch.setattr(values, "BUDGET", -1e6)
    monkeypatch.setattr(trials, "_MOST_MORE", 0.0)
    located = locate(normalized, sample_variance, bind(0, (X, W), normalized))
    assert isinstance(located, Located)
    assert "var" in located.new.place.text
    assert located.cause == "the outputs agree if another operation replaces this sub"
    assert located.confirmed


@pytest.mark.parametrize("more", [0.0, 2e6])
def test_a_search_has_its_time_and_a_large_program_more_of_it(monkeypatch, more):
    tries = []

    def counted(*words):
        tries.append(words)
        return replay(*words)

    monkeypatch.setattr(injection, "replay", counted)
    monkeypatch.setattr(values, "BUDGET", -1e6)
    monkeypatch.setattr(values, "_MEANT", 0)
    monkeypatch.setattr(trials, "_PER_ELEMENT", 1e9)
    monkeypatch.setattr(trials, "_MOST_MORE", more)
    located = locate(normalized, sample_variance, bind(0, (X, W), normalized))
    assert bool(tries) == bool(more)
    if more:
        assert isinstance(located, Located)
        assert located.kind == "value"
    else:
        assert isinstance(located, NotLocated)
        assert located.reason == "the values differ, but the time limit of the search was reached"
