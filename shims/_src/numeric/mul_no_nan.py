"""Multiply `t * d` such that the product is 0 if `t` is 0, even for infinite or NaN `d`.

The product is linear in `t`, and its transpose has the same property.

TensorFlow's kernels for the gradients of `sqrt`, `rsqrt` and `reciprocal` return 0 where the
incoming gradient is 0, although the derivative is infinite there. A `select` cannot express this in
a rule that JAX must transpose, because the condition depends on the tangent; a primitive can.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.platform import jax_private as jp

mul_no_nan_p = jp.Primitive("mul_no_nan")


def mul_no_nan(t, d):
    """Multiply arrays of the same shape and dtype; the product is 0 wherever `t` is 0, even if `d` is NaN."""
    return mul_no_nan_p.bind(t, d)


def _compute(t, d):
    return jnp.where(t == 0, jnp.zeros_like(t), t * d)


mul_no_nan_p.def_impl(jax.jit(_compute))
jp.mlir.register_lowering(mul_no_nan_p, jp.mlir.lower_fun(_compute, multiple_results=False))


def _batched(operands, axes):
    """Give both operands all rows, since the primitive does not broadcast."""
    number = next(x.shape[axis] for x, axis in zip(operands, axes, strict=True) if axis is not None)
    rows = [
        jp.batching.bdim_at_front(x, axis, number) for x, axis in zip(operands, axes, strict=True)
    ]
    return mul_no_nan(*rows), 0


jp.batching.primitive_batchers[mul_no_nan_p] = _batched


@mul_no_nan_p.def_abstract_eval
def _aval(t, d):
    return t.update(weak_type=False)


def _jvp(primals, tangents):
    t, d = primals
    out = mul_no_nan(t, d)
    t_dot, d_dot = tangents
    # The second term is linear in `d_dot`: where `t` is 0, second derivatives are 0 too.
    terms = []
    if type(t_dot) is not jp.ad.Zero:
        terms.append(mul_no_nan(t_dot, d))
    if type(d_dot) is not jp.ad.Zero:
        terms.append(mul_no_nan(t, d_dot))
    if not terms:
        return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
    return out, terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _transpose(ct, t, d):
    if type(ct) is jp.ad.Zero:
        return [None, None]
    if jp.ad.is_undefined_primal(t):
        return [mul_no_nan(ct, d), None]
    return [None, mul_no_nan(t, ct)]


jp.ad.primitive_jvps[mul_no_nan_p] = _jvp
jp.ad.primitive_transposes[mul_no_nan_p] = _transpose
