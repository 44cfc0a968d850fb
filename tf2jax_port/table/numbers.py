"""List the dtype classes (float, integer, boolean) of operators' results, by names of table rows."""

from __future__ import annotations

import enum


class Numbers(enum.Enum):
    """The classes of dtypes that JAX's functions treat differently."""

    INEXACT = "floating-point or complex numbers"
    WIDE = "integers of 32 bits or more"
    NARROW = "integers of 8 or 16 bits"
    BOOL = "truth values"
    UNKNOWN = "anything"


# Independent of the arguments.
ALWAYS = {
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater"), Numbers.BOOL),
    **dict.fromkeys(("greater_equal", "logical_and", "logical_or", "logical_not"), Numbers.BOOL),
    **dict.fromkeys(("math.logical_xor", "reduce_any", "reduce_all"), Numbers.BOOL),
    **dict.fromkeys(("math.is_nan", "math.is_inf", "math.is_finite"), Numbers.BOOL),
    "debugging.check_numerics": Numbers.INEXACT,
    **dict.fromkeys(("v1.to_float", "v1.to_double", "v1.to_bfloat16"), Numbers.INEXACT),
    **dict.fromkeys(("v1.to_int32", "v1.to_int64"), Numbers.WIDE),
}
# Unless the argument `dtype` says otherwise.
BY_DEFAULT = {
    **dict.fromkeys(("shape", "size", "rank", "argmax", "argmin", "argsort"), Numbers.WIDE),
    "math.count_nonzero": Numbers.WIDE,
    **dict.fromkeys(("zeros", "ones", "eye", "linspace", "one_hot"), Numbers.INEXACT),
    **dict.fromkeys(("random.normal", "random.uniform", "random.gamma"), Numbers.INEXACT),
    **dict.fromkeys(("random.truncated_normal", "random.stateless_normal"), Numbers.INEXACT),
    **dict.fromkeys(("random.stateless_uniform", "divide", "truediv", "realdiv"), Numbers.INEXACT),
    **dict.fromkeys(("math.reduce_std", "math.reduce_variance", "norm"), Numbers.INEXACT),
    **dict.fromkeys(("reduce_logsumexp", "image.convert_image_dtype"), Numbers.INEXACT),
}
# Operators on floating-point numbers that return another kind, or several results.
OF_OTHER_NUMBERS = ("linalg.matrix_rank", "linalg.lu", "histogram_fixed_width_bins")
# The position of the argument `dtype`.
DTYPE_POSITIONS = {"cast": 1, "constant": 1, "convert_to_tensor": 1, "zeros": 1, "ones": 1}
# Operators that return the kind of numbers of the given parameters.
PASSED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("gather", "gather_nd"), ("params",)),
    **dict.fromkeys(("zeros_like", "ones_like", "stop_gradient", "squeeze", "roll"), ("input",)),
    **dict.fromkeys(("expand_dims", "tile", "broadcast_to", "identity", "repeat"), ("input",)),
    **dict.fromkeys(("reshape", "boolean_mask", "pad", "reverse", "norm"), ("tensor",)),
    **dict.fromkeys(("concat", "stack", "sort"), ("values",)),
    **dict.fromkeys(("slice", "strided_slice"), ("input_", "input")),
    **dict.fromkeys(("reduce_sum", "reduce_mean", "reduce_max"), ("input_tensor",)),
    **dict.fromkeys(("reduce_min", "reduce_prod"), ("input_tensor",)),
    **dict.fromkeys(("square", "abs", "negative", "sign", "cumsum", "math.cumprod"), ("x",)),
    **dict.fromkeys(("add", "subtract", "multiply", "maximum", "minimum", "pow"), ("x", "y")),
    **dict.fromkeys(("where", "math.squared_difference", "math.floormod"), ("x", "y")),
    **dict.fromkeys(("constant", "fill"), ("value",)),
    "math.floordiv": ("x", "y"),
    "convert_to_tensor": ("value",),
    "Variable": ("initial_value",),
    "transpose": ("a",),
    "matmul": ("a", "b"),
    "tensordot": ("a", "b"),
    "clip_by_value": ("t",),
    "range": ("start", "limit", "delta"),
    "nn.relu": ("features",),
}
# Of those, where the first of the parameters is not at position 0.
FIRST_PASSED = {"where": 1, "fill": 1}
# Of those, where a Python number takes the dtype of the other operand.
ADAPTING = ("add", "subtract", "multiply", "maximum", "minimum", "pow", "where")
