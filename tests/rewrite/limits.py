"""Cases in which a call that is rewritten without a review computes something else, and why.

Each is said in the note of the row, or is a fault of the row that waits to be mended; a case that
has come right, or is no more, fails the run.
"""

import jax

_WIDENS = "JAX widens integers of 8 and 16 bits"
_MEAN = "TensorFlow truncates the mean of integers"
_EMPTY = "JAX has no largest element of nothing, and raises"
_RANGE = "a number outside of the range of the integer dtype"
_NAN = "NaN is the largest in JAX, never in TensorFlow"
_NOT_FINITE = "the share of what is not finite"

LIMITS = {
    "argmax": {"nan-first": _NAN, "nan-inside": _NAN},
    "argmin": {"nan-first": _NAN, "nan-inside": _NAN},
    "cast": {"out-of-int32": _RANGE, "uint8": _RANGE, "int8": _RANGE, "uint32": _RANGE},
    "nn.softmax": {"nan": _NOT_FINITE, "inf": _NOT_FINITE},
    "reduce_max": {"nothing": _EMPTY, "int32-nothing": _EMPTY},
    "reduce_mean": {"int32": _MEAN, "int32-axis": _MEAN, "int32-nothing": _MEAN},
    "reduce_min": {"nothing": _EMPTY, "int32-nothing": _EMPTY},
    "reduce_prod": {"int8-wraps": _WIDENS, "uint8-wraps": _WIDENS, "int16": _WIDENS},
    "reduce_sum": {"int8-wraps": _WIDENS, "uint8-wraps": _WIDENS, "int16": _WIDENS},
    "reshape": {"empty-rest": "JAX cannot tell what -1 is beside a size of 0"},
    "squeeze": {"no-axes": "TensorFlow takes an empty list of axes for all of them"},
}
if jax.__version_info__ >= (0, 11):  # older ones agree with TensorFlow
    LIMITS["math.digamma"] = {"edges": "at 0 JAX gives an infinity, TensorFlow NaN"}
