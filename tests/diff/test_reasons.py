"""Reasons in reports: each once, with the cause and what to do about it."""

from __future__ import annotations

import io

import jax.numpy as jnp
import keras
import numpy as np
import pytest
import tensorflow as tf
from rich.console import Console

import shims
from tf2jax_port.diff import compare
from tf2jax_port.diff.lanes.jax_gradients import JaxGradients
from tf2jax_port.diff.report.as_html import to_html
from tf2jax_port.diff.report.as_text import render
from tf2jax_port.diff.values.attempt import attempt
from tf2jax_port.diff.vocabulary.reasons import grouped_failures

from .pair import Pair, normals, run


def shown(report):
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    return out.getvalue()


class Failing(keras.layers.Layer):
    """Raises an error of its own, or that of a layer within it."""

    def __init__(self, inner=None):
        super().__init__()
        self.inner = inner

    def call(self, x):
        if self.inner is not None:
            return self.inner(x)
        raise LookupError(
            "no such row: 3\n  Required: fewer\n  Do:       ask for a row\n            that exists"
        )


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_the_cause_that_keras_wraps(depth, graph):
    layer = Failing()
    for _ in range(depth - 1):
        layer = Failing(layer)
    function = tf.function(lambda x: layer(x)) if graph else layer
    found = attempt(function, np.ones(3, np.float32))
    assert found.reason == "LookupError: no such row: 3"
    assert found.advised == f"{found.reason} Do: ask for a row that exists"


def test_the_cause_that_autograph_wraps():
    def original(x):
        if tf.reduce_sum(x) > 0:
            raise ValueError("first: line\nsecond: line")
        return x

    assert attempt(tf.function(original), np.ones(3)).reason == "ValueError: first: line"


def test_gradients_that_raise_in_one_lane_limit_the_verdict(monkeypatch):
    """Each lane of the port is compared, or the report says that it was not."""

    def refuse(*given):
        raise RuntimeError("no derivative here.\n  Do:       compile it")

    monkeypatch.setattr(JaxGradients, "eager", refuse)
    report = run(Pair("", tf.square, jnp.square, normals((3,))))
    assert report.verdict == "limited"
    assert [reason.text for reason in report.reasons] == [
        "the gradients in JAX eager: RuntimeError: no derivative here. Do: compile it (cases 0, 1)"
    ]
    assert shown(report).count("no derivative here") == 1
    assert "values only" in shown(report)
    assert "values only" in to_html(report)


def test_no_reason_is_listed_twice():
    def original(x):
        raise RuntimeError("no weights")

    report = run(Pair("", original, jnp.square, normals((3,))))
    assert report.verdict == "error"
    assert shown(report).count("TF eager: ") == 1
    assert to_html(report).count("<li>TF eager") == 1


def test_errors_that_differ_in_numbers_are_one():
    errors = [("a", f"label value of {n} is outside [0, 3), of {n}, 2, {n}…", n) for n in range(4)]
    (found,) = grouped_failures([*errors, errors[0]])
    assert found.text == (
        "a: label value of 0 is outside [0, 3), of 0, 2, 0…, and 3 similar (cases 0, 1, 2, 3)"
    )
    assert len(grouped_failures([("a", "no x", 0), ("a", "no y", 1)])) == 2


LIMIT = 0.125


def clipped(x):
    return tf.clip_by_value(x, LIMIT, 1 - LIMIT)


def clipped_port(x):
    return jnp.clip(x, LIMIT, 1 - LIMIT)


@pytest.mark.parametrize("inputs", ["x: float32[n] in 0..1", "x: float32[n, 2]"])
def test_generated_inputs_have_the_limits_of_the_original(inputs):
    """On a limit JAX gives half of the gradient."""
    report = compare(clipped, clipped_port, inputs, x64=False)
    assert (report.verdict, report.stage) == ("different", "gradients")
    other = compare(clipped, lambda x: shims.clip_by_value(x, LIMIT, 1 - LIMIT), inputs, x64=False)
    assert other.verdict == "equal", other.reasons


def test_labels_out_of_range_get_bounds():
    def original(label, p):
        return tf.nn.sparse_softmax_cross_entropy_with_logits(label, p)

    report = compare(original, lambda label, p: p, "value: int32[n]; p: float32[n, 3]", x64=False)
    notes = [note.text for note in report.notes]
    assert any("`value: int32[n] in 0..3`" in note for note in notes), notes


def test_the_cause_of_an_error_in_a_graph():
    def failing():
        raise ValueError(
            "Graph execution error:\n\nDetected at node f/Op defined at (most recent call last):\n"
            "<stack traces unavailable>\nReceived a label value of 3: too large\n\t [[{{node f/Op}}]] [Op:__inference_f_1]"
        )

    assert attempt(failing).reason == "ValueError: Received a label value of 3: too large"
