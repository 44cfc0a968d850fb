"""The gradient of every call of an operator is of the same kind, also after the operator is compiled."""

import jax
import numpy as np
import pytest

import shims as tf
from shims._src.tracing.repeated import Repeated

TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)
SOME, NONE = np.int32([2, 0, 2]), np.int32([])

OPERATORS = {
    "gather": lambda x, i: tf.gather(x, i),
    "gather of columns": lambda x, i: tf.gather(tf.transpose(x), i, axis=1),
    "gather_nd": lambda x, i: tf.gather_nd(x, i[:, None]),
    "batch_gather": lambda x, i: tf.gather(x[None], i[None], batch_dims=1, axis=1),
    "embedding_lookup": lambda x, i: tf.nn.embedding_lookup(x, i),
    "boolean_mask": lambda x, i: tf.boolean_mask(x, tf.range(4) < len(i)),
    "repeat": lambda x, i: tf.repeat(x, len(i), axis=0),
    "reverse": lambda x, i: tf.reverse(tf.gather(x, i), [0]),
    "concat": lambda x, i: tf.concat([tf.gather(x, i), x[:0]], 0),
    "pad": lambda x, i: tf.pad(tf.gather(x, i), [[0, 0], [1, 0]]),
    "segment_sum": lambda x, i: tf.math.unsorted_segment_sum(x[: len(i)], i, 4),
    "where": lambda x, i: tf.where(x[: len(i)] > 2, x[: len(i)], 0.0),
}


@pytest.mark.parametrize("positions", [SOME, NONE], ids=["some", "none"])
@pytest.mark.parametrize("name", OPERATORS)
def test_gradients_of_one_kind(name, positions):
    table, positions = tf.constant(TABLE), tf.constant(positions)
    found = []
    for _ in range(Repeated.after + 2):
        with tf.GradientTape() as tape:
            tape.watch(table)
            result = OPERATORS[name](table, positions)
        found.append(tape.gradient(result, table))
    assert {type(g) for g in found} == {type(found[0])} != {type(None)}
    assert len({str(jax.tree.map(np.asarray, g)) for g in found}) == 1


def test_results_of_nothing_stay_connected_in_programs():
    """`jnp.where` of no elements returns its first branch, which had no gradient."""

    def call(table):
        with tf.GradientTape() as tape:
            tape.watch(table)
            result = tf.gather(table, tf.constant(NONE))
        return tf.convert_to_tensor(tape.gradient(result, table))

    np.testing.assert_array_equal(jax.jit(call)(TABLE), np.zeros_like(TABLE))
