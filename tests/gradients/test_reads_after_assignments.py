"""A read of a variable is differentiated by the variable, not by what was assigned to it."""

import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, assert_same
from tests.harness.outcomes import FLOAT32, array

# What TensorFlow's AutoGraph makes of programs uses a deprecated form of gast.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")

X = [-0.75, -0.25, 0.5]


def assigned(m, w, x):
    w.assign(m.reduce_sum(x))
    return w * w * x[0]


def added(m, w, x):
    y = w.assign_add(m.reduce_sum(x) * w)
    return y * w * x[0]


def constant(m, w, x):
    w.assign(3.0)
    return w * w * x[0]


def in_a_loop(m, w, x):
    s = 0.0
    for i in x:
        w.assign_add(i * w)
        s += w * i
    return s + w


def read_before_in_a_loop(m, w, x):
    s = 0.0
    for i in x:
        s += w * i
        w.assign(w * i)
    return s


def in_a_loop_that_it_ends(m, w, x):
    i, s = 0, 0.0
    while i < m.size(x) and w < 30.0:
        w.assign(w * 2.0 + x[i])
        i += 1
        s += w * x[0]
    return s


def in_a_branch(m, w, x):
    def yes():
        w.assign(x[0] * w)
        return w * w

    return m.cond(m.reduce_sum(x) < 0.5, yes, lambda: w * x[0]) * w


def after_a_branch(m, w, x):
    if m.reduce_sum(x) < 0.5:
        w.assign(x[0] * w)
    return x[0] * w


def before_a_map(m, w, x):
    w.assign(w * x[0])
    return m.reduce_sum(m.map_fn(lambda e: e * w * w, x))


def before_a_scan(m, w, x):
    w.assign_add(x[0])
    return m.reduce_sum(m.scan(lambda a, e: a * w + e, x))


def in_another_function(m, w, x):
    @m.function
    def inner(x):
        w.assign(w * m.reduce_sum(x))
        return w * x[0]

    return inner(x) * w + inner(x)


def what_a_mask_selects(m, w, x):
    y = m.boolean_mask(x, x < 0.0)
    w.assign_add(m.reduce_sum(y))
    return m.reduce_sum(y * y) * w


PROGRAMS = (
    assigned,
    added,
    constant,
    in_a_loop,
    read_before_in_a_loop,
    in_a_loop_that_it_ends,
    in_a_branch,
    after_a_branch,
    before_a_map,
    before_a_scan,
    in_another_function,
    what_a_mask_selects,
)


def gradients_outside(m, program):
    """Under a tape around the function."""
    w = m.Variable(2.0)
    function = m.function(
        lambda x: program(m, w, x),
        input_signature=[m.TensorSpec([None], m.float32)],
    )
    x = array(m, X)
    with m.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [y, *tape.gradient(y, [x, w]), w.read_value()]


def gradients_inside(m, program):
    """Under a tape within the function."""
    w = m.Variable(2.0)

    def call(x):
        with m.GradientTape() as tape:
            tape.watch(x)
            y = program(m, w, x)
        return y, tape.gradient(y, [x, w], unconnected_gradients="zero")

    function = m.function(call, input_signature=[m.TensorSpec([None], m.float32)])
    return [*function(array(m, X)), w.read_value()]


@pytest.mark.parametrize("gradients", [gradients_outside, gradients_inside])
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_read_has_the_gradient_of_the_variable(program, gradients):
    assert_same(gradients(shims, program), gradients(tf, program), FLOAT32, Dtypes.SAME)


def both_tapes(m):
    w = m.Variable(2.0)

    @m.function
    def function(x):
        with m.GradientTape() as inner:
            w.assign(w * x)
            y = w * w * w * x
        return y, inner.gradient(y, w)

    x = array(m, 1.5)
    with m.GradientTape(persistent=True) as outer:
        outer.watch(x)
        y, slope = function(x)
    return [y, slope, *outer.gradient(y, [x, w]), *outer.gradient(slope, [x, w])]


def test_of_both_orders_with_a_tape_inside_and_one_outside():
    assert_same(both_tapes(shims), both_tapes(tf), FLOAT32, Dtypes.SAME)
