"""Define the masking rules of elementwise primitives; padding is first filled with safe numbers."""

from __future__ import annotations

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering.refusals import unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.numeric import division
from shims._src.platform import jax_private as jp

# Primitives whose values and derivatives are finite for all finite inputs.
_FINITE = [
    "abs",
    "add",
    "add_any",
    "and",
    "atan",
    "bessel_i0e",
    "bessel_i1e",
    "ceil",
    "clamp",
    "clz",
    "complex",
    "conj",
    "convert_element_type",
    "copy",
    "copy_p",
    "corrected_quotient",
    "cos",
    "cpu_only",
    "eq",
    "eq_to",
    "erf",
    "erfc",
    "floor",
    "forward_mode_only",
    "ge",
    "gt",
    "imag",
    "is_finite",
    "le",
    "le_to",
    "logistic",
    "lt",
    "lt_to",
    "max",
    "min",
    "mul",
    "mul_no_nan",
    "mulhi",
    "multiply_add",
    "name",
    "ne",
    "neg",
    "nextafter",
    "not",
    "or",
    "population_count",
    "real",
    "real_imag",
    "reduce_precision",
    "round",
    "rounded_product",
    "select_n",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sin",
    "square",
    "sub",
    "tanh",
    "xor",
    "stop_gradient",
    "sharding_constraint",
    "device_put",
    "pvary",
    "polynomial",
    "one_minus_square",
]

# Operands at which the operation and its first two derivatives are finite.
_SAFE = {
    "acos": (0.0,),
    "acosh": (2.0,),
    "asin": (0.0,),
    "asinh": (0.0,),
    "atan2": (1.0, 1.0),
    "atanh": (0.0,),
    "cbrt": (1.0,),
    "cosh": (0.0,),
    "digamma": (1.0,),
    "div": (None, 1.0),
    "erf_inv": (0.0,),
    "exp": (0.0,),
    "exp2": (0.0,),
    "expm1": (0.0,),
    "igamma": (1.0, 1.0),
    "igammac": (1.0, 1.0),
    "igamma_grad_a": (1.0, 1.0),
    "integer_pow": (1.0,),
    "lgamma": (1.0,),
    "log": (1.0,),
    "log1p": (0.0,),
    "log2": (1.0,),
    "polygamma": (1.0, 1.0),
    "pow": (1.0, 1.0),
    "ratio": (None, 1.0),
    "random_gamma_grad": (1.0, 1.0),
    "regularized_incomplete_beta": (1.0, 1.0, 0.5),
    "rem": (None, 1.0),
    "rsqrt": (1.0,),
    "sinh": (0.0,),
    "sqrt": (1.0,),
    "tan": (0.0,),
    "zeta": (2.0, 1.0),
}

# Primitives whose result has a known number in the padding if the operands have one.
_PADDING = {
    "add": np.add,
    "copy": np.positive,
    "copy_p": np.positive,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "neg": np.negative,
    "square": np.square,
    "sub": np.subtract,
}


def lower(ctx, eqn, *values, safe=()):
    """Lower an elementwise primitive; `safe` are the numbers to fill the padding of operands with."""
    if any(map(jp.is_symbolic, eqn.params.values())):
        raise unsupported(eqn)
    values, axes = ctx.align(values, spread=True)
    if safe or _is_inexact(eqn.outvars[0].aval):
        shape = next((v.array.shape for v in values if v.axes), ())
        numbers = safe or (None,) * len(values)
        values = [_make_safe(ctx, v, n, axes, shape) for v, n in zip(values, numbers, strict=True)]
    outs = division.apply(eqn, [v.array for v in values])
    pad, spread = _known_padding(eqn.primitive.name, values), any(v.spread for v in values)
    return [Value(o, axes, pad, spread=spread) for o in outs]


def _make_safe(ctx, value, number, axes, shape):
    """Align an operand with the others, and fill its padding with a harmless number.

    A scalar operand is broadcast to every slot, padding included. In `x / 0` or `x - nan` the padding must
    not become NaN, which would reach every valid slot through the sum in the derivative.
    """
    for_all = not value.axes and any(a is not None for a in axes)
    if for_all and not _is_harmless(value.array, number):
        value = Value(lax.broadcast_in_dim(value.array, shape, ()), axes)
    elif number is None:
        return value
    if number is None:
        return ctx.clear_spread(value)
    return ctx.fill(value, np.asarray(number, value.array.dtype)) if value.dynamic else value


def _is_harmless(array, number) -> bool:
    """Return whether a scalar operand gives finite numbers when combined with padding."""
    if number is None and not _is_inexact(array):
        return True
    constant = _scalar_constant(array)
    return (
        constant is not None and bool(np.isfinite(constant)) and (number is None or constant != 0)
    )


def _is_inexact(array) -> bool:
    return jnp.issubdtype(array.dtype, jnp.inexact)


def _known_padding(name, values):
    """Return the number that fills the padding of a result, if the padding of all operands is known."""
    rule = _PADDING.get(name)
    if rule is None:
        return None
    pads = [v.pad if v.dynamic else _scalar_constant(v.array) for v in values]
    if any(p is None for p in pads):
        return None
    with np.errstate(all="ignore"):  # `0 * inf` is NaN, which needs no warning
        pad = rule(*(np.asarray(p, values[0].array.dtype) for p in pads))
    return pad if np.isfinite(pad) else None


def _scalar_constant(array):
    is_number = isinstance(array, (int, float, np.generic, np.ndarray)) and np.ndim(array) == 0
    return array if is_number and np.asarray(array).dtype.kind in "iuf" else None


def convert(ctx, eqn, value):
    """Lower a dtype conversion; of the known contents of padding, only +0 stays known."""
    (out,) = jp.bind(eqn, [value.array])
    pad = value.pad
    if pad is not None:
        parts = np.asarray([np.real(pad), np.imag(pad)], np.float64)
        pad = None if parts.any() or np.signbit(parts).any() else pad
    return [Value(out, value.axes, None if pad is None else np.zeros((), out.dtype), value.bounds)]


def bitcast(ctx, eqn, value):
    """Lower a change of dtype that keeps the bits.

    A narrower dtype adds a last axis with the pieces of each number, and a wider one takes the pieces from the last axis.
    """
    rank = len(eqn.outvars[0].aval.shape)
    if rank < len(value.axes) and value.axes[-1] is not None:
        raise unsupported(eqn)  # the number of pieces is static
    (out,) = jp.bind(eqn, [value.array])
    axes = (*value.axes, None)[:rank]
    pad = (
        None
        if value.pad is None or np.asarray(value.pad, value.array.dtype).tobytes().strip(b"\0")
        else 0
    )
    spread = pad is None and _is_inexact(out)  # the bits of some integers are NaN or infinity
    return [Value(out, axes, None if pad is None else np.zeros((), out.dtype), spread=spread)]


def hold(_ctx, eqn, *values):
    """Lower an optimization barrier, whose operands may have different sizes."""
    outs = jp.bind(eqn, [v.array for v in values])
    return [dataclasses.replace(v, array=o) for v, o in zip(values, outs, strict=True)]


def reshard(_ctx, eqn, value):
    """Lower a change of sharding that distributes no axis, as inside of `jax.shard_map`."""
    sharding = eqn.params["dst_sharding"]
    if sharding is not None and any(part is not None for part in sharding.spec):
        raise unsupported(eqn)
    (out,) = jp.bind(eqn, [value.array])
    return [dataclasses.replace(value, array=out)]


def integer_power(ctx, eqn, *values):
    """Lower a power with a constant exponent, whose derivatives are finite unless that is negative."""
    return lower(ctx, eqn, *values, safe=() if eqn.params["y"] > 0 else _SAFE["integer_pow"])


_OTHER = ("convert_element_type",)
RULES = (
    Rule("bitcast_convert_type", bitcast, uniform=True),
    Rule("convert_element_type", convert, uniform=True, spread=True),
    Rule("optimization_barrier", hold, uniform=True),
    Rule("reshard", reshard, uniform=True),
    *(Rule(name, lower, uniform=True, spread=True) for name in _FINITE if name not in _OTHER),
    *(
        Rule(name, functools.partial(lower, safe=safe), uniform=True, safe=safe, spread=True)
        for name, safe in _SAFE.items()
        if name != "integer_pow"
    ),
    Rule("integer_pow", integer_power, uniform=True, safe=_SAFE["integer_pow"], spread=True),
)
