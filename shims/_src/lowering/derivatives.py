"""Masking rules of custom derivatives and rematerialization: the rules are rebuilt, not inlined."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.lowering import scopes
from shims._src.lowering.control import run
from shims._src.lowering.refusals import line_of
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace

_LATE_DERIVATIVE = "The derivative needs a size as a number that the function itself does not need."
_WAYS_OUT = """\
  Do:       take the gradient inside of the function, or give the size in its signature"""


def take_apart(values):
    """Arrays of values, and the traced things that their axes carry (sizes, validity)."""
    arrays = [v.array for v in values]
    carried = [[None if a is None else _traced(a) for a in v.axes] for v in values]
    return arrays, carried


def put_together(models, arrays, carried):
    """Values like `models`, of other arrays and other traced sizes."""
    out = []
    for model, array, parts in zip(models, arrays, carried, strict=True):
        axes = tuple(
            None if a is None else _with_traced(a, p)
            for a, p in zip(model.axes, parts, strict=True)
        )
        out.append(Value(array, axes))
    return out


def _traced(axis):
    return axis.size, axis.valid, {name: bound.size for name, bound in axis.own.items()}


def _with_traced(axis, parts):
    size, valid, rows = parts
    own = {name: dataclasses.replace(bound, size=rows[name]) for name, bound in axis.own.items()}
    return dataclasses.replace(axis, size=size, valid=valid, factors=(), own=own)


class _Rebuilt:
    """One function with a derivative of its own, over lowered operands.

    Such a function must not close over tracers, so all sizes in scope are operands of it, and all
    that its results carry are results.
    """

    def __init__(self, ctx, eqn, values):
        self.ctx, self.eqn, self.values = ctx, eqn, values
        self.in_avals = [v.aval for v in eqn.invars]
        self.out_avals = [v.aval for v in eqn.outvars]
        self.outs: list[Value] = []
        self.described: list | None = None  # what the function itself reports
        self.bindings = dict(ctx.env)
        self.moving = [i for i, v in enumerate(values) if _is_inexact(v.array)]

    def operands(self):
        """`(arrays, side)`: what is differentiated, and the integers that go with it."""
        arrays, carried = take_apart(self.values)
        return arrays, ({n: (b.size, b.valid) for n, b in self.bindings.items()}, carried)

    def scope(self, side):
        """A scope made of operands only."""
        inner = type(self.ctx)(self.ctx.root)
        for name, (size, valid) in side[0].items():
            b = self.bindings[name]
            inner.env[name] = dataclasses.replace(b, size=size, valid=valid)
        return inner

    def enter(self, arrays, side):
        """The scope and the operands inside."""
        return self.scope(side), put_together(self.values, arrays, side[1])

    def results(self, inner, outs, codes):
        """Results as pytrees of arrays; their layouts are noted for the caller."""
        # A derivative may differ from slot to slot where the result does not.
        self.outs = outs = [inner.solid(v) for v in outs]
        arrays, carried = take_apart(outs)
        sizes = {n: inner.env[n].size for a in self.out_avals for n in scopes.escaping(self.ctx, a)}
        return arrays, (carried, sizes, codes)

    def primal(self, arrays, side):
        """The function itself."""
        inner, operands = self.enter(arrays, side)
        outs = run(inner, self.eqn.params["call_jaxpr"], operands)
        self.described, codes = scopes.describe(inner)
        return self.results(inner, outs, codes)

    def checked(self, inner, arrays, side):
        """What the function itself checks, and what only its derivative does, traced in `inner`.

        Returns:
          `(codes, mark)`: the codes that go with a result, and a number to multiply the derivative
          with. That is `None` where the derivative checks nothing more; else 1, or NaN where such a
          check fails, since nobody would read its code.
        """
        if self.described is None:
            jax.eval_shape(self.primal, arrays, side)
        codes = self.primal(arrays, side)[1][2] if self.described else []
        holds = None
        for report in inner.reports:
            if report.condition not in (self.described or ()):
                fine = jnp.all(report.code < 0)
                holds = fine if holds is None else holds & fine
        return codes, None if holds is None else jnp.where(holds, 1, np.nan)

    def conclude(self, arrays, rest):
        """Values for the caller's scope."""
        carried, sizes, codes = rest
        for name, size in sizes.items():
            self.ctx.bind(name, size, self.ctx.root.fresh_capacity.get(name, 1), fresh=True)
        self.ctx.adopt(self.described or [], codes)
        return put_together(self.outs, arrays, carried)

    def at(self, primals):
        """The function of its differentiable operands, over symbolic shapes."""

        def call(*parts):
            full = list(primals)
            for i, part in zip(self.moving, parts, strict=True):
                full[i] = part
            return jp.bind(self.eqn, full)

        return call

    def trace(self, f, *avals):
        """A jaxpr of `f` over symbolic shapes, under the trace's own hooks."""
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        with trace.resume(self.ctx.root.state):
            try:
                return jax.make_jaxpr(f)(*specs)
            except (TypeError, ValueError) as error:
                # A tape asks for it when the function has long run: nothing can be traced anew.
                error.add_note(f"{_LATE_DERIVATIVE}\n  At:       {line_of(self.eqn)}\n{_WAYS_OUT}")
                raise


class _RebuiltJvp(_Rebuilt):
    """A `jax.custom_jvp` over lowered operands."""

    def lowered(self) -> list[Value]:
        """Call it."""
        call = jax.custom_jvp(self.primal)
        call.defjvp(self._jvp)
        return self.conclude(*call(*self.operands()))

    def _forward(self, *xs):
        """Results and tangents of the function as it is traced, over symbolic shapes."""
        primals, directions = list(xs[: len(self.in_avals)]), list(xs[len(self.in_avals) :])
        first, moved = jax.jvp(self.at(primals), [primals[i] for i in self.moving], directions)
        return [*first, *[m for p, m in zip(first, moved, strict=True) if _is_inexact(p)]]

    def _jvp(self, primals, tangents):
        arrays, side = primals
        moving_avals = [self.in_avals[i] for i in self.moving]
        jaxpr = self.trace(self._forward, *self.in_avals, *moving_avals)
        inner, operands = self.enter(arrays, side)
        inner.is_derivative = True
        directions = [Value(tangents[0][i], operands[i].axes) for i in self.moving]
        outs = run(inner, jaxpr, [*operands, *directions])
        primal, moved = outs[: len(self.out_avals)], iter(outs[len(self.out_avals) :])
        codes, mark = self.checked(inner, arrays, side)
        first, rest = self.results(inner, primal, codes)
        second = [
            relayout(inner, next(moved), p) if _is_inexact(p.array) else _no_tangent(p.array)
            for p in self.outs
        ]
        second = [_marked(m, mark) if _is_inexact(m) else m for m in second]
        return (first, rest), (second, jax.tree.map(_no_tangent, rest))


def custom_jvp_call(ctx, eqn, *values):
    """Rebuild a `jax.custom_jvp`."""
    return _RebuiltJvp(ctx, eqn, [ctx.solid(v) for v in values]).lowered()


def relayout(ctx, value: Value, model: Value):
    """The array of `value` in the layouts of `model`."""
    from shims._src.lowering import packing

    value = ctx.solid(value)
    for i, axis in enumerate(model.axes):
        if axis is None or value.axes[i].token == axis.token:
            continue
        value = ctx.pack(value, i)
        if not axis.packed:
            array = jnp.take(value.array, packing.ranks(axis.valid), axis=i, mode="clip")
            value = ctx.quiet(Value(array, value.with_axis(i, axis)), (i,))
    return value.array


class _RebuiltVjp(_Rebuilt):
    """A `jax.custom_vjp` over lowered operands."""

    def __init__(self, ctx, eqn, values):
        super().__init__(ctx, eqn, values)
        self.saved: list[Value] = []  # what the forward rule keeps for the backward one
        self.saved_avals: list = []
        self.pullback_tree = None

    def lowered(self) -> list[Value]:
        """Call it."""
        call = jax.custom_vjp(self.primal)
        call.defvjp(self._fwd, self._bwd)
        return self.conclude(*call(*self.operands()))

    def _forward(self, *primals):
        """Results, and what the pullback keeps, over symbolic shapes."""
        outs, pullback = jax.vjp(self.at(list(primals)), *[primals[i] for i in self.moving])
        leaves, self.pullback_tree = jax.tree.flatten(pullback)
        return [*outs, *leaves]

    def _fwd(self, arrays, side):
        jaxpr = self.trace(self._forward, *self.in_avals)
        inner, operands = self.enter(arrays, side)
        outs = run(inner, jaxpr, operands)
        count = len(self.out_avals)
        codes, mark = self.checked(inner, arrays, side)
        result = self.results(inner, outs[:count], codes)
        self.saved = [inner.solid(v) for v in outs[count:]]
        self.saved_avals = [v.aval for v in jp.open_jaxpr(jaxpr)[0].outvars[count:]]
        return result, (take_apart(self.saved), side, arrays, result[1][0], mark)

    def _backward(self, moving_out):
        """The pullback over symbolic shapes: of what was kept, then of the cotangents that move."""
        count = len(self.saved)

        def backward(*xs):
            cts = list(xs[count:])
            full = [
                cts.pop(0) if i in moving_out else np.zeros(a.shape, jax.dtypes.float0)
                for i, a in enumerate(self.out_avals)
            ]
            return jax.tree.unflatten(self.pullback_tree, xs[:count])(full)

        return backward

    def _bwd(self, residuals, cotangents):
        (leaf_arrays, leaf_carried), side, arrays, residuals_out, mark = residuals
        inner, operands = self.enter(arrays, side)
        leaves = put_together(self.saved, leaf_arrays, leaf_carried)
        moving_out = [i for i, v in enumerate(self.outs) if _is_inexact(v.array)]
        moving_avals = [self.out_avals[i] for i in moving_out]
        jaxpr = self.trace(self._backward(moving_out), *self.saved_avals, *moving_avals)
        models = put_together(self.outs, cotangents[0], residuals_out)
        outs = run(inner, jaxpr, [*leaves, *(models[i] for i in moving_out)])
        result: list = [None] * len(self.in_avals)
        for i, out in zip(self.moving, outs, strict=True):
            result[i] = _marked(relayout(inner, out, operands[i]), mark)
        return result, None


def custom_vjp_call(ctx, eqn, *values):
    """Rebuild a `jax.custom_vjp`."""
    return _RebuiltVjp(ctx, eqn, [ctx.solid(v) for v in values]).lowered()


def checkpoint(ctx, eqn, *values):
    """Rebuild a `jax.checkpoint` over the lowered body."""
    values = [ctx.solid(v) for v in values]
    jaxpr = eqn.params["jaxpr"]
    kept: dict[str, object] = {}

    def body(arrays):
        operands = [Value(a, v.axes, v.pad, v.bounds) for a, v in zip(arrays, values, strict=True)]
        inner = scopes.enter(ctx, jaxpr, operands)
        outs = run(inner, jaxpr, operands)
        kept["outs"] = outs
        kept["described"], codes = scopes.describe(inner)
        kept["capacity"] = {n: b for n, b in inner.env.items() if n not in ctx.env}
        sizes = {n: b.size for n, b in kept["capacity"].items()}
        return (*take_apart(outs), sizes, codes)

    again = jax.checkpoint(body, prevent_cse=eqn.params["prevent_cse"], policy=eqn.params["policy"])
    arrays, carried, sizes, codes = again([v.array for v in values])
    for name, size in sizes.items():
        b = kept["capacity"][name]
        ctx.env[name] = dataclasses.replace(b, size=size, valid=None)
    ctx.adopt(kept["described"], codes)
    return put_together(kept["outs"], arrays, carried)


def _is_inexact(x) -> bool:
    return jax.dtypes.issubdtype(x.dtype, jnp.inexact)


def _marked(x, mark):
    return x if mark is None else x * mark.astype(x.dtype)


def _no_tangent(x):
    return np.zeros(jnp.shape(x), jax.dtypes.float0)


def finite_gradient(ctx, eqn, value):
    """An array as it is: its gradient was taken, and checked, before the program was lowered."""
    return [value]


RULES = (
    Rule("finite_gradient", finite_gradient, uniform=True),
    Rule("custom_jvp_call", custom_jvp_call, uniform=True),
    Rule("custom_vjp_call", custom_vjp_call, uniform=True),
    Rule("custom_vjp_call_jaxpr", custom_vjp_call, uniform=True),
    Rule("checkpoint", checkpoint, uniform=True),
    Rule("remat2", checkpoint, uniform=True),
)
