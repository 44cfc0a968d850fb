"""The size of what is left when ends are cut off nothing is 0, and no number below it.

JAX takes no size for 0, and so writes `n - 1` for `y[1:]`. Of the size of an array that is wrong where
nothing is selected; of a number that is computed, `size(y) - 1`, it is right.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.arange(5.0, dtype=np.float32)
MASKS = ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 1, 0])


def compared(tf, y, k):
    left, number = tf.size(y[1:]), tf.size(y) - 1
    return {
        "with 0": left < 0,
        "with a traced number": left < k,
        "of a shape": tf.shape(y[1:])[0] < k,
        "with the whole": left < tf.size(y),
        "two cut off": tf.size(y[1:][1:]) <= k,
        "chosen": tf.where(left < 0, 1, 2),
        "a branch": tf.cond(left < k, lambda: 1, lambda: 2),
        "the smaller": tf.minimum(left, k),
        "a computed number": number < k,
        "a computed number, with 0": number < 0,
        "both": left - number,
        "rows": tf.map_fn(lambda i: i < left, tf.constant([-1, 0, 1]), fn_output_signature=tf.bool),
        "a square": tf.size(y[1:, None] * y[None, 1:]),
    }


def made(tf, y, k):
    left = tf.size(y[1:])
    return {
        "as many": tf.range(left),
        "twice as many": tf.zeros([2 * left]),
        "one more": tf.fill([left + 1], 1.0),
        "range": tf.range(left + 1),
        "eye": tf.eye(left + 1),
        "one_hot": tf.one_hot([0, 1], tf.shape(y[1:])[0] + 1),
        "tile": tf.tile([1.0, 2.0], [left + 1]),
        "linspace": tf.linspace(0.0, 1.0, left + 1),
        "of a shape": tf.zeros(tf.shape(y[1:]) + 1),
        "of half": tf.zeros([left // 2 + 1]),
        "segments": tf.math.unsorted_segment_sum(tf.ones([3]), tf.constant([0, 0, 0]), left + 1),
    }


def read(tf, y, k):
    left, numbers = tf.size(y[1:]), tf.range(10)
    return {
        "an element": numbers[left],
        "the next": numbers[left + 1],
        "from there on": numbers[left:],
        "up to there": numbers[:left],
        "slice": tf.slice(numbers, [left + 1], [2]),
        "gather": tf.gather(numbers, left + 1),
        "scatter": tf.tensor_scatter_nd_update(numbers, [[left + 1]], [70]),
    }


def counted(tf, y, k):
    left = tf.size(y[1:])
    step = lambda i: [i + 1]
    return {
        "from 0": tf.while_loop(lambda i: i < left, step, [tf.constant(0)])[0],
        "from -1": tf.while_loop(lambda i: i < left, step, [tf.constant(-1)])[0],
        "one more": tf.while_loop(lambda i: i < left + 1, step, [tf.constant(0)])[0],
        "down": tf.while_loop(lambda i: i >= -left, lambda i: [i - 1], [tf.constant(0)])[0],
    }


def computed(tf, y, k):
    """What a dimension says that JAX has multiplied out or added up."""
    left = tf.size(y[1:])
    return {
        "a flat square": tf.size(tf.reshape(y[1:, None] * y[None, 1:], [-1])),
        "ones like it": tf.ones_like(tf.reshape(y[1:, None] * y[None, 1:], [-1])),
        "the mean of a square": tf.reduce_mean(y[1:, None] * y[None, 1:]),
        "concat": tf.concat([y[1:], y[1:], [7.0, 8.0]], 0),
        "pad": tf.pad(y[1:], [[left + 1, 0]]),
        "split": tf.split(tf.range(10), [left, 10 - left])[0],
    }


def plain(tf, program, x, mask, k):
    return program(tf, tf.boolean_mask(x, mask), k)


def in_a_branch(tf, program, x, mask, k):
    return tf.cond(
        k < 5,
        lambda: _sums(tf, program(tf, tf.boolean_mask(x, mask), k)),
        lambda: tf.constant([0.0]),
    )


def around_a_branch(tf, program, x, mask, k):
    y = tf.boolean_mask(x, mask)
    return tf.cond(k < 5, lambda: _sums(tf, program(tf, y, k)), lambda: tf.constant([0.0]))


def around_a_loop(tf, program, x, mask, k):
    y = tf.boolean_mask(x, mask)
    return tf.map_fn(
        lambda more: _sums(tf, program(tf, y, k + more)), tf.constant([0, 1, 2]), tf.float32
    )


def in_rows(tf, program, x, mask, k):
    return tf.map_fn(
        lambda least: _sums(tf, program(tf, tf.boolean_mask(x, mask & (x >= least)), k)),
        tf.constant([0.0, 2.0, 4.0]),
    )


def in_rows_at_once(tf, program, x, mask, k):
    """TensorFlow's own `vectorized_map` knows no rows of different sizes."""
    mapped = shims.vectorized_map if tf is shims else tf.map_fn
    return mapped(
        lambda least: _sums(tf, program(tf, tf.boolean_mask(x, mask & (x >= least)), k)),
        tf.constant([0.0, 2.0, 4.0]),
    )


def _sums(tf, results):
    return tf.stack([tf.reduce_sum(tf.cast(v, tf.float32) * 1.5 + 1.0) for v in results.values()])


PROGRAMS = (compared, made, read, counted, computed)
PLACES = (plain, in_a_branch, around_a_branch, around_a_loop, in_rows, in_rows_at_once)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_left_of_nothing_is_nothing(program, place):
    theirs = tf.function(lambda x, mask, k: place(tf, program, x, mask, k))
    ours = shims.function(lambda x, mask, k: place(shims, program, x, mask, k))
    for mask in np.array(MASKS, bool):
        for k in (0, -1, 1):
            expected = theirs(tf.constant(X), tf.constant(mask), tf.constant(k))
            found = ours(shims.constant(X), shims.constant(mask), shims.constant(k))
            jax.tree.map(np.testing.assert_array_equal, found, jax.tree.map(np.asarray, expected))


def test_foreign_jit_needs_no_second_trace():
    """What is compared, and made of one more, is right where nothing can be traced again."""

    def program(tf, y):
        left = tf.size(y[1:])
        return left < 0, left + 1, tf.reduce_sum(tf.fill([left + 1], 2.0))

    ours = shims.function(lambda x, mask: program(shims, shims.boolean_mask(x, mask)))
    for mask in np.array(MASKS, bool):
        expected = program(tf, tf.boolean_mask(X, mask))
        found = jax.jit(ours)(jnp.asarray(X), jnp.asarray(mask))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b.numpy())


# Of rows that select nothing, one or three.
ROWS = {
    "first": lambda tf, y: y[:1],
    "last": lambda tf, y: y[-1:] * y[:1],
    "second": lambda tf, y: y[1:2],
    "mean": lambda tf, y: tf.reduce_mean(y[1:])[None],
    "backwards": lambda tf, y: y[::-1] * y,
    "backwards, without the last": lambda tf, y: y[1:][::-1],
    "differences from 0 on": lambda tf, y: tf.concat([[0.0], tf.cumsum(y[1:] - y[:-1])], 0),
    "second differences": lambda tf, y: _differences(_differences(y)),
    "products": lambda tf, y: tf.reshape(y[1:, None] * y[None, :-1], [-1]),
    "padded": lambda tf, y: tf.pad(y[:-1], [[1, 2]], constant_values=0.5),
}


def _differences(y):
    return y[1:] - y[:-1]


@pytest.mark.parametrize("name", ROWS)
def test_gradients_of_rows(name):
    def over_rows(tf, x, mask):
        def one(least):
            return tf.reduce_sum(tf.sin(ROWS[name](tf, tf.boolean_mask(x, mask & (x > least)))))

        return tf.map_fn(one, tf.constant([0.0, 2.0, 4.0]))

    def inside(tf, x, mask):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = over_rows(tf, x, mask)
        return total, tf.convert_to_tensor(tape.gradient(total, x))

    ours = shims.function(lambda x, mask: over_rows(shims, x, mask), autograph=False)
    both = shims.function(lambda x, mask: inside(shims, x, mask), autograph=False)
    x = X + np.float32(0.3)
    for mask in np.array(MASKS, bool):
        value, slopes = inside(tf, tf.constant(x), tf.constant(mask))
        found = both(jnp.asarray(x), jnp.asarray(mask))
        around = jax.grad(lambda x, mask=mask: ours(x, mask).sum())(jnp.asarray(x))
        for a, b in zip((*found, around), (value, slopes, slopes), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_none_of_the_largest_of_none():
    ours = shims.function(lambda x, m: shims.math.top_k(shims.boolean_mask(x, m)[1:], k=0)[0])
    for mask in np.array(MASKS, bool):
        assert ours(jnp.asarray(X), jnp.asarray(mask)).shape == (0,)


def test_one_expected_count_that_the_run_finds():
    rng = np.random.default_rng(0)
    weights, biases, inputs = (
        rng.normal(size=size).astype(np.float32) for size in ((6, 3), (6,), (2, 3))
    )

    def loss(tf, x):
        counts = tf.concat([tf.boolean_mask(x, x > 3.5), tf.boolean_mask(x, x > 3.5)[1:]], 0)
        return tf.nn.nce_loss(
            weights,
            biases,
            labels=tf.constant([[1, 4], [0, 2]]),
            inputs=inputs,
            num_sampled=3,
            num_classes=6,
            num_true=2,
            sampled_values=(
                tf.constant([2, 5, 4]),
                tf.constant([[0.4, 0.5], [0.6, 0.7]]),
                counts,
            ),
        )

    found = shims.function(lambda x: loss(shims, x))(jnp.asarray(X))
    np.testing.assert_allclose(found, loss(tf, tf.constant(X)), rtol=1e-5)


def test_repeats_of_nothing_are_as_many():
    with pytest.raises(shims.errors.InvalidArgumentError):
        shims.repeat(np.zeros([0], np.float32), [2, 1])
    assert shims.repeat(np.zeros([0], np.float32), np.zeros([0], np.int32)).shape == (0,)


def test_second_differences_of_an_input_are_traced_once_for_all_lengths():
    """JAX writes the sizes of `d[1:]` and of `d[:-1]` in two ways, for `d = x[1:]`."""
    signature = [shims.TensorSpec([None])]
    function = shims.function(lambda x: _differences(_differences(x)), signature)
    for n in (3, 5, 8, 9, 13):
        x = np.arange(n, dtype=np.float32) ** 2
        np.testing.assert_array_equal(function(jnp.asarray(x)), np.diff(x, 2))
    assert function.counts.traces == 1


@pytest.mark.parametrize("read", [lambda x: x[1:, 1:], lambda x: x[::-1, ::-1]])
def test_one_index_too_many_is_named(read):
    with pytest.raises(IndexError, match="Too many indices"):
        shims.function(read, autograph=False)(jnp.asarray(X))
