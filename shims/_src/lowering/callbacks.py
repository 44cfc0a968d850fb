"""Define the masking rules of callbacks and prints, which receive arrays without padding."""

from __future__ import annotations

import jax
import numpy as np
from jax.experimental import io_callback

from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def _packed_operands(ctx, values):
    """Pack arrays for a callback, and return them with the sizes of their dynamic axes.

    Packing moves the valid slots to the front, so that the host can cut the padding off.
    """
    values = [ctx.pack_all(ctx.expand_uniform(v)) for v in values]
    places = [[i for i, a in enumerate(v.axes) if a is not None] for v in values]
    sizes = [[v.axes[i].size for i in p] for v, p in zip(values, places, strict=True)]
    return [v.array for v in values], sizes, places


def _remove_padding(arrays, sizes, places):
    out = []
    for array, own, axes in zip(arrays, sizes, places, strict=True):
        index = [slice(None)] * np.ndim(array)
        for axis, size in zip(axes, own, strict=True):
            index[axis] = slice(int(size))
        out.append(np.asarray(array)[tuple(index)])
    return out


def _add_padding(results, shapes):
    out = []
    for result, shape in zip(results, shapes, strict=True):
        result = np.asarray(result)
        array = np.zeros(shape.shape, shape.dtype)
        array[tuple(slice(n) for n in result.shape)] = result
        out.append(array)
    return out


def _call_exact(ctx, eqn, values, caller):
    arrays, sizes, places = _packed_operands(ctx, values)
    avals = eqn.params["result_avals"]
    shapes = [jax.ShapeDtypeStruct(ctx.shape(a.shape), a.dtype) for a in avals]
    callback = eqn.params["callback"]

    def host(arrays, sizes):
        return _add_padding(callback(*_remove_padding(arrays, sizes, places)), shapes)

    outs = caller(host, shapes, arrays, sizes)
    return [Value(o, ctx.axes(a.shape)) for o, a in zip(outs, avals, strict=True)]


def pure_callback(ctx, eqn, *values):
    """Lower `jax.pure_callback`; the callback receives arrays without padding."""
    method = eqn.params.get("vmap_method")
    return _call_exact(
        ctx,
        eqn,
        values,
        lambda host, shapes, *args: jax.pure_callback(host, shapes, *args, vmap_method=method),
    )


def ordered_callback(ctx, eqn, *values):
    """Lower `io_callback`; the callback receives arrays without padding."""
    ordered = eqn.params.get("ordered", False)
    return _call_exact(
        ctx,
        eqn,
        values,
        lambda host, shapes, *args: io_callback(host, shapes, *args, ordered=ordered),
    )


def debug_callback(ctx, eqn, *values):
    """Lower `jax.debug.callback`; the callback receives arrays without padding."""
    arrays, sizes, places = _packed_operands(ctx, values)
    callback = eqn.params["callback"]
    ordered = jp.is_ordered(eqn.params["effect"])
    jax.debug.callback(
        lambda a, s: callback(*_remove_padding(a, s, places)) and None,
        arrays,
        sizes,
        ordered=ordered,
    )
    return []


def debug_print(ctx, eqn, *values):
    """Lower `jax.debug.print`; the arrays are printed without padding."""
    arrays, sizes, places = _packed_operands(ctx, values)
    show = jp.debug_printer(eqn.params)
    jax.debug.callback(
        lambda a, s: show(_remove_padding(a, s, places)),
        arrays,
        sizes,
        ordered=eqn.params["ordered"],
    )
    return []


RULES = (
    Rule("pure_callback", pure_callback, uniform=True),
    Rule("io_callback", ordered_callback, uniform=True),
    Rule("debug_callback", debug_callback, uniform=True),
    Rule("debug_print", debug_print, uniform=True),
)
