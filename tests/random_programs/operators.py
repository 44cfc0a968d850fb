"""Which rows random programs are composed of, and why the others are not."""

from __future__ import annotations

import dataclasses
import functools
import zlib

import numpy as np

from tests.table import cases
from tf2jax_port.table import Case, Row

# What has no place in a program of arrays, by the beginning of its name.
LEFT_OUT = {
    "random.": "draws from a state; tests/random compares the bits",
    "image.random_": "draws from a state",
    "image.stateless_random_": "draws: tests/random compares the bits",
    "nn.dropout": "draws from a state",
    "nn.experimental.stateless_dropout": "draws: tests/random compares the bits",
    "nn.experimental.general_dropout": "draws by a function of its own",
    "ragged.": "takes or gives ragged tensors; tests/ragged has programs of its own",
    "sparse.": "takes or gives sparse tensors; tests/sparse has programs of its own",
    "py_function": "leaves the program",
    "numpy_function": "leaves the program",
    "print": "gives nothing",
    "debugging.assert": "gives nothing",
    "debugging.check": "raises on purpose wherever a NaN is",
    "linalg.svd": "signs of singular vectors are free",
    "linalg.eig": "signs and phases of eigenvectors are free",
    "linalg.qr": "signs of columns are free",
}

# Which elements of their results are NaN depends on the order of elimination where operands are not
# finite, and so on the library.
BY_ELIMINATION = (
    *("linalg.inv", "linalg.solve", "linalg.det", "linalg.slogdet", "linalg.logdet", "linalg.lu"),
    *("linalg.cholesky", "linalg.triangular_solve", "linalg.tridiagonal", "linalg.lstsq"),
    *(
        "linalg.pinv",
        "linalg.expm",
        "linalg.sqrtm",
        "linalg.logm",
        "linalg.banded",
        "linalg.global",
    ),
    *("linalg.matrix_rank", "linalg.experimental.conjugate_gradient", "linalg.eigh_tridiagonal"),
)
# A kernel that is not finite meets the padding: 0 times it is NaN with XLA, oneDNN leaves it out.
BY_PRODUCTS_WITH_PADDING = ("nn.conv", "nn.atrous_conv", "nn.depthwise_conv", "nn.separable_conv")
# Products of complex numbers that are not finite: what TensorFlow's vectors leave over is multiplied by
# C's rule, which looks for infinities behind NaN. How long a vector is depends on the processor.
BY_COMPLEX_PRODUCTS = ("signal.dct", "signal.idct", "signal.mfccs_from_log_mel_spectrograms")
# The bits of a NaN are nobody's, and which of numbers and NaN is least depends on their order.
BY_NAN = ("bitcast", "quantization.quantize_and_dequantize")
# Sums of many terms: one library rounds to 1 what another does not.
BY_SERIES = (
    *("math.bessel", "math.special.bessel", "math.betainc", "math.igamma", "math.zeta"),
    *("math.lgamma", "math.digamma", "math.polygamma", "math.lbeta"),
)
# Of a matrix without full rank the last pivot is what rounding leaves: above 0 for one library,
# below it for the other, and so for TensorFlow itself in float32 and in float64.
# And its determinant, of which the logarithm is asked, is that rounding or 0.
BY_RANK = ("linalg.sqrtm", "linalg.logm", "linalg.slogdet", "linalg.logdet")
# Normal equations square the condition of a matrix: from 10 on the fifth digit is rounding.
BY_SQUARES = ("linalg.lstsq",)
# Of empty arrays TensorFlow asks oneDNN or a kernel of its own, by the dtype and the padding, and
# only one of the two refuses sizes that do not belong together.
BY_KERNELS_OF_NOTHING = (
    *("nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose", "nn.conv_transpose"),
    "nn.atrous_conv2d_transpose",
)
# TensorFlow reshapes these to -1 rows of no elements, takes that for one row, and refuses it beside
# the none that there are.
BY_ROWS_OF_NOTHING = (
    *("linalg.lu_matrix_inverse", "linalg.lu_solve", "linalg.lu_reconstruct", "searchsorted"),
    *("nn.softmax_cross_entropy_with_logits", "nn.sampled_softmax_loss", "nn.nce_loss"),
)
# Of no elements TensorFlow's padded transforms are what the memory held before.
BY_TRANSFORMS_OF_NOTHING = (
    *("signal.rfft", "signal.rfft2d", "signal.rfft3d"),
    *("signal.irfft", "signal.irfft2d", "signal.irfft3d"),
)
# Which of equal scores comes first is not said: it is where a heap has left it.
BY_TIES = ("image.combined_non_max_suppression",)
# The sign of 0 times something, and of the larger of 0.0 and -0.0: one in the vectors of TensorFlow's
# loop, the other in what they leave over; and of sums of -0.0, by how many there are.
BY_SIGNS_OF_NOTHING = (
    *("math.xlogy", "math.xlog1py", "math.xdivy"),
    *("math.segment_sum", "math.segment_mean", "scatter_nd", "tensor_scatter_nd_add"),
    *("math.unsorted_segment_sum", "math.unsorted_segment_mean", "math.unsorted_segment_sqrt_n"),
    *("math.bincount", "tensor_scatter_nd_sub"),
    *("maximum", "minimum", "clip_by_value", "nn.relu", "nn.relu6", "reduce_max", "reduce_min"),
    *("math.segment_max", "math.segment_min"),
    *("math.unsorted_segment_max", "math.unsorted_segment_min"),
    *("tensor_scatter_nd_max", "tensor_scatter_nd_min"),
    *("nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", "nn.max_pool"),
)
# The same of its second half, which is of the negative numbers.
BY_SIGNS_OF_OPPOSITES = ("nn.crelu",)
# Few digits are right in float32 where a parameter is large; TensorFlow's are NaN, infinite, or 1.3 of
# what lies between 0 and 1.
BY_LARGE_PARAMETERS = ("math.betainc", "math.igamma", "math.igammac")
# Far below 0 TensorFlow adds up too few terms, and what is left is no small rest.
BY_TERMS_BELOW_ZERO = ("math.polygamma", "math.zeta", "math.digamma")
# Where no kernel fits, the result is empty; oneDNN gives memory of the shape of the input.
BY_KERNELS_THAT_FIT_NOWHERE = ("nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.convolution")
# Batches have to be equally many; of no elements TensorFlow reshapes whatever it is given.
BY_BATCHES_OF_NOTHING = ("gather_nd",)
# TensorFlow writes where no memory is, for a range that ends at infinity, and the process ends.
BY_CRASHES = ("histogram_fixed_width",)
# Images without pixels are refused; TensorFlow crops them by sides that are NaN.
BY_EMPTY_IMAGES = ("image.stateless_sample_distorted_bounding_box",)
# Numbers below 0 are refused; TensorFlow drops them or raises, by the axis.
BY_NEGATIVE_COUNTS = ("repeat",)
# TensorFlow has kernels for coordinates in at most 7 axes.
BY_MANY_AXES = (
    *("scatter_nd", "gather_nd", "tensor_scatter_nd_update", "tensor_scatter_nd_add"),
    *("tensor_scatter_nd_sub", "tensor_scatter_nd_max", "tensor_scatter_nd_min"),
)
# Products as large as what float32 holds overflow, or do not where product and sum are one operation.
BY_LARGE_PRODUCTS = ("matmul", "linalg.matvec", "tensordot", "einsum")
# Of a pivot that is 0, what is NaN and what infinite depends on the order of elimination.
BY_PIVOTS = ("linalg.lu_matrix_inverse", "linalg.lu_solve")
# After a second infinity TensorFlow's sums are NaN.
BY_INFINITIES = ("math.cumulative_logsumexp",)
# TensorFlow drops a NaN, as what is summed and as what comes back to be handed on.
BY_DROPPED_GRADIENTS = ("math.cumulative_logsumexp",)
# What stands beside the rows that are `fresh`: the commonest of what moves, counts and compares.
COMMON = (
    *("boolean_mask", "where", "unique", "unique_with_counts", "range", "repeat", "tile"),
    *("gather", "gather_nd", "dynamic_partition", "sequence_mask", "fill", "reshape", "pad"),
    *("concat", "stack", "sort", "argsort", "math.top_k", "slice", "strided_slice", "size"),
    *("scatter_nd", "tensor_scatter_nd_update", "reverse", "roll", "cumsum", "one_hot"),
    *("reduce_sum", "reduce_max", "reduce_mean", "reduce_any", "reduce_all", "argmax"),
    *("greater", "less", "math.is_nan", "math.is_finite", "logical_and", "shape", "transpose"),
    *("expand_dims", "squeeze", "matmul", "divide", "multiply", "add", "linspace", "eye"),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Operator:
    """A row that programs are composed of.

    Attributes:
      row: the row.
      cases: those that TensorFlow answers, and we alike.
      differs_at: special numbers at which ours differs on purpose: the row's other cases say so.
    """

    row: Row
    cases: tuple[Case, ...]
    differs_at: tuple[frozenset[str], ...]

    def __repr__(self) -> str:
        return self.row.name

    def is_documented_difference(self, arrays) -> bool:
        """Whether the row says that it differs from TensorFlow at such numbers."""
        here = features(arrays)
        is_finite = not here & {"NaN", "infinity"}
        eliminates = self.row.name.startswith(BY_ELIMINATION)
        if eliminates and (not is_finite or any(map(_overflows, arrays))):
            return True
        if self.row.name.startswith(BY_PRODUCTS_WITH_PADDING) and not is_finite:
            return True
        if self.row.name in BY_COMPLEX_PRODUCTS and not is_finite:
            return True
        if self.row.name.startswith(BY_NAN) and "NaN" in here:
            return True
        if self.row.name in UNLIKE_TOGETHER and UNLIKE_TOGETHER[self.row.name](*arrays[:2]):
            return True
        if self.row.name in UNLIKE_AT and any(map(UNLIKE_AT[self.row.name], arrays)):
            return True
        return any(there <= here for there in self.differs_at)


def operator(row: Row) -> Operator:
    """A row with what programs need to know of it."""
    answered = tuple(c for c in row.inputs if not c.raises and not c.differs and c.arguments)
    other = [p for p in cases.POINTS if p.row is row and p.case.differs]
    differs_at = tuple(_blamed(features(_arrays(cases.arguments(point)))) for point in other)
    return Operator(row, answered, differs_at)


def why_not(row: Row) -> str:
    """Why a row is left out; `""` where it is not."""
    if row.tests or not row.inputs:
        return "has no cases of plain arrays"
    found = [why for start, why in LEFT_OUT.items() if row.name.startswith(start)]
    if found:
        return found[0]
    return "" if operator(row).cases else "every case raises, or differs on purpose"


@functools.cache
def everything() -> tuple[Operator, ...]:
    """The operators of random programs."""
    return tuple(operator(row) for row in cases.operators() if not why_not(row))


def named(name: str) -> Operator:
    """The operator of that name."""
    return next(each for each in everything() if name in each.row.names)


@functools.cache
def sized_by_data() -> tuple[Operator, ...]:
    """Those whose results are as long as the data say, and what is commonly done with such."""
    return tuple(
        each
        for each in everything()
        if each.row.fresh or "segment" in each.row.name or set(each.row.names) & set(COMMON)
    )


SLOTS = 4096


@functools.cache
def spread(those: tuple[Operator, ...]) -> tuple[Operator, ...]:
    """Operators in `SLOTS` places, each in about as many.

    Each place goes to the operator that wins it by a hash of both. So a row more in the table takes a
    few places from all of the others, and nearly all of the programs of a seed stay what they were.
    """
    names = np.array([zlib.crc32(each.row.name.encode()) for each in those], np.uint64)
    places = np.arange(1, SLOTS + 1, dtype=np.uint64)[:, None]
    mixed = (names ^ (places * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return tuple(those[winner] for winner in (mixed ^ (mixed >> np.uint64(32))).argmax(axis=1))


def _lacks_rank(array, least: float = 1e-3) -> bool:
    """Whether the smallest singular value of one of the matrices is at most so small a part of the largest."""
    array = np.asarray(array)
    if array.dtype.kind not in "fc" or array.ndim < 2 or not array.size:
        return False
    values = np.linalg.svd(array.astype(np.complex128), compute_uv=False)
    return bool((values[..., -1] <= least * values[..., 0]).any())


def _has_zero_pivots(array) -> bool:
    """Whether matrices have a 0 on their main diagonals."""
    array = np.asarray(array)
    if array.dtype.kind not in "fc" or array.ndim < 2:
        return False
    return bool((np.diagonal(array, axis1=-2, axis2=-1) == 0).any())


def _has_ties(array) -> bool:
    """Whether rows of floating-point numbers have equal ones."""
    array = np.asarray(array)
    return array.dtype.kind == "f" and np.unique(array).size < array.size


def _is_outgrown(array, kernel) -> bool:
    """Whether a kernel `[..., in, out]` is larger than an array `[batch, ..., in]`."""
    sides = np.shape(kernel)[:-2]
    return any(a > b for a, b in zip(sides, np.shape(array)[-1 - len(sides) : -1], strict=False))


def _are_batches_of_nothing(params, indices) -> bool:
    """Whether two arrays, one of them without elements, are not equally many at their first axis."""
    is_empty = not np.size(params) or not np.size(indices)
    return is_empty and np.shape(params)[:1] != np.shape(indices)[:1]


def _is_of_nothing(array) -> bool:
    """Whether an array has no elements, or is the sizes of one that has none."""
    array = np.asarray(array)
    return not array.size or (array.dtype.kind == "i" and bool((array == 0).any()))


def _is_negative(array) -> bool:
    array = np.asarray(array)
    return array.dtype.kind == "i" and bool((array < 0).any())


def _is_size_of_nothing(array) -> bool:
    """Whether it is the size of an image without pixels: three integers."""
    array = np.asarray(array)
    return array.dtype.kind == "i" and array.shape == (3,) and bool((array[:2] <= 0).any())


UNLIKE_AT = {
    **dict.fromkeys(BY_RANK, _lacks_rank),
    **dict.fromkeys(BY_SQUARES, lambda a: _lacks_rank(a, 0.1)),
    **dict.fromkeys(BY_KERNELS_OF_NOTHING, _is_of_nothing),
    **dict.fromkeys(BY_ROWS_OF_NOTHING, lambda a: not np.size(a)),
    **dict.fromkeys(BY_TRANSFORMS_OF_NOTHING, lambda a: not np.size(a)),
    **dict.fromkeys(BY_TIES, _has_ties),
    **dict.fromkeys(BY_NEGATIVE_COUNTS, _is_negative),
    **dict.fromkeys(BY_EMPTY_IMAGES, _is_size_of_nothing),
    **dict.fromkeys(BY_PIVOTS, lambda a: not np.size(a) or _has_zero_pivots(a)),
    **dict.fromkeys(BY_INFINITIES, lambda a: bool(np.sum(np.asarray(a) == np.inf) > 1)),
    **dict.fromkeys(BY_MANY_AXES, lambda a: np.ndim(a) > 1 and np.shape(a)[-1] > 7),
    **dict.fromkeys(BY_SIGNS_OF_NOTHING, lambda a: bool(np.signbit(a)[np.asarray(a) == 0].any())),
    **dict.fromkeys(BY_SIGNS_OF_OPPOSITES, lambda a: bool((np.asarray(a) == 0).any())),
    **dict.fromkeys(BY_LARGE_PRODUCTS, lambda a: _overflows(np.asarray(a)[np.isfinite(a)])),
    **dict.fromkeys(BY_TERMS_BELOW_ZERO, lambda a: bool((np.asarray(a) < -5).any())),
    **dict.fromkeys(BY_LARGE_PARAMETERS, lambda a: bool((np.abs(np.asarray(a)) > 1e5).any())),
}


UNLIKE_TOGETHER = {
    **dict.fromkeys(BY_KERNELS_THAT_FIT_NOWHERE, _is_outgrown),
    **dict.fromkeys(BY_BATCHES_OF_NOTHING, _are_batches_of_nothing),
    **dict.fromkeys(BY_CRASHES, lambda values, ends: bool(np.isinf(ends).any())),
}


def _overflows(array) -> bool:
    """Whether squares of its elements are not finite."""
    array = np.asarray(array)
    return array.dtype.kind in "fc" and bool((np.abs(array) > 1e18).any())


FEATURES = {
    "NaN": lambda a: bool(np.isnan(a).any()),
    "infinity": lambda a: bool(np.isinf(a).any()),
    "zero": lambda a: bool((a == 0).any()),
}


def _blamed(found: frozenset[str]) -> frozenset[str]:
    """The oddest number of a case: NaN before infinity before zero."""
    return next((frozenset({name}) for name in FEATURES if name in found), frozenset())


def features(arrays) -> frozenset[str]:
    """What special numbers stand in floating-point arrays."""
    floats = [a for a in map(np.asarray, arrays) if a.dtype.kind in "fc"]
    return frozenset(name for name, holds in FEATURES.items() if any(map(holds, floats)))


def _arrays(given: dict[str, object]) -> list[np.ndarray]:
    flat = [v for a in given.values() for v in (a if isinstance(a, tuple) else (a,))]
    return [v for v in flat if isinstance(v, np.ndarray)]
