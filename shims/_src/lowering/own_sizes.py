"""Return sizes created in a loop iteration or a branch to the outer scope, with the results.

The result of a selection (`boolean_mask`) in a loop body has a different size in every iteration. The
values that the body saves for the backward pass are stacked at their capacity, together with the
sizes of all iterations (`Axis.own`). The loop of the backward pass unstacks both, one row per
iteration. Nested loops stack twice, and a branch with such a loop returns the stacked values and
sizes.
"""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
from jax import lax

from shims._src.lowering.refusals import reused_size_error
from shims._src.lowering.value import Axis
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import own_equations, sub_jaxprs
from shims._src.sizes import dims, equal_forms

Own = dict[str, dims.Binding]

# The primitives of called functions, which bind every size that they make in the scope of the call.
_CALLS = ("jit", "pjit", "closed_call", "core_call", "checkpoint", "remat2")


def of(ctx, inner, axis: Axis | None) -> Own:
    """Return those sizes in an axis of a nested jaxpr's result that the nested jaxpr created.

    They are unknown in the outer scope, into which they must be returned along with the result.
    """
    found = {}
    for name in sorted(jp.variables(axis.dim)) if axis is not None else ():
        bound = axis.own.get(name) or inner.env[name]
        around = ctx.env.get(name)
        if around is None or around.serial != bound.serial:
            found[name] = bound
    return found


def made(jaxpr) -> set[str]:
    """Return the names of the sizes that a jaxpr or its nested jaxprs create."""
    names = set()
    for eqn in own_equations(jaxpr):
        if eqn.primitive.name in ("compress", "fresh_range"):
            names.add(eqn.params["name"])
        inner = set().union(*(made(sub) for sub in sub_jaxprs(eqn.params)))
        if eqn.primitive.name in _CALLS:
            names |= inner
            continue
        shapes = (getattr(v.aval, "shape", ()) for v in eqn.outvars) if inner else ()
        names |= inner & _size_names(shapes)
    return names


def _size_names(shapes) -> set[str]:
    return {name for shape in shapes for d in shape for name in jp.variables(d)}


def axis(ctx, dim, own: Own) -> Axis | None:
    """Return the lowered axis of a dimension some of whose sizes are unknown in the scope `ctx`.

    These sizes are given as `own`, with one value, or with one per row of the leading axes.
    """
    if not own:
        return ctx.axis(dim)
    if ctx.ambiguous & (jp.variables(dim) - own.keys()):
        raise reused_size_error(dim)
    env = ctx.env | own
    serials = tuple(sorted((name, env[name].serial) for name in jp.variables(dim)))
    if any(jnp.ndim(bound.size) for bound in own.values()):
        return Axis(dim, None, ("rows", equal_forms.key(dim), serials), own=own)
    size = lax.max(jnp.asarray(dims.evaluate(dim, env), jnp.int32), jnp.int32(0))
    return Axis(dim, size, ("packed", equal_forms.key(dim), serials))


def capacity(ctx, axis: Axis) -> int:
    """Return the capacity of an axis whose size differs from row to row."""
    return max(dims.interval(axis.dim, ctx.env | axis.own)[1], 1)


class Stack:
    """The sizes that a loop body returns after its results, to be stacked over the iterations.

    A size that several axes share is stored once.
    """

    def __init__(self):
        self._bound: dict[tuple[str, dims.Serial], dims.Binding] = {}

    def add(self, own: Own) -> Own:
        """Add the sizes of one axis to be returned, and return them."""
        for name, bound in own.items():
            self._bound.setdefault((name, bound.serial), bound)
        return own

    def arrays(self) -> list:
        """Return the values of the added sizes in the current iteration."""
        return [bound.size for bound in self._bound.values()]

    def stacked(self, own: Own, arrays) -> Own:
        """Return the sizes of one axis over all iterations, given the stacked values of all added sizes."""
        rows = dict(zip(self._bound, arrays, strict=True))
        return {
            name: dataclasses.replace(bound, size=rows[name, bound.serial], valid=None)
            for name, bound in own.items()
        }


def rows(axes) -> list[dict]:
    """Return, for each axis, the stacked sizes that a loop passes to its body one row at a time."""
    return [{} if a is None else {n: b.size for n, b in a.own.items()} for a in axes]


def of_row(axes, sizes) -> list[Own]:
    """Return, for each axis, its sizes in the current iteration of a loop."""
    return [
        {n: dataclasses.replace(axis.own[n], size=size) for n, size in found.items()}
        for axis, found in zip(axes, sizes, strict=True)
    ]


def bind(inner, own: Own) -> None:
    """Bind the sizes of the current iteration in the scope of a loop body."""
    for name, bound in own.items():
        known = inner.env.get(name)
        inner.carried.add(name)
        if jnp.ndim(bound.size) or (
            known is not None and name not in inner.ambiguous and known.serial == bound.serial
        ):
            continue
        inner.ambiguous.discard(name)
        inner.bind(name, bound.size, bound.capacity, fresh=True, serial=bound.serial)
