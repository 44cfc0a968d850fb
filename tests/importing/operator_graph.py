"""A graph of TensorFlow that holds every operator that an import has a rule for."""

import numpy as np

UNARY = (
    "Abs Acos Acosh Asin Asinh Atan Atanh Cos Cosh Exp Floor Round Sigmoid Sign Sin Sinh Sqrt Square "
    "Tan Tanh OnesLike ZerosLike Ceil Digamma Erf Erfc Erfinv Expm1 IsFinite IsInf IsNan "
    "Lgamma Log Log1p Reciprocal Rint Rsqrt Relu Relu6 Elu Selu Softplus Softsign Softmax LogSoftmax "
    "Neg Inv Rank"
)
BINARY = (
    "Add AddV2 Sub Mul Maximum Minimum Less LessEqual Greater GreaterEqual Equal NotEqual Pow Atan2 "
    "FloorDiv FloorMod SquaredDifference Xdivy Xlog1py Xlogy Igamma Igammac RealDiv Div DivNoNan "
    "MulNoNan TruncateMod Mod"
)
REDUCTIONS = "Sum Mean Max Min Prod EuclideanNorm"
SEGMENTS = "SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd"
UNSORTED = "UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd"
SCATTERS = "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin"


def feeds():
    """What goes in: numbers between 0 and 1, and some small whole ones."""
    rng = np.random.default_rng(0)
    square = rng.normal(size=(3, 3)).astype(np.float32)
    return {
        "x:0": rng.uniform(0.1, 0.9, size=(2, 3)).astype(np.float32),
        "z:0": rng.uniform(0.1, 0.9, size=(2, 3)).astype(np.float32),
        "big:0": rng.uniform(1.1, 3, size=(2, 3)).astype(np.float32),
        "n:0": np.array([5, -7, 2, 9, -4], np.int32),
        "m:0": np.array([2, 3, -1, 4, 3], np.int32),
        "images:0": rng.normal(size=(2, 8, 8, 4)).astype(np.float32),
        "volume:0": rng.normal(size=(1, 4, 4, 4, 2)).astype(np.float32),
        "square:0": (square @ square.T + 3 * np.eye(3)).astype(np.float32),
        "signal:0": rng.normal(size=(2, 8)).astype(np.float32),
        "complex:0": (rng.normal(size=(2, 4)) + 1j * rng.normal(size=(2, 4))).astype(np.complex64),
        "boxes:0": np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [0.5, 0.5, 2, 2]], np.float32),
    }


def build(tf):
    """The tensors to compute, in the default graph."""
    raw, given = tf.raw_ops, {}
    for key, array in feeds().items():
        shape = [None, *array.shape[1:]]
        name = key.removesuffix(":0")
        given[name] = tf.compat.v1.placeholder(array.dtype, shape, name=name)
    found = _numbers(raw, given)
    for part in (_shapes, _pieces, _images, _matrices):
        found += part(tf, raw, given)
    return [
        tensor for one in found for tensor in (one if isinstance(one, (list, tuple)) else [one])
    ]


def _numbers(raw, given):
    x, z, n, m = (given[name] for name in ("x", "z", "n", "m"))
    found = [getattr(raw, op)(**{_first(raw, op): x}) for op in UNARY.split() if op != "Acosh"]
    found += [
        getattr(raw, op)(x=x, y=z) for op in BINARY.split() if op not in ("Igamma", "Igammac")
    ]
    found += [getattr(raw, op)(input=x, axis=[1], keep_dims=True) for op in REDUCTIONS.split()]
    some = raw.Greater(x=x, y=z)
    found += [getattr(raw, op)(input=some, axis=[0]) for op in ("All", "Any")]
    found += [raw.LogicalAnd(x=some, y=some), raw.LogicalOr(x=some, y=some), raw.LogicalNot(x=some)]
    found += [getattr(raw, op)(x=n, y=m) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")]
    found += [getattr(raw, op)(x=n, y=[1, 2, 0, 1, 1]) for op in ("LeftShift", "RightShift")]
    found += [getattr(raw, op)(x=n, y=m) for op in ("TruncateDiv", "Div", "FloorMod", "Mod")]
    found += [
        raw.Igamma(a=x, x=z),
        raw.Igammac(a=x, x=z),
        raw.Invert(x=n),
        raw.Acosh(x=given["big"]),
    ]
    found += [raw.Zeta(x=given["big"], q=z), raw.Polygamma(a=[[1.0], [2.0]], x=z)]
    found += [raw.Betainc(a=x, b=z, x=x), raw.LeakyRelu(features=raw.Neg(x=x), alpha=0.3)]
    found += [raw.L2Loss(t=x), raw.AddN(inputs=[x, z, x]), raw.StopGradient(input=x)]
    found += [raw.Cast(x=raw.Mul(x=x, y=9.0), DstT="int32"), raw.Bitcast(input=x, type="int32")]
    found += [raw.Cumsum(x=x, axis=1, exclusive=True), raw.Cumprod(x=x, axis=0, reverse=True)]
    found += [raw.Conj(input=given["complex"]), raw.Real(input=given["complex"])]
    found += [raw.Imag(input=given["complex"])]
    found += [raw.FakeQuantWithMinMaxArgs(inputs=x, min=0.0, max=0.8, num_bits=4)]
    found += [raw.FakeQuantWithMinMaxVars(inputs=x, min=0.1, max=0.7, narrow_range=True)]
    return found


def _first(raw, op):
    import inspect

    return next(iter(inspect.signature(getattr(raw, op)).parameters))


def _shapes(tf, raw, given):
    x, images = given["x"], given["images"]
    sizes = raw.Shape(input=x)
    found = [
        sizes,
        raw.Shape(input=x, out_type="int64"),
        raw.ShapeN(input=[x, images]),
        raw.Size(input=x),
    ]
    found += [raw.Reshape(tensor=x, shape=[-1, 2]), raw.ExpandDims(input=x, axis=1)]
    found += [raw.Squeeze(input=raw.ExpandDims(input=x, axis=0), axis=[0])]
    found += [raw.Pack(values=[x, x], axis=1), raw.Unpack(value=images, num=4, axis=3)]
    found += [raw.ConcatV2(values=[x, x], axis=1), raw.Concat(concat_dim=0, values=[x, x])]
    found += [raw.Split(axis=2, value=images, num_split=2)]
    found += [raw.SplitV(value=images, size_splits=[1, 3], axis=3, num_split=2)]
    found += [raw.Slice(input=x, begin=[0, 1], size=[-1, 2]), raw.Tile(input=x, multiples=[2, 1])]
    found += [x[:, ::-1], x[:, None, 1], x[..., -1], raw.Transpose(x=images, perm=[0, 3, 1, 2])]
    found += [raw.Fill(dims=sizes, value=2.5), raw.Range(start=0, limit=raw.Size(input=x), delta=2)]
    found += [raw.LinSpace(start=0.0, stop=1.0, num=5), raw.BroadcastTo(input=x, shape=[4, 2, 3])]
    found += [raw.BroadcastArgs(s0=sizes, s1=[5, 1, 1]), raw.ReverseV2(tensor=x, axis=[1])]
    found += [raw.Roll(input=x, shift=[1], axis=[1]), raw.Pad(input=x, paddings=[[1, 0], [0, 2]])]
    found += [raw.PadV2(input=x, paddings=[[1, 0], [0, 2]], constant_values=3.0)]
    found += [raw.MirrorPad(input=x, paddings=[[0, 0], [1, 2]], mode="REFLECT")]
    found += [
        raw.EnsureShape(input=x, shape=[None, 3]),
        raw.ReverseSequence(input=images, seq_lengths=[3, 5], seq_dim=1, batch_dim=0),
    ]
    found += [raw.SpaceToBatchND(input=images, block_shape=[2, 2], paddings=[[0, 0], [0, 0]])]
    found += [
        raw.BatchToSpaceND(
            input=raw.Tile(input=images, multiples=[2, 1, 1, 1]),
            block_shape=[2, 2],
            crops=[[0, 1], [0, 0]],
        )
    ]
    found += [
        raw.SpaceToDepth(input=images, block_size=2),
        raw.DepthToSpace(input=images, block_size=2),
    ]
    return found


def _pieces(tf, raw, given):
    x, z, n, m = (given[name] for name in ("x", "z", "n", "m"))
    some = raw.Greater(x=x, y=z)
    found = [raw.Select(condition=some, x=x, y=z), raw.SelectV2(condition=some, t=x, e=0.0)]
    found += [raw.Select(condition=[True, False], x=x, y=z), raw.Where(condition=some)]
    found += [raw.Gather(params=n, indices=[3, 0]), raw.GatherV2(params=x, indices=[2, 0], axis=1)]
    found += [raw.GatherV2(params=x, indices=[[2], [0]], axis=1, batch_dims=1)]
    found += [raw.GatherNd(params=x, indices=[[1, 2], [0, 0]])]
    found += [raw.ScatterNd(indices=[[1], [1]], updates=[2.0, 3.0], shape=[4])]
    found += [
        getattr(raw, op)(tensor=x, indices=[[1]], updates=[[0.4, 0.2, 0.5]])
        for op in SCATTERS.split()
    ]
    found += [getattr(raw, op)(data=n, segment_ids=[0, 0, 1, 3, 3]) for op in SEGMENTS.split()[0:1]]
    found += [
        getattr(raw, op)(data=raw.Cast(x=n, DstT="float32"), segment_ids=[0, 0, 1, 2, 2])
        for op in SEGMENTS.split()
    ]
    found += [
        getattr(raw, op)(data=n, segment_ids=[2, 0, 1, 2, 2], num_segments=3)
        for op in UNSORTED.split()
    ]
    found += [
        raw.ArgMax(input=x, dimension=1),
        raw.ArgMin(input=x, dimension=0, output_type="int32"),
    ]
    found += [raw.OneHot(indices=m, depth=4, on_value=2.0, off_value=-1.0, axis=0)]
    found += [raw.TopKV2(input=x, k=2), raw.InTopK(predictions=x, targets=[2, 0], k=1)]
    found += [raw.InTopKV2(predictions=x, targets=[2, 0], k=2), raw.InvertPermutation(x=[2, 0, 1])]
    found += [raw.Unique(x=m), raw.UniqueWithCounts(x=m, out_idx="int64"), raw.ListDiff(x=n, y=m)]
    found += [raw.DynamicPartition(data=n, partitions=[0, 1, 1, 0, 2], num_partitions=3)]
    found += [
        getattr(raw, op)(indices=[[0, 2], [1]], data=[[n[0], n[1]], [n[2]]])
        for op in ("DynamicStitch", "ParallelDynamicStitch")
    ]
    logits = {"features": x, "labels": z}
    found += [raw.SoftmaxCrossEntropyWithLogits(**logits)[0]]
    found += [raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[2, 0])[0]]
    return found


def _images(tf, raw, given):
    images, volume, boxes = given["images"], given["volume"], given["boxes"]
    kernel = np.linspace(-1, 1, 144, dtype=np.float32).reshape(3, 3, 4, 4)
    depth = np.linspace(-1, 1, 72, dtype=np.float32).reshape(3, 3, 4, 2)
    cube = np.linspace(-1, 1, 48, dtype=np.float32).reshape(2, 2, 2, 2, 3)
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    cells = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
    four = np.array([0.5, 1, 1.5, 2], np.float32)
    moments = {"scale": four, "offset": four, "mean": four, "variance": four}
    found = [raw.Conv2D(input=images, filter=kernel, strides=[1, 2, 2, 1], padding="SAME")]
    found += [
        raw.Conv2D(
            input=images,
            filter=kernel,
            strides=[1, 1, 1, 1],
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0],
        )
    ]
    found += [
        raw.Conv2D(
            input=images,
            filter=kernel,
            strides=[1, 1, 1, 1],
            padding="VALID",
            dilations=[1, 2, 2, 1],
        )
    ]
    found += [raw.Conv3D(input=volume, filter=cube, strides=[1, 1, 1, 1, 1], padding="SAME")]
    found += [
        raw.DepthwiseConv2dNative(input=images, filter=depth, strides=[1, 1, 1, 1], padding="SAME")
    ]
    found += [
        raw.Conv2DBackpropInput(
            input_sizes=[2, 16, 16, 4],
            filter=kernel,
            out_backprop=images,
            strides=[1, 2, 2, 1],
            padding="SAME",
        )
    ]
    found += [raw.MaxPool(input=images, **window), raw.AvgPool(value=images, **window)]
    found += [raw.MaxPoolV2(input=images, **window), raw.MaxPool3D(input=volume, **cells)]
    found += [raw.AvgPool3D(input=volume, **cells), raw.BiasAdd(value=images, bias=four)]
    found += [
        getattr(raw, op)(x=images, is_training=False, **moments)[0]
        for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
    ]
    empty = {
        "scale": four,
        "offset": four,
        "mean": np.zeros(0, np.float32),
        "variance": np.zeros(0, np.float32),
    }
    found += [raw.FusedBatchNormV3(x=images, is_training=True, epsilon=0.01, **empty)[0]]
    found += [
        raw.LRN(input=images, depth_radius=2),
        raw.ExtractImagePatches(
            images=images,
            ksizes=[1, 2, 2, 1],
            strides=[1, 2, 2, 1],
            rates=[1, 1, 1, 1],
            padding="VALID",
        ),
    ]
    for corners, half in ((False, False), (True, False), (False, True)):
        way = {
            "images": images,
            "size": [5, 11],
            "align_corners": corners,
            "half_pixel_centers": half,
        }
        found += [
            raw.ResizeBilinear(**way),
            raw.ResizeNearestNeighbor(**way),
            raw.ResizeBicubic(**way),
        ]
    found += [raw.ResizeArea(images=images, size=[3, 5])]
    found += [raw.ResizeBilinear(images=images, size=[5, 11], half_pixel_centers=True)]
    found += [raw.ResizeNearestNeighbor(images=images, size=[5, 11], half_pixel_centers=True)]
    found += [
        raw.CropAndResize(image=images, boxes=[[0.1, 0.2, 0.9, 1.2]], box_ind=[1], crop_size=[3, 4])
    ]
    scores = [0.9, 0.8, 0.7]
    found += [
        raw.NonMaxSuppression(boxes=boxes, scores=scores, max_output_size=3, iou_threshold=0.4)
    ]
    found += [
        raw.NonMaxSuppressionV2(boxes=boxes, scores=scores, max_output_size=2, iou_threshold=0.95)
    ]
    found += [
        raw.NonMaxSuppressionV3(
            boxes=boxes, scores=scores, max_output_size=3, iou_threshold=0.5, score_threshold=0.75
        )
    ]
    return found


def _matrices(tf, raw, given):
    x, square, signal = given["x"], given["square"], given["signal"]
    pair = raw.Pack(values=[square, raw.Mul(x=square, y=2.0)])
    found = [raw.MatMul(a=x, b=square), raw.MatMul(a=x, b=x, transpose_b=True)]
    found += [raw.MatMul(a=x, b=x, transpose_a=True), raw.BatchMatMul(x=pair, y=pair, adj_x=True)]
    found += [raw.BatchMatMulV2(x=pair, y=square, adj_y=True)]
    found += [raw.BatchMatMulV3(x=pair, y=square, Tout="float32")]
    found += [raw.Einsum(inputs=[x, square], equation="ij,jk->ki"), raw.Cholesky(input=square)]
    found += [
        raw.MatrixBandPart(input=square, num_lower=1, num_upper=0),
        raw.MatrixDiag(diagonal=x),
    ]
    found += [
        raw.MatrixDiagPart(input=square),
        raw.MatrixSetDiag(input=square, diagonal=[1.0, 2.0, 3.0]),
    ]
    found += [raw.MatrixDeterminant(input=square), raw.MatrixInverse(input=square, adjoint=True)]
    found += [raw.MatrixSolve(matrix=square, rhs=square[:, :1])]
    found += [raw.MatrixTriangularSolve(matrix=square, rhs=square[:, :1], lower=False)]
    found += [
        raw.SparseTensorDenseMatMul(
            a_indices=np.array([[0, 1], [2, 2]]),
            a_values=[2.0, 3.0],
            a_shape=np.array([3, 3]),
            b=square,
        )
    ]
    sparse = {"sp_indices": np.array([[0, 1], [2, 2]]), "sp_shape": np.array([3, 3])}
    found += [raw.SparseDenseCwiseMul(sp_values=[2.0, 3.0], dense=square[:1], **sparse)]
    found += [raw.FFT(input=given["complex"]), raw.IFFT(input=given["complex"])]
    found += [raw.RFFT(input=signal, fft_length=[8])]
    found += [raw.IRFFT(input=raw.RFFT(input=signal, fft_length=[8]), fft_length=[8])]
    return found
