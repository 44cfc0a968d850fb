"""Names of results, and the names that are left for what comes after, against TensorFlow."""

import numpy as np
import pytest

import shims.compat.v1 as ours

_X = np.ones([2, 3], np.float32)


def _x(tf, shape=(2, 3)):
    return tf.placeholder(tf.float32, shape, name="x")


SNIPPETS = {
    "add": lambda tf: [_x(tf) + 1, 1 + _x(tf), tf.add(_x(tf), 1.0), tf.add(_x(tf), 1, name="n")],
    "sub": lambda tf: [
        _x(tf) - 1,
        1 - _x(tf),
        tf.subtract(_x(tf), 1),
        -_x(tf),
        tf.negative(_x(tf)),
    ],
    "mul": lambda tf: [_x(tf) * 2, 2 * _x(tf), tf.multiply(_x(tf), 2), tf.scalar_mul(2.0, _x(tf))],
    "div": lambda tf: [_x(tf) / 2, 2 / _x(tf), tf.divide(_x(tf), 2), tf.div(_x(tf), 2)],
    "div-others": lambda tf: [
        _x(tf) // 2,
        _x(tf) % 2,
        tf.mod(_x(tf), 2.0),
        tf.floordiv(_x(tf), 2.0),
    ],
    "pow": lambda tf: [
        _x(tf) ** 2,
        tf.pow(_x(tf), 2),
        abs(_x(tf)),
        tf.abs(_x(tf)),
        tf.square(_x(tf)),
    ],
    "compare": lambda tf: [_x(tf) > 1, _x(tf) <= 1, tf.greater(_x(tf), 1), tf.equal(_x(tf), 1)],
    "logic": lambda tf: [
        tf.logical_and(_x(tf) > 1, _x(tf) < 2),
        (_x(tf) > 1) & (_x(tf) < 2),
        (_x(tf) > 1) | (_x(tf) < 2),
        ~(_x(tf) > 1),
        tf.logical_not(_x(tf) > 1),
        tf.logical_xor(_x(tf) > 1, _x(tf) < 2),
    ],
    "matmul": lambda tf: [
        tf.matmul(_x(tf), _x(tf), transpose_b=True),
        _x(tf) @ np.ones([3, 1], np.float32),
        tf.matmul(_x(tf), np.ones([3, 1], np.float32), name="product"),
    ],
    "slices": lambda tf: [
        _x(tf)[0],
        _x(tf)[:, 1:],
        _x(tf)[..., tf.newaxis],
        _x(tf)[tf.shape(_x(tf))[0] - 1],
    ],
    "mean": lambda tf: [
        tf.reduce_mean(_x(tf)),
        tf.reduce_mean(_x(tf), 1),
        tf.reduce_mean(_x(tf), name="m"),
    ],
    "sum-unknown": lambda tf: [tf.reduce_sum(_x(tf, None)), tf.reduce_sum(_x(tf, None), [0])],
    "reductions": lambda tf: [
        f(_x(tf), axis)
        for f in (tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_logsumexp)
        for axis in (0, None)
    ],
    "any": lambda tf: [tf.reduce_any(_x(tf) > 0), tf.reduce_all(_x(tf) > 0, 1)],
    "argmax": lambda tf: [
        tf.argmax(_x(tf), 1),
        tf.argmin(_x(tf), 0),
        tf.argmax(_x(tf), 1, name="best"),
    ],
    "cast": lambda tf: [
        tf.cast(_x(tf), tf.int32),
        tf.cast(_x(tf), tf.float32),
        tf.to_int32(_x(tf)),
        tf.cast(_x(tf) > 0, tf.float32, "c"),
    ],
    "constants": lambda tf: [
        tf.constant(1.0),
        tf.constant([1, 2], name="c"),
        tf.constant(2.0),
        tf.zeros([2]),
    ],
    "creation": lambda tf: [
        tf.zeros([2, 3]),
        tf.ones([2]),
        tf.fill([2], 3.0),
        tf.zeros_like(_x(tf)),
        tf.ones_like(_x(tf)),
        tf.zeros(tf.shape(_x(tf))),
        tf.eye(3),
        tf.one_hot([1, 2], 3),
    ],
    "range": lambda tf: [
        tf.range(3),
        tf.range(1, 5, 2),
        tf.range(tf.shape(_x(tf))[0]),
        tf.linspace(0.0, 1.0, 3),
    ],
    "shape": lambda tf: [
        tf.shape(_x(tf)),
        tf.size(_x(tf)),
        tf.rank(_x(tf)),
        tf.shape(_x(tf, [None, 3])),
    ],
    "reshape": lambda tf: [
        tf.reshape(_x(tf), [-1]),
        tf.reshape(_x(tf), [tf.shape(_x(tf))[0], 3]),
        tf.transpose(_x(tf)),
        tf.transpose(_x(tf), [1, 0]),
        tf.expand_dims(_x(tf), 1),
        tf.squeeze(_x(tf, [2, 1]), [1]),
        tf.identity(_x(tf)),
    ],
    "concat": lambda tf: [
        tf.concat([_x(tf), _x(tf)], 1),
        tf.stack([_x(tf), _x(tf)]),
        *tf.unstack(_x(tf)),
        *tf.split(_x(tf), 3, 1),
        *tf.split(_x(tf), [1, 2], 1),
        tf.tile(_x(tf), [1, 2]),
    ],
    "gather": lambda tf: [
        tf.gather(_x(tf), [0]),
        tf.gather(_x(tf), [0], axis=1),
        tf.gather_nd(_x(tf), [[0, 1]]),
        tf.boolean_mask(_x(tf), [True, False]),
        tf.where(_x(tf) > 0, _x(tf), _x(tf)),
        tf.where(_x(tf) > 0),
        tf.nn.embedding_lookup(_x(tf), [0, 1]),
        tf.slice(_x(tf), [0, 0], [1, 1]),
        tf.pad(_x(tf), [[1, 1], [0, 0]]),
        tf.reverse(_x(tf), [0]),
        tf.sequence_mask([1, 2], 3),
    ],
    "activations": lambda tf: [
        tf.nn.relu(_x(tf)),
        tf.nn.sigmoid(_x(tf)),
        tf.tanh(_x(tf)),
        tf.nn.softmax(_x(tf)),
        tf.nn.log_softmax(_x(tf)),
        tf.nn.elu(_x(tf)),
        tf.nn.leaky_relu(_x(tf)),
        tf.nn.softplus(_x(tf)),
        tf.nn.relu6(_x(tf), name="six"),
        tf.nn.crelu(_x(tf)),
    ],
    "elementwise": lambda tf: [
        tf.exp(_x(tf)),
        tf.log(_x(tf)),
        tf.sqrt(_x(tf)),
        tf.rsqrt(_x(tf)),
        tf.maximum(_x(tf), 0),
        tf.minimum(_x(tf), 0),
        tf.clip_by_value(_x(tf), 0, 1),
        tf.squared_difference(_x(tf), 1.0),
        tf.sign(_x(tf)),
        tf.floor(_x(tf)),
        tf.round(_x(tf)),
        tf.stop_gradient(_x(tf)),
        tf.is_nan(_x(tf)),
        tf.cumsum(_x(tf)),
        tf.add_n([_x(tf), _x(tf)]),
        tf.sin(_x(tf)),
        tf.norm(_x(tf)),
        tf.clip_by_norm(_x(tf), 1.0),
    ],
    "losses": lambda tf: [
        tf.nn.softmax_cross_entropy_with_logits(labels=_X, logits=_x(tf)),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=_X, logits=_x(tf)),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=_x(tf)),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=_X, logits=_x(tf)),
        tf.nn.l2_loss(_x(tf)),
        tf.nn.l2_normalize(_x(tf), 1),
        *tf.nn.moments(_x(tf), [0]),
        *tf.nn.moments(_x(tf), [0], keep_dims=True),
        tf.nn.bias_add(_x(tf), [1.0, 2.0, 3.0]),
        tf.nn.xw_plus_b(_x(tf), np.ones([3, 1], np.float32), [1.0]),
        *tf.nn.top_k(_x(tf), 2),
        tf.nn.in_top_k(_x(tf), [0, 1], 1),
    ],
    "images": lambda tf: [
        tf.nn.conv2d(_x(tf, [1, 4, 4, 1]), np.ones([2, 2, 1, 1], np.float32), [1, 1, 1, 1], "SAME"),
        tf.nn.max_pool(_x(tf, [1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool(_x(tf, [1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME", name="p"),
        tf.image.resize_bilinear(_x(tf, [1, 4, 4, 1]), [2, 2]),
        tf.image.resize_nearest_neighbor(_x(tf, [1, 4, 4, 1]), [2, 2]),
        tf.image.resize_images(_x(tf, [1, 4, 4, 1]), [2, 2]),
        tf.nn.lrn(_x(tf, [1, 4, 4, 1])),
        tf.nn.depthwise_conv2d(
            _x(tf, [1, 4, 4, 1]), np.ones([2, 2, 1, 1], np.float32), [1, 1, 1, 1], "SAME"
        ),
        tf.image.flip_left_right(_x(tf, [4, 4, 1])),
    ],
    "random": lambda tf: [
        tf.random_normal([2]),
        tf.random_uniform([2]),
        tf.random_uniform([2], -1.0, 1.0),
        tf.random_uniform([2], maxval=3, dtype=tf.int32),
        tf.truncated_normal([2]),
        tf.random_shuffle(_x(tf)),
        tf.multinomial(_x(tf), 2),
        tf.random_normal([2], name="noise"),
    ],
    "dropout": lambda tf: [tf.nn.dropout(_x(tf), 0.5), tf.nn.dropout(_x(tf), rate=0.5, name="d")],
    "scopes": lambda tf: _in_scopes(tf),
    "segments": lambda tf: [
        tf.segment_sum(_x(tf), [0, 0]),
        tf.unsorted_segment_sum(_x(tf), [0, 0], 2),
        *tf.unique([1, 2, 2]),
        tf.dynamic_partition(_x(tf), [0, 1], 2)[1],
        tf.scatter_nd([[0]], [1.0], [3]),
    ],
    "linalg": lambda tf: [
        tf.cholesky(np.eye(2, dtype=np.float32)),
        tf.matrix_inverse(np.eye(2, dtype=np.float32)),
        tf.tensordot(_x(tf, [None, 2, 3]), np.ones([3, 1], np.float32), [[2], [0]]),
        tf.einsum("ij,jk->ik", _x(tf), np.ones([3, 1], np.float32)),
        tf.matrix_diag([1.0, 2.0]),
        tf.trace(np.eye(2, dtype=np.float32)),
    ],
}


def _in_scopes(tf):
    with tf.name_scope("a"):
        first = [tf.reduce_mean(_x(tf)), _x(tf) + 1]
        with tf.name_scope("b"):
            first += [tf.constant(1.0), tf.nn.softmax(_x(tf))]
    with tf.name_scope("a"):
        return [*first, tf.reduce_mean(_x(tf)), tf.constant(1.0)]


# What comes after: a name that a snippet took without need, or left, shows here.
PROBES = [
    "Const",
    "Mean",
    "Reshape",
    "Shape",
    "add",
    "sub",
    "mul",
    "truediv",
    "zeros",
    "ones",
    "range",
    "Rank",
    "concat",
    "stack",
    "strided_slice",
    "transpose",
    "ExpandDims",
    "Identity",
    "Sum",
    "Cast",
    "MatMul",
    "x",
]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_names_are_tensorflows(snippet):
    import tensorflow.compat.v1 as theirs

    found = []
    for tf in (theirs, ours):
        with tf.Graph().as_default() as graph:
            names = [tensor.name for tensor in SNIPPETS[snippet](tf)]
            found.append((names, [graph.unique_name(probe) for probe in PROBES]))
    assert found[1] == found[0]
