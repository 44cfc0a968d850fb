"""A comparison that could not have failed is not a pass; its twin that could have is."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from .pair import Pair, given, normals, run

TWO = given(([1.0, 2.0],), ([3.0, 5.0],))

VACUOUS = (
    (
        Pair("no cases", tf.square, jnp.square, list),
        "Cannot tell: cases() returned no cases",
    ),
    (
        Pair("constant", lambda x: tf.ones([3]) + 0 * x[0], lambda x: jnp.ones(3) + 0 * x[0], TWO),
        "Cannot tell: output: is the same for all 2 cases, although their inputs differ",
    ),
    (
        Pair("zero", lambda x: 0 * x, lambda x: 0 * x, TWO),
        "Cannot tell: output: is zero in every element of every case",
    ),
    (
        Pair("NaN", lambda x: x * np.nan, lambda x: x * np.nan, TWO),
        "Cannot tell: output: is NaN in every element of every case",
    ),
    (
        Pair("empty", lambda x: x[:0], lambda x: x[:0], TWO),
        "Cannot tell: output: has no elements in any case",
    ),
    (
        Pair("nothing returned", lambda x: None, lambda x: None, TWO),
        "Cannot tell: the function: returns nothing to compare",
    ),
    (
        Pair(
            "gradients all zero",
            lambda x: x + tf.stop_gradient(tf.sin(x)) - x,
            lambda x: x + jax.lax.stop_gradient(jnp.sin(x)) - x,
            normals((3,)),
        ),
        "Cannot tell: every gradient: is zero in every case",
    ),
)


@pytest.mark.parametrize(("pair", "headline"), VACUOUS, ids=lambda part: getattr(part, "id", ""))
def test_is_inconclusive(pair: Pair, headline: str):
    report = run(pair)
    assert (report.verdict, report.headline) == ("inconclusive", headline)
    assert report.exit_code == 4


def test_one_empty_output_of_two_limits_the_verdict():
    report = run(Pair("", lambda x: (x, 0 * x), lambda x: (x, 0 * x), TWO))
    assert report.verdict == "limited"
    assert [reason.text for reason in report.reasons] == [
        "output[1]: is zero in every element of every case"
    ]


def test_one_constant_count_of_two_outputs_is_only_said():
    def old(x):
        return x, tf.size(x)

    report = run(Pair("", old, lambda x: (x, jnp.asarray(x.size)), TWO))
    assert report.verdict == "equal"
    assert [reason.text for reason in report.notes] == [
        "output[1]: is the same for all 2 cases, although their inputs differ",
        "inputs: all cases have the same shapes, so no other size was tried",
    ]


def test_one_dead_gradient_of_two_is_only_said():
    cases = given(([1.0, 2.0], [-1.0]), ([0.5], [-2.0]))

    def old(x, y):
        return x + tf.nn.relu(y)

    report = run(Pair("", old, lambda x, y: x + jax.nn.relu(y), cases))
    assert report.verdict == "equal"
    assert "the gradient of y: is zero in every case" in [r.text for r in report.notes]


def test_the_same_input_twice_may_give_the_same_twice():
    report = run(Pair("", tf.square, jnp.square, given(([1.0, 2.0],), ([1.0, 2.0],))))
    assert report.verdict == "equal"
