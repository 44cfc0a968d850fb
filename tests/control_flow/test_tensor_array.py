"""`TensorArray` beside TensorFlow's: eagerly, in functions, as state of loops and branches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import Dtypes, Tolerance, assert_same

X = np.arange(1.0, 6.0, dtype=np.float32)


def array(n, **options):
    return lambda: n.TensorArray(n.float32, **options)


def written_in_a_loop(n, x):
    made = n.TensorArray(n.float32, size=n.shape(x)[0])
    for i in n.range(n.shape(x)[0]):
        made = made.write(i, x[i] * n.cast(i, n.float32))
    return made.stack()


def written_in_while_loop(n, x):
    made = n.TensorArray(n.float32, size=5)
    step = lambda i, a: (i + 1, a.write(i, [x[i], 2.0]))
    return n.while_loop(lambda i, a: i < 5, step, (0, made))[1].stack()


def grown_by_selection(n, x):
    made = n.TensorArray(n.float32, size=0, dynamic_size=True)
    chosen = n.boolean_mask(x, x > 2.0)
    for i in n.range(n.shape(chosen)[0]):
        made = made.write(i, chosen[i] * 2.0)
    return made.stack()


def grown_in_a_branch(n, x):
    made = n.TensorArray(n.float32, size=0, dynamic_size=True, element_shape=())
    count = n.constant(0)
    for i in n.range(5):
        if x[i] > 2.0:
            made = made.write(count, x[i])
            count += 1
    return made.stack(), count


def written_in_branches(n, x):
    made = n.TensorArray(n.float32, size=2, element_shape=[5])
    if x[0] > 0.0:
        made = made.write(0, x)
    else:
        made = made.write(1, -x)
    return made.stack()


def read_back(n, x):
    chosen = n.boolean_mask(x, x > 2.0)
    source = n.TensorArray(n.float32, size=n.shape(chosen)[0]).unstack(chosen)
    made = n.TensorArray(n.float32, size=source.size())
    for i in n.range(source.size()):
        made = made.write(i, source.read(i) * 3.0)
    return made.stack(), made.gather([2, 0]), made.size()


def fibonacci(n, x):
    made = n.TensorArray(n.float32, size=8, clear_after_read=False)
    made = made.unstack(n.concat([x[:2], n.zeros([6])], 0))
    for i in n.range(2, 8):
        made = made.write(i, made.read(i - 1) + made.read(i - 2))
    return made.stack()


def scattered(n, x):
    return n.TensorArray(n.float32, size=5).scatter([3, 1], x[:2]).stack()


def split_and_joined(n, x):
    made = n.TensorArray(n.float32, size=3, infer_shape=False).split(x, [2, 0, 3])
    return made.concat(), made.read(2)


def joined_rows(n, x):
    made = n.TensorArray(n.float32, size=2).unstack(n.stack([x, x * 2.0]))
    return made.concat()


def ragged(n, x):
    made = n.TensorArray(n.float32, size=3, infer_shape=False)
    return made.write(0, x[:2]).write(2, x[:3]).write(1, x[:1]).concat()


def zeros_where_nothing_is(n, x):
    made = n.TensorArray(n.float32, size=3, element_shape=[2]).write(1, x[:2])
    return made.stack(), made.read(0)


PROGRAMS = (
    written_in_a_loop,
    written_in_while_loop,
    grown_by_selection,
    grown_in_a_branch,
    written_in_branches,
    read_back,
    fibonacci,
    scattered,
    split_and_joined,
    joined_rows,
    ragged,
    zeros_where_nothing_is,
)


# Reverse-mode through a list that grows inside of a traced loop is not there yet.
GROWING = (grown_by_selection, grown_in_a_branch)


def check(found, wanted):
    found, wanted = jax.tree.leaves(found), tf.nest.flatten(wanted)
    assert_same(found, wanted, Tolerance(relative=2e-6), Dtypes.SAME)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_eagerly(program):
    check(program(shims, jnp.asarray(X)), program(tf, tf.constant(X)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_in_a_function(program):
    def ours(x):
        return program(shims, x)

    unknown = shims.TensorSpec([None], shims.float32)
    found = shims.function(ours, input_signature=[unknown])(X)
    check(found, program(tf, tf.constant(X)))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_gradients(program):
    def total(x):
        found = jax.tree.leaves(program(shims, x))
        return sum(jnp.sum(jnp.square(y)) for y in found if y.dtype == jnp.float32)

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = tf.nest.flatten(program(tf, x))
        loss = tf.add_n([tf.reduce_sum(y * y) for y in found if y.dtype == tf.float32])
    wanted = tape.gradient(loss, x).numpy()
    np.testing.assert_allclose(jax.grad(total)(X), wanted, rtol=2e-6)
    if program not in GROWING:
        np.testing.assert_allclose(shims.function(jax.grad(total))(X), wanted, rtol=2e-6)


def outside(n):
    return array(n, size=2)().write(2, 1.0)


def negative(n):
    return array(n, size=2)().write(-1, 1.0)


def read_outside(n):
    return array(n, size=2)().write(0, 1.0).read(2)


def twice(n):
    made = array(n, size=2)().write(0, 1.0)
    made.read(0)
    return made.read(0)


def other_dtype(n):
    return array(n, size=2)().write(0, n.constant(1))


def other_shape(n):
    return array(n, size=2)().write(0, [1.0]).write(1, [1.0, 2.0])


def not_the_element_shape(n):
    return array(n, size=2, element_shape=[3])().write(0, [1.0])


def too_many_slices(n):
    return array(n, size=2)().unstack([1.0, 2.0, 3.0])


def lengths(n):
    return array(n, size=2)().split([1.0, 2.0, 3.0], [1, 1])


def scalars_joined(n):
    return array(n, size=2)().unstack([1.0, 2.0]).concat()


@pytest.mark.parametrize(
    "call",
    [
        outside,
        negative,
        read_outside,
        twice,
        other_dtype,
        other_shape,
        not_the_element_shape,
        too_many_slices,
        lengths,
        scalars_joined,
    ],
    ids=lambda c: c.__name__,
)
def test_errors(call):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - TensorFlow decides the class
        call(tf)
    with pytest.raises(Exception) as ours:  # noqa: PT011
        call(shims)
    kind = type(theirs.value).__name__
    assert kind in {c.__name__ for c in type(ours.value).__mro__}, repr(theirs.value)


def test_a_position_outside_is_reported_after_the_call():
    @shims.function
    def f(i):
        return shims.TensorArray(shims.float32, size=2).write(i, 1.0).stack()

    assert f(jnp.asarray(1)).tolist() == [0, 1]
    with pytest.raises(shims.InvalidArgumentError) as raised:
        f(jnp.asarray(2))
    text = str(raised.value)
    assert text.startswith(
        "TensorArray.write: there is no such element.\n  Required: a position in [0, 2)\n"
    )


def test_a_write_changes_the_object_eagerly_and_a_copy_while_tracing():
    made = shims.TensorArray(shims.float32, size=1)
    assert made.write(0, 5.0) is made
    seen = []

    @jax.jit
    def f(x):
        empty = shims.TensorArray(shims.float32, size=1, element_shape=())
        seen.append(empty.write(0, x) is empty)
        return empty.stack()

    assert f(2.0).tolist() == [0]
    assert seen == [False]


def test_what_is_known_of_it():
    made = shims.TensorArray(shims.int32, size=3, dynamic_size=True, element_shape=[None, 2])
    assert (made.dtype, made.dynamic_size) == (jnp.int32, True)
    assert made.element_shape.as_list() == [None, 2]
    assert int(made.size()) == 3
    assert made.identity() is made
    assert made.handle is None
    assert made.close() is None
    assert repr(made) == "<TensorArray of 3 elements, int32>"
    with pytest.raises(ValueError, match="`handle` is an argument of TensorFlow 1"):
        shims.TensorArray(shims.int32, handle=1)


def test_it_is_a_tree():
    made = shims.TensorArray(shims.float32, size=2).unstack([1.0, 2.0])
    doubled = jax.tree.map(lambda x: x * 2, made)
    assert doubled.stack().tolist() == [2, 4]
    parts = shims.TensorArray(shims.float32, size=2, infer_shape=False).split(
        [1.0, 2.0, 3.0], [1, 2]
    )
    assert [x.shape for x in jax.tree.leaves(parts)] == [(1,), (2,)]
    assert jax.tree.map(lambda x: x + 1, parts).concat().tolist() == [2, 3, 4]


def joined_in_while_loop(n, lengths):
    made = n.TensorArray(n.int32, size=4, infer_shape=False)
    step = lambda i, a: (i + 1, a.write(i, n.tile([i], [lengths[i]])))
    return n.while_loop(lambda i, a: i < 4, step, (0, made))[1].concat()


def test_elements_of_other_lengths_stay_apart_in_an_eager_loop():
    lengths = np.int32([3, 0, 1, 2])
    want = joined_in_while_loop(tf, tf.constant(lengths)).numpy()
    np.testing.assert_array_equal(joined_in_while_loop(shims, jnp.asarray(lengths)), want)


def written_at(place, method):
    made = shims.TensorArray(shims.float32, size=3, infer_shape=False).write(0, jnp.zeros(3))
    return getattr(made, method)(place, jnp.ones(2) if method == "write" else jnp.ones([1, 1]))


@pytest.mark.parametrize("method", ["write", "scatter"])
@pytest.mark.parametrize("compiled", [jax.jit, shims.function])
def test_an_element_of_another_length_is_refused_where_all_are_one_array(compiled, method):
    place = jnp.asarray(1 if method == "write" else [1])
    with pytest.raises(shims.errors.UnimplementedError, match="sizes depend on data"):
        compiled(lambda p: written_at(p, method).stack())(place)
