"""Analyze how the equations of a jaxpr use a value."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import equations, own_equations, sub_jaxprs, uses

_ARITHMETIC = frozenset(
    [
        "copy",
        "copy_p",
        "convert_element_type",
        "add",
        "sub",
        "mul",
        "select_n",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "broadcast_in_dim",
        "concatenate",
        "reshape",
        "clamp",
        "max",
        "min",
        "rev",
        "squeeze",
        "stack",
        "rem",
        "and",
        "or",
        "not",
        "neg",
        "sized",
    ]
)


def only_as_position(jaxpr, var) -> bool:
    """Return whether an integer is used only to compute the indices of gathers, scatters and slices."""
    if any(v is var for v in jaxpr.outvars):
        return False
    return all(_uses_as_position(jaxpr, e, var) for e in uses(jaxpr, var))


def only_squeezed(jaxpr, eqn) -> bool:
    """Return whether every use of an equation's result is a squeeze or reshape: one element is read."""
    out = eqn.outvars[0]
    if jaxpr is None or any(v is out for v in jaxpr.outvars):
        return False
    readers = uses(jaxpr, out)
    return bool(readers) and all(e.primitive.name in ("squeeze", "reshape") for e in readers)


def _uses_as_position(jaxpr, eqn, var) -> bool:
    name = eqn.primitive.name
    if name in ("gather", "dynamic_slice"):
        return eqn.invars[0] is not var
    if name.startswith("scatter"):
        return eqn.invars[0] is not var and eqn.invars[2] is not var
    if name == "dynamic_update_slice":
        return eqn.invars[0] is not var and eqn.invars[1] is not var
    if name in ("jit", "pjit"):
        inner, _ = jp.open_jaxpr(eqn.params["jaxpr"])
        entered = [v for v, a in zip(inner.invars, eqn.invars, strict=True) if a is var]
        ends = list(eqn.outvars)
        return all(_only_arithmetic(inner, v) for v in entered) and all(
            only_as_position(jaxpr, v) for v in ends
        )
    if name in ("lt", "le", "gt", "ge"):
        # Comparing a position is harmless, as -1 and 0 both precede every position; but a run-time check
        # may tell them apart.
        return not _is_checked(jaxpr, eqn.outvars[0])
    if name not in _ARITHMETIC:
        return False
    out = eqn.outvars[0]
    if getattr(out.aval, "dtype", None) is None or out.aval.dtype.kind == "f":
        return False
    return only_as_position(jaxpr, out)


def _is_checked(jaxpr, flag) -> bool:
    """Return whether a run-time check reads a boolean variable, directly or after `and`, `or`, `not`."""
    return any(
        e.primitive.name == "runtime_check"
        or (e.primitive.name in ("and", "or", "not") and _is_checked(jaxpr, e.outvars[0]))
        for e in uses(jaxpr, flag)
    )


def _only_arithmetic(inner, var) -> bool:
    """Return whether a nested jaxpr uses the variable `var` only for integer arithmetic.

    The caller checks how the outputs of that jaxpr are used.
    """
    return all(
        e.primitive.name in _ARITHMETIC and e.outvars[0].aval.dtype.kind != "f"
        for e in uses(inner, var)
    )


def deciding(jaxpr, ends=()) -> set[int]:
    """Return the identities of the equations whose inexact results decide values of other dtypes.

    Such a value, as of `y[0] > 0` or `y.astype(int)`, cannot be marked by NaN.

    Args:
      jaxpr: an open jaxpr.
      ends: the outputs of the jaxpr that do so outside of it.
    """
    found: set[int] = set()
    marked = set(filter(_is_inexact_variable, ends))
    for eqn in reversed(own_equations(jaxpr)):
        decides = any(v in marked for v in eqn.outvars)
        if decides:
            found.add(id(eqn))
        inner = [jp.open_jaxpr(sub)[0] for sub in sub_jaxprs(eqn.params)]
        for program in inner:
            found |= deciding(program, program.outvars if decides else ())
        within = [e for program in inner for e in equations(program)]
        if decides or any(map(_makes_integers, within or [eqn])):
            marked |= set(filter(_is_inexact_variable, eqn.invars))
    return found


def _makes_integers(eqn) -> bool:
    """Return whether an equation computes values of other dtypes from inexact ones."""
    return any(map(_is_inexact, eqn.invars)) and not all(map(_is_inexact, eqn.outvars))


def _is_inexact(x) -> bool:
    return jnp.issubdtype(getattr(x.aval, "dtype", bool), jnp.inexact)


def _is_inexact_variable(x) -> bool:
    return not isinstance(x, jp.Literal) and _is_inexact(x)
