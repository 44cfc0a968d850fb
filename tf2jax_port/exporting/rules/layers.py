"""Spell the layers of neural networks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from tf2jax_port.exporting.expressions import PRODUCT, SUM, Expression, as_expression, value_of
from tf2jax_port.exporting.rules.spelling import as_axis, fill
from tf2jax_port.importing.rule import UnsupportedError

_SMALLEST_EPSILON = 1.001e-5  # of fused batch normalization


def _channels_last(data_format: Any) -> None:
    if data_format is not None and data_format.startswith("NC"):
        raise UnsupportedError(
            "the channels are the first axis (NCHW), which JAX does not support on CPU"
        )


def _spatial(value: Any, rank: int) -> list[int]:
    """Return the window, strides or dilations of the axes of space."""
    listed = value_of(value)
    if not isinstance(listed, list):
        return [listed] * rank
    if len(listed) == rank + 2:
        return listed[1:-1]
    return listed * rank if len(listed) == 1 else listed


def _tuple(values: list[int]) -> str:
    return f"({values[0]},)" if len(values) == 1 else f"({', '.join(map(str, values))})"


def _padding(value: Any) -> str:
    if not isinstance(value, str):
        pairs = value_of(value)
        return repr([tuple(p) for p in pairs[1:-1]])
    return repr(value.upper())


def _convolution(
    call: Any,
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
) -> Expression:
    _channels_last(data_format)
    rank = (as_expression(filters).rank or 0) - 2
    steps = _spatial(1 if strides is None else strides, rank)
    rates = _spatial(1 if dilations is None else dilations, rank)
    if rank == 1:
        text = f"({{0}}, {{1}}, {steps[0]}, {_padding(padding)}"
        text += f", {rates[0]}" if rates != [1] else ""
        return fill(call.helper("conv1d") + text + ")", input, filters)
    if rank != 2:
        raise UnsupportedError(f"convolutions over {rank} axes have no rule")
    options = "" if steps == [1, 1] else f", {_tuple(steps)}"
    if _padding(padding) != "'SAME'":
        options += f", {_padding(padding)}" if options else f", padding={_padding(padding)}"
    options += f", dilation={_tuple(rates)}" if rates != [1, 1] else ""
    return fill(
        call.helper("conv2d") + "({0}, {1}" + options.replace("'", '"') + ")", input, filters
    )


def _conv2d(
    call: Any, input: Any, filters: Any, strides: Any, padding: Any, **options: Any
) -> Expression:
    return _convolution(call, input, filters, strides, padding, **options)


def _conv1d(
    call: Any, input: Any, filters: Any, stride: Any, padding: Any, **options: Any
) -> Expression:
    return _convolution(
        call, input, filters, stride, padding, options.get("data_format"), options.get("dilations")
    )


def _depthwise(
    call: Any,
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
) -> Expression:
    _channels_last(data_format)
    if dilations is not None and set(_spatial(dilations, 2)) != {1}:
        raise UnsupportedError("a dilated depthwise convolution has no rule")
    steps = _tuple(_spatial(strides, 2))
    text = call.helper("depthwise_conv2d") + "({0}, {1}, " + steps + f", {_padding(padding)})"
    return fill(text.replace("'", '"'), input, filter)


def _conv2d_transpose(
    call: Any,
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    dilations: Any = None,
) -> Expression:
    _channels_last(data_format)
    steps = _spatial(strides, 2)
    sizes, wanted = as_expression(input).shape or (None,) * 4, call.result.shape.as_list()
    if padding != "SAME" or None in (*sizes[1:3], *wanted[1:3]):
        raise UnsupportedError(
            "transposed convolutions have a rule only for known sizes with padding SAME"
        )
    if [n * s for n, s in zip(sizes[1:3], steps, strict=True)] != wanted[1:3]:
        raise UnsupportedError(
            "a transposed convolution has an output size that JAX cannot produce"
        )
    return fill(
        call.helper("conv2d_transpose") + "({0}, {1}, " + _tuple(steps) + ")", input, filters
    )


def _pool(name: str) -> Callable[..., Expression]:
    def rule(
        call: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None
    ) -> Expression:
        _channels_last(data_format)
        x = as_expression(input)
        if x.rank != 4:
            raise UnsupportedError("pooling has a rule only for images")
        window, steps = _spatial(ksize, 2), _spatial(strides, 2)
        if padding.upper() == "VALID" and list((x.shape or ())[1:3]) == window:
            return fill(f"{{0:a}}.{name}(axis=(1, 2), keepdims=True)", x)
        function = call.helper(f"{'avg' if name == 'mean' else name}_pool")
        options = f"{_tuple(window)}, {_tuple(steps)}"
        if padding.upper() != "VALID":
            options += f', "{padding.upper()}"'
        return fill(f"{function}({{0}}, {options})", x)

    return rule


def _bias_add(call: Any, value: Any, bias: Any, data_format: Any = None) -> Expression:
    _channels_last(data_format)
    return fill("{0:s} + {1:p}", value, bias, level=SUM)


def _product_plus(
    call: Any, x: Any, weights: Any, biases: Any, *others: Any, **more: Any
) -> Expression:
    return fill("{0:p} @ {1:u} + {2:p}", x, weights, biases, level=SUM)


def _softmax(name: str) -> Callable[..., Expression]:
    def rule(call: Any, logits: Any, axis: Any = None) -> Expression:
        options = "" if axis in (None, -1) else f", axis={value_of(axis)}"
        return fill(f"jax.nn.{name}({{0}}{options})", logits)

    return rule


def _moments(call: Any, x: Any, axes: Any, shift: Any = None, keepdims: Any = False) -> Expression:
    options = ", keepdims=True" if keepdims else ""
    found = fill(call.helper("moments") + "({0}, " + as_axis(axes) + options + ")", x)
    return dataclasses.replace(found, hint="mean variance")


def _batch_normalization(
    call: Any, x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any
) -> Expression:
    if offset is None or scale is None:
        text = "({0:s} - {1:p}) / jnp.sqrt({2:s} + {3})"
        found = fill(text, x, mean, variance, variance_epsilon, level=PRODUCT)
        if scale is not None:
            found = fill("{0:p} * {1:u}", found, scale, level=PRODUCT)
        return found if offset is None else fill("{0:s} + {1:p}", found, offset, level=SUM)
    return fill(
        call.helper("batch_norm") + "({0}, {1}, {2}, {3}, {4}, {5})",
        x,
        mean,
        variance,
        scale,
        offset,
        variance_epsilon,
    )


def _normalize(
    call: Any, x: Any, mean: Any, variance: Any, offset: Any, scale: Any, axis: Any, epsilon: Any
) -> Expression:
    """Spell the normalization of `tf.layers`, of which the last axis has the channels."""
    if value_of(axis) not in (-1, (as_expression(x).rank or 0) - 1):
        raise UnsupportedError("the normalized axis is not the last axis")
    return _batch_normalization(call, x, mean, variance, offset, scale, epsilon)


def _fused_batch_norm(
    call: Any,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: Any = 1e-3,
    data_format: Any = "NHWC",
    is_training: Any = True,
    exponential_avg_factor: Any = 1.0,
) -> list[Expression]:
    """Spell fused batch normalization: the images, and the moments for the running averages."""
    _channels_last(data_format)
    if exponential_avg_factor != 1.0:
        raise UnsupportedError("`exponential_avg_factor` has no rule")
    x = as_expression(x)
    epsilon = max(value_of(epsilon), _SMALLEST_EPSILON)
    function = call.helper("batch_norm")
    if not is_training:
        normalized = fill(
            function + "({0}, {1}, {2}, {3}, {4}, {5})", x, mean, variance, scale, offset, epsilon
        )
        return [normalized, as_expression(mean), as_expression(variance)]
    axes = tuple(range((x.rank or 4) - 1))
    name = call.named(x)
    moments = call.body.two_names(
        call.op, ("mean", "variance"), f"{call.helper('moments')}({name}, {axes})"
    )
    normalized = fill(
        function + "({0}, " + ", ".join(moments) + ", {1}, {2}, {3})",
        name_of(name),
        scale,
        offset,
        epsilon,
    )
    count = f"{name}.size // {name}.shape[-1]"
    text = f"{call.helper('unbiased')}({moments[1]}, {count})"
    return [
        normalized,
        Expression(moments[0], hint="mean"),
        Expression(text, hint="unbiased_variance"),
    ]


def name_of(text: str) -> Expression:
    """Return the expression of a name."""
    return Expression(text)


def _atrous(call: Any, value: Any, filters: Any, rate: Any, padding: Any) -> Expression:
    return _convolution(call, value, filters, None, padding, None, rate)


RULES: dict[str, Callable[..., Any]] = {
    "shims.nn.convolution": _convolution,
    "shims.nn.conv2d": _conv2d,
    "shims.nn.conv1d": _conv1d,
    "shims.nn.atrous_conv2d": _atrous,
    "shims.nn.depthwise_conv2d": _depthwise,
    "shims.nn.conv2d_transpose": _conv2d_transpose,
    "shims.nn.max_pool2d": _pool("max"),
    "shims.nn.max_pool": _pool("max"),
    "shims.nn.avg_pool2d": _pool("mean"),
    "shims.nn.avg_pool": _pool("mean"),
    "shims.nn.bias_add": _bias_add,
    "shims._src.v1.ops.xw_plus_b._xw_plus_b": _product_plus,
    "shims.math.softmax": _softmax("softmax"),
    "shims.math.log_softmax": _softmax("log_softmax"),
    "shims.nn.moments": _moments,
    "shims.nn.batch_normalization": _batch_normalization,
    "shims._src.v1.layers.normalization._normalize": _normalize,
    "shims._src.v1.ops.fused_batch_norm.fused_batch_norm": _fused_batch_norm,
    "shims.nn.l2_loss": lambda call, t: fill(call.helper("l2_loss") + "({0})", t),
    "shims.math.l2_normalize": lambda call, x, axis=None, epsilon=1e-12, dim=None: fill(
        "{0:a} * lax.rsqrt(jnp.maximum(jnp.sum({0:a}**2, axis="
        + as_axis(axis)
        + ", keepdims=True), {1}))",
        Expression(call.named(x)),
        epsilon,
        level=PRODUCT,
    ),
}
