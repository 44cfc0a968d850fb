"""Each bad input: the class of its error, and its whole message."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf

X = np.arange(8, dtype=np.float32).reshape(4, 2)
M = np.array([True, False, True, True])
K = np.array([True, False, False, True])


def unbounded():
    return jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))


def sizes_that_differ():
    return tf.function(lambda x, m, k: tf.boolean_mask(x, m) + tf.boolean_mask(x, k))(X, M, K)


def too_small():
    return tf.Padded.pad(X, 2)


def above_a_stated_bound():
    return tf.bounded(np.int32(9), max=4)


def another_dtype():
    spec = tf.TensorSpec([None], np.int32)
    return tf.function(lambda x: x, input_signature=[spec])(X[0])


def another_shape():
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None, 3])])(X)


def past_the_last_bucket():
    spec = tf.TensorSpec([None, 2])
    return tf.function(lambda x: x, input_signature=[spec], buckets=[2, 3])(X)


def a_mask_of_another_length():
    return tf.boolean_mask(X, np.ones(3, bool))


def sizes_of_one_name():
    specs = [tf.TensorSpec(["n", 2]), tf.TensorSpec(["n"])]
    return tf.function(lambda x, y: x, input_signature=specs)(X, X[0])


def padded_as_an_array():
    return np.asarray(tf.Padded.pad(X[:3], 5))


CASES = (
    (
        unbounded,
        tf.errors.CapacityError,
        "range: nothing bounds this data-dependent size, and inside somebody else's trace nothing can grow.\n"
        "  Required: a count whose bound follows from the inputs\n"
        "  At:       test_errors.py:N  return jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))\n"
        "  Do:       write `shims.bounded(k, max=...)` for the count, or call the function through `shims.function` at the top level",
    ),
    (
        sizes_that_differ,
        tf.errors.InvalidArgumentError,
        "add: the sizes of two operands differ.\n"
        "  Required: one size: u1 == u0 (axis 0)\n"
        "  At:       test_errors.py:N  return tf.function(lambda x, m, k: tf.boolean_mask(x, m) + tf.boolean_mask(x, k))(X, M, K)",
    ),
    (
        too_small,
        tf.errors.CapacityError,
        "Padded.pad: `x` does not fit.\n"
        "  Required: at most 2 entries along axis 0\n"
        "  Received: 4\n"
        "  At:       test_errors.py:N  return tf.Padded.pad(X, 2)",
    ),
    (
        above_a_stated_bound,
        tf.errors.CapacityError,
        "bounded: `x` is 9, above its stated bound.\n"
        "  Required: x <= 4\n"
        "  Received: 9\n"
        "  At:       test_errors.py:N  return tf.bounded(np.int32(9), max=4)\n"
        "  Do:       raise the bound: `shims.bounded(x, max=9)`",
    ),
    (
        another_dtype,
        TypeError,
        "function: `argument 0` has another dtype than its spec.\n"
        "  Required: int32\n"
        "  Received: float32\n"
        "  At:       test_errors.py:N  return tf.function(lambda x: x, input_signature=[spec])(X[0])",
    ),
    (
        another_shape,
        ValueError,
        "function: `argument 0` has another shape than its spec.\n"
        "  Required: (None, 3)\n"
        "  Received: (4, 2)\n"
        "  At:       test_errors.py:N  return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None, 3])])(X)",
    ),
    (
        past_the_last_bucket,
        tf.errors.CapacityError,
        "function: an input is larger than the largest bucket.\n"
        "  Required: at most 3 entries\n"
        "  Received: 4\n"
        "  At:       test_errors.py:N  return tf.function(lambda x: x, input_signature=[spec], buckets=[2, 3])(X)\n"
        "  Do:       add 4 to `buckets`",
    ),
    (
        a_mask_of_another_length,
        tf.errors.InvalidArgumentError,
        "boolean_mask: `mask` must match the leading axes of `tensor`.\n"
        "  Required: mask.shape == tensor.shape[0:1] (axis=0)\n"
        "  Received: tensor f32[4, 2], mask bool[3]\n"
        "  At:       test_errors.py:N  return tf.boolean_mask(X, np.ones(3, bool))\n"
        "  Do:       build the mask from `tensor`, or name both sizes alike in the spec",
    ),
    (
        sizes_of_one_name,
        tf.errors.InvalidArgumentError,
        "function: two sizes named `n` differ.\n"
        "  Required: n = 4\n"
        "  Received: n = 2 (argument 1, axis 0)\n"
        "  At:       test_errors.py:N  return tf.function(lambda x, y: x, input_signature=specs)(X, X[0])",
    ),
    (
        padded_as_an_array,
        tf.errors.PaddedUseError,
        "Padded: a padded value was given to a JAX function, which would read its padding.\n"
        "  Received: Padded(float32[5x2], axis 0: 3)\n"
        "  At:       test_errors.py:N  return np.asarray(tf.Padded.pad(X[:3], 5))\n"
        "  Do:       use the shims operator of that name (`shims.reduce_sum(x)`), or wrap the whole computation: `shims.dynamic(f)(x)`",
    ),
)


@pytest.mark.parametrize(("call", "error", "text"), CASES, ids=[c[0].__name__ for c in CASES])
def test_message(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    assert re.sub(r"test_errors\.py:\d+", "test_errors.py:N", str(raised.value)) == text


def test_a_padded_value_in_a_jax_function_says_what_to_write():
    with pytest.raises(tf.errors.PaddedUseError, match=r"shims\.reduce_sum"):
        jnp.sum(tf.Padded.pad(X[:3], 5))
