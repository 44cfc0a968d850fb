"""Define the operator table's rows for `tf.sparse` and for embedding lookups with sparse ids.

These operators have hand-written tests.
"""

from __future__ import annotations

from tf2jax_port.table.row import Keep, Row, Shim

_TESTS = "tests/sparse"
_STRINGS = "the operator works with strings, which JAX does not have"
_REDUCTION = "sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None"
_SEGMENT = "data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False"
_LOOKUP = "max_norm=None, name=None, allow_fast_lookup=False"


def _row(name: str, params: str, module: str, *, fresh: bool = False) -> Row:
    """Build the table row of a sparse operator."""
    own = f"sparse.{module}:{name.rpartition('.')[2]}"
    return Row(name, params, Shim(f"shims.{name}"), own=own, fresh=fresh, tests=_TESTS)


ROWS: tuple[Row, ...] = (
    Row(
        "sparse.SparseTensor",
        "indices, values, dense_shape",
        Shim("shims.sparse.SparseTensor"),
        own="sparse.tensor:SparseTensor",
        aliases=("SparseTensor",),
        tests=_TESTS,
    ),
    Row(
        "SparseTensorSpec",
        None,
        Shim("shims.SparseTensorSpec"),
        own="sparse.spec:SparseTensorSpec",
        tests=_TESTS,
    ),
    _row("sparse.add", "a, b, threshold=0", "arithmetic", fresh=True),
    _row(
        "sparse.bincount",
        "values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, "
        "name=None",
        "counting",
        fresh=True,
    ),
    _row(
        "sparse.concat",
        "axis, sp_inputs, expand_nonconcat_dims=False, name=None",
        "selection",
    ),
    _row("sparse.expand_dims", "sp_input, axis=None, name=None", "selection"),
    _row("sparse.eye", "num_rows, num_columns=None, dtype=tf.float32, name=None", "arithmetic"),
    _row("sparse.fill_empty_rows", "sp_input, default_value, name=None", "selection", fresh=True),
    _row("sparse.from_dense", "tensor, name=None", "dense", fresh=True),
    _row("sparse.map_values", "op, *args, **kwargs", "selection"),
    _row("sparse.mask", "a, mask_indices, name=None", "elementwise", fresh=True),
    _row("sparse.maximum", "sp_a, sp_b, name=None", "elementwise", fresh=True),
    _row("sparse.minimum", "sp_a, sp_b, name=None", "elementwise", fresh=True),
    _row("sparse.reduce_max", _REDUCTION, "arithmetic"),
    _row("sparse.reduce_sum", _REDUCTION, "arithmetic"),
    _row("sparse.reorder", "sp_input, name=None", "ordering"),
    _row("sparse.reset_shape", "sp_input, new_shape=None", "selection"),
    _row("sparse.reshape", "sp_input, shape, name=None", "selection"),
    _row("sparse.retain", "sp_input, to_retain", "selection", fresh=True),
    _row(
        "sparse.sampled_addmm",
        "indices, values, dense_shape, mat1, mat2, beta=1.0, alpha=1.0, output_type=tf.float32",
        "counting",
    ),
    _row("sparse.segment_mean", _SEGMENT, "segments", fresh=True),
    _row("sparse.segment_sqrt_n", _SEGMENT, "segments", fresh=True),
    _row("sparse.segment_sum", _SEGMENT, "segments", fresh=True),
    _row("sparse.slice", "sp_input, start, size, name=None", "selection", fresh=True),
    _row("sparse.softmax", "sp_input, name=None", "elementwise"),
    _row(
        "sparse.split",
        "sp_input=None, num_split=None, axis=None, name=None",
        "elementwise",
        fresh=True,
    ),
    Row(
        "sparse.cross",
        "inputs, name=None, separator=None",
        Keep(_STRINGS),
        own="sparse.elementwise:cross",
    ),
    _row(
        "sparse.cross_hashed",
        "inputs, num_buckets=0, hash_key=None, name=None",
        "crossing",
        fresh=True,
    ),
    _row(
        "sparse.sparse_dense_matmul",
        "sp_a, b, adjoint_a=False, adjoint_b=False, name=None",
        "arithmetic",
    ),
    _row(
        "sparse.to_dense",
        "sp_input, default_value=None, validate_indices=True, name=None",
        "dense",
    ),
    _row("sparse.to_indicator", "sp_input, vocab_size, name=None", "dense"),
    _row("sparse.transpose", "sp_input, perm=None, name=None", "selection"),
    _row(
        "nn.embedding_lookup_sparse",
        f"params, sp_ids, sp_weights, combiner=None, {_LOOKUP}",
        "embedding",
        fresh=True,
    ),
    _row(
        "nn.safe_embedding_lookup_sparse",
        "embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None, "
        + _LOOKUP,
        "embedding",
        fresh=True,
    ),
)
