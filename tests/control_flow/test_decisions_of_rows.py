"""Functions that `map_fn` applies to rows, and that ask about sizes of their own row."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

X = np.float32([[1, -1, 2], [3, 4, -5], [-1, -1, -1], [5, -1, -1]])


def _selected(row):
    return tf.boolean_mask(row, row > 0)


def _best(row):
    """The two best numbers of a row, padded, as after suppression of boxes."""
    y = _selected(row)
    count = tf.minimum(2, tf.shape(y)[0])
    best, _ = tf.nn.top_k(y, k=count)
    return tf.pad(best, [[0, tf.maximum(0, 2 - tf.shape(best)[0])]], constant_values=-1.0)


def _padded_to_two(row):
    y = _selected(row)
    best, _ = tf.nn.top_k(y, k=tf.minimum(2, tf.shape(y)[0]))
    return tf.pad(best, [[0, tf.maximum(0, 2 - tf.shape(y)[0])]])


ROWS = {
    "the best, padded": _best,
    "padded by the size of what was selected": _padded_to_two,
    "condition": lambda row: _selected(row).mean() if _selected(row).shape[0] > 0 else row[0] * 0,
    "length": lambda row: jnp.max(_selected(row)) if len(_selected(row)) else jnp.float32(-7),
    "with another array": lambda row: (
        X[0, 0] + _selected(row).sum() if _selected(row).shape[0] > 1 else jnp.float32(0)
    ),
}
AROUND = {
    "function": lambda f: tf.function(lambda x: tf.map_fn(f, x), autograph=False),
    "jit": lambda f: jax.jit(tf.dynamic(lambda x: tf.map_fn(f, x))),
    "rows of vmap": lambda f: jax.jit(tf.dynamic(jax.vmap(f))),
    "vectorized_map": lambda f: tf.function(lambda x: tf.vectorized_map(f, x), autograph=False),
    "of selected rows": lambda f: tf.function(
        lambda x: tf.map_fn(f, tf.boolean_mask(x, x[:, 0] > -9)), autograph=False
    ),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("around", AROUND)
def test_as_row_by_row(name, around):
    want = np.stack([np.asarray(ROWS[name](jnp.asarray(row))) for row in X])
    np.testing.assert_array_equal(AROUND[around](ROWS[name])(X), want)


@pytest.mark.parametrize("name", ROWS)
def test_gradients(name):
    def total(x):
        return sum(jnp.cos(jnp.float32(ROWS[name](row))).sum() for row in x)

    mapped = tf.function(
        jax.grad(lambda x: jnp.cos(tf.map_fn(ROWS[name], x)).sum()), autograph=False
    )
    np.testing.assert_allclose(mapped(X), jax.grad(total)(jnp.asarray(X)), rtol=1e-5)


def test_questions_of_jax():
    def det(row):
        y = _selected(row)
        return jnp.linalg.det(jnp.outer(y, y) * 0.1 + jnp.eye(y.shape[0]))

    want = np.stack([np.asarray(det(jnp.asarray(row))) for row in X[:2]])
    np.testing.assert_allclose(jax.jit(tf.dynamic(jax.vmap(det)))(X[:2]), want, rtol=1e-5)


def test_fold():
    def step(total, row):
        y = _selected(row)
        return total + (y.max() if y.shape[0] > 0 else 0.0)

    run = tf.function(lambda x: tf.foldl(step, x, 0.0), autograph=False)
    np.testing.assert_array_equal(run(X), 11.0)


def test_rows_of_different_sizes_are_refused():
    def ragged(row):
        y = _selected(row)
        return y * 2 if y.shape[0] > 0 else y

    with pytest.raises(tf.errors.FreshSizeError):
        tf.function(lambda x: tf.map_fn(ragged, x), autograph=False)(X)


def test_an_error_of_a_row():
    def first(row):
        y = _selected(row)
        return jnp.int32(y[0]) if y.shape[0] != 1 else jnp.int32(5)

    mapped = tf.function(
        lambda x: tf.map_fn(first, x, fn_output_signature=tf.int32), autograph=False
    )
    np.testing.assert_array_equal(mapped(X[:2]), [1, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="call the function for each row"):
        mapped(X)
    with pytest.raises(IndexError):
        [first(jnp.asarray(row)) for row in X]


def test_padding_to_a_size_is_that_size():
    run = jax.jit(tf.dynamic(_padded_to_two))
    assert run(X[0]).shape == (2,)
    np.testing.assert_array_equal(run(X[3]), [5, 0])
