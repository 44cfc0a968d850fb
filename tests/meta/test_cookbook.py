"""Every entry of docs/cookbook.md: the TensorFlow code and the JAX code give the same values and gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from jax import lax

from tests.meta import pages

BLOCKS = pages.python_blocks("cookbook.md")
NAMES = [block.split("(")[0].removeprefix("def ") for block in BLOCKS[::2]]
RNG = np.random.default_rng(0)


def floats(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def whole(values):
    return np.array(values, np.int32)


# Two calls of each: an ordinary one, and one at an edge (nothing selected, one element, ties).
INPUTS = {
    "pad_to_size": [(floats(5, 2),), (floats(11, 2),)],
    "positive_stats": [(floats(6),), (-np.abs(floats(3)),)],
    "positions": [(floats(6),), (-np.abs(floats(3)),)],
    "token_loss": [
        (floats(2, 3, 4), whole([[0, 3, -1], [2, -1, -1]])),
        (floats(1, 1, 4), whole([[1]])),
    ],
    "mean_log": [(floats(6),), (np.float32([0.0, 2.0, -1.0]),)],
    "attend": [
        (floats(2, 3), floats(2, 4, 3), whole([4, 2])),
        (floats(1, 3), floats(1, 2, 3), whole([1])),
    ],
    "mean_of_rows": [(floats(6), whole([3, 1, 2])), (floats(1), whole([1]))],
    "segment_means": [(floats(6), whole([3, 0, 0, 1, 3, 3])), (floats(1), whole([2]))],
    "mean_embeddings": [
        (floats(5, 2), whole([1, 2, 3, 3]), whole([0, 0, 2, 2])),
        (floats(1, 2), whole([0]), whole([3])),
    ],
    "counts_of_values": [(whole([3, 1, 3, 0, 1]),), (whole([7]),)],
    "hardest_half": [(floats(7), np.arange(7) % 3 > 0), (floats(3), np.arange(3) == 1)],
    "normalize_images": [(floats(2, 4, 3),), (np.ones((1, 2, 2), np.float32),)],
    "brightness": [(floats(3, 4, 2), whole([4, 1, 2])), (floats(1, 1, 1), whole([1]))],
    "crops": [
        (
            floats(2, 6, 5, 3),
            np.float32([[0.1, 0.2, 0.8, 0.7], [0.9, 0.4, -0.2, 1.3]]),
            whole([1, 0]),
        ),
        (floats(1, 4, 4, 1), np.float32([[0.0, 0.0, 1.0, 1.0]]), whole([0])),
    ],
    "strided": [
        (floats(2, 6, 7, 3), floats(3, 3, 3, 4)),
        (floats(1, 1, 4, 1), floats(2, 2, 1, 1)),
    ],
    "mark": [(floats(4, 2), whole([0, 3, 0])), (floats(1, 2), whole([0]))],
    "last_of_rows": [(floats(3, 4), whole([4, 1, 2])), (floats(1, 1), whole([1]))],
    "last_states": [(floats(3, 4, 2), whole([4, 1, 2])), (floats(1, 1, 1), whole([1]))],
    "square_root": [(np.float32(7.0),), (np.float32(0.25),)],
    "beam_search": [(floats(4, 5, 5),), (floats(1, 3, 3),)],
    "bounded_gradient": [(floats(3), np.float32(0.5)), (floats(1), np.float32(5.0))],
    "train_step": [
        (floats(3), floats(5, 3), floats(5)),
        (np.zeros(2, np.float32), floats(1, 2), floats(1)),
    ],
}
NO_REVERSE_MODE = {"square_root"}
CONSTANT_IMAGE = {"normalize_images"}  # its standard deviation is 0, where no slope exists


def defined(block, name):
    found = {"tf": tf, "jax": jax, "jnp": jnp, "lax": lax}
    exec(block, found)
    return found[name]


def test_every_entry_has_two_programs_and_inputs():
    assert len(BLOCKS) == 2 * len(NAMES)
    assert set(NAMES) == set(INPUTS)


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_an_entry(number):
    name = NAMES[number]
    old, new = (defined(block, name) for block in BLOCKS[2 * number : 2 * number + 2])
    for call, arguments in enumerate(INPUTS[name]):
        expected = tf.nest.flatten(old(*map(tf.constant, arguments)))
        compare(jax.tree.leaves(new(*map(jnp.asarray, arguments))), expected)
        compare(jax.tree.leaves(jax.jit(new)(*arguments)), expected)
        if name not in NO_REVERSE_MODE and not (call and name in CONSTANT_IMAGE):
            compare_gradients(old, new, arguments)


def compare(mine, theirs):
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, np.asarray(b), rtol=2e-5, atol=1e-6)


def compare_gradients(old, new, arguments):
    if arguments[0].dtype != np.float32:
        return
    first, *others = arguments

    def total(leaves, sum_of, is_float):
        return sum(sum_of(leaf) for leaf in leaves if is_float(leaf))

    with tf.GradientTape() as tape:
        x = tf.constant(first)
        tape.watch(x)
        leaves = tf.nest.flatten(old(x, *map(tf.constant, others)))
        y = total(leaves, tf.reduce_sum, lambda leaf: leaf.dtype.is_floating)

    def mine(x):
        leaves = jax.tree.leaves(new(x, *map(jnp.asarray, others)))
        return total(leaves, jnp.sum, lambda leaf: jnp.issubdtype(leaf.dtype, jnp.floating))

    if isinstance(y, int):  # no result is a float
        return
    compare([jax.jit(jax.grad(mine))(first)], [tf.convert_to_tensor(tape.gradient(y, x))])
