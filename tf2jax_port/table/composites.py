"""List the operators that accept ragged or sparse operands, by the names of their table rows."""

from __future__ import annotations

# One ragged operand, whose values are mapped; then options.
RAGGED_UNARY = (
    *("abs", "acos", "acosh", "image.adjust_brightness", "image.adjust_gamma", "math.angle"),
    *("asin", "asinh", "atan", "atanh", "bitcast", "cast", "math.ceil", "clip_by_value"),
    *("math.conj", "cos", "cosh", "math.digamma", "nn.elu", "math.erf", "math.erfc"),
    *("math.erfcinv", "math.erfinv", "exp", "math.expm1", "floor", "nn.gelu", "identity"),
    *("math.imag", "math.is_finite", "math.is_inf", "math.is_nan", "nn.leaky_relu"),
    *("math.lgamma", "math.log", "math.log1p", "math.log_sigmoid", "logical_not"),
    *("math.ndtri", "negative", "ones_like", "math.real", "math.reciprocal"),
    *("math.reciprocal_no_nan", "nn.relu", "nn.relu6", "math.rint", "round", "math.rsqrt"),
    *("saturate_cast", "nn.selu", "sigmoid", "sign", "nn.silu", "sin", "sinh"),
    *("math.softplus", "nn.softsign", "sqrt", "square", "stop_gradient", "tan", "tanh"),
    *("bitwise.invert", "image.convert_image_dtype", "math.bessel_i0", "math.bessel_i0e"),
    *("math.bessel_i1", "math.bessel_i1e", "math.special.dawsn", "math.special.expint"),
    *("math.special.fresnel_cos", "math.special.fresnel_sin", "math.special.spence"),
    *("debugging.check_numerics", "zeros_like"),
)
# Two ragged operands that broadcast.
RAGGED_BINARY = (
    *("add", "atan2", "divide", "math.divide_no_nan", "equal", "math.floordiv"),
    *("math.floormod", "complex", "greater", "greater_equal", "math.igamma", "math.igammac"),
    *("less", "less_equal", "logical_and", "logical_or", "math.logical_xor", "maximum"),
    *("minimum", "multiply", "math.multiply_no_nan", "math.nextafter", "not_equal", "pow"),
    *("math.squared_difference", "subtract", "truediv", "truncatediv", "realdiv"),
    *("math.scalar_mul", "truncatemod", "math.xdivy", "math.xlog1py", "math.xlogy"),
    *("math.zeta", "bitwise.bitwise_and", "bitwise.bitwise_or", "bitwise.bitwise_xor"),
    *("bitwise.left_shift", "bitwise.right_shift", "nn.sigmoid_cross_entropy_with_logits"),
)
# Reductions of one ragged operand.
RAGGED_REDUCTIONS = (
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "reduce_all"),
    *("reduce_any", "math.reduce_variance", "math.reduce_std", "reduce_logsumexp"),
)
# One sparse operand, whose values are mapped.
SPARSE_UNARY = (
    *("abs", "asin", "asinh", "atan", "atanh", "math.bessel_i0e", "math.bessel_i1e", "cast"),
    *("math.erf", "identity", "negative", "sign", "sin", "sqrt", "square", "tan", "tanh"),
)
