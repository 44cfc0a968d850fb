"""Check that sizes beyond memory are refused before anything is allocated, in every lane."""

from __future__ import annotations

import resource

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims as tf
from shims._src.platform import device_memory

X = np.arange(4, dtype=np.float32)
RAGGED = tf.ragged.constant([[1.0, 2.0], [3.0]])
LIMIT = 400_000_000

# Every operator that takes a size, as a function of that size.
OPERATORS = {
    "zeros": lambda n: tf.zeros([n]),
    "ones": lambda n: tf.ones([n, 2]),
    "zeros of rows": lambda n: tf.zeros([n, 1000]),
    "fill": lambda n: tf.fill([n], 1.0),
    "range": lambda n: tf.range(n),
    "linspace": lambda n: tf.linspace(0.0, 1.0, n),
    "eye": lambda n: tf.eye(n),
    "one_hot": lambda n: tf.one_hot([1, 2], n),
    "sequence_mask": lambda n: tf.sequence_mask([1, 2], n),
    "bincount": lambda n: tf.math.bincount([1, n]),
    "bincount minlength": lambda n: tf.math.bincount([1, 2], minlength=n),
    "unsorted_segment_sum": lambda n: tf.math.unsorted_segment_sum(X, [0, 1, 0, 1], n),
    "segment_sum": lambda n: tf.math.segment_sum(X, [0, 0, 1, n]),
    "repeat": lambda n: tf.repeat(X, n),
    "tile": lambda n: tf.tile(X, [n]),
    "pad": lambda n: tf.pad(X, [[0, n]]),
    "scatter_nd": lambda n: tf.scatter_nd([[0], [1], [2], [3]], X, [n]),
    "broadcast_to": lambda n: tf.broadcast_to(1.0, [n]),
    "uniform": lambda n: tf.random.stateless_uniform([n], [1, 2]),
    "to_dense": lambda n: tf.sparse.to_dense(tf.SparseTensor([[0], [1]], [1.0, 2.0], [n])),
    "to_tensor": lambda n: RAGGED.to_tensor(shape=[None, n]),
    "TensorArray": lambda n: tf.TensorArray(tf.float32, n).write(0, 1.0).stack(),
    "confusion_matrix": lambda n: tf.math.confusion_matrix([0, 1], [1, 0], num_classes=n),
    "histogram": lambda n: tf.histogram_fixed_width(X, [0.0, 5.0], nbins=n),
    "resize": lambda n: tf.image.resize(np.ones((2, 2, 1), np.float32), [n, 2]),
    "dynamic_stitch": lambda n: tf.dynamic_stitch([[0, 1], [2, n]], [X[:2], X[2:]]),
}
# `jax.numpy` inside a dynamic trace.
NUMPY = {
    "jnp.zeros": lambda n: jnp.zeros(n),
    "jnp.full": lambda n: jnp.full((n,), 1.0),
    "jnp.arange": lambda n: jnp.arange(n),
    "jnp.eye": lambda n: jnp.eye(n),
    "jnp.repeat": lambda n: jnp.repeat(X, n),
}
NUMBERS = (2**31 - 1, 2**31, 2**40, 2**60, 2 * 10**9, -(10**9))
REFUSALS = (tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError, ValueError, TypeError)


def _eagerly(f, n):
    return f(n)


def _in_function(f, n):
    return tf.function(lambda: f(n))()


def _from_data(f, n):
    return tf.function(lambda s: f(tf.cast(s, tf.int64)))(jnp.float32(n))


LANES = {"eager": _eagerly, "function": _in_function, "data": _from_data}


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch):
    monkeypatch.setenv(device_memory.LIMIT, str(LIMIT))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _is_refused(f, lane, n) -> bool:
    before = _peak()
    try:
        result = LANES[lane](f, n)
    except REFUSALS:
        return _peak() - before < LIMIT
    return n < 0 and all(np.size(x) < 100 for x in jax.tree.leaves(result))


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", ["zeros", "one_hot", "segment_sum", "repeat", "pad"])
def test_a_size_beyond_memory_is_refused(name, lane):
    assert _is_refused(OPERATORS[name], lane, 2**31 - 1)
    assert _is_refused(OPERATORS[name], lane, 2**60)


@pytest.mark.long
@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("name", [*OPERATORS, *NUMPY])
def test_every_operator_refuses_sizes_beyond_memory(name, lane):
    if name in NUMPY and lane == "eager":
        pytest.skip("JAX's own function, outside of any dynamic trace")
    f = {**OPERATORS, **NUMPY}[name]
    assert [n for n in NUMBERS if not _is_refused(f, lane, n)] == []


@pytest.mark.parametrize("lane", LANES)
def test_the_message_has_bytes_operator_line_and_remedy(lane):
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        LANES[lane](lambda n: tf.zeros([n]), 2 * 10**9)
    text = str(caught.value)
    assert text.startswith("zeros:")
    assert "bytes" in text
    assert f"{LIMIT:,} bytes available" in text
    assert "test_room.py" in text
    assert "shims.minimum" in text


def test_the_remedy_works():
    f = tf.function(lambda s: tf.zeros([tf.minimum(tf.cast(s, tf.int64), 1000)]))
    assert f(jnp.float32(2e9)).shape == (1000,)


def test_wide_segment_ids_are_refused():
    f = tf.function(lambda x, ids: tf.math.segment_sum(x, ids))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(X, np.array([0, 1, 2, 2**60]))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        f(X, np.array([0, 1, 2, 2**30]))


def test_a_total_beyond_int32_is_refused():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.function(lambda x, r: tf.repeat(x, r))(X, np.array([2**30] * 4, np.int32))


def test_an_array_that_the_compiler_does_without_is_allowed():
    x = jnp.linspace(-1.0, 1.0, 20_000)
    f = tf.function(
        lambda x: jnp.sum(jnp.zeros((x.shape[0], 1)) + 0 * x[x > 0][0] * x[None, :] * 0)
    )
    assert float(f(x)) == 0.0


def test_products_of_sizes_count():
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.function(lambda n: tf.zeros([n, 1000]))(jnp.int32(200_000))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.dynamic(lambda n: jnp.sum(tf.zeros([n, 1000])))(jnp.int32(200_000))
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([20_000, 20_000])


def test_memory_of_this_machine_is_known(monkeypatch):
    monkeypatch.delenv(device_memory.LIMIT)
    assert device_memory.available() > 1 << 20
