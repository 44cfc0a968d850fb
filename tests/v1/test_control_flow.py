"""What branches, loops, lists and statements say and refuse, beside what TensorFlow prints."""

from __future__ import annotations

import numpy as np
import pytest

import shims.compat.v1 as tf
from shims import errors
from shims._src.v1.control_flow.assertions import summarized


@pytest.fixture
def x():
    return tf.placeholder(tf.float32, [None, 3], name="x")


# Asked of TensorFlow's kernels: elements, limit, text.
SHOWN = [
    (np.arange(4.0), 3, "0 1 2..."),
    (np.arange(6).reshape(2, 3), 3, "[0 1 2]..."),
    (np.arange(6).reshape(2, 3), 4, "[0 1 2][3...]..."),
    (np.float32(1.5), 3, "1.5"),
    (np.arange(8.0).reshape(2, 2, 2), 3, "[[0 1][2...]]..."),
    (np.arange(8.0).reshape(2, 2, 2), 7, "[[0 1][2 3]][[4 5][6...]]..."),
    (np.arange(8.0).reshape(2, 2, 2), -1, "[[0 1][2 3]][[4 5][6 7]]"),
    (np.array([True, False]), 3, "1 0"),
    (np.zeros((0, 3)), 3, ""),
    (np.array([1e-8, 1e10, 3.14159265], np.float32), 3, "1e-08 1e+10 3.14159274"),
]


@pytest.mark.parametrize(("array", "limit", "text"), SHOWN)
def test_values_are_shown_as_kernels_show_them(array, limit, text):
    assert summarized(array, limit) == text


def test_print_prints_so_often_and_gives_its_input(capfd, x):
    y = tf.Print(x, [x[0], "rows", tf.shape(x)], "seen: ", first_n=2, summarize=2)
    (gradient,) = tf.gradients(y, x)
    with tf.Session() as session:
        for _ in range(3):
            found = session.run([y, gradient], {x: np.ones([2, 3])})
    np.testing.assert_array_equal(found, np.ones([2, 2, 3]))
    assert capfd.readouterr().err == "seen: [1 1...][rows][2 3]\n" * 2


def test_what_only_python_needs_is_computed_without_effects(capfd, x):
    total = tf.Variable(0.0)
    shown = tf.Print(x, [x], "once: ", summarize=1)
    with tf.control_dependencies([total.assign_add(1.0)]):
        halved = tf.py_func(lambda a: a / 2, [tf.identity(shown)], tf.float32)
    doubled = tf.reduce_sum(halved) * total
    with tf.Session() as session:
        session.run(total.initializer)
        assert session.run(doubled, {x: np.ones([1, 3])}) == 1.5
        assert session.run(total) == 1.0
    assert capfd.readouterr().err == "once: [[1...]...]\n"


def refusals(x):
    table = tf.TensorArray(tf.float32, size=2)
    text = tf.placeholder(tf.string, [])
    called = tf.py_function(lambda a: a, [x], tf.float32)
    return {
        "loop dtype": lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0]),
        "TensorArray.grad": lambda: table.grad("source"),
        "split by data": lambda: table.split(x, tf.placeholder(tf.int32, [2])),
        "split unevenly": lambda: table.split(x, [1, 2]),
        "dtype of an element": lambda: table.write(0, tf.constant([1])),
        "handle": lambda: tf.TensorArray(tf.float32, handle=x),
        "gradient of Python": lambda: tf.gradients(called, x),
        "text in Print": lambda: tf.Print(x, [text]),
        "RegisterGradient": lambda: tf.RegisterGradient("Mine"),
        "NoGradient": lambda: tf.NoGradient("Mine"),
        "override": lambda: tf.get_default_graph().gradient_override_map({"Relu": "Mine"}),
        "scan dtype": lambda: tf.scan(lambda a, r: tf.cast(a, tf.int32), x),
        "scan shape": lambda: tf.scan(lambda a, r: a[:2], x),
        "map dtype": lambda: tf.map_fn(lambda r: tf.cast(r, tf.int32), x),
        "rows without a shape": lambda: tf.convert_to_tensor(tf.IndexedSlices(x, tf.constant([0]))),
        "inside": lambda: _leaked(x),
    }


def _leaked(x):
    kept = []
    tf.cond(tf.constant(True), lambda: kept.append(x * 2) or x, lambda: x)
    return kept[0] + 1


REFUSED = {
    "loop dtype": (TypeError, "enters the loop with type int32, but has type float32"),
    "TensorArray.grad": (
        errors.UnimplementedError,
        "differentiate with respect to the written values",
    ),
    "split by data": (ValueError, "`lengths` must be known while the graph is built"),
    "split unevenly": (ValueError, "set `infer_shape=False`"),
    "dtype of an element": (ValueError, "TensorArray dtype is float32"),
    "handle": (ValueError, "a `handle` is not supported"),
    "gradient of Python": (errors.UnimplementedError, "is a Python function"),
    "text in Print": (
        errors.UnimplementedError,
        "fetch the string, and print the result of `Session.run`",
    ),
    "RegisterGradient": (errors.UnimplementedError, "tf.custom_gradient"),
    "NoGradient": (errors.UnimplementedError, "tf.stop_gradient"),
    "override": (errors.UnimplementedError, "Received: {'Relu': 'Mine'}"),
    "scan dtype": (TypeError, "the accumulator has the dtype float32, but `fn` returns int32"),
    "scan shape": (
        ValueError,
        "the accumulator has shape (3,), but the result of `fn` has shape (2,)",
    ),
    "map dtype": (ValueError, "Expected `fn` to return a:\n    float32"),
    "rows without a shape": (ValueError, "IndexedSlices for which the shape is not known"),
    "inside": (ValueError, "was created inside a branch or a loop and is used outside"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_to_do(case, x):
    kind, text = REFUSED[case]
    with pytest.raises(kind) as caught:
        refusals(x)[case]()
    assert text in str(caught.value)


def test_python_in_a_loop_needs_shapes(x):
    def body(i, a):
        return i + 1, tf.py_func(lambda t: t, [a], tf.float32)

    shapes = [tf.TensorShape([]), tf.TensorShape(None)]
    loop = tf.while_loop(lambda i, a: i < 2, body, [0, x], shape_invariants=shapes)
    with tf.Session() as session, pytest.raises(errors.UnimplementedError, match="set_shape"):
        session.run(loop, {x: np.ones([1, 3])})


def test_summaries_in_a_branch_are_refused(x):
    text = tf.cond(x[0, 0] > 0, lambda: tf.constant("yes"), lambda: tf.constant("no"))
    with (
        tf.Session() as session,
        pytest.raises(errors.UnimplementedError, match="move the operation out"),
    ):
        session.run(text, {x: np.ones([1, 3])})


def test_an_exclusive_case_is_checked(x):
    pairs = [(x[0, 0] > 0, lambda: x), (x[0, 0] > -1, lambda: -x)]
    y = tf.case(pairs, exclusive=True)
    with tf.Session() as session, pytest.raises(errors.InvalidArgumentError, match="exclusive"):
        session.run(y, {x: np.ones([1, 3])})


def test_names_of_control_flow_v2(x):
    tf.enable_control_flow_v2()
    assert tf.control_flow_v2_enabled()
    found = [
        tf.cond(x[0, 0] > 0, lambda: x, lambda: -x).name,
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0]).name,
        tf.map_fn(tf.identity, x).name,
        tf.foldl(lambda a, r: a + r, x).name,
    ]
    assert found == [
        "cond/Identity:0",
        "while/Identity_2:0",
        "map/TensorArrayV2Stack/TensorListStack:0",
        "foldl/while/Identity_3:0",
    ]
    tf.disable_control_flow_v2()
    assert not tf.control_flow_v2_enabled()


def test_eagerly_they_are_the_operators():
    tf.enable_v2_behavior()
    x = np.ones([2, 3], np.float32)
    assert tf.cond(True, lambda: 1, lambda: 2) == 1
    assert tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [0])[0] == 3
    assert tf.map_fn(lambda r: r * 2, x).shape == (2, 3)
    assert tf.scan(lambda a, r: a + r, x)[-1].tolist() == [2.0, 2.0, 2.0]
    assert tf.foldl(lambda a, r: a + r, x).tolist() == [2.0, 2.0, 2.0]
    assert tf.foldr(lambda a, r: a + r, x).tolist() == [2.0, 2.0, 2.0]
    assert tf.case([(np.True_, lambda: 5)], default=lambda: 6) == 5
    assert tf.switch_case(1, [lambda: 5, lambda: 6]) == 6
    assert tf.TensorArray(tf.float32, size=1).write(0, 2.0).read(0) == 2.0
    assert tf.custom_gradient(lambda t: (t * 2, lambda dy: dy))(3.0) == 6.0
    assert tf.py_func(lambda a: a * 2, [x], tf.float32).shape == (2, 3)
    assert tf.SparseTensor([[0]], [1.0], [2]).shape.as_list() == [2]


def test_rows_that_are_taken_inside_of_a_loop_are_told_of():
    table = tf.Variable(np.ones((4, 2), np.float32))
    _, total = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(table, [i]))),
        [0, 0.0],
    )
    with pytest.warns(UserWarning, match="gathered inside a branch or a loop"):
        gradient = tf.gradients(total, table)[0]
    with tf.Session() as session:
        session.run(table.initializer)
        expected = [[1, 1], [1, 1], [1, 1], [0, 0]]
        np.testing.assert_array_equal(session.run(gradient), expected)
