"""Where TensorFlow refuses sparse values, so does `shims`, with the same error."""

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims

from .messages import MESSAGES


def _sp(m):
    return m.sparse.from_dense([[0, 1, 0], [2, 0, 3]])


def _st(m, indices, values, shape):
    return m.SparseTensor(indices, values, shape)


CALLS = (
    ("count", lambda m: _st(m, [[0, 1]], [1, 2], [2, 2]), "ValueError"),
    ("rank", lambda m: _st(m, [[0, 1]], [1], [2, 2, 2]), "ValueError"),
    ("float-index", lambda m: _st(m, [[0.0, 1.0]], [1], [2, 2]), "TypeError"),
    (
        "too-far",
        lambda m: m.sparse.to_dense(_st(m, [[0, 5]], [1], [2, 2])),
        "InvalidArgumentError",
    ),
    (
        "order",
        lambda m: m.sparse.to_dense(_st(m, [[1, 1], [0, 0]], [1, 2], [2, 2])),
        "InvalidArgumentError",
    ),
    (
        "repeated",
        lambda m: m.sparse.to_dense(_st(m, [[1, 1], [1, 1]], [1, 2], [2, 2])),
        "InvalidArgumentError",
    ),
    (
        "add-shape",
        lambda m: m.sparse.add(_sp(m), m.sparse.reset_shape(_sp(m), [3, 3])),
        "InvalidArgumentError",
    ),
    (
        "add-array-shape",
        lambda m: m.sparse.add(_sp(m), m.ones([2, 4], m.int32)),
        "InvalidArgumentError",
    ),
    (
        "add-array-rank",
        lambda m: m.sparse.add(_sp(m), m.ones([3], m.int32)),
        "InvalidArgumentError",
    ),
    (
        "add-dtypes",
        lambda m: m.sparse.add(_sp(m), m.sparse.from_dense([[0.0, 1.0, 2.0]] * 2)),
        "InvalidArgumentError",
    ),
    ("add-array-dtype", lambda m: m.sparse.add(_sp(m), m.ones([2, 3])), "InvalidArgumentError"),
    (
        "matmul-dtypes",
        lambda m: m.sparse.sparse_dense_matmul(_sp(m), m.ones([3, 2])),
        "InvalidArgumentError",
    ),
    (
        "concat-dtypes",
        lambda m: m.sparse.concat(0, [_sp(m), m.sparse.from_dense([[0.0, 1.0, 2.0]])]),
        "InvalidArgumentError",
    ),
    ("times-shape", lambda m: _sp(m) * m.constant([2, 3]), "InvalidArgumentError"),
    ("over-shape", lambda m: _sp(m) / m.constant([[2], [3], [4]]), "InvalidArgumentError"),
    ("slice-start", lambda m: m.sparse.slice(_sp(m), [1], [2, 2]), "InvalidArgumentError"),
    ("slice-size", lambda m: m.sparse.slice(_sp(m), [0, 0], [2]), "InvalidArgumentError"),
    ("slice-negative", lambda m: m.sparse.slice(_sp(m), [0, 0], [2, -1]), "InvalidArgumentError"),
    ("negative-count", lambda m: m.sparse.bincount([1, -1]), "InvalidArgumentError"),
    (
        "weights-of-counts",
        lambda m: m.sparse.bincount([1, 2], weights=m.constant([1.0])),
        "InvalidArgumentError",
    ),
    ("axis-of-counts", lambda m: m.sparse.bincount([1, 2], axis=1), "ValueError"),
    (
        "binary-with-weights",
        lambda m: m.sparse.bincount([1], weights=m.constant([1.0]), binary_output=True),
        "ValueError",
    ),
    (
        "weights-of-another-kind",
        lambda m: m.sparse.bincount(_sp(m), weights=m.constant([1.0, 2.0, 3.0])),
        "ValueError",
    ),
    (
        "shape-of-product",
        lambda m: m.sparse.sampled_addmm([[0, 1]], [1.0], [3, 3], m.ones([2, 2]), m.ones([2, 2])),
        "ValueError",
    ),
    (
        "entry-of-product",
        lambda m: m.sparse.sampled_addmm([[0, 7]], [1.0], [2, 2], m.ones([2, 2]), m.ones([2, 2])),
        "InvalidArgumentError",
    ),
    ("add-dense", lambda m: m.sparse.add(m.ones([2]), m.ones([2])), "TypeError"),
    (
        "concat-shape",
        lambda m: m.sparse.concat(0, [_sp(m), m.sparse.reset_shape(_sp(m), [3, 4])]),
        "InvalidArgumentError",
    ),
    ("retain-count", lambda m: m.sparse.retain(_sp(m), [True]), "ValueError"),
    ("reshape-count", lambda m: m.sparse.reshape(_sp(m), [4, 2]), "InvalidArgumentError"),
    ("reset-smaller", lambda m: m.sparse.reset_shape(_sp(m), [1, 1]), "ValueError"),
    (
        "matmul-sizes",
        lambda m: m.sparse.sparse_dense_matmul(_sp(m), m.ones([2, 2], m.int32)),
        "InvalidArgumentError",
    ),
    (
        "fill-row",
        lambda m: m.sparse.fill_empty_rows(_st(m, [[5, 0]], [1], [2, 2]), 0),
        "InvalidArgumentError",
    ),
    ("indicator", lambda m: m.sparse.to_indicator(_sp(m), 2), "InvalidArgumentError"),
    ("expand", lambda m: m.sparse.expand_dims(_sp(m), 5), "InvalidArgumentError"),
    (
        "segment-order",
        lambda m: m.sparse.segment_sum([[1.0], [2.0]], [0, 1], [1, 0]),
        "InvalidArgumentError",
    ),
    (
        "segment-position",
        lambda m: m.sparse.segment_sum([[1.0], [2.0]], [0, 3], [0, 1]),
        "InvalidArgumentError",
    ),
    (
        "segment-number",
        lambda m: m.sparse.segment_mean([[1.0], [2.0]], [0, 1], [0, 4], num_segments=3),
        "InvalidArgumentError",
    ),
    (
        "combiner",
        lambda m: m.nn.embedding_lookup_sparse(m.ones([4, 2]), _sp(m), None, combiner="x"),
        "ValueError",
    ),
    (
        "lookup-too-far",
        lambda m: m.nn.embedding_lookup_sparse(m.ones([2, 2]), _sp(m), None),
        "InvalidArgumentError",
    ),
    (
        "maximum-shape",
        lambda m: m.sparse.maximum(_sp(m), m.sparse.reset_shape(_sp(m), [3, 3])),
        "InvalidArgumentError",
    ),
    (
        "maximum-dtype",
        lambda m: m.sparse.maximum(_sp(m), m.sparse.from_dense([[0.0, 1.0]])),
        "InvalidArgumentError",
    ),
    ("softmax-dtype", lambda m: m.sparse.softmax(_sp(m)), "InvalidArgumentError"),
    (
        "split-parts",
        lambda m: m.sparse.split(sp_input=_sp(m), num_split=4, axis=1),
        "InvalidArgumentError",
    ),
    ("split-argument", lambda m: m.sparse.split(sp_input=_sp(m), axis=1), "ValueError"),
    (
        "partition-number",
        lambda m: m.ragged.stack_dynamic_partitions([1, 2], [0, 5], 3),
        "InvalidArgumentError",
    ),
    (
        "cross-vector",
        lambda m: m.sparse.cross_hashed([m.constant([1, 2])], 5),
        "InvalidArgumentError",
    ),
    ("cross-array", lambda m: m.sparse.cross_hashed(m.constant([[1]]), 5), "TypeError"),
    ("cross-lists", lambda m: m.sparse.cross_hashed([[[1]]], 5), "TypeError"),
    (
        "cross-rows",
        lambda m: m.sparse.cross_hashed([m.constant([[1]]), m.constant([[1], [2]])], 5),
        "InvalidArgumentError",
    ),
    (
        "cross-buckets",
        lambda m: m.sparse.cross_hashed([m.constant([[1]])], -1),
        "InvalidArgumentError",
    ),
    (
        "lookup-dense",
        lambda m: m.nn.embedding_lookup_sparse(m.ones([4, 2]), 3, None),
        "TypeError",
    ),
)


def _names(error):
    return {c.__name__ for c in type(error).__mro__}


@pytest.mark.parametrize(("call", "name"), [pytest.param(*c[1:], id=c[0]) for c in CALLS])
def test_the_error_is_tensorflows(call, name):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - which one is what is compared
        call(tf)
    assert name in _names(theirs.value)
    with pytest.raises(Exception) as ours:  # noqa: PT011 - which one is what is compared
        call(shims)
    assert name in _names(ours.value), repr(ours.value)


@pytest.mark.parametrize(("name", "call"), [pytest.param(*c[:2], id=c[0]) for c in CALLS])
def test_messages(name, call):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - the whole text is compared
        call(shims)
    lines = str(raised.value).split("\n")
    assert "\n".join(x for x in lines if not x.startswith("  At:")) == MESSAGES[name]


INSIDE = (
    (
        "to_dense",
        lambda sp, k: shims.sparse.to_dense(
            shims.SparseTensor(sp.indices + k, sp.values, sp.dense_shape)
        ),
    ),
    ("retain", lambda sp, k: shims.sparse.retain(sp, shims.range(k) > 0)),
    ("times", lambda sp, k: sp * shims.ones([k])),
    ("add", lambda sp, k: shims.sparse.add(sp, shims.ones([k, 3]))),
    ("slice", lambda sp, k: shims.sparse.slice(sp, [0, 0], shims.stack([2, -k]))),
    (
        "indicator",
        lambda sp, k: shims.sparse.to_indicator(
            shims.sparse.map_values(lambda v: shims.cast(v, shims.int32) + k, sp), 3
        ),
    ),
)


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in INSIDE])
def test_inside_a_function_it_raises_after_the_call(program):
    @shims.function(
        input_signature=[shims.SparseTensorSpec([None, 3]), shims.TensorSpec([], np.int32)]
    )
    def run(sp, k):
        return program(sp, k)

    with pytest.raises(shims.InvalidArgumentError):
        run(shims.sparse.from_dense(np.float32([[0, 1, 0], [2, 0, 3]])), np.int32(5))


def test_a_sparse_result_is_not_made():
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        shims.sparse.reduce_sum(_sp(shims), axis=0, output_is_sparse=True)
    lines = [x for x in str(raised.value).split("\n") if not x.startswith("  At:")]
    assert lines == [
        "sparse.reduce_sum: `output_is_sparse` is not supported.",
        "  Do:       reduce to an array, then call `shims.sparse.from_dense`",
    ]


@pytest.mark.parametrize("rows", [[0, 2], [5], [0, 1, 2, 3]])
def test_mask_leaves_slices_out(rows):
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    theirs = tf.sparse.mask(tf.IndexedSlices(values, [0, 2, 0]), tf.constant(rows))
    ours = shims.sparse.mask(shims.IndexedSlices(values, np.int32([0, 2, 0])), np.int32(rows))
    assert np.asarray(ours.values).tolist() == theirs.values.numpy().tolist()
    assert np.asarray(ours.indices).tolist() == theirs.indices.numpy().tolist()


def test_softmax_has_tensorflows_gradient():
    dense = np.float32([[0, 1, 2], [3, 0, 0]])
    sp = tf.sparse.from_dense(dense)
    with tf.GradientTape() as tape:
        tape.watch(sp.values)
        y = tf.reduce_sum(tf.sparse.softmax(sp).values * [1.0, 2.0, 3.0])
    wanted = tape.gradient(y, sp.values).numpy()
    ours = shims.sparse.from_dense(dense)
    weights = np.float32([1, 2, 3])
    total = lambda v: (shims.sparse.softmax(ours.with_values(v)).values * weights).sum()
    np.testing.assert_allclose(jax.grad(total)(ours.values), wanted, rtol=1e-5, atol=1e-7)


def test_strings_are_not_made():
    with pytest.raises(shims.errors.UnimplementedError, match="hash the combinations"):
        shims.sparse.cross([[1]])
