"""Sparse tensors, made inside the program from positions and values; sets; sequences compared."""

from __future__ import annotations

import numpy as np

from .case import Case

_PLACES = np.int32([[0, 1], [0, 3], [2, 0], [2, 2]])
_VALUES = np.float32([1.5, -2.0, 3.0, 4.0])
_INPUTS = (_PLACES, _VALUES)
_OTHERS = ((_PLACES[:0], _VALUES[:0]),)
_SHAPES = ((None, 2), (None,))
_NO_KERNEL = "unsupported: no kernel"
_NO_RULE = "TensorFlow registers no gradient"
_DENSE = np.float32([[0, 1.5, 0, -2], [0, 0, 0, 0], [3, 0, 4, 0]])
_TABLE = np.float32([[1, 2], [3, 4], [-5, 6], [0.5, 0]])
_SEGMENTS = (_TABLE, np.int32([0, 3, 1, 1]), np.int32([0, 0, 2, 2]))
_IDS = np.int32([1, 3, 0, 2])
_SETS = (
    *(np.int32([[0, 0], [0, 1], [1, 0], [1, 1]]), np.int32([5, 3, 7, 7])),
    *(np.int32([[0, 0], [0, 1], [1, 0]]), np.int32([3, 9, 7])),
)
_SET_SHAPES = ((None, 2), (None,), (None, 2), (None,))


def _sp(tf, places, values, shape=(3, 4)):
    return tf.SparseTensor(tf.cast(places, tf.int64), values, shape)


def _shuffled(tf, places, values):
    return _sp(tf, tf.reverse(places, [0]), tf.reverse(values, [0]))


def _positive(tf, places, values):
    sp = _sp(tf, places, values)
    return tf.sparse.retain(sp, values > 0.0)


def _indexed(tf, rows, values, left_out):
    slices = tf.IndexedSlices(values, rows)
    return tf.sparse.mask(slices, left_out)


def _eye(tf, x):
    eye = tf.sparse.eye(tf.shape(x)[0], tf.shape(x)[1])
    return eye.with_values(eye.values * tf.reduce_sum(x))


def _sampled(tf, places, values, a, b):
    return tf.sparse.sampled_addmm(places, values, [4, 4], a, tf.transpose(b), beta=2.0, alpha=-0.5)


def _lookup(tf, places, ids, weights, table):
    sp_ids, sp_weights = _sp(tf, places, ids), _sp(tf, places, weights)
    return (
        tf.nn.embedding_lookup_sparse(table, sp_ids, None, combiner="mean"),
        tf.nn.embedding_lookup_sparse(table, sp_ids, sp_weights, combiner="sqrtn"),
    )


def _safe_lookup(tf, places, ids, weights, table):
    sp_ids, sp_weights = _sp(tf, places, ids - 1), _sp(tf, places, weights)
    return (
        tf.nn.safe_embedding_lookup_sparse(table, sp_ids, sp_weights, combiner="sum"),
        tf.nn.safe_embedding_lookup_sparse(table, sp_ids, None, default_id=2),
    )


def _case(name: str, program, **rest) -> Case:
    """A case of `sparse.name` over one sparse matrix, which TensorFlow's XLA mostly has not."""
    more = {"inputs": _INPUTS, "others": _OTHERS, "shapes": _SHAPES, "xla": _NO_KERNEL, **rest}
    return Case(f"sparse-{name.replace('_', '-')}", (f"sparse.{name}",), program, **more)


def _set(name: str, program, **rest) -> Case:
    """A case of rows of two sparse matrices of integers."""
    more = {"inputs": _SETS, "shapes": _SET_SHAPES, "xla": _NO_KERNEL, **rest}
    return Case(name.replace(".", "-").replace("_", "-"), (name,), program, **more)


def _pair(tf, a, x, b, y):
    return _sp(tf, a, x, (2, 2)), _sp(tf, b, y, (2, 2))


CASES = (
    _case("SparseTensor", lambda tf, i, v: _sp(tf, i, v) * tf.constant([1.0, 2.0, 3.0, 4.0])),
    _case(
        "to_dense",
        lambda tf, i, v: (
            tf.sparse.to_dense(_sp(tf, i, v)),
            tf.sparse.to_dense(_sp(tf, i, v), default_value=-1.0),
        ),
        xla="same",
    ),
    _case(
        "from_dense",
        lambda tf, x: tf.sparse.from_dense(x),
        inputs=(_DENSE,),
        others=((_DENSE[1:2],),),
        shapes=None,
        xla="same",
    ),
    _case("add", lambda tf, i, v: tf.sparse.add(_sp(tf, i, v), _positive(tf, i, v))),
    _case(
        "bincount",
        lambda tf, i, v: tf.sparse.bincount(
            _sp(tf, i, i[:, 1]), weights=_sp(tf, i, v), axis=-1, minlength=5
        ),
        others=(),
        no_gradient=_NO_RULE,
    ),
    _case("concat", lambda tf, i, v: tf.sparse.concat(1, [_sp(tf, i, v), _positive(tf, i, v)])),
    _case(
        "cross_hashed",
        lambda tf, i, x, y: tf.sparse.cross_hashed(
            [_sp(tf, i, x), y, _sp(tf, i, x * 1000 - 7)], num_buckets=1000
        ),
        unbounded=True,
        inputs=(_PLACES, _IDS, np.int32([[5, 6], [7, 8], [2**30, -1]])),
        others=((_PLACES[:1], _IDS[:1], np.int32([[5], [7], [9]])),),
        shapes=(*_SHAPES, (3, None)),
    ),
    _case("expand_dims", lambda tf, i, v: tf.sparse.expand_dims(_sp(tf, i, v), 1), xla="same"),
    _case("eye", _eye, inputs=(_DENSE,), others=((_DENSE[:0],),), shapes=None, xla="same"),
    _case("fill_empty_rows", lambda tf, i, v: tf.sparse.fill_empty_rows(_sp(tf, i, v), 7.0)),
    _case(
        "map_values",
        lambda tf, i, v: tf.sparse.map_values(tf.multiply, _sp(tf, i, v), _sp(tf, i, v)),
        xla="same",
    ),
    _case(
        "mask",
        _indexed,
        inputs=(np.int32([3, 0, 5]), _TABLE[:3], np.int32([0, 9])),
        others=((np.int32([3]), _TABLE[:1], np.int32([3])),),
        shapes=None,
        xla="same",
    ),
    _case(
        "maximum",
        lambda tf, i, v: tf.sparse.maximum(_sp(tf, i, v), _positive(tf, i, 3.0 - v)),
        no_gradient="TensorFlow's own rule raises TypeError",
    ),
    _case(
        "minimum",
        lambda tf, i, v: tf.sparse.minimum(_sp(tf, i, v), _positive(tf, i, 3.0 - v)),
        no_gradient="TensorFlow's own rule raises TypeError",
    ),
    _case(
        "reduce_max",
        lambda tf, i, v: tf.sparse.reduce_max(_sp(tf, i, v), axis=1),
        others=(),
        no_gradient=_NO_RULE,
    ),
    _case(
        "reduce_sum",
        lambda tf, i, v: (
            tf.sparse.reduce_sum(_sp(tf, i, v), axis=1),
            tf.sparse.reduce_sum(_sp(tf, i, v), axis=0, keepdims=True),
        ),
    ),
    _case("reorder", lambda tf, i, v: tf.sparse.reorder(_shuffled(tf, i, v))),
    _case("reset_shape", lambda tf, i, v: tf.sparse.reset_shape(_sp(tf, i, v), [5, 4]), xla="same"),
    _case("reshape", lambda tf, i, v: tf.sparse.reshape(_sp(tf, i, v), [2, -1])),
    _case("retain", _positive, xla="same"),
    _case(
        "sampled_addmm",
        _sampled,
        inputs=(*_INPUTS, _TABLE, _TABLE),
        others=(),
        shapes=(*_SHAPES, (4, 2), (4, 2)),
        xla="same",
    ),
    *(
        _case(
            name,
            lambda tf, x, i, s, name=name: getattr(tf.sparse, name)(x, i, s, num_segments=4),
            inputs=_SEGMENTS,
            others=(),
            shapes=((None, None), (None,), (None,)),
        )
        for name in ("segment_sum", "segment_mean", "segment_sqrt_n")
    ),
    _case("slice", lambda tf, i, v: tf.sparse.slice(_sp(tf, i, v), [0, 1], [3, 2])),
    _case("softmax", lambda tf, i, v: tf.sparse.softmax(_sp(tf, i, v))),
    _case(
        "sparse_dense_matmul",
        lambda tf, i, v, b: tf.sparse.sparse_dense_matmul(_sp(tf, i, v), b),
        inputs=(*_INPUTS, _TABLE),
        others=((*_OTHERS[0], _TABLE),),
        shapes=(*_SHAPES, (None, None)),
    ),
    _case(
        "split",
        lambda tf, i, v: tf.sparse.split(sp_input=_sp(tf, i, v), num_split=2, axis=1),
        no_gradient=_NO_RULE,
    ),
    _case("to_indicator", lambda tf, i, v: tf.sparse.to_indicator(_sp(tf, i, i[:, 1]), 4)),
    _case("transpose", lambda tf, i, v: tf.sparse.transpose(_sp(tf, i, v))),
    Case(
        "embedding-lookup-sparse",
        ("nn.embedding_lookup_sparse",),
        _lookup,
        (_PLACES, _IDS, np.abs(_VALUES), _TABLE),
        shapes=(*_SHAPES, (None,), (None, 2)),
        xla=_NO_KERNEL,
        unbounded=True,
    ),
    Case(
        "safe-embedding-lookup-sparse",
        ("nn.safe_embedding_lookup_sparse",),
        _safe_lookup,
        (_PLACES, _IDS, _VALUES, _TABLE),
        shapes=(*_SHAPES, (None,), (None, 2)),
        xla=_NO_KERNEL,
    ),
    _set("sets.difference", lambda tf, *g: tf.sets.difference(*_pair(tf, *g))),
    _set("sets.intersection", lambda tf, *g: tf.sets.intersection(*_pair(tf, *g))),
    _set("sets.union", lambda tf, *g: tf.sets.union(*_pair(tf, *g))),
    _set(
        "sets.size",
        lambda tf, i, x: tf.sets.size(_sp(tf, i, x, (2, 2))),
        inputs=_SETS[:2],
        shapes=_SET_SHAPES[:2],
    ),
    _set(
        "edit_distance",
        lambda tf, *g: (
            tf.edit_distance(*_pair(tf, *g)),
            tf.edit_distance(*_pair(tf, *g), normalize=False),
        ),
    ),
)
