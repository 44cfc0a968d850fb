"""Define the table rows of `tf.ragged` and `tf.RaggedTensor`, which have hand-written tests."""

from __future__ import annotations

from tf2jax_port.table.row import Row, Shim

_TESTS = "tests/ragged"
_SPLITS = "row_splits_dtype=tf.int64"


def _row(name: str, params: str, own: str, *, fresh: bool = False) -> Row:
    """Build the table row of a function of `tf.ragged`."""
    return Row(
        f"ragged.{name}",
        params,
        Shim(f"shims.ragged.{name}"),
        own=f"ragged.{own}",
        fresh=fresh,
        tests=_TESTS,
    )


def _class(name: str, own: str) -> Row:
    """Build the table row of a class of ragged tensors."""
    return Row(name, None, Shim(f"shims.{name}"), own=own, tests=_TESTS)


def _constructor(name: str, params: str) -> Row:
    """Build the table row of a class method of `tf.RaggedTensor`."""
    return Row(f"RaggedTensor.{name}", params, Shim(f"shims.RaggedTensor.{name}"))


_VALIDATED = "name=None, validate=True"

# Class methods: for the rewriter only, no facade defines them.
CONSTRUCTORS: tuple[Row, ...] = (
    _constructor("from_row_splits", f"values, row_splits, {_VALIDATED}"),
    _constructor("from_row_lengths", f"values, row_lengths, {_VALIDATED}"),
    _constructor("from_row_starts", f"values, row_starts, {_VALIDATED}"),
    _constructor("from_row_limits", f"values, row_limits, {_VALIDATED}"),
    _constructor("from_value_rowids", f"values, value_rowids, nrows=None, {_VALIDATED}"),
    _constructor(
        "from_uniform_row_length",
        "values, uniform_row_length, nrows=None, validate=True, name=None",
    ),
    _constructor("from_nested_row_splits", f"flat_values, nested_row_splits, {_VALIDATED}"),
    _constructor("from_nested_row_lengths", f"flat_values, nested_row_lengths, {_VALIDATED}"),
    _constructor(
        "from_nested_value_rowids",
        f"flat_values, nested_value_rowids, nested_nrows=None, {_VALIDATED}",
    ),
    _constructor(
        "from_tensor", f"tensor, lengths=None, padding=None, ragged_rank=1, name=None, {_SPLITS}"
    ),
    _constructor("from_sparse", f"st_input, name=None, {_SPLITS}"),
)

ROWS: tuple[Row, ...] = (
    _class("RaggedTensor", "ragged.tensor:RaggedTensor"),
    _class("RaggedTensorSpec", "ragged.spec:RaggedTensorSpec"),
    _row("boolean_mask", "data, mask, name=None", "gathering:boolean_mask", fresh=True),
    _row(
        "constant",
        f"pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, {_SPLITS}",
        "constant:constant",
    ),
    _row(
        "cross_hashed",
        "inputs, num_buckets=0, hash_key=None, name=None",
        "crossing:cross_hashed",
        fresh=True,
    ),
    _row("map_flat_values", "op, *args, **kwargs", "elementwise:map_flat_values"),
    _row(
        "range",
        f"starts, limits=None, deltas=1, dtype=None, name=None, {_SPLITS}",
        "ranges:range",
        fresh=True,
    ),
    _row(
        "row_splits_to_segment_ids",
        "splits, name=None, out_type=None",
        "segment_ids:row_splits_to_segment_ids",
        fresh=True,
    ),
    _row(
        "segment_ids_to_row_splits",
        "segment_ids, num_segments=None, out_type=None, name=None",
        "segment_ids:segment_ids_to_row_splits",
        fresh=True,
    ),
    _row("stack", "values, axis=0, name=None", "joining:ragged_stack"),
    _row(
        "stack_dynamic_partitions",
        "data, partitions, num_partitions, name=None",
        "partitions:stack_dynamic_partitions",
        fresh=True,
    ),
)
