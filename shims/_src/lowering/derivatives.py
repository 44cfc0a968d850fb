"""Lower functions with custom derivatives, and checkpoints, without inlining them.

Each is rebuilt as a function of lowered operands, so that its derivative rule or checkpoint is kept.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.lowering import scopes
from shims._src.lowering.context import Context
from shims._src.lowering.control import run
from shims._src.lowering.refusals import line_of
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Deferred, Value, is_empty
from shims._src.platform import jax_private as jp
from shims._src.sizes import trace

_LATE_DERIVATIVE = (
    "The derivative of the function needs a size as a number, although the function does not."
)
_REMEDY = """\
  Do:       compute the gradient inside the function, or declare the size in the function's signature"""


def take_apart(values):
    """Split lowered values into arrays and the traced parts of their axes (sizes and validity masks)."""
    arrays = [v.array for v in values]
    carried = [[None if a is None else _traced_parts(a) for a in v.axes] for v in values]
    return arrays, carried


def put_together(models, arrays, carried):
    """Build lowered values from arrays, sizes and masks, with the layouts of `models`.

    This is the inverse of `take_apart`.
    """
    out = []
    for model, array, parts in zip(models, arrays, carried, strict=True):
        axes = tuple(
            None if a is None else _with_traced(a, p)
            for a, p in zip(model.axes, parts, strict=True)
        )
        out.append(Value(array, axes))
    return out


def layout(value: Value) -> Value:
    """Return a copy of a lowered value without tracers, which can be kept after the trace has ended."""
    axes = tuple(None if a is None else _without_traced(a) for a in value.axes)
    array = jax.ShapeDtypeStruct(np.shape(value.array), value.array.dtype)  # a literal has no shape
    return Value(array, axes, value.pad, value.bounds)


def _without_traced(axis):
    own = {name: dataclasses.replace(b, size=None, valid=None) for name, b in axis.own.items()}
    return dataclasses.replace(axis, size=None, valid=None, factors=(), own=own)


def _traced_parts(axis):
    return axis.size, axis.valid, {name: bound.size for name, bound in axis.own.items()}


def _with_traced(axis, parts):
    size, valid, rows = parts
    own = {name: dataclasses.replace(bound, size=rows[name]) for name, bound in axis.own.items()}
    return dataclasses.replace(axis, size=size, valid=valid, factors=(), own=own)


class Rebuilt:
    """A function with a derivative rule of its own, rebuilt over lowered operands.

    Such a function must not close over tracers, so it gets all sizes in scope as operands, and returns
    the sizes and validity masks of its results. JAX keeps this object as long as the program that calls
    the function, so it holds no tracers, only layouts.
    """

    def __init__(self, ctx, eqn, values):
        self.root, self.eqn = ctx.root, eqn
        self.layouts = [layout(v) for v in values]
        self.in_avals = [v.aval for v in eqn.invars]
        self.out_avals = [v.aval for v in eqn.outvars]
        self.outs: list[Value] = []
        self.carried_tree: Any = None  # which axes of the results are packed
        self.described: list | None = None  # the reports of the function itself
        self.bindings = {
            name: dataclasses.replace(b, size=None, valid=None) for name, b in ctx.env.items()
        }
        self.moving = [i for i, v in enumerate(values) if _is_inexact(v.array)]

    @staticmethod
    def operands(ctx, values):
        """Return `(arrays, side)`: the operands' arrays, and the sizes in scope with the operands' masks."""
        arrays, carried = take_apart(values)
        return arrays, ({n: (b.size, b.valid) for n, b in ctx.env.items()}, carried)

    def scope(self, side):
        """Return a new scope with the sizes passed in as operands."""
        inner = Context(self.root)
        for name, (size, valid) in side[0].items():
            b = self.bindings[name]
            inner.env[name] = dataclasses.replace(b, size=size, valid=valid)
        return inner

    def enter(self, arrays, side):
        """Return a new scope for the function, and its operands as lowered values."""
        return self.scope(side), put_together(self.layouts, arrays, side[1])

    def results(self, inner, outs, codes):
        """Convert lowered results to pytrees of arrays, and remember their layouts for `conclude`."""
        # Expand uniform results, since their derivatives may differ from slot to slot.
        outs = [inner.expand_uniform(v) for v in outs]
        self.outs = [layout(v) for v in outs]
        arrays, carried = take_apart(outs)
        self.carried_tree = jax.tree.structure(carried)
        made = {n for a in self.out_avals for d in a.shape for n in jp.variables(d)}
        sizes = {n: inner.env[n].size for n in sorted(made - self.bindings.keys())}
        return arrays, (carried, sizes, codes)

    def primal(self, arrays, side):
        """Compute the lowered function without its derivative."""
        inner, operands = self.enter(arrays, side)
        outs = run(inner, self.eqn.params["call_jaxpr"], operands)
        self.described, codes = scopes.describe(inner)
        return self.results(inner, outs, codes)

    def checked(self, inner, arrays, side):
        """Return the codes of the function's run-time checks, and a factor for its derivative.

        The codes of checks that only the derivative adds (in the scope `inner`) cannot be returned.

        Returns:
          `(codes, mark)`: `mark` is a number to multiply the derivative by: NaN if one of these checks fails,
          otherwise 1, or `None` if there are none.
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

    def conclude(self, ctx, arrays, rest):
        """Return the results in the caller's scope; bind their sizes and add the run-time checks."""
        carried, sizes, codes = rest
        for name, size in sizes.items():
            ctx.bind(name, size, self.root.fresh_capacity.get(name, 1), fresh=True)
        ctx.adopt(self.described or [], codes)
        return put_together(self.outs, arrays, carried)

    def at(self, primals):
        """Return the traced function with only its floating-point and complex operands as parameters.

        The other operands, which have no derivative, are fixed to those in `primals`.
        """

        def call(*parts):
            full = list(primals)
            for i, part in zip(self.moving, parts, strict=True):
                full[i] = part
            return jp.bind(self.eqn, full)

        return call

    def trace(self, f, *avals):
        """Trace `f` to a jaxpr over symbolic shapes, in the dynamic trace of the program."""
        specs = [jp.abstract(a) for a in avals]
        with trace.resume(self.root.state):
            try:
                return jax.make_jaxpr(f)(*specs)
            except (TypeError, ValueError) as error:
                # A tape differentiates after the function has run, when it cannot be traced again.
                error.add_note(f"{_LATE_DERIVATIVE}\n  At:       {line_of(self.eqn)}\n{_REMEDY}")
                raise


class _RebuiltJvp(Rebuilt):
    """A `jax.custom_jvp` function, rebuilt over lowered operands."""

    def lowered(self, ctx, values) -> list[Value]:
        """Call the rebuilt function, and return its results as lowered values."""
        call = jax.custom_jvp(self.primal)
        call.defjvp(self._jvp)
        return self.conclude(ctx, *call(*self.operands(ctx, values)))

    def _forward(self, *xs):
        """Compute the function's results and their tangents over symbolic shapes."""
        primals, directions = list(xs[: len(self.in_avals)]), list(xs[len(self.in_avals) :])
        call, points = self.at(primals), [primals[i] for i in self.moving]
        if all(map(is_empty, points)):
            first = call(*points)  # a rule may fail for no elements, on which nothing depends
            moved = list(map(jnp.zeros_like, first))
        else:
            first, moved = jax.jvp(call, points, directions)
        return [*first, *[m for p, m in zip(first, moved, strict=True) if _is_inexact(p)]]

    def _jvp(self, primals, tangents):
        arrays, side = primals
        moving_avals = [self.in_avals[i] for i in self.moving]
        jaxpr = self.trace(self._forward, *self.in_avals, *moving_avals)
        inner, operands = self.enter(arrays, side)
        inner.is_derivative = True
        directions = [Value(tangents[0][i], operands[i].axes) for i in self.moving]
        outs = run(inner, jaxpr, [*operands, *directions])
        primal = [inner.expand_uniform(v) for v in outs[: len(self.out_avals)]]
        moved = iter(outs[len(self.out_avals) :])
        codes, mark = self.checked(inner, arrays, side)
        tree = jax.tree.structure(take_apart(primal)[1])
        if self.carried_tree is None or self.carried_tree == tree:
            first, rest = self.results(inner, primal, codes)
        else:  # the layouts of the rule's results differ from those of the function itself
            first, rest = self.primal(arrays, side)
            primal = put_together(self.outs, first, rest[0])
        second = [
            relayout(inner, next(moved), p) if _is_inexact(p.array) else _zero_tangent(p.array)
            for p in primal
        ]
        second = [multiply_mark(m, mark) if _is_inexact(m) else m for m in second]
        return (first, rest), (second, jax.tree.map(_zero_tangent, rest))


def custom_jvp_call(ctx, eqn, *values):
    """Lower a call of a `jax.custom_jvp` function, and keep its derivative rule."""
    values = [ctx.expand_uniform(v) for v in values]
    return _RebuiltJvp(ctx, eqn, values).lowered(ctx, values)


def relayout(ctx, value: Value, model: Value):
    """Convert `value` to the layout of `model`, and return its array."""
    from shims._src.lowering import packing
    from shims._src.lowering.slicing import fit

    value = ctx.expand_uniform(value)
    for i, axis in enumerate(model.axes):
        if axis is None:
            continue
        if value.axes[i].token == axis.token:
            array = fit(value.array, i, model.array.shape[i])
            value = Value(array, value.axes, value.pad, value.bounds)
            continue
        value = ctx.pack(value, i)
        if not axis.packed:
            array = jnp.take(value.array, packing.ranks(axis.valid), axis=i, mode="clip")
            value = ctx.clear_padding(Value(array, value.with_axis(i, axis)), (i,))
    return value.array


class _RebuiltVjp(Rebuilt):
    """A `jax.custom_vjp` function, rebuilt over lowered operands."""

    def __init__(self, ctx, eqn, values):
        super().__init__(ctx, eqn, values)
        self.saved: list[Value] = []  # the layouts of the residuals of the forward rule
        self.saved_avals: list = []
        self.pullback_tree = None

    def lowered(self, ctx, values) -> list[Value]:
        """Call the rebuilt function, and return its results as lowered values."""
        call = jax.custom_vjp(self.primal)
        call.defvjp(self._fwd, self._bwd)
        return self.conclude(ctx, *call(*self.operands(ctx, values)))

    def _forward(self, *primals):
        """Compute the function's results and the residuals for the pullback, over symbolic shapes."""
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
        saved = [inner.expand_uniform(v) for v in outs[count:]]
        self.saved = [layout(v) for v in saved]
        self.saved_avals = [v.aval for v in jp.open_jaxpr(jaxpr)[0].outvars[count:]]
        return result, (take_apart(saved), side, arrays, result[1][0], mark)

    def _backward(self, moving_out):
        """Return the pullback over symbolic shapes, as a function of residuals and cotangents.

        Only results whose positions are in `moving_out` have cotangents.
        """
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
        # The bounds of a size among the residuals limit what is created in this size.
        leaves = [
            dataclasses.replace(v, bounds=saved.bounds)
            for v, saved in zip(leaves, self.saved, strict=True)
        ]
        moving_out = [i for i, v in enumerate(self.outs) if _is_inexact(v.array)]
        moving_avals = [self.out_avals[i] for i in moving_out]
        jaxpr = self.trace(self._backward(moving_out), *self.saved_avals, *moving_avals)
        models = put_together(self.outs, cotangents[0], residuals_out)
        known = len(inner.reports)
        outs = run(inner, jaxpr, [*leaves, *(models[i] for i in moving_out)])
        for report in inner.reports[
            known:
        ]:  # a check of the pullback, whose results are NaN if it fails
            fails = jnp.where(jnp.any(report.code >= 0), np.nan, 1)
            mark = fails if mark is None else mark * fails
        result: list = [None] * len(self.in_avals)
        for i, out in zip(self.moving, outs, strict=True):
            result[i] = multiply_mark(relayout(inner, out, operands[i]), mark)
        return result, None


def custom_vjp_call(ctx, eqn, *values):
    """Lower a call of a `jax.custom_vjp` function, and keep its derivative rule."""
    values = [ctx.expand_uniform(v) for v in values]
    return _RebuiltVjp(ctx, eqn, values).lowered(ctx, values)


def checkpoint(ctx, eqn, *values):
    """Lower a call of a `jax.checkpoint` function to a checkpoint of the lowered body."""
    values = [ctx.expand_uniform(v) for v in values]
    jaxpr = eqn.params["jaxpr"]
    kept: dict[str, Any] = {}

    def body(arrays):
        given = iter(arrays)
        # An operand that waits for a size may wait for one that the body makes.
        operands = [
            v if isinstance(v, Deferred) else Value(next(given), v.axes, v.pad, v.bounds)
            for v in values
        ]
        inner = scopes.enter(ctx, jaxpr, operands, is_call=True)
        outs = run(inner, jaxpr, operands, caller=eqn)
        kept["outs"] = [layout(v) for v in outs]
        kept["described"], codes = scopes.describe(inner)
        made = {n: b for n, b in inner.env.items() if n not in ctx.env}
        kept["reused"] = scopes.renamed(ctx, inner, outs)
        sizes = {n: b.size for n, b in made.items()}
        kept["capacity"] = {
            n: dataclasses.replace(b, size=None, valid=None) for n, b in made.items()
        }
        return (*take_apart(outs), sizes, codes)

    again = jax.checkpoint(body, prevent_cse=eqn.params["prevent_cse"], policy=eqn.params["policy"])
    arrays, carried, sizes, codes = again([v.array for v in values if not isinstance(v, Deferred)])
    for name, size in sizes.items():
        b = kept["capacity"][name]
        ctx.env[name] = dataclasses.replace(b, size=size, valid=None)
    ctx.ambiguous |= kept["reused"]
    ctx.unreturned |= sizes.keys()
    ctx.adopt(kept["described"], codes)
    return put_together(kept["outs"], arrays, carried)


def _is_inexact(x) -> bool:
    return jax.dtypes.issubdtype(x.dtype, jnp.inexact)


def multiply_mark(x, mark):
    """Multiply a derivative by the factor `mark` from `Rebuilt.checked`, unless it is `None`."""
    return x if mark is None else x * mark.astype(x.dtype)


def _zero_tangent(x):
    return jp.varying_as(np.zeros(jnp.shape(x), jax.dtypes.float0), x)


def finite_gradient(ctx, eqn, value):
    """Lower the identity `finite_gradient`; its gradient was checked before the lowering."""
    return [value]


RULES = (
    Rule("finite_gradient", finite_gradient, uniform=True),
    Rule("custom_jvp_call", custom_jvp_call, uniform=True),
    Rule("custom_vjp_call", custom_vjp_call, uniform=True),
    Rule("custom_vjp_call_jaxpr", custom_vjp_call, uniform=True),
    Rule("checkpoint", checkpoint, uniform=True),
    Rule("remat2", checkpoint, uniform=True),
)
