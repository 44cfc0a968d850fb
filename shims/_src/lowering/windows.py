"""Define the masking rules of convolutions and window reductions, padded explicitly."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np

from shims._src.lowering.contraction import align_pair
from shims._src.lowering.extremes import highest, lowest
from shims._src.lowering.refusals import unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import fit, pad_axis
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def _padded_size(size, low, high, dilation):
    return (size - 1) * dilation + 1 + low + high


def _pad_explicitly(ctx, value, i, size, low, high, dilation, filler):
    """Apply the padding and dilation arguments of a window along one axis, filling with `filler`."""
    new = _padded_size(size, low, high, dilation)
    return pad_axis(ctx, value, i, size, new, (low, high, dilation - 1), filler)


def _any_symbolic(size, low, high) -> bool:
    return any(map(jp.is_symbolic, (size, low, high)))


def conv(ctx, eqn, lhs, rhs):
    """Lower a convolution over dynamic batch, feature and spatial axes.

    In the derivative with respect to the kernel, the kernel operand may be dynamic, too.
    """
    params = dict(eqn.params)
    dn = params["dimension_numbers"]
    shape, kernel = eqn.invars[0].aval.shape, eqn.invars[1].aval.shape
    _check_groups(eqn, shape, kernel, dn)
    lhs, rhs = ctx.expand_uniform(lhs), ctx.expand_uniform(rhs)
    lhs, rhs = align_pair(ctx, lhs, dn.lhs_spec[1], rhs, dn.rhs_spec[1])
    zero = jnp.zeros((), lhs.array.dtype)
    padding, dilation = list(params["padding"]), list(params["lhs_dilation"])
    for k, (i, j) in enumerate(zip(dn.lhs_spec[2:], dn.rhs_spec[2:], strict=True)):
        low, high = padding[k]
        if jp.is_symbolic(kernel[j]):
            rhs = ctx.pack(rhs, j)
        if _any_symbolic(shape[i], low, high) or jp.is_symbolic(kernel[j]):
            lhs = _pad_explicitly(ctx, lhs, i, shape[i], low, high, dilation[k], zero)
            padding[k], dilation[k] = (0, 0), 1
    lhs = ctx.fill(lhs, np.zeros((), lhs.array.dtype), (dn.lhs_spec[1], *dn.lhs_spec[2:]))
    rhs = ctx.fill(rhs, np.zeros((), rhs.array.dtype), (dn.rhs_spec[1], *dn.rhs_spec[2:]))
    lhs = _long_enough(ctx, eqn, lhs, rhs, dn)
    params.update(padding=tuple(map(tuple, padding)), lhs_dilation=tuple(dilation))
    out = eqn.primitive.bind(lhs.array, rhs.array, **params)
    return [_conv_result(ctx, eqn, out, lhs, rhs, dn)]


def _check_groups(eqn, shape, kernel, dn) -> None:
    """Check that a grouped convolution does not group an axis of unknown size."""
    divided = []
    if eqn.params["feature_group_count"] > 1:
        divided += [shape[dn.lhs_spec[1]], kernel[dn.rhs_spec[0]]]
    if eqn.params["batch_group_count"] > 1:
        divided += [shape[dn.lhs_spec[0]], kernel[dn.rhs_spec[0]]]
    if any(map(jp.is_symbolic, divided)):
        raise unsupported(eqn)


def _long_enough(ctx, eqn, lhs, rhs, dn) -> Value:
    """Pad the input of a convolution so that a kernel padded to its capacity fits at every position."""
    array, kernel, out_shape = lhs.array, eqn.invars[1].aval.shape, eqn.outvars[0].aval.shape
    for k, (i, j) in enumerate(zip(dn.lhs_spec[2:], dn.rhs_spec[2:], strict=True)):
        if jp.is_symbolic(kernel[j]):
            windows = ctx.capacity(out_shape[dn.out_spec[2 + k]])
            steps = (windows - 1) * eqn.params["window_strides"][k]
            reach = (rhs.array.shape[j] - 1) * eqn.params["rhs_dilation"][k] + 1
            array = fit(array, i, steps + reach)
    return Value(array, lhs.axes)


def _conv_result(ctx, eqn, out, lhs, rhs, dn) -> Value:
    aval = eqn.outvars[0].aval
    axes = list(ctx.axes(aval.shape))
    for i in dn.out_spec[2:]:
        if axes[i] is not None:
            out = fit(out, i, ctx.capacity(aval.shape[i]))
    axes[dn.out_spec[0]] = lhs.axes[dn.lhs_spec[0]]
    axes[dn.out_spec[1]] = rhs.axes[dn.rhs_spec[0]]
    return Value(out, tuple(axes))


def reduce_window(ctx, eqn, value, *, neutral):
    """Lower a window reduction; invalid slots are filled with the neutral element."""
    params = dict(eqn.params)
    shape, out_shape = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    filler = neutral(value.array.dtype)
    padding, dilation = list(params["padding"]), list(params["base_dilation"])
    axes = list(value.axes)
    for i, (low, high) in enumerate(params["padding"]):
        plain = params["window_dimensions"][i] == params["window_strides"][i] == dilation[i] == 1
        if plain and low == 0 and high == 0:
            continue
        if _any_symbolic(shape[i], low, high):
            value = _pad_explicitly(
                ctx, value, i, shape[i], low, high, dilation[i], jnp.asarray(filler)
            )
            padding[i], dilation[i] = (0, 0), 1
            axes[i] = ctx.axis(out_shape[i])
    params.update(padding=tuple(map(tuple, padding)), base_dilation=tuple(dilation))
    out = eqn.primitive.bind(value.array, **params)
    out, axes = _fit_result(ctx, out, out_shape, value, axes)
    return [Value(out, axes)]


def _fit_result(ctx, out, out_shape, value, axes):
    for i, d in enumerate(out_shape):
        if axes[i] is not None and axes[i] is not value.axes[i] and jp.is_symbolic(d):
            out = fit(out, i, ctx.capacity(d))
    return out, tuple(axes)


def select_and_scatter_add(ctx, eqn, source, operand):
    """Lower the derivative of a windowed maximum, as in max pooling."""
    params = dict(eqn.params)
    shape = eqn.invars[1].aval.shape
    operand, source = (
        ctx.pack_all(ctx.expand_uniform(operand)),
        ctx.pack_all(ctx.expand_uniform(source)),
    )
    for i, (low, high) in enumerate(params["padding"]):
        if jp.is_symbolic(low) or jp.is_symbolic(high):
            raise unsupported(eqn)
        if jp.is_symbolic(shape[i]):
            extent = operand.array.shape[i] + low + high
            window, stride = params["window_dimensions"][i], params["window_strides"][i]
            source = ctx.fill(source, np.zeros((), source.array.dtype), (i,))
            array = fit(source.array, i, max((extent - window) // stride + 1, 0))
            source = Value(array, source.axes)
    filler = lowest if params["select_prim"].name in ("ge", "gt") else highest
    operand = ctx.fill(operand, filler(operand.array.dtype))
    out = eqn.primitive.bind(source.array, operand.array, **params)
    return [Value(out, operand.axes)]


def _zero(dtype):
    return np.zeros((), dtype)


RULES = (
    Rule("conv_general_dilated", conv, uniform=True),
    Rule("reduce_window_sum", functools.partial(reduce_window, neutral=_zero)),
    Rule("reduce_window_max", functools.partial(reduce_window, neutral=lowest)),
    Rule("reduce_window_min", functools.partial(reduce_window, neutral=highest)),
    Rule("select_and_scatter_add", select_and_scatter_add, uniform=True),
)
