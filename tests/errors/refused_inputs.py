"""Calls with inputs, arguments or options that are refused, one per kind of message."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import shims as tf
from shims._src.sizes import primitives

X = np.arange(8, dtype=np.float32).reshape(4, 2)
M = np.array([True, False, True, True])
K = np.array([True, False, False, True])
V = np.array([3, 1, 2, 1, 5, 0], np.float32)
SPEC = tf.TensorSpec([None])


def unbounded():
    return jax.jit(tf.dynamic(lambda k: tf.range(k)))(np.int32(3))


def outgrown():
    return tf.function(lambda k: tf.range(k * k), overflow="raise")(np.int32(90))


def outgrown_bound_under_jit():
    padded = jax.jit(tf.dynamic(lambda k: tf.range(tf.bounded(k, max=4))))(np.int32(9))
    return padded.unpad()


def a_loop_without_a_bound():
    f = tf.dynamic(
        lambda x: tf.while_loop(
            lambda c: tf.reduce_sum(c) < 50,
            lambda c: [tf.concat([c, c], 0)],
            [x],
            shape_invariants=[tf.TensorShape([None])],
        )
    )
    return jax.jit(f)(V)


def more_than_there_is():
    return tf.function(lambda x, m: tf.math.top_k(x[m][:, 0], 4))(X, M)


def a_shape_that_does_not_fit():
    return tf.function(lambda x: x.reshape(2, 2), [tf.TensorSpec([None])])(np.ones(3, np.float32))


def sizes_that_differ():
    return tf.function(lambda x, m, k: tf.boolean_mask(x, m) + tf.boolean_mask(x, k))(X, M, K)


def sizes_that_differ_under_jit():
    padded = jax.jit(tf.dynamic(lambda x, m, k: x[m] + x[k]))(X, M, K)
    return padded.unpad()


def sizes_that_are_known_to_differ():
    return tf.same_size(X, X[:2])


def a_size_and_a_number():
    return tf.function(lambda x, m: x[m] + jnp.ones((2, 2)))(X, M)


def sizes_of_one_name():
    specs = [tf.TensorSpec(["n", 2]), tf.TensorSpec(["n"])]
    return tf.function(lambda x, y: x, input_signature=specs)(X, X[0])


def too_small():
    return tf.Padded.pad(X, 2)


def above_a_stated_bound():
    return tf.bounded(np.int32(9), max=4)


def another_dtype():
    spec = tf.TensorSpec([None], np.int32)
    return tf.function(lambda x: x, input_signature=[spec])(X[0])


def another_shape():
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None, 3])])(X)


def another_structure():
    return tf.function(lambda d: d, input_signature=[{"a": SPEC}])({"b": V})


def one_argument_too_many():
    return tf.function(lambda x: x, input_signature=[SPEC])(V, V)


def an_option_beside_the_signature():
    return tf.function(lambda x, flag=True: x, input_signature=[SPEC])(V, False)


def one_argument_too_few():
    return tf.function(lambda x, y: x, input_signature=[SPEC, SPEC])(V)


def an_unknown_keyword():
    return tf.function(lambda x: x, input_signature=[SPEC])(V, z=V)


def past_the_last_bucket():
    spec = tf.TensorSpec([None, 2])
    return tf.function(lambda x: x, input_signature=[spec], buckets=[2, 3])(X)


def buckets_of_another_kind():
    return tf.function(lambda x: x, buckets="primes")


def nothing_to_compile_for():
    return tf.function(lambda x: x, input_signature=[SPEC]).precompile()


def a_constant_size():
    f = tf.function(
        lambda x: np.zeros(x.shape[0]) + x, input_signature=[SPEC], on_specialize="raise"
    )
    return f(V)


def a_mask_of_another_length():
    return tf.boolean_mask(X, np.ones(3, bool))


def a_mask_of_a_higher_rank():
    return tf.boolean_mask(X, np.ones((4, 2, 1), bool))


def a_mask_without_an_axis():
    return tf.boolean_mask(X, True)


def an_index_of_another_length():
    return tf.function(lambda x, m: x[m])(X, M[:3])


def an_index_of_a_higher_rank():
    return tf.function(lambda x, m: x[m])(X, np.ones((4, 2, 1), bool))


def traced_bounds_twice():
    return tf.function(lambda x, k: x.at[:k, :k].set(0.0))(X, np.int32(1))


def a_traced_axis():
    return tf.function(lambda x, k: tf.reduce_sum(x, axis=k))(X, np.int32(0))


def windows_of_unknown_extent():
    def f(x, starts):
        y = x[x > 0]
        return jax.vmap(lambda s: lax.dynamic_slice(y, (s,), (y.shape[0] // 2,)))(starts)

    return jax.jit(tf.dynamic(f))(V, np.arange(2, dtype=np.int32))


def random_rows_of_the_older_threefry():
    def f(x, key):
        n = x[x > 0].shape[0]
        return jax.random.normal(key, (n,))

    with jax.threefry_partitionable(False):
        return jax.jit(tf.dynamic(f))(V, jax.random.key(0))


def padded_in_numpy():
    return np.asarray(tf.Padded.pad(X[:3], 5))


def padded_in_a_sum():
    return jnp.sum(tf.Padded.pad(X[:3], 5))


def padded_has_no_length():
    return len(tf.Padded.pad(X[:3], 5))


def a_decision_in_a_loop():
    def f(x):
        return lax.fori_loop(0, 3, lambda i, c: c + (x[x > c].shape[0] > 2), 0)

    return tf.function(f, autograph=False)(V)


def a_size_out_of_a_loop():
    kept = []

    def f(x):
        lax.map(lambda t: kept.append(x[x > t].shape[0]) or t, x)
        return jnp.ones(kept[0])

    return tf.function(f, autograph=False)(V)


def no_dynamic_trace():
    return jax.jit(primitives.compress)(X, M)
