"""What is said when sparse values are refused, whole but for the line of the call."""

MESSAGES = {
    "count": (
        "SparseTensor: the shapes do not match.\n  Required: indices [n, rank], values [n], "
        "dense_shape [rank]\n  Received: indices i32[1, 2], values i32[2], dense_shape i32[2]"
    ),
    "rank": (
        "SparseTensor: the shapes do not match.\n  Required: indices [n, rank], values [n], "
        "dense_shape [rank]\n  Received: indices i32[1, 2], values i32[1], dense_shape i32[3]"
    ),
    "float-index": "SparseTensor: `indices` must contain integers, not float64.",
    "too-far": (
        "to_dense: `indices[:, 1]` is out of range.\n"
        "  Required: indices[:, 1] in [0, 2)\n"
        "  Received: indices[:, 1][0] = 5"
    ),
    "order": (
        "to_dense: the indices are out of order.\n"
        "  Required: indices in row-major order: use `shims.sparse.reorder`"
    ),
    "repeated": ("to_dense: an index is repeated.\n  Required: each coordinate at most once"),
    "add-array-shape": (
        "sparse.add: the shapes differ.\n  Required: a sparse tensor and an array of the same shape"
    ),
    "add-array-rank": "sparse.add: the operands have different ranks.",
    "add-dtypes": (
        "sparse.add: `b` was expected to be int32, the dtype of the operand before it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: a i32[3], b f32[4]\n"
        "  Do:       convert one of the operands: `shims.cast(b, 'int32')`"
    ),
    "add-array-dtype": (
        "sparse.add: `b` was expected to be int32, the dtype of the operand before it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: a i32[3], b f32[2, 3]\n"
        "  Do:       convert one of the operands: `shims.cast(b, 'int32')`"
    ),
    "matmul-dtypes": (
        "sparse_dense_matmul: `b` was expected to be int32, the dtype of the operand before "
        "it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: sp_a i32[3], b f32[3, 2]\n"
        "  Do:       convert one of the operands: `shims.cast(b, 'int32')`"
    ),
    "concat-dtypes": (
        "concat: `values[1]` was expected to be int32, the dtype of the operand before it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: values[0] i32[3], values[1] f32[2]\n"
        "  Do:       convert one of the operands: `shims.cast(values[1], 'int32')`"
    ),
    "times-shape": (
        "SparseTensor: an array does not broadcast to the sparse tensor.\n  Required: sizes that are either 1 or "
        "equal to the sizes of the sparse tensor\n  Received: i32[2]"
    ),
    "over-shape": (
        "SparseTensor: an array does not broadcast to the sparse tensor.\n  Required: sizes that are either 1 or "
        "equal to the sizes of the sparse tensor\n  Received: i32[3, 1]"
    ),
    "slice-start": (
        "sparse.slice: `start` must contain one number for each axis.\n  Required: [2]\n  Received: i32[1]"
    ),
    "slice-size": (
        "sparse.slice: `size` must contain one number for each axis.\n  Required: [2]\n  Received: i32[1]"
    ),
    "slice-negative": "sparse.slice: a size is negative.\n  Required: size >= 0",
    "add-shape": (
        "sparse.add: the shapes differ.\n  Required: two sparse tensors of the same shape"
    ),
    "negative-count": (
        "sparse.bincount: a number is negative.\n  Required: values >= 0 everywhere"
    ),
    "weights-of-counts": (
        "sparse.bincount: `weights` must have the shape of `values`.\n  Received: weights f32[1], values i32[2]"
    ),
    "axis-of-counts": "sparse.bincount: `axis` must be 0 or -1, received 1.",
    "binary-with-weights": (
        "sparse.bincount: `binary_output` cannot be combined with `weights`; pass only one of the two arguments."
    ),
    "weights-of-another-kind": "sparse.bincount: `weights` must be sparse, like `values`.",
    "shape-of-product": (
        "sampled_addmm: `dense_shape` differs from the shape of the product.\n  Received: (2, 2)"
    ),
    "entry-of-product": (
        "sampled_addmm: `indices[:, 1]` is out of range.\n"
        "  Required: indices[:, 1] in [0, 2)\n"
        "  Received: indices[:, 1][0] = 7"
    ),
    "add-dense": "At least one input should be SparseTensor; do you mean `shims.add`?",
    "concat-shape": (
        "sparse.concat: sizes differ along an axis other than `axis`.\n"
        "  Required: equal sizes except along axis 0"
    ),
    "retain-count": "retain: the mask has length 1, but the number of values is 3.",
    "reshape-count": (
        "sparse.reshape: the shapes have different numbers of elements.\n"
        "  Required: equal products of sizes"
    ),
    "reset-smaller": (
        "reset_shape: `new_shape` is smaller than the shape of the sparse tensor.\n"
        "  Required: new_shape >= shape"
    ),
    "matmul-sizes": (
        "sparse_dense_matmul: the inner sizes of the matrices differ.\n"
        "  Required: `b` with 3 rows\n"
        "  Received: i32[2, 2]"
    ),
    "fill-row": (
        "fill_empty_rows: `indices[:, 0]` is out of range.\n"
        "  Required: indices[:, 0] in [0, 2)\n"
        "  Received: indices[:, 0][0] = 5"
    ),
    "indicator": (
        "to_indicator: `values` is out of range.\n"
        "  Required: values in [0, 2)\n"
        "  Received: values[1] = 2"
    ),
    "expand": (
        "sparse.expand_dims: there is no axis 5.\n  Required: axis in [-3, 3)\n  Received: axis=5"
    ),
    "segment-order": (
        "segment_sum: segment ids are not increasing.\n  Required: segment_ids sorted, and >= 0"
    ),
    "segment-position": (
        "gather: `indices` is out of range.\n"
        "  Required: indices in [0, 2)\n"
        "  Received: indices[1] = 3"
    ),
    "segment-number": (
        "unsorted_segment_mean: `segment_ids` is out of range.\n"
        "  Required: segment_ids < 3\n"
        "  Received: segment_ids[1] = 4"
    ),
    "combiner": "combiner must be one of mean, sqrtn, sum, got x",
    "lookup-too-far": (
        "gather: `indices` is out of range.\n"
        "  Required: indices in [0, 2)\n"
        "  Received: indices[1] = 2"
    ),
    "lookup-dense": "embedding_lookup_sparse: sp_ids must be SparseTensor, got int",
    "maximum-shape": (
        "sparse.maximum: the shapes differ.\n  Required: two sparse tensors of the same shape"
    ),
    "maximum-dtype": (
        "sparse.maximum: `sp_b` was expected to be int32, the dtype of the operand before "
        "it.\n"
        "  Required: operands of the same dtype\n"
        "  Received: sp_a i32[3], sp_b f32[1]\n"
        "  Do:       convert one of the operands: `shims.cast(sp_b, 'int32')`"
    ),
    "softmax-dtype": (
        "sparse.softmax: the operand does not have rows of floating-point numbers.\n"
        "  Required: floating-point numbers, rank 2 or more\n"
        "  Received: int32, rank 2"
    ),
    "split-parts": (
        "sparse.split: `num_split` exceeds the size of the axis.\n"
        "  Required: 1 <= num_split <= the size of the axis"
    ),
    "split-argument": ("num_split is required"),
    "cross-vector": (
        "sparse.cross_hashed: an operand is not a matrix.\n  Required: rank 2\n  Received: i32[2]"
    ),
    "cross-array": "sparse.cross_hashed: inputs must be a list.",
    "cross-lists": "sparse.cross_hashed: all inputs must be arrays or SparseTensors.",
    "cross-rows": (
        "sparse.cross_hashed: the inputs have different numbers of rows.\n  Required: 1 rows\n  Received: 2 rows"
    ),
    "cross-buckets": (
        "sparse.cross_hashed: `num_buckets` is negative.\n  Received: num_buckets=-1"
    ),
    "partition-number": (
        "ragged.stack_dynamic_partitions: `partitions` is out of range.\n"
        "  Required: partitions in [0, 3)\n"
        "  Received: partitions[1] = 5"
    ),
}
