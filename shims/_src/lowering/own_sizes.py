"""Sizes that only an iteration or a branch knows, and what leaves it with them.

A loop body that selects has other sizes in every iteration. What it saves for the way back is stacked
up at its capacity, and the sizes of all iterations with it (`Axis.own`). The loop on the way back takes
both apart again. Loops in loops stack twice, and a branch that has such a loop hands on what it stacked.
"""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
from jax import lax

from shims._src.lowering.refusals import reused_size_error
from shims._src.lowering.value import Axis
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims

Own = dict[str, dims.Binding]


def of(ctx, inner, axis: Axis | None) -> Own:
    """The sizes in an axis of an inner program's result that are not those of the scope around."""
    found = {}
    for name in sorted(jp.variables(axis.dim)) if axis is not None else ():
        bound = axis.own.get(name) or inner.env[name]
        around = ctx.env.get(name)
        if around is None or around.serial != bound.serial:
            found[name] = bound
    return found


def made(jaxpr) -> set[str]:
    """The sizes that a program makes, those among them that leave its inner programs with a result."""
    names = set()
    for eqn in jp.open_jaxpr(jaxpr)[0].eqns:
        if eqn.primitive.name in ("compress", "fresh_range"):
            names.add(eqn.params["name"])
        inner = set().union(*(made(sub) for sub in jp.sub_jaxprs(eqn.params)))
        shapes = (getattr(v.aval, "shape", ()) for v in eqn.outvars) if inner else ()
        names |= inner & _names(shapes)
    return names


def _names(shapes) -> set[str]:
    return {name for shape in shapes for d in shape for name in jp.variables(d)}


def axis(ctx, dim, own: Own) -> Axis | None:
    """The axis of a dimension some of whose sizes the scope does not know."""
    if not own:
        return ctx.axis(dim)
    if ctx.ambiguous & (jp.variables(dim) - own.keys()):
        raise reused_size_error(dim)
    env = ctx.env | own
    serials = tuple(sorted((name, env[name].serial) for name in jp.variables(dim)))
    if any(jnp.ndim(bound.size) for bound in own.values()):
        return Axis(dim, None, ("rows", dim, serials), own=own)
    size = lax.max(jnp.asarray(dims.evaluate(dim, env), jnp.int32), jnp.int32(0))
    return Axis(dim, size, ("packed", dim, serials))


def capacity(ctx, axis: Axis) -> int:
    """The static extent of an axis whose size differs from row to row."""
    return max(dims.interval(axis.dim, ctx.env | axis.own)[1], 1)


class Stack:
    """The sizes that leave a loop body with its results: each once, however many axes have it."""

    def __init__(self):
        self._bound: dict[tuple[str, dims.Serial], dims.Binding] = {}

    def add(self, own: Own) -> Own:
        """Note the sizes of one axis."""
        for name, bound in own.items():
            self._bound.setdefault((name, bound.serial), bound)
        return own

    def arrays(self) -> list:
        """What an iteration emits."""
        return [bound.size for bound in self._bound.values()]

    def stacked(self, own: Own, arrays) -> Own:
        """The sizes of one axis over all iterations."""
        rows = dict(zip(self._bound, arrays, strict=True))
        return {
            name: dataclasses.replace(bound, size=rows[name, bound.serial], valid=None)
            for name, bound in own.items()
        }


def rows(axes) -> list[dict]:
    """The stacked sizes of the axes of an array, which a loop takes apart with the array."""
    return [{} if a is None else {n: b.size for n, b in a.own.items()} for a in axes]


def of_row(axes, sizes) -> list[Own]:
    """The same of a row."""
    return [
        {n: dataclasses.replace(axis.own[n], size=size) for n, size in found.items()}
        for axis, found in zip(axes, sizes, strict=True)
    ]


def bind(inner, own: Own) -> None:
    """Let the body of a loop know the sizes of its row by their names."""
    for name, bound in own.items():
        known = inner.env.get(name)
        inner.carried.add(name)
        if jnp.ndim(bound.size) or (
            known is not None and name not in inner.ambiguous and known.serial == bound.serial
        ):
            continue
        inner.ambiguous.discard(name)
        inner.bind(name, bound.size, bound.capacity, fresh=True, serial=bound.serial)
