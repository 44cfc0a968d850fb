"""Selections reshaped to sizes that the program states, and the other way round: values and slopes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

X = np.float32([-1, 1, -2, 2])


def kept(m, x, least=0.0):
    return m.boolean_mask(x, x > least)


def to_a_vector(m, x):
    return m.reshape(kept(m, x), [2]) * 3


def to_a_row(m, x):
    return m.reshape(kept(m, x), [1, 2]) + 1


def to_a_column_times_a_row(m, x):
    return m.matmul(m.reshape(kept(m, x), [2, 1]), m.reshape(kept(m, x), [1, 2]))


def one_to_a_scalar(m, x):
    return m.reshape(kept(m, x, 1.5), []) * 2


def one_to_a_cube(m, x):
    return m.reshape(kept(m, x, 1.5), [1, 1, 1])


def rows_to_a_vector(m, x):
    rows = m.stack([x, x + 1], 1)
    return m.reshape(m.boolean_mask(rows, x > 1.5), [2])


def repeated_to_a_matrix(m, x):
    return m.reshape(m.tile(kept(m, x)[:, None], [1, 3]), [3, 2])


def a_scalar_to_the_shape_of_one(m, x):
    return m.reshape(m.reduce_sum(x), m.shape(kept(m, x, 1.5))) * kept(m, x, 1.5)


def a_vector_to_the_shape_of_a_selection(m, x):
    return m.reshape(m.constant([1.0, 2.0]), m.shape(kept(m, x))) * kept(m, x)


def a_selection_to_the_shape_of_another(m, x):
    return m.reshape(kept(m, x), m.shape(kept(m, -x))) * kept(m, -x)


def a_matrix_to_a_row_of_so_many(m, x):
    return m.reshape(m.ones([2, 1]), [1, m.size(kept(m, x))]) * m.reduce_sum(x)


PROGRAMS = (
    *(to_a_vector, to_a_row, to_a_column_times_a_row, one_to_a_scalar, one_to_a_cube),
    *(rows_to_a_vector, repeated_to_a_matrix, a_scalar_to_the_shape_of_one),
    *(a_vector_to_the_shape_of_a_selection, a_selection_to_the_shape_of_another),
    a_matrix_to_a_row_of_so_many,
)


@pytest.mark.parametrize("size", [None, 4])
@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_slopes(program, size):
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        want = program(tf, x)
        total = tf.reduce_sum(want**2)
    slopes = tape.gradient(total, x)

    @shims.function(input_signature=[shims.TensorSpec([size])], autograph=False)
    def ours(x):
        value = program(shims, x)
        return value, jax.grad(lambda x: jnp.sum(program(shims, x) ** 2))(x)

    got, found = ours(X)
    np.testing.assert_allclose(got, want, rtol=1e-6, strict=True)
    np.testing.assert_allclose(found, slopes, rtol=1e-5)


@pytest.mark.parametrize(
    "program",
    [p for p in PROGRAMS if p is not a_selection_to_the_shape_of_another],
)
def test_other_counts_are_refused(program):
    many = np.float32([1, 2, 3, 4, -1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        program(tf, tf.constant(many))
    spec = [shims.TensorSpec([None])]
    ours = shims.function(lambda x: program(shims, x), spec, autograph=False)
    with pytest.raises(
        shims.errors.InvalidArgumentError, match=r"reshape: .*has a different number"
    ):
        ours(many)
