"""Let the gradient of a `Padded` be a `Padded` with the same sizes.

A `Padded` is a pytree of values and of its sizes, encoded as floats (`size_code.py`). No result depends on the
encoded sizes, so JAX would return zeros as their gradient, which encode no sizes. The linear primitive
`carry(values, code)` returns `values`. Its transpose returns, as the gradient of `code`, a code of the same
sizes, scaled down so far that neither norms nor the steps of optimizers are affected.
"""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import size_code

carry_p = jp.Primitive("carry_sizes")


def carry(values, code, count: int):
    """Return `values` unchanged; differentiation returns the encoded sizes as the gradient of `code`.

    Args:
      values: the values of a `Padded`.
      code: its encoded sizes.
      count: how many numbers are encoded.

    Raises:
      PaddedUseError: the tangent of `jax.jvp` has a different size. If the size is known only at run time, the
        values become NaN instead.
    """
    return carry_p.bind(_along_tangent(values, code, count), code, code)


def _along_tangent(values, code, count):
    both = jp.along_tangent(code)
    if both is None:
        return values
    differ = size_code.have_different_sizes(*both, count)
    if jp.is_tracer(differ):
        return values * jnp.where(differ, jnp.nan, 1).astype(values.dtype)
    if differ:
        raise errors.PaddedUseError(
            errors.message(
                "jax.jvp",
                "a padded value and its tangent have different sizes.",
                do="pass a tangent of the same size as the value, such as `x * 0 + 1`",
            )
        )
    return values


def _identity(values, code, witness):
    return values


@carry_p.def_abstract_eval
def _aval(values, code, witness):
    return values


def _jvp(primals, tangents):
    values, code, witness = primals
    out = carry_p.bind(values, code, witness)
    values_dot, code_dot, _ = tangents
    if jp.ad.Zero in map(type, (values_dot, code_dot)):
        return out, values_dot
    return out, carry_p.bind(values_dot, code_dot, witness)


def _transpose(ct, values, code, witness):
    if type(ct) is jp.ad.Zero:
        return [None, None, None]
    return [ct, jnp.where(witness != 0, size_code.GRADIENT, 0).astype(code.aval.dtype), None]


def _batch(args, dims):
    values, code, witness = args
    if any(d is not None for d in dims[1:]):
        count = next(x.shape[d] for x, d in zip(args[1:], dims[1:], strict=True) if d is not None)
        code, witness = (
            jnp.broadcast_to(x, (count, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
            for x, d in zip(args[1:], dims[1:], strict=True)
        )
    return carry_p.bind(values, code, witness), dims[0]


carry_p.def_impl(_identity)
jp.mlir.register_lowering(carry_p, jp.mlir.lower_fun(_identity, multiple_results=False))
jp.ad.primitive_jvps[carry_p] = _jvp
jp.ad.primitive_transposes[carry_p] = _transpose
jp.batching.primitive_batchers[carry_p] = _batch
