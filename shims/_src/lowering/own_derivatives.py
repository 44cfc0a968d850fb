"""Lower operations that JAX differentiates by rules of their own, such as `ldexp` and `linear_call`.

Their expansion into other primitives computes the right values, but its derivative is not that of the
rules. So their derivatives are traced over symbolic shapes, where JAX applies the rules, and are lowered
like the operation itself.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.lowering import differentiable, scopes
from shims._src.lowering.control import expansion, run
from shims._src.lowering.derivatives import Rebuilt, multiply_mark, relayout
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


class _Operation(Rebuilt):
    """An operation over lowered operands, and the layouts of its results."""

    tree: Any  # the structure of the operands with their sizes and masks
    out_tree: Any  # the structure of the results with theirs
    count: int  # the number of leaves of the operands

    def lowered(self, ctx, values) -> list[Value]:
        """Call the operation, and return its results as lowered values."""
        leaves, self.tree = jax.tree.flatten(self.operands(ctx, values))
        self.count = len(leaves)
        outs = differentiable.call(_Primal(self), leaves)
        return self.conclude(ctx, *jax.tree.unflatten(self.out_tree, outs))

    def evaluate(self, leaves):
        """Return the scope of a call, and its operands and results as lowered values."""
        inner, operands = self.enter(*jax.tree.unflatten(self.tree, leaves))
        jaxpr = expansion(self.root, self.eqn)
        return inner, operands, run(inner, jaxpr, operands)

    @functools.cached_property
    def inexact(self) -> list[int]:
        """The positions of the results that have derivatives."""
        return [i for i, a in enumerate(self.out_avals) if jnp.issubdtype(a.dtype, jnp.inexact)]

    def symbolic(self, *xs):
        """Apply the operation to arrays of symbolic shapes; return the results of inexact dtype."""
        outs = jp.bind(self.eqn, xs)
        return [outs[i] for i in self.inexact]

    def result_types(self, avals) -> list:
        """Return the types of the results for leaves of the given types."""
        return jp.result_types(_Primal(self), avals)

    def position(self, leaf: int) -> int:
        """Return the position of an operand among the arrays of symbolic shapes."""
        return leaf if leaf < self.count else leaf - self.count + len(self.in_avals)


class _Primal:
    """The operation itself, as a function of the leaves of its operands, sizes and masks."""

    def __init__(self, operation: _Operation):
        self.operation, self.inexact = operation, len(operation.inexact)

    def __call__(self, *leaves):
        op = self.operation
        inner, _, outs = op.evaluate(leaves)
        op.described, codes = scopes.describe(inner)
        flat, op.out_tree = jax.tree.flatten(op.results(inner, outs, codes))
        return flat

    def types(self, avals):
        """Return the types of the results, and of their sizes, masks and reports."""
        return self.operation.result_types(avals)

    def tangent(self, moving):
        """Return the program of the tangents of the results."""
        results = [("out", i) for i in self.operation.inexact]
        return _tangent(self.operation, self.operation.symbolic, (), results, moving)

    def transposed(self, linear):
        """Return the program of the cotangents of operands in which the operation is linear."""
        results = [("out", i) for i in self.operation.inexact]
        return _transposed(self.operation, self.operation.symbolic, (), results, linear)


@dataclasses.dataclass(frozen=True, eq=False)
class _Derivative:
    """A derivative of an operation, as a function of the operation's leaves and of more arrays.

    Attributes:
      operation: the operation.
      symbolic: the function over symbolic shapes, of the operands and the further arrays.
      further: of each further array the layout, `("in", i)` as operand `i`, `("out", i)` as result `i`.
      results: the layouts of the results.
      adjoint: for tangents, the cotangents of the directions, a function of the operands, the further
        arrays without the directions, and cotangents of the results.
      directions: the leaves that are directions.
    """

    operation: _Operation
    symbolic: Callable
    further: tuple
    results: list
    adjoint: Callable | None = None
    directions: tuple = ()

    @property
    def inexact(self) -> int:
        """The number of results, which are all of inexact dtype."""
        return len(self.results)

    def __call__(self, *leaves):
        op = self.operation
        inner, operands, outs = op.evaluate(leaves[: op.count])
        known = len(inner.reports)
        layouts = {"in": operands, "out": [inner.expand_uniform(v) for v in outs]}
        avals = {"in": op.in_avals, "out": op.out_avals}
        more = [
            Value(x, layouts[side][i].axes)
            for x, (side, i) in zip(leaves[op.count :], self.further, strict=True)
        ]
        specs = [*op.in_avals, *(avals[side][i] for side, i in self.further)]
        found = run(inner, op.trace(self.symbolic, *specs), [*operands, *more])
        mark = _mark(inner.reports[known:])
        return [
            multiply_mark(relayout(inner, v, layouts[side][i]), mark)
            for v, (side, i) in zip(found, self.results, strict=True)
        ]

    def types(self, avals):
        """Return the types of the results, which are tangents or cotangents."""
        # They are not computed: a rule for cotangents may exist where none for tangents does.
        count = self.operation.count
        outs = self.operation.result_types(avals[:count])
        return [(avals if side == "in" else outs)[i] for side, i in self.results]

    def tangent(self, moving):
        """Return the program of the tangents of the results."""
        return _tangent(self.operation, self.symbolic, self.further, self.results, moving)

    def transposed(self, linear):
        """Return the program of the cotangents of operands in which this program is linear."""
        if self.adjoint is not None and set(linear) <= set(self.directions):
            chosen = [self.directions.index(i) for i in linear]
            adjoint = self.adjoint

            def pullback(*xs):
                found = adjoint(*xs)
                return [found[i] for i in chosen]

            results = [_layout(self.operation, self.further, i) for i in linear]
            further = (*self.further, *self.results)
            return _Derivative(self.operation, pullback, further, results)
        return _transposed(self.operation, self.symbolic, self.further, self.results, linear)


def _mark(reports):
    """Return the number to multiply derivatives by: NaN if a run-time check of theirs fails."""
    if not reports:
        return None
    fine = functools.reduce(jnp.logical_and, [jnp.all(r.code < 0) for r in reports])
    return jnp.where(fine, 1, np.nan)


def _layout(operation, further, leaf):
    return ("in", leaf) if leaf < operation.count else further[leaf - operation.count]


def _restricted(f, xs, moving):
    """Return `f` as a function of the arrays at the positions `moving` only."""

    def call(*parts):
        full = list(xs)
        for i, part in zip(moving, parts, strict=True):
            full[i] = part
        return f(*full)

    return call


def _tangent(operation, f, further, results, moving):
    places = [operation.position(i) for i in moving]
    count = len(operation.in_avals) + len(further)

    def tangents(*xs):
        primals, directions = xs[:count], list(xs[count:])
        call = _restricted(f, primals, places)
        return jax.jvp(call, [primals[i] for i in places], directions)[1]

    def cotangents(*xs):
        primals, given = xs[:count], list(xs[count + len(places) :])
        call = _restricted(f, primals, places)
        return jax.vjp(call, *[primals[i] for i in places])[1](given)

    more = (*further, *(_layout(operation, further, i) for i in moving))
    first = operation.count + len(further)
    directions = tuple(range(first, first + len(places)))
    return _Derivative(operation, tangents, more, results, cotangents, directions)


def _transposed(operation, f, further, results, linear):
    places = [operation.position(i) for i in linear]
    count = len(operation.in_avals) + len(further)

    def transpose(*xs):
        operands, given = xs[:count], list(xs[count:])
        call = _restricted(f, operands, places)
        return jax.linear_transpose(call, *[operands[i] for i in places])(given)

    layouts = [_layout(operation, further, i) for i in linear]
    return _Derivative(operation, transpose, (*further, *results), layouts)


def keep_rules(ctx, eqn, *values):
    """Lower an operation so that its derivative rules apply; without any, lower its expansion."""
    values = [ctx.expand_uniform(v) for v in values]
    operands = [v.aval for v in eqn.invars]
    if not any(jnp.issubdtype(a.dtype, jnp.inexact) for a in operands):
        jaxpr = expansion(ctx.root, eqn)
        inner = scopes.enter(ctx, jaxpr, values)
        return scopes.leave(ctx, inner, run(inner, jaxpr, values))
    return _Operation(ctx, eqn, values).lowered(ctx, values)


RULES = (
    Rule("call_hi_primitive", keep_rules, uniform=True),
    Rule("linear_call", keep_rules, uniform=True),
)
