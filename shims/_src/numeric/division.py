"""Divide with the derivative that TensorFlow computes, which neither overflows nor vanishes.

JAX differentiates `x / y` by `y` as `-x * y ** -2`. That is infinite, NaN or 0 if the divisor is
below 1e-19 or above 1e19, although the quotient is an ordinary number. TensorFlow divides twice. The
primitive of this module computes what `lax.div` computes and is differentiated as TensorFlow does.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend import core as jex

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import map_equations, with_items

ratio_p = jp.Primitive("ratio")


def ratio(x, y):
    """Divide floating-point arrays of the same dtype and rank, with broadcasting; one may be a scalar."""
    return ratio_p.bind(x, y)


def _compute(x, y):
    if x.shape != y.shape:
        x, y = jnp.broadcast_arrays(x, y)
    out = lax.div(x, y)
    # XLA would rewrite `x / y / z` as `x / (y * z)`, which overflows. The select prevents that: XLA
    # does not know that both branches agree (both are NaN where y is NaN).
    return lax.select(lax.eq(y, y), out, lax.neg(out))


ratio_p.def_impl(jax.jit(_compute))
jp.mlir.register_lowering(ratio_p, jp.mlir.lower_fun(_compute, multiple_results=False))
jp.batching.defbroadcasting(ratio_p)


@ratio_p.def_abstract_eval
def _aval(x, y):
    longer = x if len(x.shape) >= len(y.shape) else y
    shape = tuple(
        b if isinstance(a, int) and a == 1 else a
        for a, b in zip(x.shape or longer.shape, y.shape or longer.shape, strict=True)
    )
    return longer.update(shape=shape, weak_type=x.weak_type and y.weak_type)


def _jvp(primals, tangents):
    (x, y), (x_dot, y_dot) = primals, tangents
    out = ratio_p.bind(x, y)
    terms = []
    if type(x_dot) is not jp.ad.Zero:
        terms.append(ratio_p.bind(x_dot, y))
    if type(y_dot) is not jp.ad.Zero:
        terms.append(-ratio_p.bind(out, y) * y_dot)
    if not terms:
        return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
    return out, terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _transpose(ct, x, y):
    if type(ct) is jp.ad.Zero:
        return [None, None]
    return [_sum_to_shape(ratio_p.bind(ct, y), x.aval.shape), None]


def _sum_to_shape(ct, shape):
    """Sum the cotangent of a broadcast operand back to the operand's shape."""
    if not shape:
        return jnp.sum(ct)
    spread = [
        i
        for i, (n, full) in enumerate(zip(shape, ct.shape, strict=True))
        if isinstance(n, int) and n == 1 and not (isinstance(full, int) and full == 1)
    ]
    return jnp.sum(ct, axis=tuple(spread), keepdims=True) if spread else ct


jp.ad.primitive_jvps[ratio_p] = _jvp
jp.ad.primitive_transposes[ratio_p] = _transpose


def apply(eqn, operands):
    """Evaluate a jaxpr equation, with TensorFlow's derivative for its divisions."""
    if divides(eqn):
        return [ratio(*operands)]
    return jp.bind(eqn, operands, programs_with_ratios(eqn.params) if eqn.params else eqn.params)


def apply_primitive(primitive, params, operands):
    """Evaluate a primitive, with TensorFlow's derivative for the divisions inside of it."""
    if primitive is lax.div_p and jnp.issubdtype(operands[0].dtype, jnp.floating):
        return [ratio(*operands)]
    out = primitive.bind(*operands, **programs_with_ratios(params))
    return out if primitive.multiple_results else [out]


def divides(eqn) -> bool:
    """Return whether an equation divides floating-point numbers by anything but a literal."""
    return (
        eqn.primitive is lax.div_p
        and jnp.issubdtype(eqn.outvars[0].aval.dtype, jnp.floating)
        and not isinstance(eqn.invars[1], jex.Literal)
    )


def programs_with_ratios(params):
    """Return an equation's parameters, with divisions in nested jaxprs replaced by `ratio`."""
    found = {}
    for name, value in params.items():
        new = _replace_divisions(value)
        if new is not value:
            found[name] = new
    return {**params, **found} if found else params


def _replace_divisions(value):
    if isinstance(value, jex.ClosedJaxpr):
        return _jaxpr_with_ratios(value)
    if isinstance(value, tuple) and any(isinstance(v, jex.ClosedJaxpr) for v in value):
        return with_items(value, list(map(_replace_divisions, value)))
    return value


@functools.lru_cache(maxsize=512)
def _jaxpr_with_ratios(closed):
    return map_equations(closed, lambda eqn: [_equation_with_ratio(eqn)])


def _equation_with_ratio(eqn):
    if divides(eqn):
        return eqn.replace(primitive=ratio_p, params={})
    params = programs_with_ratios(eqn.params)
    return eqn if params is eqn.params else eqn.replace(params=params)
