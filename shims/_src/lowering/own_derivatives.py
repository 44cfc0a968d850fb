"""Lower operations with derivative rules of their own in JAX: `ldexp` and `linear_call`.

Their expansion into other primitives computes the right values, but differentiating that expansion does
not give the derivatives that the rules give. The derivatives are therefore traced over symbolic shapes,
where JAX applies the rules, and are lowered like the operation itself.
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
    """An operation with its own derivative rules, called on lowered operands.

    Its *leaves* are the arrays of the operands, followed by their sizes and masks.
    """

    tree: Any  # the structure of the operands with their sizes and masks
    out_tree: Any  # the structure of the results with theirs
    count: int  # the number of leaves of the operands

    def lowered(self, ctx, values) -> list[Value]:
        """Call the operation on lowered operands, and return its results as lowered values."""
        leaves, self.tree = jax.tree.flatten(self.operands(ctx, values))
        self.count = len(leaves)
        outs = differentiable.call(_Primal(self), leaves)
        return self.conclude(ctx, *jax.tree.unflatten(self.out_tree, outs))

    def evaluate(self, leaves):
        """Evaluate the operation; return `(scope, operands, results)` as lowered values."""
        inner, operands = self.enter(*jax.tree.unflatten(self.tree, leaves))
        jaxpr = expansion(self.root, self.eqn)
        return inner, operands, run(inner, jaxpr, operands)

    @functools.cached_property
    def inexact(self) -> list[int]:
        """The positions of the results of inexact dtype, which have derivatives."""
        return [i for i, a in enumerate(self.out_avals) if jnp.issubdtype(a.dtype, jnp.inexact)]

    def symbolic(self, *xs):
        """Apply the traced operation to arrays of symbolic shape; return the results of inexact dtype."""
        outs = jp.bind(self.eqn, xs)
        return [outs[i] for i in self.inexact]

    def result_types(self, avals) -> list:
        """Return the types of the results, with their sizes and masks, for leaves of the given types."""
        return jp.result_types(_Primal(self), avals)

    def position(self, leaf: int) -> int:
        """Convert the position of an array among the leaves to that among the arguments of `symbolic`."""
        return leaf if leaf < self.count else leaf - self.count + len(self.in_avals)


class _Primal:
    """The operation itself as a `Differentiable` program of its leaves."""

    def __init__(self, operation: _Operation):
        self.operation, self.inexact = operation, len(operation.inexact)

    def __call__(self, *leaves):
        op = self.operation
        inner, _, outs = op.evaluate(leaves)
        op.described, codes = scopes.describe(inner)
        flat, op.out_tree = jax.tree.flatten(op.results(inner, outs, codes))
        return flat

    def types(self, avals):
        """Return the types of the results, of their sizes and masks, and of the check results."""
        return self.operation.result_types(avals)

    def tangent(self, moving):
        """Return the program that computes the tangents of the results."""
        results = [("out", i) for i in self.operation.inexact]
        return _tangent(self.operation, self.operation.symbolic, (), results, moving)

    def transposed(self, linear):
        """Return the transpose with regard to the operands `linear`, in which the operation is linear."""
        results = [("out", i) for i in self.operation.inexact]
        return _transposed(self.operation, self.operation.symbolic, (), results, linear)


@dataclasses.dataclass(frozen=True, eq=False)
class _Derivative:
    """A derivative of an operation, as a `Differentiable` program.

    Its operands are the operation's leaves, followed by further arrays, such as tangents or cotangents.

    Attributes:
      operation: the operation.
      symbolic: the derivative over symbolic shapes, a function of the operands and the further arrays.
      further: for each further array, the value whose layout it has: `("in", i)` for operand `i`,
        `("out", i)` for result `i`.
      results: the layouts of the results of this program, in the same form.
      adjoint: for a program that computes tangents, the function that computes cotangents of the directions
        (of the given tangents); its arguments are those of `symbolic`, followed by cotangents of the results.
      directions: the positions of the directions among the operands of this program.
    """

    operation: _Operation
    symbolic: Callable
    further: tuple
    results: list
    adjoint: Callable | None = None
    directions: tuple = ()

    @property
    def inexact(self) -> int:
        """The number of results; all of them have an inexact dtype."""
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
        """Return the program that computes the tangents of the results."""
        return _tangent(self.operation, self.symbolic, self.further, self.results, moving)

    def transposed(self, linear):
        """Return the transpose with regard to the operands `linear`, in which this program is linear."""
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
    """Return a number to multiply derivatives by: NaN if a run-time check fails, otherwise 1.

    Return `None` if there are no checks.
    """
    if not reports:
        return None
    fine = functools.reduce(jnp.logical_and, [jnp.all(r.code < 0) for r in reports])
    return jnp.where(fine, 1, np.nan)


def _layout(operation, further, leaf):
    return ("in", leaf) if leaf < operation.count else further[leaf - operation.count]


def _restricted(f, xs, moving):
    """Return `f` as a function of the arguments `moving`; the others are fixed to those in `xs`."""

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
    """Lower an operation such that its derivative rules still apply.

    An operation without operands of inexact dtype has no derivative; then its expansion is lowered.
    """
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
