"""Loops and branches that read single elements by position, where there are none."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, Tolerance, assert_same

# What TensorFlow's AutoGraph makes of programs uses a deprecated form of gast.
pytestmark = pytest.mark.filterwarnings("ignore:.*___pyct_anno:DeprecationWarning")


def read_in_a_loop(m, x):
    s, i = m.constant(1.0), 0
    while i < m.shape(x)[0]:
        s = s * 1.5 + m.reduce_sum(x[i])
        i += 1
    return s


def read_in_a_branch(m, x):
    return m.cond(m.shape(x)[0] > 0, lambda: m.reduce_sum(x[m.shape(x)[0] - 1]), lambda: -1.0)


def read_first_in_a_branch(m, x):
    return m.cond(m.shape(x)[0] > 2, lambda: m.reduce_sum(x[0]) * 2.0, lambda: m.reduce_sum(x))


def written_backwards(m, x):
    written = m.TensorArray(m.float32, size=m.shape(x)[0])
    for i in m.range(m.shape(x)[0] - 1, -1, -1):
        written = written.write(i, x[i] * 2.0)
    return written.stack()


def written_by_while_loop(m, x):
    last = m.shape(x)[0] - 1
    step = lambda i, written: (i - 1, written.write(i, x[i] * 3.0))
    start = (last, m.TensorArray(m.float32, size=m.shape(x)[0]))
    return m.while_loop(lambda i, _: i >= 0, step, start)[1].stack()


def read_back(m, x):
    written = m.TensorArray(m.float32, size=m.shape(x)[0], clear_after_read=False).unstack(x)
    total = m.zeros_like(m.reduce_sum(x, 0))
    for i in m.range(m.shape(x)[0]):
        total += written.read(i) * 2.0
    return total


def grown_where_one_number_is_large(m, x):
    x = m.reshape(x, [-1, 2])
    grown = m.TensorArray(m.float32, size=0, dynamic_size=True)
    for i in m.range(m.shape(x)[0]):
        if x[i, 0] > 1.0 or x[i, -1] + m.reduce_sum(x[i, :1]) > 4.0:
            grown = grown.write(grown.size(), x[i] * 2.0)
    return grown.stack()


def farthest_points(m, x):
    x = m.reshape(x, [-1, 2])
    count = m.minimum(m.shape(x)[0], 3)
    distance = m.fill([m.shape(x)[0]], 1e9)
    chosen = m.TensorArray(m.int32, size=count)
    at = m.constant(0)
    for i in m.range(count):
        chosen = chosen.write(i, at)
        distance = m.minimum(distance, m.reduce_sum(m.square(x - x[at]), 1))
        at = m.argmax(distance, output_type=m.int32)
    return m.gather(x, chosen.stack()) * distance[0:1, None]


LISTS = [
    *(written_backwards, written_by_while_loop, read_back),
    *(grown_where_one_number_is_large, farthest_points),
]


def value_and_gradient(m, program, shape, sizes):
    function = m.function(
        lambda x: program(m, x), input_signature=[m.TensorSpec([None, *shape], m.float32)]
    )
    found = []
    for n in sizes:
        x = m.constant(np.arange(n * np.prod(shape, dtype=int)).reshape(n, *shape), m.float32)
        with m.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        found += [np.asarray(y), np.asarray(tape.gradient(y, x))]
    return found


@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize(
    "program", [read_in_a_loop, read_in_a_branch, read_first_in_a_branch, *LISTS]
)
def test_what_is_not_reached_reads_nothing(program, shape):
    ours = value_and_gradient(shims, program, shape, (0, 4, 2, 0))
    theirs = value_and_gradient(tf, program, shape, (0, 4, 2, 0))
    assert_same(ours, theirs, Tolerance(relative=1e-5), Dtypes.SAME)


def test_what_is_reached_is_refused():
    signature = [shims.TensorSpec([None], shims.float32), shims.TensorSpec([], shims.int32)]
    read = shims.function(lambda x, i: x[i], input_signature=signature)
    assert float(read(shims.constant([1.0, 2.0]), shims.constant(1))) == 2.0
    with pytest.raises(
        shims.errors.InvalidArgumentError, match="an element of an empty axis is read"
    ):
        read(shims.zeros([0]), shims.constant(0))


def nothing_is_written(m):
    return m.TensorArray(m.int32, size=0).stack()


def nothing_is_gathered(m):
    return m.TensorArray(m.float32, size=0, element_shape=[None, 2]).gather([])


def of_known_shape(m):
    return m.TensorArray(m.float32, size=0, element_shape=[2]).stack()


def branches_on_values(m):
    return m.map_fn(lambda x: x if x > 0 else -x, m.zeros([0, 3]))


def windows_by_position(m):
    x = m.ones([1])
    return m.map_fn(lambda i: m.reduce_sum(x[i : i + 3]), m.range(0), fn_output_signature=m.float32)


def windows_of_a_known_shape(m):
    x, spec = m.ones([1]), m.TensorSpec([3], m.float32)
    signature = {"window": spec, "at": m.int32}
    return m.map_fn(
        lambda i: {"window": x[i : i + 3], "at": i}, m.range(0), fn_output_signature=signature
    )


@pytest.mark.parametrize(
    "program",
    [
        *(nothing_is_written, nothing_is_gathered, of_known_shape),
        *(branches_on_values, windows_by_position, windows_of_a_known_shape),
    ],
)
def test_eagerly_nothing_is_called_for(program):
    found, wanted = (tf.nest.flatten(program(m)) for m in (shims, tf))
    assert [(np.asarray(x).dtype, x.shape) for x in found] == [
        (np.asarray(x).dtype, x.shape) for x in wanted
    ]


def test_an_extreme_of_nothing_is_refused_where_it_is_asked_for():
    largest = lambda x: shims.cond(
        shims.size(x) < 2, lambda: shims.argmax(x), lambda: shims.argmin(x)
    )
    asked = shims.function(largest, input_signature=[shims.TensorSpec([None], shims.float32)])
    assert int(asked(shims.constant([1.0, 3.0, 0.0]))) == 2
    with pytest.raises(shims.errors.InvalidArgumentError, match="argmax: axis 0 is empty"):
        asked(shims.zeros([0]))
