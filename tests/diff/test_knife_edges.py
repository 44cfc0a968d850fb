"""Where the original disagrees with itself it is named, and its port is not called wrong."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from .pair import Pair, given, run


def selected_root(x):
    return tf.reduce_sum(tf.where(x > 0, tf.sqrt(x), 0.0))


def selected_root_port(x):
    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))


@jax.custom_vjp
def kernel_root(x):
    """The square root with the gradient of TensorFlow's kernels: no cotangent, no gradient."""
    return jnp.sqrt(x)


kernel_root.defvjp(
    lambda x: (jnp.sqrt(x), x), lambda x, g: (jnp.where(g == 0, 0, g * 0.5 / jnp.sqrt(x)),)
)

ZERO_AMONG_OTHERS = given(([0.0, 4.0, 1.5],), ([0.25, 3.0],))


def test_following_xla_instead_of_eager_is_a_limit_and_not_a_fault():
    report = run(Pair("", selected_root, selected_root_port, ZERO_AMONG_OTHERS))
    assert report.verdict == "limited"
    assert [reason.text for reason in report.reasons] == [
        "d/d x (ones): knife edge in JAX eager: the port agrees with TF XLA (1 element) (case 0)",
        "d/d x (random): knife edge in JAX eager: the port agrees with TF XLA (1 element) (case 0)",
        "d/d x (ones): knife edge in JAX jit: the port agrees with TF XLA (1 element) (case 0)",
        "d/d x (random): knife edge in JAX jit: the port agrees with TF XLA (1 element) (case 0)",
    ]
    assert "d/d x (ones): TF eager has 0, TF XLA nan at [0] (case 0)" in [
        reason.text for reason in report.knife_edges
    ]
    pairs = {pair.lanes: pair.state for pair in report.pairs}
    assert pairs["tf-eager", "tf-xla"] == "different"
    assert pairs["tf-eager", "jax-eager"] == "different"
    assert pairs["tf-xla", "jax-eager"] == "equal"
    assert pairs["tf-eager", "tf-graph"] == "equal"


def test_following_eager_is_equal_and_the_edge_is_still_named():
    def port(x):
        return jnp.sum(jnp.where(x > 0, kernel_root(x), 0.0))

    report = run(Pair("", selected_root, port, ZERO_AMONG_OTHERS))
    assert report.verdict == "equal"
    assert "d/d x (ones): TF eager has 0, TF XLA nan at [0] (case 0)" in [
        reason.text for reason in report.knife_edges
    ]


def test_a_fault_beside_a_knife_edge_is_a_fault():
    def port(x):
        return 1.01 * selected_root_port(x)

    report = run(Pair("", selected_root, port, ZERO_AMONG_OTHERS))
    assert (report.verdict, report.stage) == ("different", "values")


# Sums of a third that round to either side of 1, depending on how they are added.
SUM = np.full(7, 1 / 7, np.float32)


def test_a_boolean_that_flips_within_rounding():
    def old(x):
        return tf.reduce_sum(x) - 1 >= 0

    def flipped(x):
        return jnp.logical_not(jnp.sum(x) - 1 >= 0)

    report = run(Pair("", old, flipped, lambda: [(SUM,)]))
    assert report.verdict == "limited"
    assert all("knife edge" in reason.text for reason in report.reasons)


def test_a_boolean_far_from_the_edge_that_is_wrong():
    def old(x):
        return tf.reduce_sum(x) - 0.9 >= 0

    def wrong(x):
        return jnp.logical_not(jnp.sum(x) - 0.9 >= 0)

    report = run(Pair("", old, wrong, lambda: [(SUM,)]))
    assert (report.verdict, report.stage) == ("different", "values")


def test_a_tie_with_a_round_constant_is_no_excuse():
    cases = given(([0.5, 0.25, 0.75],), ([0.1, 0.5],))
    report = run(Pair("", lambda x: x > 0.5, lambda x: x >= 0.5, cases))
    assert (report.verdict, report.stage) == ("different", "values")
    assert report.culprit is not None
    assert report.culprit.comparison.worst is not None
    assert report.culprit.comparison.worst.index == (0,)


def test_a_tie_of_two_inputs_is_no_excuse():
    cases = given(([0.3, 0.2], [0.3, 0.7]), ([0.1], [0.1]))
    report = run(Pair("", lambda x, y: x > y, lambda x, y: x >= y, cases))
    assert (report.verdict, report.stage) == ("different", "values")


def test_the_order_of_nearly_equal_scores():
    """1/3 and its neighbor: which of them is larger is decided by rounding."""
    third = np.float32(1 / 3)
    scores = np.array([third, np.nextafter(third, np.float32(1)), 0.1], np.float32)

    def old(x):
        return tf.math.top_k(x, 2).indices

    def swapped(x):
        return jax.lax.top_k(x, 2)[1][::-1]

    report = run(Pair("", old, swapped, lambda: [(scores,)]))
    assert report.verdict == "limited"
    assert report.reasons[0].text.startswith(
        "output: knife edge in JAX eager: the port agrees with TF eager with inputs changed by"
    )


def test_the_order_of_scores_that_differ_is_not_forgiven():
    def old(x):
        return tf.math.top_k(x, 2).indices

    def swapped(x):
        return jax.lax.top_k(x, 2)[1][::-1]

    report = run(Pair("", old, swapped, given(([0.3, 0.31, 0.1],))))
    assert (report.verdict, report.stage) == ("different", "values")


def test_overflow_that_the_port_avoids():
    """float64 and the port have a number where float32 overflows."""

    def old(x):
        return tf.math.log(tf.reduce_sum(tf.exp(x)))

    report = run(Pair("", old, jax.nn.logsumexp, given(([100.0, 1.0],), ([1.0, 2.0],))))
    assert report.verdict == "limited"
    assert "output: knife edge in JAX eager: the port agrees with the original in float64" in (
        report.reasons[0].text
    )
