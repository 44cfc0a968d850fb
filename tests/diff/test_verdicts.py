"""What lowers a verdict without being a difference: lanes, refusals, states, chance."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf

from tf2jax_port.diff import compare
from tf2jax_port.diff.report.as_html import to_html

from .pair import Pair, given, normals, run

FOUR = given(([1.0, 2.0, 4.0], [0, 0, 2]), ([3.0, 5.0], [0, 1]))


def texts(reasons):
    return [reason.text for reason in reasons]


def lanes(report):
    return {lane.lane: lane for lane in report.lanes}


def test_a_lane_that_xla_cannot_compile_is_not_covered_and_no_fault():
    """Sorted segments have no XLA kernel; their values and gradients were compared all the same."""

    def port(x, rows):
        return jax.ops.segment_sum(x, rows, num_segments=3 if x.shape[0] == 3 else 2)

    report = run(Pair("", tf.math.segment_sum, port, FOUR))
    assert report.verdict == "equal", texts(report.reasons)
    xla = lanes(report)["tf-xla"]
    assert (xla.values, xla.gradients) == (0, 0)
    assert texts(xla.reasons) == [
        "values: InvalidArgumentError: XLA_CPU_JIT has no kernel for SegmentSum (cases 0, 1)"
    ]
    states = {pair.lanes: pair.state for pair in report.pairs}
    assert states["tf-eager", "tf-xla"] == "not covered"
    assert states["tf-eager", "jax-jit"] == "equal"


def test_a_graph_that_needs_a_static_dimension_gets_it_and_says_so():
    def old(x):
        return tf.add_n([x[:, i] for i in range(x.shape[1])])

    report = run(Pair("", old, lambda x: jnp.sum(x, 1), normals((3, 4))))
    assert report.verdict == "equal", texts(report.reasons)
    (reason,) = lanes(report)["tf-graph"].reasons
    assert reason.text.startswith("run with: only the first dimension unknown: TypeError")


def test_a_port_that_raises_under_jit_fails():
    def port(x):
        small = x.shape[0] == 3 and isinstance(x, jax.core.Tracer)
        return jnp.square(x) if small else jnp.asarray(np.square(np.asarray(x)))

    report = run(Pair("", tf.square, port, normals((3,))))
    assert (report.verdict, report.exit_code) == ("different", 1)
    assert report.headline.startswith("Fails in JAX jit in 1 of 2 cases: the port raises")
    assert "1 of 2 ran" in to_html(report)


def test_a_port_that_raises_under_jit_where_the_original_has_no_graph_is_limited():
    def original(x):
        return tf.square(x.numpy())

    report = run(Pair("", original, lambda x: jnp.square(np.asarray(x)), normals((3,))))
    assert report.verdict == "limited"


def softmax_in_bfloat16(x, v):
    return tf.reduce_sum(tf.cast(tf.nn.softmax(tf.cast(x, tf.bfloat16)), tf.float32) * v)


def test_a_right_port_in_bfloat16_is_equal():
    def port(x, v):
        return jnp.sum(jax.nn.softmax(x.astype(jnp.bfloat16)).astype(jnp.float32) * v)

    assert run(Pair("", softmax_in_bfloat16, port, normals((7,), (7,)))).verdict == "equal"


def test_a_fault_in_a_port_in_bfloat16_is_found():
    def port(x, v):
        return jnp.sum(jax.nn.softmax(x.astype(jnp.bfloat16)).astype(jnp.float32) * v[::-1])

    assert run(Pair("", softmax_in_bfloat16, port, normals((7,), (7,)))).verdict == "different"


def test_an_original_that_refuses_what_the_port_computes():
    def old(x, i):
        return tf.gather(x, i)

    cases = given(([1.0, 2.0, 3.0], [0, 2]), ([1.0, 2.5], [7]))
    report = run(Pair("", old, lambda x, i: jnp.take(x, i, mode="clip"), cases))
    assert report.verdict == "limited"
    assert texts(report.reasons) == [
        "TF eager: InvalidArgumentError: indices[0] = 7 is not in [0, 2); "
        "the port returns a result (case 1)"
    ]


def test_inputs_that_both_refuse_are_an_agreement():
    cases = given(([1.0, 2.0, 3.0, 4.5],), ([1.0, 2.5, 0.5],))
    report = run(Pair("", lambda x: tf.reshape(x, [2, -1]), lambda x: x.reshape(2, -1), cases))
    assert report.verdict == "equal", texts(report.reasons)
    assert (
        "inputs: both the original and the port raise an error for these cases (case 1)"
        in texts(report.notes)
    )


def test_an_original_that_never_runs_is_an_error():
    def old(x):
        raise RuntimeError("no weights")

    report = run(Pair("", old, jnp.square, normals((3,))))
    assert (report.verdict, report.exit_code) == ("error", 2)
    assert report.headline == "The original fails in every lane"
    assert texts(report.reasons)[0] == "TF eager: RuntimeError: no weights (cases 0, 1)"


def test_a_port_that_never_runs_is_an_error():
    def port(x):
        raise SystemExit(3)

    report = run(Pair("", tf.square, port, normals((3,))))
    assert (report.verdict, report.exit_code) == ("error", 2)
    assert report.headline == "The port fails in every lane"
    assert texts(report.reasons)[0] == "JAX eager: SystemExit: 3 (cases 0, 1)"


def test_an_original_with_a_state_is_unsteady():
    counter = tf.Variable(0.0)

    def old(x):
        return x + counter.assign_add(1.0)

    report = run(Pair("", old, lambda x: x + 1, normals((3,))))
    assert report.verdict == "inconclusive"
    assert "the original is random: a second call" in report.headline


def test_random_numbers_that_differ_between_eager_and_graph_are_unsteady():
    def old(x):
        return x + tf.random.normal([3])

    report = run(Pair("", old, lambda x: x, given(([1.0, 2.0, 3.0],), ([3.0, 5.0, 6.0],))))
    assert report.verdict == "inconclusive"


def test_an_integer_that_jax_cannot_hold():
    cases = given((np.array([2**40]),), (np.array([3]),))
    report = run(Pair("", lambda x: x * 2, lambda x: x * 2, cases))
    assert report.verdict == "limited"
    assert texts(report.reasons) == [
        "inputs: OverflowError: 1099511627776 does not fit int32, and JAX has no 64-bit "
        "types unless they are enabled: run with --x64 (case 0)"
    ]


def test_with_64_bit_types_it_can_and_types_must_agree():
    cases = given((np.array([2**40, 1]),), (np.array([3, 5]),))
    try:
        assert compare(lambda x: x * 2, lambda x: x * 2, cases, x64=True).verdict == "equal"
        narrow = compare(lambda x: x * 2, lambda x: (x * 2).astype(jnp.int32), cases, x64=True)
        assert (narrow.verdict, narrow.stage) == ("different", "interface")
    finally:
        jax.config.update("jax_enable_x64", False)


def test_an_original_in_hard_coded_single_precision_is_judged_against_tf_eager():
    def old(x):
        return tf.exp(tf.cast(x, tf.float32))

    report = run(Pair("", old, jnp.exp, normals((50,))))
    assert report.verdict == "equal"
    assert {leaf.worst.comparison.closeness.basis for leaf in report.leaves} == {"relative"}


def test_and_a_fault_in_it_is_found():
    def old(x):
        return tf.nn.gelu(tf.cast(x, tf.float32))

    report = run(Pair("", old, jax.nn.gelu, normals((50,))))
    assert (report.verdict, report.stage) == ("different", "values")


def test_ill_conditioned_to_the_last_digit_says_so():
    """A sum that cancels: original and port are off by as much as the result is large."""
    big = np.array([3e7, 1.1, -3e7, 0.7], np.float32)

    def old(x):
        return tf.reduce_sum(x)

    def port(x):
        return jnp.sum(x[::-1])

    report = run(Pair("", old, port, lambda: [(big,), (big * np.float32(1.1),)]))
    assert report.verdict in ("equal", "limited")
    if report.verdict == "limited":
        assert "ill-conditioned" in report.reasons[0].why


def test_a_variable_number_of_results_in_one_compiled_program():
    def old(x):
        return tf.boolean_mask(x, x > 0)

    def port(x):
        return x[x > 0]

    cases = given(([1.0, -2.0, 3.0],), ([-1.0, -2.0],), ([0.5, 1.5, 2.5, 4.0],))
    report = run(Pair("", old, port, cases))
    assert report.verdict == "equal", texts(report.reasons)
    assert lanes(report)["jax-jit"].values == 3
    assert lanes(report)["jax-jit"].gradients == 3


def test_a_gradient_in_float16_that_cancels_is_rounding():
    """The same shift of all keys does not change attention: its gradient is what rounding leaves."""

    def old(x, w, b):
        keys = tf.matmul(tf.cast(x, tf.float16), tf.cast(w, tf.float16)) + tf.cast(b, tf.float16)
        logits = tf.matmul(tf.cast(x, tf.float16)[:, :8], keys, transpose_b=True)
        return tf.cast(tf.nn.softmax(logits), tf.float32)

    def port(x, w, b):
        keys = x.astype(jnp.float16) @ w.astype(jnp.float16) + b.astype(jnp.float16)
        return jax.nn.softmax(x.astype(jnp.float16)[:, :8] @ keys.T).astype(jnp.float32)

    def scaled(x, w, b):
        return port(x, w * 1.05, b)

    random = np.random.default_rng(3)

    def cases():
        for _ in range(2):
            arrays = (random.normal(size=size) for size in ((6, 16), (16, 8), 8))
            yield tuple((array * 0.5).astype(np.float32) for array in arrays)

    given_cases = list(cases())
    assert compare(old, port, given_cases).verdict in ("equal", "limited")
    assert compare(old, scaled, given_cases).verdict == "different"
