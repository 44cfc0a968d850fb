"""Define the table rows of `tf.keras.backend`, with expressions of `keras.ops`.

Like the functions of the back end in Keras 2, `keras.ops` accepts arrays and symbolic tensors.
"""

from __future__ import annotations

from tf2jax_port.table.row import Native, Row

_ONE = ("cos", "exp", "log", "round", "sign", "sin", "square", "tanh", "transpose", "sigmoid")
_TWO = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
_OVER_AXES = ("all", "any", "max", "min", "prod", "sum")
_OF_FLOATS = ("mean", "std", "var")
_INTEGERS = (
    "for integers the new function returns a float, while the old function returns an integer"
)
_POSITIONS = (
    "the new function returns int32 instead of int64, and finds a NaN that the old function skips"
)
_AT_ZERO = "the gradient at 0 differs"
_AT_TIES = "the gradient at a tie differs"
_ARRAY = "the new function returns an array, while the old function creates a variable"
_FLOATX = ("dtype", "keras.backend.floatx()")


def _row(name: str, params: str, expression: str, differs: str = "", *optional: str) -> Row:
    """Build the table row of a function that becomes an expression of `keras.ops`."""
    target = Native(f"keras.ops.{expression}", optional=optional)
    return Row(f"keras.backend.{name}", params, target, differs=differs)


def _reduction(name: str, differs: str = "") -> Row:
    """Build the table row of a reduction with the parameters `axis` and `keepdims`."""
    expression = f"{name}({{x}}, axis={{axis}}, keepdims={{keepdims}})"
    return _row(name, "x, axis=None, keepdims=False", expression, differs, "axis", "keepdims")


def _plain(name: str, params: str, expression: str, differs: str = "") -> Row:
    """Build the table row of a function from a whole JAX expression.

    A missing dtype becomes Keras' `floatx`.
    """
    defaults = (_FLOATX,) if "dtype=None" in params else ()
    target = Native(expression, defaults=defaults)
    return Row(f"keras.backend.{name}", params, target, differs=differs)


_ELEMENTWISE = (
    *(_row(name, "x", f"{name}({{x}})") for name in (*_ONE, "softplus", "softsign")),
    *(_row(name, "x, y", f"{name}({{x}}, {{y}})") for name in _TWO),
    *(_row(name, "x, y", f"{name}({{x}}, {{y}})", _AT_TIES) for name in ("maximum", "minimum")),
    _row("abs", "x", "abs({x})", _AT_ZERO),
    _row("cast", "x, dtype", "cast({x}, {dtype})"),
    _row("clip", "x, min_value, max_value", "clip({x}, {min_value}, {max_value})", _AT_TIES),
    _row("elu", "x, alpha=1.0", "elu({x}, alpha={alpha})", "", "alpha"),
    _row("hard_sigmoid", "x", "clip({x} * 0.2 + 0.5, 0.0, 1.0)", _AT_TIES),
    _row("pow", "x, a", "power({x}, {a})"),
    _row("relu", "x, alpha=0.0, max_value=None, threshold=0.0", "relu({x})"),
    _row("softmax", "x, axis=-1", "softmax({x}, axis={axis})", "", "axis"),
    _row("sqrt", "x", "sqrt(keras.ops.maximum({x}, 0.0))", _AT_ZERO),
    _row("stop_gradient", "variables", "stop_gradient({variables})"),
)
_LIKE = "x, dtype=None, name=None"
_SHAPES = (
    _row("concatenate", "tensors, axis=-1", "concatenate({tensors}, axis={axis})"),
    _row("expand_dims", "x, axis=-1", "expand_dims({x}, axis={axis})"),
    _row("flatten", "x", "reshape({x}, (-1,))"),
    _row("batch_flatten", "x", "reshape({x}, (keras.ops.shape({x})[0], -1))"),
    _row(
        "gather",
        "reference, indices",
        "take({reference}, {indices}, axis=0)",
        "for an empty array, `keras.ops.take` returns an array of the wrong rank",
    ),
    _row("ones_like", _LIKE, "ones_like({x}, dtype={dtype})", "", "dtype"),
    _row("zeros_like", _LIKE, "zeros_like({x}, dtype={dtype})", "", "dtype"),
    _row("permute_dimensions", "x, pattern", "transpose({x}, {pattern})"),
    _row("repeat", "x, n", "repeat(keras.ops.expand_dims({x}, 1), {n}, axis=1)"),
    _row("repeat_elements", "x, rep, axis", "repeat({x}, {rep}, axis={axis})"),
    _row("reshape", "x, shape", "reshape({x}, {shape})"),
    _row("reverse", "x, axes", "flip({x}, axis={axes})"),
    _row(
        "shape",
        "x",
        "shape({x})",
        "the new function returns a tuple, while the old function returns a tensor",
    ),
    _row("squeeze", "x, axis", "squeeze({x}, axis={axis})"),
    _row("stack", "x, axis=0", "stack({x}, axis={axis})", "", "axis"),
    _row("tile", "x, n", "tile({x}, {n})"),
    _row("temporal_padding", "x, padding=(1, 1)", "pad({x}, ((0, 0), {padding}, (0, 0)))"),
    _plain("int_shape", "x", "tuple({x}.shape)"),
    _plain("ndim", "x", "len({x}.shape)"),
    _plain("dtype", "x", "keras.backend.standardize_dtype({x}.dtype)"),
)
_OVER = (
    *map(_reduction, _OVER_AXES),
    *(_reduction(name, _INTEGERS) for name in _OF_FLOATS),
    _row("argmax", "x, axis=-1", "argmax({x}, axis={axis})", _POSITIONS),
    _row("argmin", "x, axis=-1", "argmin({x}, axis={axis})", _POSITIONS),
    _row("cumprod", "x, axis=0", "cumprod({x}, axis={axis})"),
    _row("cumsum", "x, axis=0", "cumsum({x}, axis={axis})"),
    _row("dot", "x, y", "dot({x}, {y})"),
    _row("one_hot", "indices, num_classes", "one_hot({indices}, {num_classes})"),
    _row("in_top_k", "predictions, targets, k", "in_top_k({targets}, {predictions}, {k})"),
    _row("bias_add", "x, bias, data_format=None", "add({x}, {bias})"),
    _row(
        "conv2d",
        "x, kernel, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1)",
        "conv({x}, {kernel}, strides={strides}, padding={padding}, data_format={data_format}, "
        "dilation_rate={dilation_rate})",
        "",
        *("strides", "padding", "data_format", "dilation_rate"),
    ),
    _plain(
        "l2_normalize",
        "x, axis=None",
        "{x} * keras.ops.rsqrt(keras.ops.maximum(keras.ops.sum(keras.ops.square({x}), "
        "axis={axis}, keepdims=True), 1e-12))",
    ),
)
_MADE = (
    _plain(
        "arange",
        "start, stop=None, step=1, dtype='int32'",
        "keras.ops.arange({start}, {stop}, {step}, dtype={dtype})",
    ),
    _plain("cast_to_floatx", "x", "keras.ops.cast({x}, keras.backend.floatx())"),
    _plain(
        "constant",
        "value, dtype=None, shape=None, name=None",
        "keras.ops.convert_to_tensor({value}, dtype={dtype})",
    ),
    *(
        _plain(
            name,
            "shape, dtype=None, name=None",
            f"keras.ops.{name}({{shape}}, dtype={{dtype}})",
            _ARRAY,
        )
        for name in ("ones", "zeros")
    ),
    _plain("eye", "size, dtype=None, name=None", "keras.ops.eye({size}, dtype={dtype})", _ARRAY),
    _plain("eval", "x", "keras.ops.convert_to_numpy({x})"),
    _plain("get_value", "x", "keras.ops.convert_to_numpy({x})"),
    _plain("set_value", "x, value", "{x}.assign({value})"),
    _plain("update", "x, new_x", "{x}.assign({new_x})"),
    _plain("update_add", "x, increment", "{x}.assign_add({increment})"),
    _plain("update_sub", "x, decrement", "{x}.assign_sub({decrement})"),
    _plain("is_sparse", "tensor", "isinstance({tensor}, shims.SparseTensor)"),
    _plain("name_scope", "name", "keras.name_scope({name})"),
)
ROWS: tuple[Row, ...] = (*_ELEMENTWISE, *_SHAPES, *_OVER, *_MADE)
