"""List the operators that have a counterpart in `keras.ops`, used for symbolic tensors."""

from __future__ import annotations

from tf2jax_port.table.row import Native

_ONE = (
    *("abs", "exp", "negative", "round", "sigmoid", "sign", "sqrt", "square", "tanh"),
    *("math.log", "math.rsqrt", "logical_not", "math.ceil", "floor", "cos", "sin"),
)
_TWO = (
    *("add", "subtract", "multiply", "divide", "truediv", "maximum", "minimum", "equal"),
    *("not_equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or"),
)
_FEATURES = ("elu", "relu", "relu6", "selu", "softsign")
_OVER = ("all", "any", "max", "mean", "min", "prod", "sum")
_CALLED = {"truediv": "true_divide", "math.ceil": "ceil", "math.log": "log", "math.rsqrt": "rsqrt"}
_AXES = "axis={axis}, keepdims={keepdims}"
_OPTIONAL = ("axis", "keepdims")


def _op(expression: str, *optional: str, **defaults: str) -> Native:
    """Build the target of a table row from an expression without its prefix `keras.ops.`."""
    return Native(f"keras.ops.{expression}", optional=optional, defaults=tuple(defaults.items()))


# The replacement of an operator, by the name of its row, in terms of the row's parameters.
OPERATORS: dict[str, Native] = {
    **{name: _op(f"{_CALLED.get(name, name)}({{x}})") for name in _ONE},
    **{name: _op(f"{_CALLED.get(name, name)}({{x}}, {{y}})") for name in _TWO},
    **{f"nn.{name}": _op(f"{name}({{features}})") for name in _FEATURES},
    **{f"reduce_{n}": _op(f"{n}({{input_tensor}}, {_AXES})", *_OPTIONAL) for n in _OVER},
    "math.softplus": _op("softplus({features})"),
    "math.reduce_std": _op(f"std({{input_tensor}}, {_AXES})", *_OPTIONAL),
    "math.reduce_variance": _op(f"var({{input_tensor}}, {_AXES})", *_OPTIONAL),
    "cast": _op("cast({x}, {dtype})"),
    "clip_by_value": _op("clip({t}, {clip_value_min}, {clip_value_max})"),
    "concat": _op("concatenate({values}, axis={axis})"),
    "cumsum": _op("cumsum({x}, axis={axis})"),
    "expand_dims": _op("expand_dims({input}, axis={axis})"),
    "gather": _op("take({params}, {indices}, axis={axis})", axis="0"),
    "image.resize": _op("image.resize({images}, {size}, interpolation={method})", "method"),
    "matmul": _op("matmul({a}, {b})"),
    "nn.gelu": _op("gelu({features}, approximate={approximate})"),
    "nn.leaky_relu": _op("leaky_relu({features}, negative_slope={alpha})", "alpha"),
    "nn.silu": _op("silu({features})"),
    "nn.softmax": _op("softmax({logits}, axis={axis})", axis="-1"),
    "one_hot": _op("one_hot({indices}, {depth})"),
    "ones_like": _op("ones_like({input}, dtype={dtype})", "dtype"),
    "pow": _op("power({x}, {y})"),
    "reshape": _op("reshape({tensor}, {shape})"),
    "squeeze": _op("squeeze({input}, axis={axis})", "axis"),
    "stack": _op("stack({values}, axis={axis})", "axis"),
    "stop_gradient": _op("stop_gradient({input})"),
    "tile": _op("tile({input}, {multiples})"),
    "transpose": _op("transpose({a}, axes={perm})", "perm"),
    "where": Native("keras.ops.where({condition}, {x}, {y})", needs=("x", "y")),
    "zeros_like": _op("zeros_like({input}, dtype={dtype})", "dtype"),
}
