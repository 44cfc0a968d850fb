"""Define, for each graph operator, the call of `shims` with the same meaning."""

from __future__ import annotations

from tf2jax_port.importing.rule import Rule, template

_ELEMENTWISE = {
    "tf": "Abs Acos Acosh Asin Asinh Atan Atanh Cos Cosh Exp Floor Round Sigmoid Sign Sin Sinh Sqrt "
    "Square Tan Tanh Add Sub Maximum Minimum Less LessEqual Greater GreaterEqual Equal NotEqual Pow "
    "Atan2 LogicalNot LogicalAnd LogicalOr OnesLike ZerosLike StopGradient TruncateDiv TruncateMod",
    "tf.math": "Ceil Conj Digamma Erf Erfc Erfinv Expm1 FloorDiv FloorMod IsFinite IsInf IsNan Lgamma "
    "Log Log1p Reciprocal Rint Rsqrt SquaredDifference Xdivy Xlog1py Xlogy Igamma Igammac Zeta "
    "Polygamma Betainc",
    "tf.nn": "Relu Relu6 Elu Selu Softplus Softsign Softmax LogSoftmax L2Loss",
    "tf.bitwise": "Invert BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift",
}
# Operators whose name in `shims` is not the snake-case form of their own.
_IRREGULAR_NAMES = {
    "StopGradient": "stop_gradient",
    "TruncateDiv": "truncatediv",
    "TruncateMod": "truncatemod",
    "FloorDiv": "floordiv",
    "FloorMod": "floormod",
    "Log1p": "log1p",
    "Sub": "subtract",
    "L2Loss": "l2_loss",
    "Xlog1py": "xlog1py",
}


def _snake(name: str) -> str:
    spelled = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    return _IRREGULAR_NAMES.get(name, spelled)


_KEEP = {"keepdims": ("keep_dims", False)}
_LAYOUT = {"data_format": ("data_format", "NHWC")}
_VOLUME = {"data_format": ("data_format", "NDHWC")}
_ADJOINT = {"adjoint_a": ("adj_x", False), "adjoint_b": ("adj_y", False)}

OPERATORS: dict[str, Rule] = {
    name: template(f"{module}.{_snake(name)}({{all}}")
    for module, names in _ELEMENTWISE.items()
    for name in names.split()
}
OPERATORS |= {
    name: template(f"tf.{target}({{0}}, {{1}}", **_KEEP)
    for name, target in {
        "Sum": "reduce_sum",
        "Mean": "reduce_mean",
        "Max": "reduce_max",
        "Min": "reduce_min",
        "Prod": "reduce_prod",
        "All": "reduce_all",
        "Any": "reduce_any",
        "EuclideanNorm": "math.reduce_euclidean_norm",
    }.items()
}
OPERATORS |= {
    name: template(f"tf.{target}({{all}}")
    for name, target in {
        "AddV2": "add",
        "Mul": "multiply",
        "RealDiv": "divide",
        "Neg": "negative",
        "Inv": "math.reciprocal",
        "Mod": "truncatemod",
        "DivNoNan": "math.divide_no_nan",
        "MulNoNan": "math.multiply_no_nan",
        "SelectV2": "where",
        "Select": "v1.where",
        "Where": "where",
        "Slice": "slice",
        "Tile": "tile",
        "Transpose": "transpose",
        "Reshape": "reshape",
        "ExpandDims": "expand_dims",
        "Fill": "fill",
        "Range": "range",
        "LinSpace": "linspace",
        "GatherNd": "gather_nd",
        "Gather": "gather",
        "ResourceGather": "gather",
        "ScatterNd": "scatter_nd",
        "TensorScatterUpdate": "tensor_scatter_nd_update",
        "TensorScatterAdd": "tensor_scatter_nd_add",
        "TensorScatterSub": "tensor_scatter_nd_sub",
        "TensorScatterMax": "tensor_scatter_nd_max",
        "TensorScatterMin": "tensor_scatter_nd_min",
        "BroadcastTo": "broadcast_to",
        "BroadcastArgs": "broadcast_dynamic_shape",
        "ReverseV2": "reverse",
        "Roll": "roll",
        "Rank": "rank",
        "Pad": "pad",
        "InvertPermutation": "math.invert_permutation",
        "Real": "math.real",
        "Imag": "math.imag",
        "SpaceToBatchND": "space_to_batch",
        "BatchToSpaceND": "batch_to_space",
        "SegmentSum": "math.segment_sum",
        "SegmentMean": "math.segment_mean",
        "SegmentMax": "math.segment_max",
        "SegmentMin": "math.segment_min",
        "SegmentProd": "math.segment_prod",
        "UnsortedSegmentSum": "math.unsorted_segment_sum",
        "UnsortedSegmentMax": "math.unsorted_segment_max",
        "UnsortedSegmentMin": "math.unsorted_segment_min",
        "UnsortedSegmentProd": "math.unsorted_segment_prod",
        "MatrixBandPart": "linalg.band_part",
        "MatrixDiag": "linalg.diag",
        "MatrixDiagPart": "linalg.diag_part",
        "MatrixSetDiag": "linalg.set_diag",
        "Cholesky": "linalg.cholesky",
        "MatrixDeterminant": "linalg.det",
        "FFT": "signal.fft",
        "IFFT": "signal.ifft",
        "RFFT": "signal.rfft",
        "IRFFT": "signal.irfft",
        "NonMaxSuppressionV2": "image.non_max_suppression",
        "NonMaxSuppressionV3": "image.non_max_suppression",
    }.items()
}
OPERATORS |= {
    "AddN": template("tf.add_n([{all}]"),
    "ArgMax": template("tf.argmax({0}, {1}, output_type={output_type}"),
    "ArgMin": template("tf.argmin({0}, {1}, output_type={output_type}"),
    "BatchMatMul": template("tf.matmul({0}, {1}", **_ADJOINT),
    "BatchMatMulV2": template("tf.matmul({0}, {1}", **_ADJOINT),
    "BatchMatMulV3": template("tf.matmul({0}, {1}", **_ADJOINT),
    "BiasAdd": template("tf.nn.bias_add({0}, {1}", **_LAYOUT),
    "Bitcast": template("tf.bitcast({0}, {type}"),
    "Cast": template("tf.cast({0}, {DstT}"),
    "Cumprod": template(
        "tf.math.cumprod({0}, {1}", exclusive=("exclusive", False), reverse=("reverse", False)
    ),
    "Cumsum": template(
        "tf.cumsum({0}, {1}", exclusive=("exclusive", False), reverse=("reverse", False)
    ),
    "CropAndResize": template(
        "tf.image.crop_and_resize({all}",
        method=("method", "bilinear"),
        extrapolation_value=("extrapolation_value", 0.0),
    ),
    "DepthToSpace": template("tf.nn.depth_to_space({0}, {block_size}", **_LAYOUT),
    "SparseDenseCwiseMul": template(
        "tf.multiply({1}, tf.gather_nd(tf.broadcast_to({3}, {2}), {0})"
    ),
    "SpaceToDepth": template("tf.nn.space_to_depth({0}, {block_size}", **_LAYOUT),
    "DynamicPartition": template("tf.dynamic_partition({0}, {1}, {num_partitions}", "*"),
    "Einsum": template("tf.einsum({equation}, {all}"),
    "EnsureShape": template("tf.ensure_shape({0}, {shape}"),
    "ExtractImagePatches": template(
        "tf.image.extract_patches({0}, {ksizes}, {strides}, {rates}, {padding}"
    ),
    "FakeQuantWithMinMaxArgs": template(
        "tf.quantization.fake_quant_with_min_max_args({0}, {min}, {max}",
        num_bits=("num_bits", 8),
        narrow_range=("narrow_range", False),
    ),
    "FakeQuantWithMinMaxVars": template(
        "tf.quantization.fake_quant_with_min_max_vars({all}",
        num_bits=("num_bits", 8),
        narrow_range=("narrow_range", False),
    ),
    "GatherV2": template("tf.gather({0}, {1}, axis={2}", batch_dims=("batch_dims", 0)),
    "InTopK": template("tf.math.in_top_k({1}, {0}, {k}"),
    "InTopKV2": template("tf.math.in_top_k({1}, {0}, {2}"),
    "LRN": template(
        "tf.nn.local_response_normalization({0}, {depth_radius}, {bias}, {alpha}, {beta}"
    ),
    "LeakyRelu": template("tf.nn.leaky_relu({0}, {alpha}"),
    "ListDiff": template("tf.setdiff1d({0}, {1}, {out_idx}", "out", "idx"),
    "MatMul": template(
        "tf.matmul({0}, {1}",
        transpose_a=("transpose_a", False),
        transpose_b=("transpose_b", False),
    ),
    "MatrixInverse": template("tf.linalg.inv({0}", adjoint=("adjoint", False)),
    "MatrixSolve": template("tf.linalg.solve({0}, {1}", adjoint=("adjoint", False)),
    "MatrixTriangularSolve": template(
        "tf.linalg.triangular_solve({0}, {1}", lower=("lower", True), adjoint=("adjoint", False)
    ),
    "MirrorPad": template("tf.pad({0}, {1}, {mode}"),
    "PadV2": template("tf.pad({0}, {1}, constant_values={2}"),
    "NonMaxSuppression": template("tf.image.non_max_suppression({all}, {iou_threshold}"),
    "OneHot": template("tf.one_hot({0}, {1}, {2}, {3}, dtype={T}", axis=("axis", -1)),
    "Pack": template("tf.stack([{all}]", axis=("axis", 0)),
    "ReverseSequence": template("tf.reverse_sequence({0}, {1}, {seq_dim}, {batch_dim}"),
    "Shape": template("tf.shape({0}", out_type=("out_type", "int32")),
    "ShapeN": template("tf.shape_n([{all}]", "*", out_type=("out_type", "int32")),
    "Size": template("tf.size({0}", out_type=("out_type", "int32")),
    "Split": template("tf.split({1}, {num_split}, {0}", "*"),
    "SplitV": template("tf.split({0}, {1}, {2}", "*"),
    "StridedSlice": template(
        "tf.strided_slice({0}, {1}, {2}, {3}",
        begin_mask=("begin_mask", 0),
        end_mask=("end_mask", 0),
        ellipsis_mask=("ellipsis_mask", 0),
        new_axis_mask=("new_axis_mask", 0),
        shrink_axis_mask=("shrink_axis_mask", 0),
    ),
    "TopKV2": template("tf.nn.top_k({0}, {1}", "values", "indices", sorted=("sorted", True)),
    "Unique": template("tf.unique({0}", "y", "idx", out_idx=("out_idx", "int32")),
    "UniqueWithCounts": template(
        "tf.unique_with_counts({0}", "y", "idx", "count", out_idx=("out_idx", "int32")
    ),
    "Unpack": template("tf.unstack({0}, {num}, {axis}", "*"),
    "AvgPool3D": template("tf.nn.avg_pool3d({0}, {ksize}, {strides}, {padding}", **_VOLUME),
    "MaxPool3D": template("tf.nn.max_pool3d({0}, {ksize}, {strides}, {padding}", **_VOLUME),
    "AvgPool": template("tf.nn.avg_pool2d({0}, {ksize}, {strides}, {padding}", **_LAYOUT),
}
