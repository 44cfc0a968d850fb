"""What is said when ragged values are refused, whole but for the line of the call."""

MESSAGES = {
    "clip-limits": (
        "a RaggedTensor is passed where an array is expected.\n"
        "  Required: an array\n"
        "  Do:       pass the component arrays, or convert the value to a dense array: `to_tensor()`, "
        "`shims.sparse.to_dense`"
    ),
    "clip-by-rows": (
        "a RaggedTensor is passed where an array is expected.\n"
        "  Required: an array\n"
        "  Do:       pass the component arrays, or convert the value to a dense array: `to_tensor()`, "
        "`shims.sparse.to_dense`"
    ),
    "nesting": "all scalar values must have the same nesting depth",
    "nesting-rank": "Invalid pylist=[[1], [2]]: incompatible with ragged_rank=2",
    "inner-shape": "inner values have inconsistent shape",
    "float-as-int": "Cannot convert [1.5] to an array of dtype int32",
    "cross-list": "ragged.cross_hashed: inputs must be a list.",
    "cross-rank": "ragged.cross_hashed: ragged inputs must have rank 2.",
    "cross-rows": (
        "ragged.cross_hashed: the inputs have different numbers of rows.\n  Required: 1 rows\n  Received: 2 rows"
    ),
    "cross-buckets": (
        "ragged.cross_hashed: `num_buckets` is negative.\n  Received: num_buckets=-1"
    ),
    "range-end": (
        "ragged.range: a row is infinite or has too many numbers.\n"
        "  Required: (limits - starts) / deltas below 2 ** 31"
    ),
    "range-nan": (
        "ragged.range: a row is infinite or has too many numbers.\n"
        "  Required: (limits - starts) / deltas below 2 ** 31"
    ),
    "gather-rows": "gather: `indices` has 2 rows, but `params` has 3 rows.",
    "gather-ragged-rows": "gather: `indices` has 2 rows, but `params` has 3 rows.",
    "row-too-far": ("index: row 5 is out of bounds.\n  Required: -3 <= index < 3"),
    "row-before": ("index: row -4 is out of bounds.\n  Required: -3 <= index < 3"),
    "inner-position": "Cannot index into an inner ragged dimension.",
    "coordinates-too-far": (
        "gather_nd: `indices[..., 0]` is out of range.\n"
        "  Required: indices[..., 0] in [0, 3)\n"
        "  Received: indices[..., 0][0] = 5"
    ),
    "coordinates-inside": (
        "gather_nd: `indices` is out of range.\n  Required: positions inside the row"
    ),
    "coordinates-batch": "batch_dims != 0 is not supported for ragged gather yet.",
    "squeeze-no-axis": "Ragged.squeeze must have an axis argument.",
    "squeeze-lengths": (
        "squeeze: the axis does not have size 1.\n  Required: rows with one element"
    ),
    "squeeze-rows": "squeeze: the axis does not have size 1.\n  Required: one row",
    "other-rows": (
        "add: the rows of two ragged tensors have different lengths.\n  Required: equal row_splits"
    ),
    "other-count": (
        "add: the sizes of two operands differ.\n  Required: size 3 along axis 0\n  Received: size 2"
    ),
    "other-lengths": (
        "add: the row lengths of a ragged tensor do not match the size of the array's axis.\n  Required: an axis of "
        "size 1, or rows whose length is the size of the axis\n  Received: f32[3, 2]"
    ),
    "other-dtype": (
        "add: `y` was expected to be float32, the dtype of the operand before it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: x f32[5], y i32[5]\n"
        "  Do:       convert one of the operands: `shims.cast(y, 'float32')`"
    ),
    "truth": "RaggedTensor may not be used as a boolean.",
    "argmax": (
        "a RaggedTensor is passed where an array is expected.\n"
        "  Required: an array\n"
        "  Do:       pass the component arrays, or convert the value to a dense array: `to_tensor()`, "
        "`shims.sparse.to_dense`"
    ),
    "to_tensor-rank": (
        "to_tensor: `shape` has 1 entries, but the ragged tensor has rank 2.\n  Required: one entry for each axis"
    ),
    "gather-too-far": (
        "gather: `indices` is out of range.\n"
        "  Required: indices in [0, 3)\n"
        "  Received: indices[0] = 5"
    ),
    "gather-negative": (
        "gather: `indices` is out of range.\n"
        "  Required: indices in [0, 3)\n"
        "  Received: indices[0] = -1"
    ),
    "concat-rows": (
        "concat: the sizes of two operands differ.\n  Required: size 3 along axis 0\n  Received: size 2"
    ),
    "mask-length": (
        "ragged.boolean_mask: the sizes of two operands differ.\n  Required: size 3 along axis 0\n  Received: size 2"
    ),
    "mask-rows": (
        "ragged.boolean_mask: the rows of two ragged tensors have different lengths.\n  Required: equal row_splits"
    ),
    "mask-scalar": "mask cannot be scalar.",
    "range-step": ("ragged.range: a step is 0.\n  Required: deltas != 0 everywhere"),
    "range-lengths": (
        "ragged.range: the vectors have different lengths.\n  Required: vectors of the same length"
    ),
    "splits-end": (
        "from_row_splits: the last row does not end where the values end.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values"
    ),
    "splits-begin": (
        "from_row_splits: the first row does not start at 0.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values"
    ),
    "splits-decrease": (
        "from_row_splits: row splits decrease.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values"
    ),
    "splits-none": "row_splits tensor may not be empty.",
    "lengths": (
        "from_row_lengths: the last row does not end where the values end.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values"
    ),
    "rowids-order": (
        "from_value_rowids: row ids are not ascending.\n  Required: ascending row ids"
    ),
    "rowids-count": (
        "from_value_rowids: the number of row ids is 2, but the number of values is 3.\n  Required: one row id for "
        "each value"
    ),
    "rowids-range": (
        "from_value_rowids: a row id is out of range.\n  Required: 0 <= row ids < number of rows"
    ),
    "uniform": (
        "from_uniform_row_length: the number of values, 3, does not match 1 rows of length 2.\n  Required: nrows * "
        "uniform_row_length == number of values"
    ),
    "tensor-rank": "`ragged_rank` must be below the rank of `tensor`. Received: i32[2], ragged_rank=1.",
    "tensor-both": "Specify argument `lengths` or `padding`, but not both.",
    "map-scalar": (
        "map_flat_values: the result of `op` does not contain one entry for each flat value.\n  Required: an array "
        "of at least one axis\n  Received: f32[]"
    ),
    "map-ranks": (
        "map_flat_values: the ragged arguments have different ragged ranks.\n  Required: equal ragged ranks\n"
        "  Received: ragged ranks 1, 2"
    ),
    "map-fewer": (
        "RaggedTensor: the sizes of two operands differ.\n  Required: size 5 along axis 0\n  Received: size 2"
    ),
}
