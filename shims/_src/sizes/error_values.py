"""Define NaN as the value of an error inside an enclosing trace, whose gradient is NaN, too.

A program that fails, for example since nothing is selected, reads no entry of its operands. So the gradient
of its result for them would be zero, although the result is NaN. `invalid` returns a NaN with derivatives:
the gradient of what is computed with it is NaN for all operands, unless its own cotangent is zero, as for a
result that `jnp.where` does not choose. `lost_where_nan` makes sure of it for results that are NaN.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from shims._src.platform import jax_private as jp
from shims._src.platform.leading_axes import with_leading_axis

# Returns its first operand, a NaN, as the tangent of NaN; the other operands are the tangents of sources.
tangent_p = jp.Primitive("invalid_tangent")


def plain():
    """Return NaN as a constant."""
    return np.float32(np.nan)


@jax.custom_jvp
def invalid(sources):
    """Return NaN as a number that depends on arrays, in derivatives of every order, and has their mapped axes."""
    return _tangent(jnp.asarray(plain()), jax.tree.leaves(sources))


@functools.partial(invalid.defjvp, symbolic_zeros=True)
def _invalid_jvp(primals, tangents):
    nan = invalid(*primals)
    return nan, _tangent(nan, [t for t in tangents[0] if not isinstance(t, SymbolicZero)])


def lost_where_nan(array, unread, nan):
    """Return `array` unchanged, but with the derivative of `nan` where there was nothing to read.

    That is where `array` is NaN. The derivative of the read alone would be lost if a number of 0 multiplies it, as in `y[0] * n`.

    Args:
      array: a result of a program, of floats or complex numbers.
      unread: for each read, whether there was nothing to read.
      nan: an error value from `invalid`.
    """
    return without_derivative(array, jnp.isnan(array) & any_of(unread), nan)


def any_of(unread):
    """Return whether one of some reads found nothing; true where it is not known."""
    top = jp.program_trace()
    # What a loop inside the program has found out is not known here.
    if not all(not jp.is_tracer(x) or jp.belongs_to(x, top) for x in unread):
        return jnp.bool_(True)
    return functools.reduce(jnp.logical_or, map(jnp.any, unread), jnp.bool_(False))


@jax.custom_jvp
def without_derivative(array, refused, nan):
    """Return `array` unchanged; where `refused` is true, its derivative is replaced by that of `nan`.

    `nan` is an error value from `invalid`, so that gradients are NaN there.
    """
    return array


@without_derivative.defjvp
def _without_derivative_jvp(primals, tangents):
    array, refused, _ = primals
    dots = jp.varying_as([tangents[0], tangents[2].astype(array.dtype)], array)
    return without_derivative(*primals), jnp.where(refused, dots[1], dots[0])


def _tangent(nan, moved):
    return tangent_p.bind(*jp.varying_as([nan, *moved], [nan, *moved]))


def _first(nan, *moved):
    return nan


@tangent_p.def_abstract_eval
def _aval(nan, *moved):
    return nan


def _jvp(primals, tangents):
    nan_dot, *dots = tangents
    zero = jp.ad.Zero
    out = tangent_p.bind(*primals)
    out_dot = _tangent(primals[0], [t for t in dots if type(t) is not zero])
    return out, out_dot if type(nan_dot) is zero else out_dot + nan_dot


def _transpose(ct, nan, *moved):
    if type(ct) is jp.ad.Zero:
        return [None] * (1 + len(moved))
    lost = jnp.where(ct != 0, nan, 0)

    def cotangent(x):
        if not jp.ad.is_undefined_primal(x):
            return None
        shape = x.aval.shape
        column = lost.reshape(lost.shape + (1,) * (len(shape) - lost.ndim))
        return jnp.broadcast_to(column.astype(x.aval.dtype), shape)

    return [None, *map(cotangent, moved)]


def _batch(args, dims):
    """Map along leading axes: the NaN has the leading axes of all its operands."""
    return tangent_p.bind(*with_leading_axis(args, dims)), 0


tangent_p.def_impl(_first)
jp.mlir.register_lowering(tangent_p, jp.mlir.lower_fun(_first, multiple_results=False))
jp.ad.primitive_jvps[tangent_p] = _jvp
jp.ad.primitive_transposes[tangent_p] = _transpose
jp.batching.primitive_batchers[tangent_p] = _batch
