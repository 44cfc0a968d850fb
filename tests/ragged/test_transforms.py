"""Ragged and sparse tensors as pytrees: results of functions, other people's traces, 64 bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences

ROWS = [[1.0, 2.0], [], [3.0, 4.0, 5.0]]


def _rt(m=shims):
    return m.ragged.constant(ROWS)


@shims.function(input_signature=[shims.TensorSpec([None])])
def _halves(x):
    """Two ragged tensors and a sparse one of sizes that depend on `x`."""
    up = shims.boolean_mask(x, x > 0)
    lengths = shims.cast(up, shims.int32)
    return {
        "range": shims.ragged.range(lengths),
        "sparse": shims.sparse.from_dense(x),
        "pair": (shims.ragged.stack([x, up]), up),
    }


@pytest.mark.parametrize("x", [[1.0, -2.0, 0.0, 3.0], [-1.0, -1.0], [2.0] * 9], ids=str)
def test_functions_return_true_sizes(x):
    ours, x = _halves(np.float32(x)), tf.constant(x)
    up = tf.boolean_mask(x, x > 0)
    assert differences(ours["range"], tf.ragged.range(tf.cast(up, tf.int32)), 2e-6) == ""
    assert differences(ours["sparse"], tf.sparse.from_dense(x), 2e-6) == ""
    assert differences(ours["pair"][0], tf.ragged.stack([x, up]), 2e-6) == ""
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(ours))


def test_a_function_without_a_signature_takes_ragged_and_sparse_arguments():
    @shims.function
    def run(rt, sp):
        return rt * 2.0, shims.sparse.reduce_sum(sp), rt[1:].to_tensor()

    sparse = [m.sparse.from_dense([[0.0, 3.0]]) for m in (tf, shims)]
    ours = run(_rt(), sparse[1])
    theirs = (_rt(tf) * 2.0, tf.sparse.reduce_sum(sparse[0]), _rt(tf)[1:].to_tensor())
    assert differences(ours, theirs, 2e-6) == ""


def test_trees():
    rt = _rt()
    leaves, tree = jax.tree.flatten(rt)
    assert [leaf.shape for leaf in leaves] == [(5,), (4,)]
    assert jax.tree.unflatten(tree, leaves).to_list() == ROWS
    assert jax.tree.map(lambda x: x * 2, rt).flat_values.tolist() == [2, 4, 6, 8, 10]


def test_other_peoples_jit():
    rt = _rt()
    assert jax.jit(lambda r: r * 2.0)(rt).to_list() == [[2.0, 4.0], [], [6.0, 8.0, 10.0]]
    dense = jax.jit(lambda r: r.to_tensor())(rt)
    assert isinstance(dense, shims.Padded)
    assert differences(dense.unpad(), _rt(tf).to_tensor(), 2e-6) == ""
    masked = jax.jit(lambda r: shims.ragged.boolean_mask(r, r > 1.5))(rt)
    values = jax.tree.map(
        lambda p: p.unpad() if isinstance(p, shims.Padded) else p,
        masked,
        is_leaf=lambda p: isinstance(p, shims.Padded),
    )
    assert values.to_list() == [[2.0], [], [3.0, 4.0, 5.0]]


def test_one_step_after_another_in_other_peoples_jit():
    """The first step leaves `Padded` parts, which all that follows takes."""

    def run(r):
        rows = r[1:]
        return rows.to_tensor(), rows.value_rowids(), shims.reduce_mean(rows, 1), rows[0]

    theirs = _rt(tf)[1:]
    wanted = theirs.to_tensor(), theirs.value_rowids(), tf.reduce_mean(theirs, 1), theirs[0]
    assert differences([x.unpad() for x in jax.jit(run)(_rt())], wanted, 2e-6) == ""


def test_gradients_are_ragged():
    gradient = jax.grad(lambda r: shims.reduce_sum(shims.reduce_sum(r, 1) ** 2), allow_int=True)(
        _rt()
    )
    assert np.asarray(gradient.flat_values).tolist() == [6.0, 6.0, 24.0, 24.0, 24.0]


def test_64_bits():
    with jax.enable_x64(True):
        rt = shims.ragged.constant([[1, 2], [3]])
        assert rt.row_splits.dtype == jnp.int64
        assert rt.dtype == jnp.int32
        theirs = tf.ragged.constant([[1, 2], [3]])
        assert differences(shims.reduce_mean(rt, 1), tf.reduce_mean(theirs, 1), 2e-6) == ""
        assert differences(rt.to_sparse(), theirs.to_sparse(), 2e-6) == ""
    rt = shims.ragged.constant([[1, 2], [3]], row_splits_dtype=shims.int32)
    assert rt.with_row_splits_dtype(shims.int64).row_splits.dtype == jnp.int32


def _narrow(m):
    return m.ragged.constant([[1, 2], [], [3]], dtype=m.int32, row_splits_dtype=m.int32)


def _ids_of_nothing(m, values):
    """The rows of values of which a selection leaves none, counted by the last of their ids."""
    ids = m.boolean_mask(m.cast(m.range(m.size(values)), m.int64), values > 99.0)
    return m.RaggedTensor.from_value_rowids(m.boolean_mask(values, values > 99.0), ids)


WIDE = {
    "cross-narrow": lambda m, v: m.ragged.cross_hashed([_narrow(m), _narrow(m)], 50),
    "map-to-rows": lambda m, v: m.map_fn(
        lambda row: row * 2, _narrow(m), fn_output_signature=m.RaggedTensorSpec([None], m.int32)
    ),
    "ids-of-nothing": _ids_of_nothing,
}


@pytest.mark.parametrize("program", WIDE.values(), ids=WIDE)
def test_programs_of_64_bits(program):
    values = np.float32([1, 2, 3])
    with jax.enable_x64(True):
        wanted = program(tf, tf.constant(values))
        assert differences(program(shims, jnp.asarray(values)), wanted, 2e-6) == ""
        if program is _ids_of_nothing:
            run = shims.function(
                lambda v: program(shims, v), input_signature=[shims.TensorSpec([None])]
            )
            assert differences(run(values), wanted, 2e-6) == ""


def test_python_values():
    rt, theirs = _rt(), _rt(tf)
    assert rt.to_list() == theirs.to_list()
    assert [a.tolist() for a in rt.numpy()] == [a.tolist() for a in theirs.numpy()]
    assert repr(rt) == "<tf.RaggedTensor [[1.0, 2.0], [], [3.0, 4.0, 5.0]]>"
    assert [row.tolist() for row in rt] == ROWS
    assert rt.shape.as_list() == theirs.shape.as_list()
    whole = shims.RaggedTensor.from_tensor([[1, 2], [3, 4]])
    assert whole.shape.as_list() == [2, 2]
    assert whole.numpy().tolist() == [[1, 2], [3, 4]]


def test_specs():
    spec = shims.RaggedTensorSpec([None, None], shims.float32)
    assert spec.is_compatible_with(_rt())
    assert not spec.is_compatible_with(shims.ragged.constant([[1]]))
    assert spec == shims.RaggedTensorSpec([None, None])
    assert shims.RaggedTensorSpec.from_value(_rt()).ragged_rank == 1
    with pytest.raises(ValueError, match="Must specify ragged_rank"):
        shims.RaggedTensorSpec(None)
    with pytest.raises(ValueError, match="must be less than rank"):
        shims.RaggedTensorSpec([None], ragged_rank=1)
    sparse = shims.SparseTensorSpec([None, 4])
    assert sparse.is_compatible_with(shims.sparse.from_dense(np.ones((2, 4), np.float32)))
    with pytest.raises(ValueError, match="rank of a sparse tensor"):
        shims.SparseTensorSpec(None).template()


def test_arguments_that_a_signature_does_not_describe():
    @shims.function(input_signature=[shims.RaggedTensorSpec([None, None])])
    def run(rt):
        return rt

    assert run(_rt()).to_list() == ROWS
    with pytest.raises(TypeError, match="structure of `input_signature`"):
        run(jnp.ones(3))
