"""Operators on strings give TensorFlow's values, shapes, dtypes and errors."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import shims

SPARSE = "tf.SparseTensor([[0, 0], [0, 2], [1, 1]], ['a', 'b', 'c'], [2, 3])"
RAGGED = "tf.ragged.constant([['a', 'b'], [], ['c', 'd', 'e']])"
MATRIX = "tf.constant([['a', 'b', 'c'], ['d', 'e', 'f']])"

CALLS = f"""
tf.constant('text')
tf.constant(b'\\xff\\x00')
tf.constant('ü')
tf.constant(['a', 'bc', ''])
tf.constant([['a'], ['b']], tf.string)
tf.constant('a', shape=[2, 2])
tf.constant(['a', 'b', 'c', 'd'], shape=[2, 2])
tf.constant([], tf.string)
tf.constant(np.array(['a', 'b']))
tf.constant(np.array([b'a', b'b'], object))
tf.constant(['a', ['b']])
tf.constant(['a', 1])
tf.constant([1, 'a'])
tf.constant('a', tf.int32)
tf.constant(1, tf.string)
tf.convert_to_tensor(['a', 'b'])
tf.convert_to_tensor('a', tf.string)
tf.convert_to_tensor('a', tf.float32)
tf.convert_to_tensor('a', dtype_hint=tf.float32)
tf.convert_to_tensor(tf.constant('a'), tf.int32)
tf.identity('a')
tf.stop_gradient(['a'])
tf.cast(['a'], tf.string)
tf.cast(['1'], tf.int32)
tf.cast([1], tf.string)
tf.zeros([2], tf.string)
tf.zeros_like(['a', 'b'])
tf.zeros_like(['a', 'b'], tf.int32)
tf.ones_like(['a'])
tf.ones([1], tf.string)
tf.fill([2, 1], 'q')
tf.one_hot([0, 2], 3, 'on', 'off', dtype=tf.string)
tf.one_hot([0, 2], 3, 'on', 'off')
tf.reshape({MATRIX}, [-1])
tf.reshape({MATRIX}, [4])
tf.expand_dims(['a', 'b'], 1)
tf.squeeze([['a']], 0)
tf.squeeze({MATRIX}, 0)
tf.transpose({MATRIX})
tf.tile(['a', 'b'], [2])
tf.gather(['a', 'b'], [1, 0])
tf.gather({MATRIX}, [2, 0], axis=1)
tf.gather(['a', 'b'], [2])
tf.gather_nd({MATRIX}, [[0, 1], [1, 2]])
tf.gather({MATRIX}, [[0], [1]], batch_dims=1)
tf.concat([['a'], ['b', 'c']], 0)
tf.concat([{MATRIX}, {MATRIX}], 1)
tf.concat([['a'], [1]], 0)
tf.concat([tf.constant(['a']), tf.constant([1])], 0)
tf.stack(['a', 'b'])
tf.stack([tf.constant(['a']), ['b']], 1)
tf.stack(['a', tf.constant(1)])
tf.unstack({MATRIX})
tf.split({MATRIX}, 3, 1)
tf.split({MATRIX}, [1, 2], 1)
tf.slice({MATRIX}, [0, 1], [2, 1])
tf.strided_slice({MATRIX}, [0, 0], [2, 3], [1, 2])
{MATRIX}[1]
{MATRIX}[0, 1]
{MATRIX}[:, 1:]
{MATRIX}[..., -1]
{MATRIX}[:, tf.newaxis, ::-1]
{MATRIX}[2]
{MATRIX}[tf.constant(1)]
tf.where([True, False], ['a', 'b'], 'z')
tf.where([True, False], ['a', 'b'], 1)
tf.where([[True], [False]], 'a', ['b', 'c'])
tf.boolean_mask(['a', 'b', 'c'], [True, False, True])
tf.pad(['a'], [[1, 2]])
tf.pad(['a'], [[1, 2]], constant_values='x')
tf.pad(['a', 'b', 'c'], [[1, 1]], 'REFLECT')
tf.reverse(['a', 'b'], [0])
tf.roll(['a', 'b', 'c'], 1, 0)
tf.repeat(['a', 'b'], [2, 1])
tf.repeat(['a', 'b'], 2)
tf.broadcast_to(['a', 'b'], [2, 2])
tf.tensor_scatter_nd_update(['a', 'b', 'c'], [[1]], ['z'])
tf.scatter_nd([[1]], ['z'], [3])
tf.unique(['b', 'a', 'b'])
tf.unique_with_counts(['b', 'a', 'b'])
tf.equal(['a', 'b'], 'b')
tf.not_equal(['a', 'b'], ['b', 'b'])
tf.less(['a'], ['b'])
tf.maximum(['a'], ['b'])
tf.sort(['b', 'a'])
tf.argsort(['b', 'a'])
tf.reduce_max(['b', 'a'])
tf.reduce_sum(['b', 'a'])
tf.multiply(['b'], ['a'])
tf.subtract(['b'], ['a'])
tf.negative(['b'])
tf.add(['a', 'b'], 'c')
tf.add([['a'], ['b']], ['c', 'd'])
tf.add(['a', 'b', 'c'], ['c', 'd'])
tf.add('a', 1)
tf.add_n([['a'], ['b']])
tf.constant('a') + 'b'
'a' + tf.constant('b')
tf.constant(['a', 'b']) == 'a'
tf.constant(['a', 'b']) != tf.constant(['a', 'c'])
tf.constant('a') < 'b'
tf.constant('a') + 1
tf.constant('a') * 2
tf.shape({MATRIX})
tf.size({MATRIX})
tf.rank({MATRIX})
tf.shape('a')
tf.ensure_shape(['a'], [1])
tf.ensure_shape(['a'], [2])
tf.dynamic_partition(['a', 'b', 'c'], [1, 0, 1], 2)
tf.dynamic_stitch([[0, 2], [1]], [['a', 'c'], ['b']])
tf.meshgrid(['a'], ['b'])
tf.reverse_sequence([['a', 'b', 'c']], [2], seq_axis=1, batch_axis=0)
tf.map_fn(lambda x: x + '!', tf.constant(['a', 'b']))
tf.map_fn(lambda x: tf.strings.length(x), tf.constant(['a', 'bb']), fn_output_signature=tf.int32)
tf.foldl(lambda a, x: a + x, tf.constant(['a', 'b']))
tf.math.cumsum(['a'])
tf.matmul([['a']], [['b']])
tf.nn.relu(['a'])
tf.math.reduce_any(['a'])
tf.is_tensor(tf.constant('a'))
tf.get_static_value(tf.constant('a'))
{RAGGED}
{RAGGED}.to_tensor()
{RAGGED}.to_tensor(default_value='-')
{RAGGED}.to_tensor(shape=[None, 2])
{RAGGED}.to_tensor(default_value=1)
{RAGGED}.to_list()
{RAGGED}.flat_values
{RAGGED}.numpy()
tf.ragged.constant([['a', 'b'], ['c', 'd']]).numpy()
{RAGGED}.shape
{RAGGED}.row_lengths()
{RAGGED}.bounding_shape()
{RAGGED}.to_sparse()
{RAGGED}[0]
{RAGGED}[2, 1]
{RAGGED}[:, :1]
{RAGGED}[1:]
{RAGGED} == 'a'
{RAGGED} + 'x'
{RAGGED} + {RAGGED}
tf.ragged.constant([], tf.string, ragged_rank=1)
tf.ragged.constant([[], []], dtype=tf.string)
tf.ragged.constant([[['a'], []], [['b', 'c']]])
tf.ragged.constant([['a', 1]])
tf.ragged.constant(['a', 'b'])
tf.ragged.constant('a')
tf.ragged.constant([['a']], dtype=tf.int32)
tf.ragged.stack([['a'], ['b', 'c']])
tf.ragged.stack([{RAGGED}, {RAGGED}])
tf.concat([{RAGGED}, {RAGGED}], 1)
tf.concat([{RAGGED}, [['x']]], 0)
tf.stack([{RAGGED}, {RAGGED}], 1)
tf.gather({RAGGED}, [2, 0])
tf.gather(['a', 'b', 'c'], tf.ragged.constant([[0], [2, 1]]))
tf.tile({RAGGED}, [1, 2])
tf.expand_dims({RAGGED}, 0)
tf.reverse({RAGGED}, [1])
tf.size({RAGGED})
tf.rank({RAGGED})
tf.where(tf.ragged.constant([[True, False], [], [True, True, False]]), {RAGGED}, 'z')
tf.ragged.boolean_mask({RAGGED}, tf.ragged.constant([[True, False], [], [True, True, False]]))
tf.ragged.boolean_mask(['a', 'b'], [True, False])
tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [1, 0, 1], 2)
tf.ragged.map_flat_values(tf.strings.upper, {RAGGED})
tf.RaggedTensor.from_row_splits(['a', 'b', 'c'], [0, 1, 3])
tf.RaggedTensor.from_row_splits(['a', 'b', 'c'], [0, 1, 2])
tf.RaggedTensor.from_row_lengths(tf.constant(['a', 'b', 'c']), [2, 0, 1])
tf.RaggedTensor.from_value_rowids(['a', 'b', 'c'], [0, 0, 2])
tf.RaggedTensor.from_uniform_row_length(['a', 'b'], 1)
tf.RaggedTensor.from_tensor({MATRIX})
tf.RaggedTensor.from_tensor([['a', ''], ['b', 'c']], padding='')
tf.RaggedTensor.from_tensor({MATRIX}, lengths=[1, 2])
tf.RaggedTensor.from_sparse(tf.sparse.from_dense([['a', ''], ['b', 'c']]))
tf.ragged.constant([[['a'], []], [['b', 'c']]]).merge_dims(0, 1)
tf.reduce_sum({RAGGED}, 1)
{SPARSE}
tf.sparse.to_dense({SPARSE})
tf.sparse.to_dense({SPARSE}, default_value='-')
tf.sparse.to_dense({SPARSE}, default_value=0)
tf.sparse.reorder(tf.SparseTensor([[1, 1], [0, 0]], ['a', 'b'], [2, 3]))
tf.sparse.concat(0, [{SPARSE}, {SPARSE}])
tf.sparse.transpose({SPARSE})
tf.sparse.reshape({SPARSE}, [3, 2])
tf.sparse.slice({SPARSE}, [0, 0], [1, 3])
tf.sparse.split({SPARSE}, 2, 0)
tf.sparse.retain({SPARSE}, [True, False, True])
tf.sparse.expand_dims({SPARSE}, 0)
tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 1]], ['a'], [3, 3]), '-')
tf.sparse.reset_shape({SPARSE}, [4, 4])
tf.sparse.from_dense([['a', ''], ['', 'b']])
tf.sparse.from_dense(['', ''])
tf.sets.intersection([['a', 'b', 'c']], [['b', 'c', 'd']])
tf.sets.union([['c', 'a']], [['b', 'a']])
tf.sets.difference([['a', 'b']], [['b', 'd']])
tf.sets.size(tf.sparse.from_dense([['a', 'b'], ['c', '']]))
tf.edit_distance(tf.sparse.from_dense([['a', 'b']]), tf.sparse.from_dense([['a', 'c']]))
tf.sparse.reduce_sum({SPARSE})
""".strip().splitlines()


def outcome(library, call: str):
    """Return the result of a call as plain data, or the error."""
    try:
        return plain(eval(call, {"tf": library, "np": np}))
    except Exception as error:  # noqa: BLE001 - the classes are compared
        return error


def plain(x):
    """Convert a result to nested lists of values with dtypes and shapes."""
    if hasattr(x, "to_list"):
        return (
            "ragged",
            plain(x.flat_values),
            [np.asarray(s).tolist() for s in x.nested_row_splits],
        )
    if hasattr(x, "dense_shape"):
        return ("sparse", *(plain(p) for p in (x.indices, x.values, x.dense_shape)))
    if isinstance(x, (list, tuple)) and not hasattr(x, "as_list"):
        return [plain(y) for y in x]
    if hasattr(x, "dtype"):
        dtype = np.dtype(getattr(x.dtype, "as_numpy_dtype", x.dtype))
        narrow = {"int64": "int32", "float64": "float32"}.get(dtype.name, dtype.name)
        if any(isinstance(y, np.ndarray) for y in np.asarray(x).ravel()):
            return [plain(y) for y in x]
        return (narrow, np.shape(x), np.asarray(x).tolist())
    return str(x) if hasattr(x, "as_list") else x


@pytest.mark.parametrize("call", CALLS)
def test_calls_are_equal(call):
    expected, found = outcome(tf, call), outcome(shims, call)
    if isinstance(expected, Exception):
        assert isinstance(found, Exception), found
        assert isinstance(found, kin(expected)), (type(expected), repr(found))
    else:
        if isinstance(found, Exception):
            raise found
        assert found == expected


def kin(error: Exception) -> tuple[type, ...]:
    """Return the classes of shims that stand for an error of TensorFlow's."""
    named = getattr(shims.errors, type(error).__name__, None)
    return (named,) if named is not None else (type(error),)
