"""Keep the tangents of values that are computed from an empty selection zero, as in JAX.

Where nothing is selected, `x[mask]` is a constant to JAX, and whatever is computed from it alone has a tangent of
zero. A lowered program learns only when it runs that nothing is selected: the derivative of a maximum with an
initial value divides by the number of entries that have it, 0, so the tangent would be NaN. Where such
a result is combined with other values or leaves the program, its tangent is therefore a choice between
zero and what the rules of JAX compute.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering.value import Deferred, Value
from shims._src.platform import jax_private as jp
from shims._src.platform import jaxprs
from shims._src.sizes import primitives

# When a tangent is zero: in each of these sets, at least one size is 0.
_Zero = frozenset[frozenset[str]]
_ALWAYS: _Zero = frozenset()
_NEVER: _Zero = frozenset({frozenset[str]()})
# The most sets that are kept; a tangent that is zero only if more hold is taken for one that is not.
_MOST = 8
# Operations whose tangents are zero where those of their operands are, or whose results are NaN themselves.
_SAFE = frozenset(
    {
        *("compress", "expand", "sized", "unify", "gather", "slice", "dynamic_slice", "reshape"),
        *("reduce_sum", "add", "add_any", "sub", "neg", "convert_element_type", "copy", "squeeze"),
        *("broadcast_in_dim", "transpose", "concatenate", "select_n", "pad", "rev", "expand_dims"),
        *("mul", "div", "stop_gradient", "optimization_barrier", "reduce_precision", "copy_p"),
    }
)


@dataclasses.dataclass(frozen=True, eq=False)
class Plan:
    """The results of a program whose tangents are chosen at run time.

    Attributes:
      chosen: by variable, when its tangent is zero.
      dims: the sizes of the selections, by name.
    """

    chosen: dict[Any, _Zero]
    dims: dict[str, Any]

    def applied(self, ctx, eqn, outs: list[Value]) -> list[Value]:
        """Return the results of an equation, with the choice where the plan has one."""
        return [
            _with_choice(ctx, out, [[self.dims[name] for name in one] for one in self.chosen[var]])
            if var in self.chosen
            else out
            for var, out in zip(eqn.outvars, outs, strict=True)
        ]


def plan(jaxpr, consts: Sequence) -> Plan | None:
    """Plan the choices for a program with the given constants; return `None` if it needs none."""
    own = jaxprs.own_equations(jaxpr)
    selections = [e for e in own if e.primitive is primitives.compress_p]
    if not selections or not any(map(_may_be_unsafe, own)):
        return None
    if any(map(_is_collective, jaxprs.equations(jaxpr))):
        return None
    dims = {e.params["name"]: e.outvars[0].aval.shape[e.params["axis"]] for e in selections}
    found = _Search(jaxpr, consts, frozenset(dims))
    return Plan(found.chosen, dims) if found.chosen else None


def _may_be_unsafe(eqn) -> bool:
    """Return whether the tangent of an equation may be NaN where it should be zero."""
    return eqn.primitive.name not in _SAFE and any(map(_is_inexact, eqn.outvars))


def _is_collective(eqn) -> bool:
    """Return whether an equation combines values of several devices or rows, whose selections differ."""
    if not eqn.params:
        return False
    axes = eqn.params.get("axes") or ()
    named = isinstance(axes, tuple) and not all(isinstance(a, (int, np.integer)) for a in axes)
    return named or not eqn.params.keys().isdisjoint(("axis_name", "axis_index_groups"))


class _Search:
    """Finds the results whose tangents may be NaN where they should be zero."""

    def __init__(self, jaxpr, consts: Sequence, names: frozenset[str]):
        self._names = names
        self._zero: dict[Any, _Zero] = {}
        self._unsafe: set[Any] = set()
        self.chosen: dict[Any, _Zero] = {}
        for var in jaxpr.invars:
            self._zero[var] = _NEVER if _is_inexact(var) else _ALWAYS
        for var, value in zip(jaxpr.constvars, consts, strict=True):
            may_move = jp.is_tracer(value) and _is_inexact(var)
            self._zero[var] = _NEVER if may_move else _ALWAYS
        for eqn in jaxprs.own_equations(jaxpr):
            self._follow(eqn)
        for atom in jaxpr.outvars:
            if not isinstance(atom, jp.core.Literal):
                self._choose(atom, None)

    def _follow(self, eqn) -> None:
        operands = [a for a in eqn.invars if not isinstance(a, jp.core.Literal)]
        zero = _ALWAYS
        for var in operands:
            zero = _both(zero, self._zero[var])
        for name in self._selected(eqn):
            zero = frozenset(one | {name} for one in zero)
        for var in operands:
            self._choose(var, zero)
        is_safe = eqn.primitive.name in _SAFE and self._unsafe.isdisjoint(operands)
        for var in eqn.outvars:
            self._zero[var] = found = zero if zero and _is_inexact(var) else _ALWAYS
            if found and not is_safe:
                self._unsafe.add(var)

    def _selected(self, eqn) -> list[str]:
        """Return the sizes of selections that the equation makes from its operand, the names of which are sizes."""
        if eqn.primitive is primitives.compress_p:
            return [eqn.params["name"]]
        if eqn.primitive.name != "gather":
            return []
        before, after = (v.aval.shape for v in (eqn.invars[0], eqn.outvars[0]))
        had = set(map(str, before))
        return [str(d) for d in after if str(d) in self._names and str(d) not in had]

    def _choose(self, var, reader: _Zero | None) -> None:
        """Choose the tangent of an operand if that of the result is not zero where the operand's is."""
        if var not in self._unsafe:
            return
        zero = self._zero[var]
        if zero not in (_ALWAYS, _NEVER, reader) and not jp.is_symbolic_shape(var.aval.shape):
            self.chosen[var] = zero


def _both(first: _Zero, second: _Zero) -> _Zero:
    """Return when two tangents are both zero."""
    if first is second or not second:
        return first
    if not first:
        return second
    sets = first | second
    least = frozenset(one for one in sets if not any(other < one for other in sets))
    return least if len(least) <= _MOST else _NEVER


def _is_inexact(var) -> bool:
    dtype = getattr(var.aval, "dtype", None)
    return dtype is not None and _is_inexact_dtype(dtype)


@functools.cache
def _is_inexact_dtype(dtype) -> bool:
    return bool(jnp.issubdtype(dtype, np.inexact))


def _with_choice(ctx, out: Value, sizes: list[list]) -> Value:
    if isinstance(out, Deferred) or out.dynamic or out.wide is not None:
        return out
    is_zero = functools.reduce(lax.bitwise_and, [_has_zero(ctx, one) for one in sizes])
    if out.array.ndim:
        is_zero = lax.broadcast(is_zero, out.array.shape)
    # The two cases are one number, with and without a tangent.
    array = lax.select(is_zero, lax.stop_gradient(out.array), out.array)
    return dataclasses.replace(out, array=array)


def _has_zero(ctx, sizes: list):
    flags = [lax.eq(jp.as_jax(ctx.size(d), jnp.int32), np.int32(0)) for d in sizes]
    return functools.reduce(lax.bitwise_or, flags)
